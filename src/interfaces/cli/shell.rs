//! Completions, man pages and the shell hook, generated at run time from the definition of the command line.

#[cfg(feature = "shell")]
use std::fs;
#[cfg(feature = "shell")]
use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[cfg(feature = "shell")]
use super::args::Arguments;
use super::common::Common;
use super::exit::Exit;
#[cfg(feature = "shell")]
use super::failure::{Failure, Result, reason};
use super::format::Format;
use super::output::{self, Output};

#[cfg(feature = "shell")]
#[derive(Debug, Clone, Args)]
pub(crate) struct CompletionsOptions {
    /// The shell.
    shell: clap_complete::Shell,
}

#[cfg(feature = "shell")]
#[derive(Debug, Clone, Args)]
pub(crate) struct ManOptions {
    /// The folder for the man pages; it is created if it does not exist.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct HookOptions {
    /// The shell.
    #[arg(value_enum)]
    shell: HookShell,
}

/// A shell with a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HookShell {
    Zsh,
    Bash,
}

#[cfg(feature = "shell")]
pub(crate) fn completions(args: &CompletionsOptions, common: &Common) -> Result<Exit> {
    use clap::CommandFactory as _;
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "faultbook", &mut text);
    let text = String::from_utf8_lossy(&text).into_owned();
    as_it_is(common).verbatim(&super::shell_ids::with_ids(args.shell, text))?;
    Ok(Exit::Found)
}

/// Writes a man page for the command and each of its commands.
#[cfg(feature = "shell")]
pub(crate) fn man(args: &ManOptions) -> Result<Exit> {
    use clap::CommandFactory as _;
    let failed = |error: std::io::Error| {
        Failure::new(format!("could not write man pages to `{}`: {}", args.folder.display(), reason(&error)))
    };
    fs::create_dir_all(&args.folder).map_err(failed)?;
    clap_mangen::generate_to(Arguments::command().disable_help_subcommand(true), &args.folder).map_err(failed)?;
    Ok(Exit::Found)
}

pub(crate) fn hook(args: &HookOptions, common: &Common) -> Result<Exit> {
    as_it_is(common).verbatim(match args.shell {
        HookShell::Zsh => ZSH,
        HookShell::Bash => BASH,
    })?;
    Ok(Exit::Found)
}

/// Shell code has only one format.
fn as_it_is(common: &Common) -> Output {
    Output { format: Format::Terminal, terminal: output::terminal(common) }
}

/// The hook cannot see what a command printed: shells do not keep it. It offers to read the terminal's scrollback if
/// the terminal provides it (tmux, kitty), otherwise it says how to run the command again.
const ZSH: &str = r#"# Faultbook: after a failed command, offer a diagnosis. In ~/.zshrc: eval "$(faultbook hook zsh)"
__faultbook_precmd() {
  local code=$?
  (( code == 0 || code == 130 || code == 148 )) && return
  [[ -n $__faultbook_command ]] || return
  local command=$__faultbook_command
  __faultbook_command=
  # Commands that fail to say no, unless others follow.
  case $command in *[\&\;]*) ;; *)
    case ${command%% *} in faultbook|fault|cd|ls|grep|rg|diff|test|'['|'[[') return ;; esac
  esac
  if [[ -n $TMUX || -n $KITTY_LISTEN_ON ]]; then
    print -u2 "faultbook: exit code $code; \`fault\` diagnoses the screen"
  else
    # What the shell itself takes apart cannot follow `run --`.
    case $command in *[\|\&\;\(\`$'\n']*) command=... ;; esac
    case ${command%% *} in *=*) command=... ;; esac
    print -ru2 -- "faultbook: exit code $code; \`faultbook run -- $command\` runs it again and says why"
  fi
}
__faultbook_preexec() { __faultbook_command=$1 }
fault() {
  if [[ -n $TMUX ]]; then tmux capture-pane -pJ -S -3000 | faultbook "$@"
  elif [[ -n $KITTY_LISTEN_ON ]]; then kitty @ get-text --extent last_cmd_output | faultbook "$@"
  else faultbook "$@"
  fi
}
autoload -Uz add-zsh-hook
add-zsh-hook preexec __faultbook_preexec
add-zsh-hook precmd __faultbook_precmd
"#;

const BASH: &str = r#"# Faultbook: after a failed command, offer a diagnosis. In ~/.bashrc: eval "$(faultbook hook bash)"
__faultbook_prompt() {
  local code=$? command
  case $code in 0|130|148) return $code ;; esac
  command=$(HISTTIMEFORMAT= history 1)
  # An empty line at the prompt repeats the last code: say nothing twice.
  [ "$command" = "$__faultbook_last" ] && return $code
  __faultbook_last=$command
  command=${command#*[0-9]  }
  # Commands that fail to say no, unless others follow.
  case $command in *[\&\;]*) ;; *)
    case ${command%% *} in faultbook|fault|cd|ls|grep|rg|diff|test|'['|'[[') return $code ;; esac
  esac
  if [ -n "$TMUX" ] || [ -n "$KITTY_LISTEN_ON" ]; then
    printf 'faultbook: exit code %s; `fault` diagnoses the screen\n' "$code" >&2
  else
    # What the shell itself takes apart cannot follow `run --`.
    case $command in *[\|\&\;\(\`$'\n']*) command=... ;; esac
    case ${command%% *} in *=*) command=... ;; esac
    printf 'faultbook: exit code %s; `faultbook run -- %s` runs it again and says why\n' "$code" "$command" >&2
  fi
  return $code
}
fault() {
  if [ -n "$TMUX" ]; then tmux capture-pane -pJ -S -3000 | faultbook "$@"
  elif [ -n "$KITTY_LISTEN_ON" ]; then kitty @ get-text --extent last_cmd_output | faultbook "$@"
  else faultbook "$@"
  fi
}
PROMPT_COMMAND="__faultbook_prompt${PROMPT_COMMAND:+;$PROMPT_COMMAND}"
"#;

//! Ids of reports in completions: the shells ask `faultbook list --ids` when a report is to be named.

use clap_complete::Shell;

/// The completions with ids; those of other shells stay as they are.
pub(super) fn with_ids(shell: Shell, text: String) -> String {
    match shell {
        Shell::Bash => text + BASH,
        Shell::Zsh => zsh(&text),
        Shell::Fish => text + FISH,
        _ => text,
    }
}

const BASH: &str = r#"
_faultbook_with_ids() {
    local current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" pages="" IFS=$'\n'
    case "${COMP_WORDS[1]} $before" in
        "show show") pages="--pages" ;;
        "status status" | "graph graph" | "refs refs" | "new --append" | "new --for") ;;
        *) _faultbook "$@"; return ;;
    esac
    if [[ $current == -* ]]; then _faultbook "$@"; return; fi
    COMPREPLY=($(compgen -W "$(faultbook list --ids $pages 2>/dev/null)" -- "$current"))
}
complete -F _faultbook_with_ids -o bashdefault -o default faultbook
"#;

const FISH: &str = r#"
complete -c faultbook -n "__fish_seen_subcommand_from show" -f -a "(faultbook list --ids --pages 2>/dev/null)"
complete -c faultbook -n "__fish_seen_subcommand_from status graph refs" -f -a "(faultbook list --ids 2>/dev/null)"
complete -c faultbook -n "__fish_seen_subcommand_from new" -l append -r -f -a "(faultbook list --ids 2>/dev/null)"
"#;

const ZSH: &str = r#"
_faultbook_ids() {
    local -a ids
    ids=(${(f)"$(faultbook list --ids --pages 2>/dev/null)"})
    compadd -a ids
}
"#;

/// Arguments that are ids get the function above in place of the default.
fn zsh(text: &str) -> String {
    let is_id = |line: &str| {
        let name = line.trim_start().trim_start_matches(['\'', '*', ':']);
        name.starts_with("id -- ") || line.contains(":ID:_default'")
    };
    let mut out = String::with_capacity(text.len() + ZSH.len());
    for (number, line) in text.lines().enumerate() {
        let line = if is_id(line) { line.replace(":_default'", ":_faultbook_ids'") } else { line.to_owned() };
        out.push_str(&line);
        out.push('\n');
        // After the line that makes it a completion.
        if number == 0 {
            out.push_str(ZSH);
        }
    }
    out
}

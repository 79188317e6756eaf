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
    ids=(${(f)"$(faultbook list --ids $1 2>/dev/null)"})
    compadd -a ids
}
_faultbook_ids_and_pages() {
    _faultbook_ids --pages
}
"#;

/// Arguments that are ids get one of the functions above in place of the default: only `show` also shows pages.
fn zsh(text: &str) -> String {
    let is_id = |line: &str| {
        let name = line.trim_start().trim_start_matches(['\'', '*', ':']);
        name.starts_with("id -- ") || line.contains(":ID:_default'")
    };
    let mut out = String::with_capacity(text.len() + ZSH.len());
    let mut command = "";
    for (number, line) in text.lines().enumerate() {
        command = line.strip_prefix('(').and_then(|line| line.strip_suffix(')')).unwrap_or(command);
        let function = if command == "show" { "_faultbook_ids_and_pages" } else { "_faultbook_ids" };
        match is_id(line) {
            true => out.push_str(&line.replace(":_default'", &format!(":{function}'"))),
            false => out.push_str(line),
        }
        out.push('\n');
        // After the line that makes it a completion.
        if number == 0 {
            out.push_str(ZSH);
        }
    }
    out
}

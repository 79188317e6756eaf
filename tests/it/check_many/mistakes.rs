//! Mistakes that people make, each with the rule that must report it, its line, and the line after fixing.

use super::compose::{Dice, Draft, Line};

/// Every rule with a finding in the folder.
pub(crate) const RULES: [&str; 29] = [
    "encoding",
    "unknown-status",
    "status-spelling",
    "bad-date",
    "no-front-matter",
    "missing-key",
    "duplicate-key",
    "front-matter",
    "front-matter-open",
    "key-spelling",
    "unknown-severity",
    "empty-section",
    "missing-section",
    "placeholder",
    "todo",
    "template-left",
    "duplicate-id",
    "copied-report",
    "id-file-name",
    "id-mismatch",
    "id-spelling",
    "missing-id",
    "dead-link",
    "dead-anchor",
    "unknown-report",
    "task-status",
    "contents",
    "secret",
    "stale-exemption",
];

/// How many kinds of mistakes there are.
pub(crate) const COUNT: usize = 37;

/// The number of the mistake in a table of contents.
pub(crate) const CONTENTS: usize = 27;

/// Makes the mistake of that number, where the report has room for it.
pub(crate) fn make(draft: &mut Draft, which: usize, dice: &mut Dice) {
    match which % COUNT {
        0 => front(draft, "status: ", "status: sleeping", "unknown-status", None),
        1 => spelled_status(draft, dice),
        2 => front(draft, "date: ", "date: 2025/11/9 18:08", "bad-date", Some("date: 2025-11-09 18:08")),
        3 => front(draft, "date: ", "date: \"12/06/2025\"", "bad-date", None),
        4 => front(draft, "date: ", "date: yesterday", "bad-date", None),
        5 => front(draft, "severity: ", "severity: awful", "unknown-severity", None),
        6 => front(draft, "severity: ", "Severity: high", "key-spelling", Some("severity: high")),
        7 => duplicate_key(draft, true),
        8 => duplicate_key(draft, false),
        9 => unquoted_colon(draft),
        10 => tab_in_front_matter(draft),
        11 => missing_key(draft),
        12 => id_spelling(draft),
        13 => id_mismatch(draft),
        14 => id_file_name(draft),
        15 => missing_id(draft),
        16 => emptied(draft, dice),
        17 => dropped(draft),
        18 => replaced(draft, "Brief description of the bug.", "placeholder"),
        19 => replaced(draft, "TODO: write down how", "todo"),
        20 => replaced(draft, "- **GPU:** [your GPU]", "placeholder"),
        21 => template_above(draft),
        22 => added(draft, "See [the log](logs/gone.md) for more.", "dead-link"),
        23 => added(draft, "See [below](#no-such-heading) for more.", "dead-anchor"),
        24 => added(draft, "It began with BUG-20991231-999 last week.", "unknown-report"),
        25 => secret(draft, dice),
        26 => boxes(draft),
        CONTENTS => contents(draft),
        28 => unclosed(draft),
        29 => no_front_matter(draft),
        30 => front(draft, "severity: ", "severity: \"[severity]\"", "placeholder", None),
        31 => front(draft, "severity: ", "severity: TODO", "todo", None),
        32 => replaced(draft, "| GPU | TBD |", "todo"),
        33 => replaced(draft, "1. <your command here>", "placeholder"),
        34 => added(draft, "![a picture](img/gone.png)", "dead-link"),
        35 => id_in_the_file_name_only(draft),
        _ => exemption(draft),
    }
}

/// Writes another line into the front matter.
fn front(draft: &mut Draft, beginning: &str, text: &str, rule: &'static str, fixed: Option<&str>) {
    let Some(at) = draft.key(beginning).filter(|at| draft.is_free(*at)) else { return };
    if beginning == "status: " && has(draft, "task-status") {
        return;
    }
    draft.lines[at] = Line {
        text: text.to_owned(),
        rules: vec![rule],
        fixed: fixed.map(|line| vec![line.to_owned()]),
        ..Line::default()
    };
}

fn has(draft: &Draft, rule: &str) -> bool {
    draft.lines.iter().any(|line| line.rules.contains(&rule))
}

fn spelled_status(draft: &mut Draft, dice: &mut Dice) {
    let solved = draft.key("status: resolved").is_some();
    let (text, fixed) = match (solved, dice.throw(3)) {
        (true, 0) => ("status: \"✅ Resolved\"", "status: \"resolved\""),
        (true, _) => ("status: Complete", "status: completed"),
        (false, 0) => ("status: 'In Progress'", "status: 'in_progress'"),
        (false, 1) => ("status: offen", "status: open"),
        (false, _) => ("status: 진행 중", "status: in_progress"),
    };
    front(draft, "status: ", text, "status-spelling", Some(fixed));
}

fn duplicate_key(draft: &mut Draft, same: bool) {
    let Some(at) = draft.key("type: ").filter(|at| draft.is_free(*at)) else { return };
    if has(draft, "front-matter") || has(draft, "duplicate-key") {
        return;
    }
    let text = if same { draft.lines[at].text.clone() } else { "type: \"crash_bug\"".to_owned() };
    let second = Line { text, rules: vec!["duplicate-key"], fixed: same.then(Vec::new), ..Line::default() };
    draft.lines.insert(at + 1, second);
}

fn unquoted_colon(draft: &mut Draft) {
    let broken = ["front-matter", "duplicate-key"];
    if broken.iter().any(|rule| has(draft, rule)) {
        return;
    }
    front(draft, "title: ", "title: Loader: it \"hangs\"", "front-matter", Some("title: \"Loader: it \\\"hangs\\\"\""));
}

fn tab_in_front_matter(draft: &mut Draft) {
    let broken = ["front-matter", "duplicate-key"];
    let Some(at) = draft.key("tags: ").filter(|at| draft.is_free(*at)) else { return };
    if broken.iter().any(|rule| has(draft, rule)) {
        return;
    }
    draft.lines[at].text = "tags: [a, b".to_owned();
    // YAML reports it at the next key in the list.
    draft.lines[at + 1].rules.push("front-matter");
}

fn missing_key(draft: &mut Draft) {
    let Some(at) = draft.key("status: ").filter(|at| draft.is_free(*at)) else { return };
    if has(draft, "task-status") || draft.key("status: resolved").is_some() {
        return;
    }
    if !draft.is_free(0) {
        return;
    }
    draft.lines.remove(at);
    draft.lines[0].rules.push("missing-key");
}

/// Reports whose file is not named after their id.
fn is_note(draft: &Draft) -> bool {
    draft.path.contains("/note-")
}

fn id_spelling(draft: &mut Draft) {
    let (id, text) = (draft.id.clone(), draft.id.to_lowercase().replace('-', "_"));
    front(draft, "bug_id: ", &format!("bug_id: {text}"), "id-spelling", Some(&format!("bug_id: {id}")));
}

fn id_mismatch(draft: &mut Draft) {
    let Some(at) = draft.at("# ").filter(|_| !has(draft, "id-mismatch") && !has(draft, "id-file-name")) else { return };
    if draft.key("bug_id: ").is_none_or(|at| !draft.is_free(at)) || !has_no_contents(draft) {
        return;
    }
    let other = format!("{}7", draft.id);
    let lines = ["", "## Bug ID", other.as_str()];
    for (offset, text) in lines.into_iter().enumerate() {
        draft.lines.insert(at + 1 + offset, Line::new(text));
    }
    draft.lines[at + 3].rules.push("id-mismatch");
}

fn has_no_contents(draft: &Draft) -> bool {
    draft.at("## Table of Contents").is_none()
}

fn id_file_name(draft: &mut Draft) {
    let Some(at) = draft.key("bug_id: ").filter(|at| draft.is_free(*at)) else { return };
    if is_note(draft) || has(draft, "id-mismatch") {
        return;
    }
    let other = format!("{}8{:03}", draft.id.trim_end_matches(char::is_numeric), draft.number);
    let (short, other_short) = (format!("BUG_{:03}", draft.number), format!("BUG_8{:03}", draft.number));
    draft.path = draft.path.replace(&draft.id, &other).replace(&short, &other_short);
    draft.lines[at].rules.push("id-file-name");
}

fn missing_id(draft: &mut Draft) {
    let Some(at) = draft.key("bug_id: ").filter(|at| draft.is_free(*at)) else { return };
    if !is_note(draft)
        || has(draft, "id-mismatch")
        || draft.lines.iter().skip(at + 1).any(|line| line.text.contains(&draft.id))
    {
        return;
    }
    draft.lines.remove(at);
    draft.lines[0].rules.push("missing-id");
}

/// Leaves nothing in the section "Expected ...", or nothing that anybody wrote.
fn emptied(draft: &mut Draft, dice: &mut Dice) {
    let Some((from, to)) = expected(draft) else { return };
    draft.lines[from].rules.push("empty-section");
    draft.lines.drain(from + 1..to);
    let left: &[&str] = match dice.throw(5) {
        0 => &[],
        1 => &["", "---", ""],
        2 => &["- **What:**", "- **When:**", ""],
        3 => &["<!-- what should", "have happened -->", ""],
        _ => &["```", "```", ""],
    };
    for (offset, text) in left.iter().enumerate() {
        draft.lines.insert(from + 1 + offset, Line::new(*text));
    }
}

/// The heading of the section "Expected ..." and the place of the next one, where nothing in it is wrong yet.
fn expected(draft: &Draft) -> Option<(usize, usize)> {
    let words = ["## Expected Behavior", "## 예상", "## Erwartet", "## 预期", "## Expected behaviour", "## Expected"];
    let from = words.iter().find_map(|word| draft.at(word))?;
    if draft.lines[from].text.contains("vs") {
        return None;
    }
    let to = (from + 1..draft.lines.len()).find(|at| draft.lines[*at].text.starts_with("## "))?;
    (from..to).all(|at| draft.is_free(at)).then_some((from, to))
}

fn dropped(draft: &mut Draft) {
    if !has_no_contents(draft) || has(draft, "missing-section") {
        return;
    }
    let Some((from, to)) = expected(draft) else { return };
    draft.lines.drain(from..to);
    let title = draft.lines.iter().position(|line| line.text.starts_with("# "));
    if let Some(at) = title {
        draft.lines[at].rules.push("missing-section");
    }
}

/// Another sentence in place of what is expected.
fn replaced(draft: &mut Draft, text: &str, rule: &'static str) {
    let Some((from, _)) = expected(draft) else { return };
    draft.lines[from + 1] = Line { text: text.to_owned(), rules: vec![rule], ..Line::default() };
}

fn template_above(draft: &mut Draft) {
    let Some(at) = draft.at("## Summary").filter(|at| draft.is_free(*at)) else { return };
    // A fence around the heading makes it the program's own output.
    let fences = draft.lines[..at].iter().filter(|line| line.text.starts_with("```")).count();
    let free = !has(draft, "id-mismatch") && has_no_contents(draft) && fences % 2 == 0;
    if !free {
        return;
    }
    let template = [
        "## Summary",
        "Brief description of the bug.",
        "",
        "## Environment",
        "- **GPU:** [GPU model]",
        "- **OS:**",
        "",
    ];
    for (offset, text) in template.into_iter().enumerate() {
        let rules = if offset == 1 { vec!["template-left"] } else { Vec::new() };
        draft
            .lines
            .insert(at + offset, Line { text: text.to_owned(), rules, fixed: Some(Vec::new()), ..Line::default() });
    }
}

/// One more paragraph at the end.
fn added(draft: &mut Draft, text: &str, rule: &'static str) {
    draft.lines.push(Line::new(""));
    draft.lines.push(Line { text: text.to_owned(), rules: vec![rule], ..Line::default() });
}

fn secret(draft: &mut Draft, dice: &mut Dice) {
    // Put together here, so that no scanner takes this file for a leak.
    let letters = b"q7Zk2LmX9vT4bNpR8sWy3GdHj6Fc5Va1Ue0Qo";
    let tail: String = (0..36).map(|i| char::from(letters[(i * 7 + dice.throw(30)) % letters.len()])).collect();
    let text = match dice.throw(3) {
        0 => format!("We logged in with ghp_{tail} first."),
        1 => format!("export WANDB_API_KEY={tail}"),
        _ => "git clone https://me:hunter42x@git.our.org/x.git".to_owned(),
    };
    added(draft, &text, "secret");
}

fn boxes(draft: &mut Draft) {
    let Some(at) = draft.key("status: ").filter(|at| draft.is_free(*at)) else { return };
    if has(draft, "task-status") || !has_no_contents(draft) {
        return;
    }
    let solved = draft.lines[at].text == "status: resolved";
    let has_open = draft.at("- [ ] one epoch").is_some();
    match (solved, has_open) {
        (true, _) => {
            let boxes = ["", "## Verification", "- [x] one step", "- [ ] two steps"];
            boxes.into_iter().for_each(|text| draft.lines.push(Line::new(text)));
            if let Some(last) = draft.lines.last_mut() {
                last.rules.push("task-status");
            }
        }
        (false, true) => {
            for line in draft.lines.iter_mut().filter(|line| line.text == "- [ ] one epoch") {
                line.text = "- [x] one epoch".to_owned();
            }
            draft.lines[at].rules.push("task-status");
        }
        (false, false) => {
            let boxes = ["", "## Test plan", "- [x] one step", "  - [X] and its backward", "* [x] two steps"];
            boxes.into_iter().for_each(|text| draft.lines.push(Line::new(text)));
            draft.lines[at].rules.push("task-status");
        }
    }
}

/// An entry that leads nowhere in place of one that did, in the table of contents.
fn contents(draft: &mut Draft) {
    let (Some(table), Some(entry)) = (draft.at("## Table of Contents"), draft.at("* [Environment](#environment)"))
    else {
        return;
    };
    if !draft.is_free(table) || !draft.is_free(entry) {
        return;
    }
    draft.lines[table].rules.push("contents");
    draft.lines[entry] = Line {
        text: "* [Old part](#old-part)".to_owned(),
        rules: vec!["dead-anchor"],
        fixed: Some(vec!["* [Environment](#environment)".to_owned()]),
        ..Line::default()
    };
    // Fixed together with the line below.
    let heading = draft.lines[table].text.clone();
    draft.lines[table].fixed = Some(vec![heading]);
}

fn unclosed(draft: &mut Draft) {
    let front = ["front-matter", "missing-key", "missing-id", "template-left"];
    let closing = draft.lines.iter().enumerate().skip(1).find(|(_, line)| line.text == "---").map(|(at, _)| at);
    let Some(at) = closing.filter(|at| draft.is_free(*at)) else { return };
    if front.iter().any(|rule| has(draft, rule)) || !draft.is_free(0) || draft.at("# ").is_none() {
        return;
    }
    draft.lines.remove(at);
    draft.lines[0].rules.push("front-matter-open");
}

/// The id is in the file's name and is written into the front matter.
fn id_in_the_file_name_only(draft: &mut Draft) {
    let closing = draft.lines.iter().enumerate().skip(1).find(|(_, line)| line.text == "---").map(|(at, _)| at);
    let (Some(at), Some(closing)) = (draft.key("bug_id: "), closing) else { return };
    let whole = draft.path.contains(&draft.id);
    if !whole || ![0, at, closing].iter().all(|at| draft.is_free(*at)) || has(draft, "id-mismatch") {
        return;
    }
    draft.lines[closing].fixed = Some(vec![format!("bug_id: \"{}\"", draft.id), "---".to_owned()]);
    draft.lines[0] = Line { rules: vec!["missing-key"], fixed: Some(vec!["---".to_owned()]), ..draft.lines[0].clone() };
    draft.lines.remove(at);
}

/// A report that begins with its title; what it says itself is put above it.
fn no_front_matter(draft: &mut Draft) {
    let closing = draft.lines.iter().enumerate().skip(1).find(|(_, line)| line.text == "---").map(|(at, _)| at);
    let title = draft.at("# Bug Report: ").or_else(|| draft.at("# The loader"));
    let (Some(closing), Some(title)) = (closing, title) else { return };
    let whole = draft.path.contains(&draft.id);
    if !whole || !(0..=title).all(|at| draft.is_free(at)) || has(draft, "task-status") || has(draft, "id-mismatch") {
        return;
    }
    draft.lines.drain(0..=closing);
    draft.lines[0].rules.push("no-front-matter");
}

/// An exemption that nothing needs goes, with its line.
fn exemption(draft: &mut Draft) {
    let Some(at) = draft.at("# ") else { return };
    let line = Line {
        text: "<!-- faultbook: allow bad-reference: there was one -->".to_owned(),
        rules: vec!["stale-exemption"],
        fixed: Some(Vec::new()),
        ..Line::default()
    };
    draft.lines.insert(at + 1, line);
}

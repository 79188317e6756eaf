//! The section of one cause on a fault page, and the items that fixes are written as. Recipes share the second half.
//!
//! Paragraphs before the first label say why; the labels are **Check.**, **Fix.** and **Dead ends.** An item that is a
//! link to a recipe takes title, commands and trade-offs from there.

use super::blocks::{Block, Item, Kind, Words};
use super::page::{Check, Fix, FixScope, Recipe};
use super::sections::{Document, dedent, top_items};
use crate::condition::Condition;
use crate::pattern::Pattern;

/// Finds a recipe by its id.
pub(crate) type Recipes<'a> = dyn Fn(&str) -> Option<Recipe> + 'a;

/// What the section of a cause holds.
#[derive(Debug, Default)]
pub(crate) struct CauseSection {
    /// The paragraphs before the first label.
    pub why: String,
    /// How to confirm it.
    pub check: Check,
    /// What helps.
    pub fixes: Vec<Fix>,
    /// What does not help.
    pub dead_ends: Vec<String>,
    /// Byte offsets of the fixes.
    pub places: Vec<usize>,
    /// Recipes that are linked and do not exist: byte offset and id.
    pub unknown: Vec<(usize, String)>,
    /// Byte offsets of what is indented like a part of a fix, but not far enough, so that it ends the list.
    pub outside: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Why,
    Check,
    Fix,
    DeadEnds,
}

/// Reads the blocks of a cause's section.
pub(crate) fn read(doc: &Document<'_>, blocks: &[Block], recipes: &Recipes<'_>) -> CauseSection {
    let mut out = CauseSection::default();
    let mut part = Part::Why;
    let mut check_text: Vec<String> = Vec::new();
    let mut why: Vec<String> = Vec::new();
    let mut after_list = false;
    for block in blocks {
        let is_list = matches!(block.kind, Kind::List(_));
        if part == Part::Fix && after_list && !is_list && doc.place(block.range.start).1 > 1 {
            out.outside.push(block.range.start);
        }
        after_list = is_list || after_list && part == Part::Fix;
        let mut raw = doc.markdown(block.range.clone());
        if let Kind::Paragraph(words) = &block.kind
            && let Some((next, rest)) = label(words, &raw)
        {
            part = next;
            raw = rest;
            if raw.is_empty() {
                continue;
            }
            if part == Part::Fix {
                out.fixes.push(written_fix(&raw));
                out.places.push(block.range.start);
            } else if part == Part::DeadEnds {
                out.dead_ends.push(raw);
            } else if part == Part::Check {
                check_text.push(raw);
            }
            continue;
        }
        match (part, &block.kind) {
            (Part::Why, _) => why.push(raw),
            (Part::Check, Kind::Fence(fence)) => add_command(&mut out.check.command, fence.code.trim_end()),
            (Part::Check, _) => check_text.push(raw),
            (Part::Fix, Kind::List(list)) => {
                for item in &list.items {
                    let fix = fix(doc, item, recipes, &mut out.unknown);
                    out.fixes.push(fix);
                    out.places.push(item.range.start);
                }
            }
            (Part::Fix, Kind::Fence(fence)) => {
                if let Some(last) = out.fixes.last_mut() {
                    last.commands.push(fence.code.trim_end().to_owned());
                }
            }
            (Part::Fix, _) => match (out.fixes.last_mut(), trade_off(&raw)) {
                (Some(last), Some(cost)) => last.trade_offs.push(cost.to_owned()),
                (Some(last), None) => join(&mut last.detail, &raw),
                (None, _) => {
                    out.fixes.push(written_fix(&raw));
                    out.places.push(block.range.start);
                }
            },
            (Part::DeadEnds, Kind::List(_)) => {
                out.dead_ends.extend(top_items(std::slice::from_ref(block)).map(|i| doc.markdown_of(&i.blocks)));
            }
            (Part::DeadEnds, _) => out.dead_ends.push(raw),
        }
    }
    out.why = why.join("\n\n");
    out.check.says = check_text.join("\n\n");
    out
}

/// Whether a paragraph begins with one of the labels; gives the markdown after it.
fn label(words: &Words, raw: &str) -> Option<(Part, String)> {
    let first = words.bold.first().filter(|b| b.start == 0)?;
    let name = words.text.get(first.clone())?.trim().trim_end_matches(['.', ':']).trim().to_lowercase();
    let part = match name.as_str() {
        "check" => Part::Check,
        "fix" | "fixes" => Part::Fix,
        "dead ends" | "dead end" => Part::DeadEnds,
        _ => return None,
    };
    let opened = raw.trim_start().strip_prefix("**").or_else(|| raw.trim_start().strip_prefix("__"))?;
    let end = opened.find("**").or_else(|| opened.find("__"))?;
    let rest = opened.get(end + 2..)?.trim_start_matches([':', '.']).trim();
    Some((part, rest.to_owned()))
}

/// Reads one item of a list of fixes.
fn fix(doc: &Document<'_>, item: &Item, recipes: &Recipes<'_>, unknown: &mut Vec<(usize, String)>) -> Fix {
    let mut rest = item.blocks.as_slice();
    let mut out = empty_fix();
    if let Some(words) = item.words() {
        let recipe = linked_recipe(words);
        if let Some((id, after)) = recipe {
            // The page's words for the act are about this very fault: "Choose a free GPU" where the recipe sets a variable.
            let title = words.links.first().map(|(name, _)| name.clone()).unwrap_or_default();
            match recipes(id) {
                Some(recipe) => {
                    out = Fix {
                        recipe: Some(recipe.id),
                        title,
                        detail: recipe.detail,
                        commands: recipe.commands,
                        trade_offs: recipe.trade_offs,
                        cost: Some(recipe.cost),
                        in_force: recipe.in_force,
                        scope: recipe.scope,
                        computed: recipe.computed,
                        own_words: String::new(),
                    };
                }
                None => {
                    unknown.push((item.range.start, id.to_owned()));
                    out.title = title;
                }
            }
            // The page's own words come first: they are about this very fault.
            let after = take_scope(after, &mut out.scope);
            let (said, costs) = lines_and_costs(&after);
            out.own_words.clone_from(&said);
            out.detail = [said, std::mem::take(&mut out.detail)]
                .into_iter()
                .filter(|s| !s.is_empty())
                .collect::<Vec<_>>()
                .join("\n\n");
            out.trade_offs.extend(costs);
        } else {
            out = written_fix(&dedent(&words.text));
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    let mut own = Vec::new();
    for block in rest {
        match &block.kind {
            Kind::Fence(fence) => own.push(fence.code.trim_end().to_owned()),
            Kind::Paragraph(words) => {
                let (said, costs) = lines_and_costs(&words.text);
                join(&mut out.detail, &said);
                out.trade_offs.extend(costs);
            }
            _ => join(&mut out.detail, &doc.markdown(block.range.clone())),
        }
    }
    // Commands written on the page fit this fault better than those of the recipe.
    if !own.is_empty() {
        out.computed = None;
    }
    own.append(&mut out.commands);
    out.commands = own;
    out
}

/// The id of the recipe that an item's first words link to, and the words after the link.
fn linked_recipe(words: &Words) -> Option<(&str, &str)> {
    let (name, address) = words.links.first()?;
    let after = words.text.trim_start().strip_prefix(name.as_str())?;
    let (folder, file) = address.split_once('#').map_or(address.as_str(), |(a, _)| a).rsplit_once('/')?;
    let id = file.strip_suffix(".md")?;
    (folder == "fixes" || folder.ends_with("/fixes")).then(|| (id, after.trim_start_matches(['.', ':', ',', ';', ' '])))
}

/// A fix that is written in words: the first sentence is its title.
fn written_fix(text: &str) -> Fix {
    let mut scope = FixScope::default();
    let (said, trade_offs) = lines_and_costs(&take_scope(text, &mut scope));
    let (title, detail) = first_sentence(&said);
    Fix { title: title.to_owned(), detail: detail.to_owned(), trade_offs, scope, ..empty_fix() }
}

fn empty_fix() -> Fix {
    Fix {
        recipe: None,
        title: String::new(),
        detail: String::new(),
        commands: Vec::new(),
        trade_offs: Vec::new(),
        cost: None,
        in_force: None,
        scope: FixScope::default(),
        computed: None,
        own_words: String::new(),
    }
}

/// Takes comments that say where a fix makes sense out of an item: `<!-- only: windows, wsl2 -->`, `<!-- not: kubernetes -->`,
/// `<!-- when: expression -->`, `<!-- text: regex -->`, `<!-- moot: regex -->`, `<!-- version: torch <2.4 -->`.
fn take_scope(text: &str, scope: &mut FixScope) -> String {
    let mut left = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!--") {
        let Some((comment, after)) = after.split_once("-->") else { break };
        left.push_str(before.trim_end_matches(' '));
        let names = |names: &str| names.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>();
        match comment.trim().split_once(": ") {
            Some(("only", platforms)) => scope.only = names(platforms),
            Some(("not", platforms)) => scope.not.extend(names(platforms)),
            Some(("when", expression)) => scope.when.push(Condition::new(expression)),
            Some(("text", pattern)) => scope.text.push(Pattern::new(pattern)),
            Some(("moot", pattern)) => scope.moot.push(Pattern::new(pattern)),
            Some(("version", bound)) => scope.version = Some(bound.to_owned()),
            _ => {}
        }
        rest = after;
    }
    left.push_str(rest);
    left
}

/// Takes the lines that begin with "Trade-off:" out of a paragraph; the rest becomes one line.
pub(crate) fn lines_and_costs(text: &str) -> (String, Vec<String>) {
    let mut said: Vec<&str> = Vec::new();
    let mut costs: Vec<String> = Vec::new();
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        match (trade_off(line), costs.last_mut()) {
            (Some(cost), _) => costs.push(cost.to_owned()),
            (None, Some(last)) => {
                last.push(' ');
                last.push_str(line);
            }
            (None, None) => said.push(line),
        }
    }
    (said.join(" "), costs)
}

/// The words after "Trade-off:".
fn trade_off(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(['*', '_', ' ']);
    let head = line.get(..9).filter(|h| h.eq_ignore_ascii_case("trade-off"))?;
    let rest = line.get(head.len()..)?.trim_start_matches('s').trim_start_matches(['*', '_']);
    Some(rest.strip_prefix([':', '.'])?.trim_start_matches(['*', '_', ' ']).trim())
}

/// Splits off the first sentence, without its full stop. Dots inside code and names end nothing.
pub(crate) fn first_sentence(text: &str) -> (&str, &str) {
    let mut in_code = false;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let ends = matches!(c, '.' | '!' | '?' | ':') && chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        if c == '`' {
            in_code = !in_code;
        } else if ends && !in_code && !is_abbreviation(&text[..at]) {
            let keep = if c == '.' || c == ':' { at } else { at + c.len_utf8() };
            return (text[..keep].trim(), text[at + c.len_utf8()..].trim());
        }
    }
    (text.trim(), "")
}

fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit([' ', '(']).next().unwrap_or_default();
    ["e.g", "i.e", "etc", "vs", "cf", "approx", "resp"].contains(&word)
}

fn add_command(command: &mut Option<String>, code: &str) {
    match command {
        Some(command) => {
            command.push('\n');
            command.push_str(code);
        }
        None => *command = Some(code.to_owned()),
    }
}

fn join(to: &mut String, more: &str) {
    if !to.is_empty() && !more.is_empty() {
        to.push_str("\n\n");
    }
    to.push_str(more);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_sentence() {
        for (text, title, rest) in [
            ("Set `a.b = c. d`. Then run.", "Set `a.b = c. d`", "Then run."),
            ("Use torch.compile, e.g. once. More", "Use torch.compile, e.g. once", "More"),
            ("Run this:", "Run this", ""),
            ("No stop", "No stop", ""),
            ("", "", ""),
            ("Ünïcode。 x? Yes", "Ünïcode。 x?", "Yes"),
        ] {
            assert_eq!(first_sentence(text), (title, rest), "{text}");
        }
    }

    #[test]
    fn reads_platforms() {
        let fix = written_fix("Restart Windows <!-- only: windows, wsl2 -->. Then wait. <!-- not: docker -->");
        assert_eq!((fix.title.as_str(), fix.detail.as_str()), ("Restart Windows", "Then wait."));
        assert_eq!((fix.scope.only, fix.scope.not), (vec!["windows".into(), "wsl2".into()], vec!["docker".into()]));
    }

    #[test]
    fn reads_trade_offs() {
        assert_eq!(
            lines_and_costs("Do it\nnow.\nTrade-off: slow\nand hot.\n**Trade-offs:** dear"),
            ("Do it now.".to_owned(), vec!["slow and hot.".to_owned(), "dear".to_owned()])
        );
    }
}

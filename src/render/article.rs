//! A page or a report for reading in a terminal: markdown, rendered lightly, line by line.
//!
//! This is not a complete markdown renderer: reports break every rule, and the reader must not lose any of their text.
//! What is not understood is shown as it is.

use super::layout::{Paragraph, Sheet};
use super::style::{COMMAND, FAINT, PLAIN, STRONG};
use super::{clean, inline};

/// Indent of fenced text.
const FENCED: usize = 4;

/// Renders a document; its front matter is kept, dimmed.
pub(crate) fn write(sheet: &mut Sheet, markdown: &str) {
    let lines = unwrapped(clean::lines(markdown));
    let mut place = Place::Body;
    for (number, line) in lines.iter().enumerate() {
        place = match place {
            _ if number == 0 && line == "---" => Place::Matter,
            Place::Matter if line == "---" => {
                sheet.blank();
                Place::Body
            }
            Place::Matter => {
                sheet.verbatim(line, 2, FAINT);
                Place::Matter
            }
            Place::Fence(fence, _) if closes(line, fence) => {
                sheet.blank();
                Place::Body
            }
            Place::Fence(fence, indent) => {
                let own = line.len() - line.trim_start_matches(' ').len();
                sheet.verbatim(&line[own.min(indent)..], FENCED, COMMAND);
                Place::Fence(fence, indent)
            }
            Place::Body => body(sheet, line),
        };
    }
}

/// Joins hard-wrapped sentences, so that they can be wrapped to this width.
///
/// Only a line about as long as the wrap column is joined with the next: short lines of a report ("Bug ID: ...",
/// "Date: ...") are separate on purpose.
fn unwrapped(lines: Vec<String>) -> Vec<String> {
    const WRAPPED: usize = 70;
    let mut out: Vec<String> = Vec::with_capacity(lines.len());
    let mut open_fence = None;
    let mut previous = 0;
    let mut in_matter = lines.first().is_some_and(|line| line == "---");
    for line in lines {
        if in_matter {
            in_matter = out.is_empty() || line != "---";
            out.push(line);
            continue;
        }
        let text = line.trim_start_matches(' ');
        let is_prose = open_fence.is_none() && is_prose(text);
        match open_fence {
            None => open_fence = fence(text),
            Some(fence) if closes(&line, fence) => open_fence = None,
            Some(_) => {}
        }
        let length = line.chars().count();
        match out.last_mut() {
            Some(last) if is_prose && previous >= WRAPPED => {
                last.push(' ');
                last.push_str(text);
            }
            _ => out.push(line.clone()),
        }
        let goes_on = open_fence.is_none() && (is_prose || item(text).is_some()) && !text.ends_with("  ");
        previous = if goes_on { length } else { 0 };
    }
    out
}

/// Whether a line can continue a sentence.
fn is_prose(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(['|', '>', '#', '='])
        && fence(text).is_none()
        && item(text).is_none()
        && !is_rule(text)
        && !text.starts_with("**")
}

/// The state of the line-by-line renderer.
#[derive(Clone, Copy)]
enum Place {
    Body,
    Matter,
    /// Inside a fence with these marks and this indent.
    Fence((char, usize), usize),
}

fn body(sheet: &mut Sheet, line: &str) -> Place {
    let text = line.trim_start_matches(' ');
    let indent = line.len() - text.len();
    if let Some(fence) = fence(text) {
        sheet.blank();
        return Place::Fence(fence, indent);
    }
    if text.is_empty() || is_rule(text) {
        sheet.blank();
    } else if let Some((level, words)) = heading(text) {
        sheet.blank();
        let words = inline::plain(words);
        let words = if level == 1 { words } else { format!("{} {words}", "#".repeat(level - 1)) };
        sheet.paragraph(&Paragraph::new(words).style(STRONG));
    } else if let Some((mark, words)) = item(text) {
        let lead = format!("{}{mark} ", " ".repeat(indent.min(sheet.width() / 3)));
        labelled(sheet, Paragraph::new(""), &lead, words);
    } else if text.starts_with('|') {
        sheet.verbatim(text, 0, PLAIN);
    } else if let Some(words) = text.strip_prefix('>') {
        sheet.paragraph(&Paragraph::new(inline::plain(words)).lead(FAINT, "| "));
    } else {
        labelled(sheet, Paragraph::new(""), &" ".repeat(indent.min(sheet.width() / 3)), text);
    }
    Place::Body
}

/// A paragraph whose label, `**Check.**`, is highlighted.
fn labelled(sheet: &mut Sheet, paragraph: Paragraph, lead: &str, text: &str) {
    let text = with_recipes(text);
    let label = text.strip_prefix("**").and_then(|rest| rest.split_once("**"));
    let paragraph = paragraph.lead(PLAIN, lead);
    let indent = lead.chars().count();
    let paragraph = match label {
        Some((label, rest)) if !label.trim().is_empty() && !rest.trim().is_empty() && label.chars().count() < 40 => {
            let label = clean::line(&inline::plain(label));
            let gap = if rest.starts_with(' ') { " " } else { "" };
            paragraph.words(inline::plain(rest)).lead(STRONG, format!("{label}{gap}"))
        }
        _ => paragraph.words(inline::plain(&text)),
    };
    sheet.paragraph(&paragraph.indent(indent));
}

/// Links to recipes become the id that `show` takes.
fn with_recipes(text: &str) -> String {
    const LINK: &str = "](../../fixes/";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(LINK) {
        let Some((id, tail)) = after.split_once(".md)") else { break };
        match before.rsplit_once('[') {
            Some((start, words)) if !id.contains([' ', '/', ')']) => {
                out.push_str(&format!("{start}{words} (`faultbook show {id}`)"));
            }
            _ => out.push_str(&rest[..rest.len() - tail.len()]),
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// The marks that open a fence.
fn fence(text: &str) -> Option<(char, usize)> {
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let count = text.chars().take_while(|c| *c == mark).count();
    // Three marks and a closing one on the same line are inline code.
    (count >= 3 && !text[count..].contains(mark)).then_some((mark, count))
}

fn closes(line: &str, (mark, count): (char, usize)) -> bool {
    let text = line.trim();
    text.chars().count() >= count && text.chars().all(|c| c == mark)
}

fn is_rule(text: &str) -> bool {
    let bare = text.replace(' ', "");
    bare.len() >= 3 && ["-", "*", "_"].iter().any(|mark| bare.trim_matches(|c| mark.starts_with(c)).is_empty())
}

fn heading(text: &str) -> Option<(usize, &str)> {
    let level = text.chars().take_while(|c| *c == '#').count();
    let words = text.get(level..)?;
    ((1..=6).contains(&level) && words.starts_with(' ')).then(|| (level, words.trim().trim_end_matches('#').trim_end()))
}

/// `- words`, `* words`, `12. words`; a task's checkbox stays with its text.
fn item(text: &str) -> Option<(&str, &str)> {
    let (mark, words) = text.split_once(' ')?;
    let number = mark.strip_suffix(['.', ')']);
    let numbered = number
        .is_some_and(|number| !number.is_empty() && number.len() <= 3 && number.bytes().all(|b| b.is_ascii_digit()));
    (matches!(mark, "-" | "*" | "+") || numbered).then_some((mark, words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn shown(markdown: &str) -> String {
        let mut sheet = Sheet::new(60, false);
        write(&mut sheet, markdown);
        sheet.finish()
    }

    #[test]
    fn a_page() {
        let text = "---\ntitle: x\n---\n# Title\n\n## Causes\n### memory-exhausted\nToo little `memory`, a sentence that is a good deal longer than the page is wide.\n\n**Check.** Run it.\n```sh\nfaultbook x \\\n    --y\n```\n**Fix.**\n1. [Halve the batch](../../fixes/reduce-batch.md) now\n   ```\n   a\n     b\n   ```\n2. **Other:** thing\n- [ ] open task\n> quoted\n\n| a | b |\n|---|---|\n***\nend";
        expect![[r#"
              title: x

            Title

            # Causes

            ## memory-exhausted
            Too little memory, a sentence that is a good deal longer
            than the page is wide.

            Check. Run it.

                faultbook x \
                    --y

            Fix.
            1. Halve the batch (`faultbook show reduce-batch`) now

                a
                  b

            2. Other: thing
            - [ ] open task
            | quoted

            | a | b |
            |---|---|

            end
        "#]]
        .assert_eq(&shown(text));
    }

    #[test]
    fn sentences_wrapped_by_hand_are_joined_and_short_lines_are_not() {
        let text = "Bug ID: 7\nDate: today\n\nThe work did not fit into the memory of the card, so the engines that do\nneed a workspace\nfailed.";
        expect![[r#"
            Bug ID: 7
            Date: today

            The work did not fit into the memory of the card, so the
            engines that do need a workspace
            failed.
        "#]]
        .assert_eq(&shown(text));
    }

    #[test]
    fn an_open_fence_and_other_mess_lose_nothing() {
        for text in
            ["```\nopen", "---\nno end of matter", "#hash", "** **", "[x](../../fixes/", "```a```", "~~~~\n~~~\n~~~~"]
        {
            let shown = shown(text);
            for word in text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)) {
                assert!(shown.contains(word.trim_matches('`')), "{text:?}: {shown:?}");
            }
        }
    }
}

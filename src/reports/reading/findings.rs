//! What a report found out: root causes, hypotheses with their confidence, dead ends, prevention.

use super::roles::{Role, Roles};
use super::solutions::item_text;
use super::words::{is_placeholder, labelled, without_marks};
use crate::book::blocks::{Block, Kind};
use crate::book::cause_section::first_sentence;
use crate::book::report::Hypothesis;
use crate::book::sections::{Document, Section, paragraphs, top_items};

/// Root causes in the author's words, most likely first.
pub(super) fn root_causes(doc: &Document<'_>, roles: &[Roles]) -> Vec<String> {
    let mut out = Vec::new();
    let mut later = Vec::new();
    for (index, (section, role)) in doc.sections.iter().zip(roles).enumerate() {
        let blocks = doc.slice(&section.own);
        labelled_causes(doc, blocks, &mut out);
        if role.holds != Some(Role::RootCause) {
            continue;
        }
        let named = section.title.split_once([':', '：']).map(|(_, tail)| tail.trim()).filter(|t| !t.is_empty());
        let is_cause =
            role.own == Some(Role::RootCause) || section.key.contains("issue") || section.key.contains("cause");
        if let Some(tail) = named.filter(|_| is_cause && section.level > 1) {
            add(&mut out, tail);
        }
        let to = if section.key.contains("secondary") || inside_secondary(doc, index) { &mut later } else { &mut out };
        // "1. Black images:" as a bold line names a finding of its own.
        if section.level > 6 && section.raw_title.starts_with(|c: char| c.is_ascii_digit()) {
            add(to, section.title.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | ' ')));
        }
        let mut said_by_items = false;
        for item in top_items(blocks) {
            said_by_items = true;
            add(to, &item_text(doc, item));
        }
        if !said_by_items {
            for words in paragraphs(blocks).filter(|w| w.all_bold().is_none()) {
                let line = words.line();
                if !line.ends_with(':') && !labelled(words).iter().any(|(label, _)| is_cause_label(label)) {
                    add(to, &line);
                }
            }
        }
    }
    out.append(&mut later);
    if out.is_empty() {
        // An article without such a section says it in a sentence.
        for (section, role) in doc.sections.iter().zip(roles) {
            if role.holds.is_some_and(Role::is_way_out) {
                continue;
            }
            for words in paragraphs(doc.slice(&section.own)) {
                let line = words.line();
                let lower = line.to_lowercase();
                if ["common cause", "root cause", "caused by", "stems from", "원인은"].iter().any(|w| lower.contains(w))
                {
                    add(&mut out, first_sentence(&line).0);
                }
            }
        }
    }
    out
}

fn inside_secondary(doc: &Document<'_>, index: usize) -> bool {
    let parent = doc.sections.get(index).and_then(|s| s.parent).and_then(|p| doc.sections.get(p));
    parent.is_some_and(|p| p.key.contains("secondary"))
}

fn is_cause_label(label: &str) -> bool {
    matches!(
        crate::book::sections::key(label).as_str(),
        "root cause" | "cause" | "primary cause" | "원인" | "근본 원인"
    )
}

/// `**Root Cause:** the batch is too large`, with the list that follows.
fn labelled_causes(doc: &Document<'_>, blocks: &[Block], out: &mut Vec<String>) {
    for (i, block) in blocks.iter().enumerate() {
        let Kind::Paragraph(words) = &block.kind else { continue };
        for (label, value) in labelled(words) {
            if !is_cause_label(&label) || value.is_empty() {
                continue;
            }
            let following = blocks.get(i + 1).filter(|_| value.ends_with(':')).map(std::slice::from_ref);
            let items: Vec<String> =
                following.into_iter().flat_map(top_items).map(|item| item_text(doc, item)).collect();
            add(out, &if items.is_empty() { value } else { format!("{value} {}", items.join("; ")) });
        }
    }
}

/// Hypotheses in the order given, with the author's own confidence.
pub(super) fn hypotheses(doc: &Document<'_>, roles: &[Roles]) -> Vec<Hypothesis> {
    let mut numbered = Vec::new();
    let mut listed = Vec::new();
    for (index, (section, role)) in doc.sections.iter().zip(roles).enumerate() {
        if let Some(title) = hypothesis_title(&section.title) {
            let inside = (index..section.end).filter_map(|i| doc.sections.get(i));
            let confidence = percent(&section.raw_title).or_else(|| {
                inside.flat_map(|s| paragraphs(doc.slice(&s.own))).find_map(|w| labelled_confidence(&labelled(w)))
            });
            let detail = inside_markdown(doc, section);
            numbered.push(Hypothesis { title, confidence, detail });
        } else if role.own == Some(Role::Hypotheses) {
            for item in top_items(doc.slice(&section.own)) {
                let text = item_text(doc, item);
                let title = hypothesis_title(&text).unwrap_or_else(|| without_percent(&text));
                if !is_placeholder(&title) {
                    listed.push(Hypothesis { title, confidence: percent(&text), detail: String::new() });
                }
            }
        } else if role.holds == Some(Role::Hypotheses) {
            for words in top_items(doc.slice(&section.own)).filter_map(|i| i.words()) {
                if let Some(title) = hypothesis_title(&words.line()) {
                    numbered.push(Hypothesis { title, confidence: percent(&words.line()), detail: String::new() });
                }
            }
        }
    }
    // "Possible causes" under a clue only repeat what numbered hypotheses say properly.
    if numbered.is_empty() { listed } else { numbered }
}

/// What a section holds below its heading.
fn inside_markdown(doc: &Document<'_>, section: &Section) -> String {
    doc.markdown_of(doc.slice(&section.whole))
}

/// The title behind "Hypothesis 2:", without its confidence.
fn hypothesis_title(text: &str) -> Option<String> {
    let rest =
        ["Hypothesis", "hypothesis", "HYPOTHESIS", "가설", "H"].iter().find_map(|name| text.strip_prefix(name))?;
    let rest = rest.trim_start_matches([' ', '#']);
    let digits = rest.find(|c: char| !c.is_ascii_digit()).filter(|n| *n > 0)?;
    let (_, rest) = rest.split_at_checked(digits)?;
    let said = rest.trim_start().trim_start_matches([':', '.', '-', '–', '—', ')', '：']);
    // "H100 is new" is no hypothesis; a separator or a parenthesis must follow the number.
    (said.len() < rest.trim_start().len() || rest.trim_start().starts_with('(')).then(|| without_percent(said))
}

/// A text without its parenthesis about confidence.
fn without_percent(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.trim();
    while let Some((before, inside_and_after)) = rest.split_once('(') {
        let Some((inside, after)) = inside_and_after.split_once(')') else { break };
        out.push_str(before);
        let lower = inside.to_lowercase();
        if !["%", "confidence", "likel", "확률", "신뢰"].iter().any(|w| lower.contains(w)) {
            out.push('(');
            out.push_str(inside);
            out.push(')');
        }
        rest = after;
    }
    out.push_str(rest);
    without_marks(out.trim().trim_end_matches([':', '-']).trim())
}

fn labelled_confidence(pairs: &[(String, String)]) -> Option<f64> {
    let is_confidence = |label: &str| {
        matches!(
            crate::book::sections::key(label).as_str(),
            "confidence" | "likelihood" | "probability" | "confidence level" | "신뢰도" | "확률" | "가능성"
        )
    };
    pairs.iter().find(|(label, _)| is_confidence(label)).and_then(|(_, value)| percent(value))
}

/// The first percentage in a text, from 0 to 1.
fn percent(text: &str) -> Option<f64> {
    let before = text.split('%').next().filter(|b| b.len() < text.len())?.trim_end();
    let start = before
        .rfind(|c: char| !(c.is_ascii_digit() || c == '.'))
        .map_or(0, |i| i + before[i..].chars().next().map_or(1, char::len_utf8));
    let value: f64 = before.get(start..)?.parse().ok()?;
    (0.0..=100.0).contains(&value).then_some(value / 100.0)
}

/// What was ruled out or did not help.
pub(super) fn dead_ends(doc: &Document<'_>, roles: &[Roles]) -> Vec<String> {
    let mut out = Vec::new();
    for (section, role) in doc.sections.iter().zip(roles) {
        let blocks = doc.slice(&section.own);
        if role.holds == Some(Role::DeadEnds) {
            if role.own == Some(Role::DeadEnds)
                && let Some((_, tail)) = section.title.split_once([':', '：'])
            {
                let why = paragraphs(blocks).last().map(|w| w.line()).unwrap_or_default();
                add(&mut out, &format!("{}. {}", tail.trim(), first_sentence(&why).0));
                continue;
            }
            let items: Vec<String> = top_items(blocks).map(|item| item_text(doc, item)).collect();
            match items.is_empty() {
                true => paragraphs(blocks).for_each(|w| add(&mut out, &w.line())),
                false => items.iter().for_each(|item| add(&mut out, item)),
            }
            continue;
        }
        // A paragraph that rules out what the list after it names, or names it itself.
        for (i, block) in blocks.iter().enumerate() {
            let Kind::Paragraph(words) = &block.kind else { continue };
            for line in words.text.lines().filter(|line| rules_out(line)) {
                let tail = line.rsplit_once([':', '：']).map(|(_, tail)| tail.trim()).unwrap_or_default();
                if !tail.is_empty() {
                    add(&mut out, tail);
                } else if line.trim_end().ends_with([':', '：']) {
                    let list = blocks.get(i + 1).map(std::slice::from_ref).into_iter().flat_map(top_items);
                    list.for_each(|item| add(&mut out, &item_text(doc, item)));
                }
            }
        }
        for item in top_items(blocks) {
            let text = item_text(doc, item);
            if let Some((head, tail)) = text.split_once(':').filter(|(head, _)| rules_out(&format!("{head}:"))) {
                add(&mut out, if tail.trim().is_empty() { head } else { tail });
            }
        }
    }
    out
}

/// Whether a line introduces what is not the cause or did not help.
fn rules_out(line: &str) -> bool {
    let lower = line.to_lowercase();
    lower.contains([':', '：'])
        && [
            "not in:",
            "not a simple issue",
            "ruled out",
            "not caused by",
            "not the cause",
            "does not help",
            "did not help",
            "didn't help",
            "did not work",
            "didn't work",
            "cleared by",
            "excluded:",
            "no effect:",
            "원인이 아님",
            "효과 없",
        ]
        .iter()
        .any(|w| lower.contains(w))
}

/// Prevention measures: items first, words where there are none.
pub(super) fn prevention(doc: &Document<'_>, roles: &[Roles]) -> Vec<String> {
    let mut out = Vec::new();
    for (section, _) in doc.sections.iter().zip(roles).filter(|(_, r)| r.holds == Some(Role::Prevention)) {
        let blocks = doc.slice(&section.own);
        let items: Vec<String> = top_items(blocks).map(|item| item_text(doc, item)).collect();
        match items.is_empty() {
            true => {
                paragraphs(blocks).filter(|w| !w.text.trim_end().ends_with(':')).for_each(|w| add(&mut out, &w.line()))
            }
            false => items.iter().for_each(|item| add(&mut out, item)),
        }
    }
    out
}

fn add(to: &mut Vec<String>, text: &str) {
    let text = without_marks(text);
    if to.len() < 200 && !is_placeholder(&text) && !to.contains(&text) {
        to.push(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_confidences() {
        assert_eq!(percent("Hypothesis 1: x (60% confidence)"), Some(0.6));
        assert_eq!(percent("확률 12.5 %"), Some(0.125));
        assert_eq!(percent("x%"), None);
        assert_eq!(percent("300%"), None);
        assert_eq!(percent("é%"), None);
        assert_eq!(
            hypothesis_title("Hypothesis 2: Loss (real labels) (40% confidence)").as_deref(),
            Some("Loss (real labels)")
        );
        assert_eq!(hypothesis_title("가설 1 - 메모리 부족 (70%)").as_deref(), Some("메모리 부족"));
        assert_eq!(hypothesis_title("H100 is new"), None);
        assert_eq!(hypothesis_title("Hypotheses (Ranked)"), None);
    }
}

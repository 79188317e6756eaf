//! Ways out that a report names: "Solution 1: ... (RECOMMENDED)" with Benefits and Trade-offs, a "Resolution" list,
//! "Fix Strategy", "Workarounds", numbered examples.

use super::roles::{Role, Roles, of_key};
use super::solution_titles::{clean, is_numbered, is_recommended};
use super::words::{is_placeholder, labelled, without_marks};
use crate::book::blocks::{Block, Item, Kind};
use crate::book::cause_section::first_sentence;
use crate::book::report::{Solution, SolutionKind};
use crate::book::sections::{Document, Section, key, top_items};

/// Collects the ways out in the order of the text.
pub(super) fn read(doc: &Document<'_>, roles: &[Roles]) -> Vec<Solution> {
    let mut out = Vec::new();
    let mut done_up_to = 0;
    for (index, (section, role)) in doc.sections.iter().zip(roles).enumerate() {
        let Some(kind) = role.holds.filter(|r| r.is_way_out()).map(|_| kind(doc, roles, index)) else { continue };
        if index < done_up_to || section.level == 0 {
            continue;
        }
        let is_head = role.own.is_some_and(Role::is_way_out) && !is_numbered(&section.title);
        let inner = role.holds.is_some_and(Role::is_way_out) && !is_head;
        // A head with solutions inside it only frames them; its own list still counts.
        let has_leaves = is_head && (index + 1..section.end).any(|i| is_leaf(doc, roles, index, i));
        if inner || !has_leaves {
            from_section(doc, roles, index, kind, &mut out);
            done_up_to = section.end;
        } else {
            let own = doc.slice(&section.own);
            top_items(own).for_each(|item| out.extend(from_item(doc, item, kind)));
        }
    }
    out.retain(|s| !(is_placeholder(&s.title) && s.commands.is_empty()));
    out
}

/// Whether a section inside the head at `head` is a way out of its own.
fn is_leaf(doc: &Document<'_>, roles: &[Roles], head: usize, index: usize) -> bool {
    let Some((section, role)) = doc.sections.get(index).zip(roles.get(index)) else { return false };
    if !role.holds.is_some_and(Role::is_way_out) {
        return false;
    }
    let is_real = section.level <= 6;
    is_numbered(&section.title) || (section.parent == Some(head) && (is_real || !is_about_another(section)))
}

/// Bold lines that tell something about the solution around them.
fn is_about_another(section: &Section) -> bool {
    let lower = section.key.as_str();
    [
        "test", "if ", "use ", "for ", "enable", "steps", "note", "why", "how", "example", "expected", "command",
        "code", "usage",
    ]
    .iter()
    .any(|w| lower.starts_with(w))
        || matches!(of_key(lower), Some(Role::Benefits | Role::TradeOffs))
}

/// The kind that the headings around a section give it: a "Solution 4" under "Workarounds" is a workaround.
fn kind(doc: &Document<'_>, roles: &[Roles], index: usize) -> SolutionKind {
    let mut at = Some(index);
    while let Some(i) = at {
        match roles.get(i).and_then(|r| r.own) {
            Some(Role::Workarounds) => return SolutionKind::Workaround,
            Some(Role::Implementation) => return SolutionKind::Implementation,
            Some(Role::Examples) => return SolutionKind::Example,
            _ => at = doc.sections.get(i).and_then(|s| s.parent),
        }
    }
    SolutionKind::Proposed
}

/// The ways out of one section: itself, or the items of its list where it holds nothing else.
fn from_section(doc: &Document<'_>, roles: &[Roles], index: usize, kind: SolutionKind, out: &mut Vec<Solution>) {
    let Some(section) = doc.sections.get(index) else { return };
    let own = doc.slice(&section.own);
    let named = is_numbered(&section.title) || !roles.get(index).is_some_and(|r| r.own.is_some_and(Role::is_way_out));
    let title_tail = section.title.split_once([':', '：']).map(|(_, tail)| tail.trim()).filter(|t| !t.is_empty());
    let is_list =
        own.iter().any(|b| matches!(b.kind, Kind::List(_))) && !own.iter().any(|b| matches!(b.kind, Kind::Fence(_)));
    let speaks_for_its_list = !items_have_names(own) && own.iter().any(introduces_one_thing);
    let numbered = is_numbered(&section.title);
    if is_list && !numbered && title_tail.is_none() && !speaks_for_its_list && section.end == index + 1 {
        top_items(own).for_each(|item| out.extend(from_item(doc, item, kind)));
        return;
    }
    let mut solution = Solution { kind, ..Solution::default() };
    let mut detail: Vec<String> = Vec::new();
    for i in index..section.end {
        let Some(part) = doc.sections.get(i) else { continue };
        // The role of a part may come from a section around it, up to this one.
        let mut bucket = part_bucket(doc, index, i);
        if i > index && bucket == Bucket::Detail {
            detail.push(format!("{}:", part.title));
        }
        for block in doc.slice(&part.own) {
            take(doc, block, &mut bucket, &mut solution, &mut detail);
        }
    }
    detail.retain(|d| !is_placeholder(d));
    if !named && title_tail.is_none() && detail.is_empty() && solution.commands.is_empty() {
        return;
    }
    let title = if named { Some(section.title.as_str()) } else { title_tail };
    let title = match title {
        Some(title) => title.to_owned(),
        None => {
            let said = detail.first().cloned().unwrap_or_default();
            let (first, rest) = first_sentence(&said);
            let (first, rest) = (first.to_owned(), rest.to_owned());
            if !detail.is_empty() {
                detail.remove(0);
            }
            if !rest.is_empty() {
                detail.insert(0, rest);
            }
            if first.is_empty() { section.title.clone() } else { first }
        }
    };
    solution.detail = detail.join("\n");
    solution.recommended = is_recommended(&section.raw_title)
        || ["recommended solution", "recommended fix", "권장 해결"].iter().any(|w| section.key.starts_with(w));
    solution.title = clean(&title);
    out.push(solution);
}

/// Whether most items of a list begin in bold: each is a thing of its own.
fn items_have_names(blocks: &[Block]) -> bool {
    let named = |item: &&Item| item.words().is_some_and(|w| w.bold.first().is_some_and(|b| b.start == 0));
    let all = top_items(blocks).count();
    all > 1 && top_items(blocks).filter(named).count() * 2 > all
}

/// "Use batch_size=2 with accumulation:" over a list of remarks, unlike "There are several ways:".
fn introduces_one_thing(block: &Block) -> bool {
    let Kind::Paragraph(words) = &block.kind else { return false };
    let text = words.text.trim_end().to_lowercase();
    let several = ["following", "these", "several", "steps", "options", "ways", "below", "requires", "다음", "아래"];
    text.ends_with(':') && text.split_whitespace().count() > 3 && !several.iter().any(|w| text.contains(w))
}

/// Which list of a solution a block belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bucket {
    Detail,
    Benefits,
    TradeOffs,
}

fn bucket_of(key: &str) -> Option<Bucket> {
    match of_key(key)? {
        Role::Benefits => Some(Bucket::Benefits),
        Role::TradeOffs => Some(Bucket::TradeOffs),
        _ => None,
    }
}

fn part_bucket(doc: &Document<'_>, head: usize, index: usize) -> Bucket {
    let mut at = index;
    while at > head {
        let Some(section) = doc.sections.get(at) else { break };
        if let Some(bucket) = bucket_of(&section.key) {
            return bucket;
        }
        at = section.parent.unwrap_or(head);
    }
    Bucket::Detail
}

fn take(doc: &Document<'_>, block: &Block, bucket: &mut Bucket, solution: &mut Solution, detail: &mut Vec<String>) {
    match &block.kind {
        Kind::Fence(fence) => solution.commands.push(fence.code.trim_end().to_owned()),
        Kind::List(list) => {
            for item in &list.items {
                let text = item.words().map(|w| w.line()).unwrap_or_default();
                let label = item.words().and_then(|w| labelled(w).into_iter().next()).filter(|(l, _)| !l.is_empty());
                match label.as_ref().and_then(|(l, _)| bucket_of(&key(l))) {
                    Some(named) => {
                        let value = label.map(|(_, v)| v).unwrap_or_default();
                        if !value.is_empty() {
                            put(named, value, solution, detail);
                        }
                        top_items(&item.blocks).for_each(|i| put(named, item_text(doc, i), solution, detail));
                    }
                    None => {
                        let whole = item_text(doc, item);
                        let whole = if whole.is_empty() { text } else { whole };
                        let next = label_at_end(item);
                        match next.as_ref().and_then(|(label, _)| whole.strip_suffix(label.as_str())) {
                            Some(said) => put(*bucket, said.to_owned(), solution, detail),
                            None => put(*bucket, whole, solution, detail),
                        }
                        *bucket = next.map_or(*bucket, |(_, named)| named);
                        collect_fences(item, solution);
                    }
                }
            }
        }
        Kind::Paragraph(words) => {
            for (label, value) in labelled(words) {
                match bucket_of(&key(&label)) {
                    Some(named) if value.is_empty() => *bucket = named,
                    Some(named) => put(named, value, solution, detail),
                    None => {
                        *bucket = Bucket::Detail;
                        let line = if label.is_empty() { value } else { format!("{label}: {value}") };
                        put(Bucket::Detail, line, solution, detail);
                    }
                }
            }
        }
        Kind::Table(rows) => rows.iter().for_each(|row| put(Bucket::Detail, row.join(" | "), solution, detail)),
        Kind::Quote(_) | Kind::Html => detail.push(doc.markdown(block.range.clone())),
        Kind::Heading(..) | Kind::Rule => {}
    }
}

/// "Cons:" directly below an item belongs to the item for markdown, and to the list after it for people.
fn label_at_end(item: &Item) -> Option<(String, Bucket)> {
    let line = item.words()?.text.lines().skip(1).last()?.trim();
    let label = line.strip_suffix([':', '：'])?;
    Some((line.to_owned(), bucket_of(&key(label))?))
}

fn put(bucket: Bucket, text: String, solution: &mut Solution, detail: &mut Vec<String>) {
    let text = without_marks(&text);
    if is_placeholder(&text) {
        return;
    }
    match bucket {
        Bucket::Benefits => solution.benefits.push(text),
        Bucket::TradeOffs => solution.trade_offs.push(text),
        Bucket::Detail => detail.push(text),
    }
}

/// A way out that is one item of a list.
fn from_item(doc: &Document<'_>, item: &Item, kind: SolutionKind) -> Option<Solution> {
    let words = item.words()?;
    let line = without_marks(&words.line());
    if is_placeholder(&line) {
        return None;
    }
    let labels = labelled(words);
    let bold =
        words.bold.first().filter(|b| b.start == 0).and_then(|_| labels.first()).filter(|(label, _)| !label.is_empty());
    let (title, rest) = match bold {
        Some((label, value)) => {
            let more: Vec<&str> = labels.iter().skip(1).map(|(_, v)| v.as_str()).collect();
            (label.clone(), [value.as_str(), &more.join(" ")].join(" ").trim().to_owned())
        }
        None => {
            let (first, rest) = first_sentence(&line);
            (first.to_owned(), rest.to_owned())
        }
    };
    let mut solution =
        Solution { kind, recommended: is_recommended(&line), title: clean(&title), ..Solution::default() };
    let mut detail = if rest.is_empty() { Vec::new() } else { vec![rest] };
    let mut bucket = Bucket::Detail;
    for block in item.blocks.get(1..).unwrap_or_default() {
        take(doc, block, &mut bucket, &mut solution, &mut detail);
    }
    solution.detail = detail.join("\n");
    Some(solution)
}

fn collect_fences(item: &Item, solution: &mut Solution) {
    for fence in crate::book::sections::fences(&item.blocks) {
        solution.commands.push(fence.code.trim_end().to_owned());
    }
}

/// An item's words and those of its nested items, fences left out.
pub(super) fn item_text(doc: &Document<'_>, item: &Item) -> String {
    let mut out = String::new();
    for block in &item.blocks {
        let text = match &block.kind {
            Kind::Paragraph(words) => words.line(),
            Kind::List(list) => {
                let inner: Vec<String> = list.items.iter().filter_map(|i| Some(i.words()?.line())).collect();
                inner.join("; ")
            }
            Kind::Quote(_) | Kind::Html => doc.markdown(block.range.clone()),
            _ => continue,
        };
        if !out.is_empty() && !text.is_empty() {
            out.push(' ');
        }
        out.push_str(&text);
    }
    without_marks(&out)
}

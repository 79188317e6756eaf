//! Markdown of pages, reports and sentences as HTML that cannot run anything.
//!
//! Raw HTML stays text, links lead only to the web or to our own pages, pictures become their description.

use pulldown_cmark::{Alignment, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, html};

use crate::render::clean;

/// How a document's links are written: the prefix to the root, and where each of its targets leads.
pub(super) struct Links<'l> {
    /// The address of a relative target; `None` if nothing of ours is there: the link becomes its text.
    pub resolve: &'l dyn Fn(&str) -> Option<String>,
}

impl Links<'static> {
    /// Links to the web work, all others become their text.
    pub(super) const NONE: Self = Self { resolve: &|_| None };
}

/// A document as HTML. Headings begin at `level`, with ids made of their words.
pub(super) fn document(markdown: &str, links: &Links<'_>, level: u8) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    let cleaned = clean::lines(markdown).join("\n");
    let events = Parser::new_ext(&cleaned, options);
    let mut out = String::with_capacity(markdown.len() * 3 / 2);
    html::push_html(&mut out, Headings::new(safe(events, links), level));
    // The keyboard can scroll what is wide; a `<pre>` of the text itself would be escaped.
    out.replace("<pre>", "<pre tabindex=\"0\">")
}

/// A sentence as HTML, without a paragraph around it.
pub(super) fn sentence(markdown: &str) -> String {
    // A sentence that looks like a list or a heading is none.
    let cleaned = clean::line(markdown);
    let events = Parser::new(&cleaned).collect::<Vec<_>>();
    let is_paragraph = matches!(events.first(), Some(Event::Start(Tag::Paragraph)))
        && events.iter().filter(|event| matches!(event, Event::Start(Tag::Paragraph))).count() == 1
        && matches!(events.last(), Some(Event::End(TagEnd::Paragraph)));
    let mut out = String::with_capacity(cleaned.len() + 16);
    if is_paragraph {
        let inner = events
            .into_iter()
            .filter(|event| !matches!(event, Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph)));
        html::push_html(&mut out, safe(inner, &Links::NONE));
    } else {
        return sentence_of_text(&cleaned);
    }
    out
}

/// Plain text as HTML.
pub(super) fn sentence_of_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    html::push_html(&mut out, std::iter::once(Event::Text(text.into())));
    out
}

/// The events of a document without what could do something.
fn safe<'a>(events: impl Iterator<Item = Event<'a>>, links: &Links<'_>) -> impl Iterator<Item = Event<'a>> {
    // Whether the link that is open was kept.
    let mut open = Vec::new();
    events.filter_map(move |event| match event {
        Event::Html(text) | Event::InlineHtml(text) => is_shown(&text).then(|| Event::Text(unfolded(&text).into())),
        Event::Start(Tag::HtmlBlock) => Some(Event::Start(Tag::Paragraph)),
        Event::End(TagEnd::HtmlBlock) => Some(Event::End(TagEnd::Paragraph)),
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let address = match link_type {
                LinkType::Email => None,
                _ => address(&dest_url, links),
            };
            open.push(address.is_some());
            let dest_url = CowStr::from(address?);
            Some(Event::Start(Tag::Link { link_type, dest_url, title, id }))
        }
        Event::End(TagEnd::Link) => open.pop().unwrap_or(false).then_some(Event::End(TagEnd::Link)),
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => None,
        // The style attribute of an aligned cell would break our own policy.
        Event::Start(Tag::Table(columns)) => Some(Event::Start(Tag::Table(vec![Alignment::None; columns.len()]))),
        Event::TaskListMarker(done) => Some(Event::InlineHtml(task(done).into())),
        other => Some(other),
    })
}

/// The box of a task, which nobody can tick here.
fn task(done: bool) -> &'static str {
    match done {
        true => "<input type=\"checkbox\" disabled checked aria-label=\"done\"> ",
        false => "<input type=\"checkbox\" disabled aria-label=\"to do\"> ",
    }
}

/// Comments of pages are notes to their authors.
fn is_shown(html: &str) -> bool {
    let html = html.trim();
    !(html.starts_with("<!--") && html.ends_with("-->"))
}

/// Our own drafts fold long lists; here they are open, and only the summary's words are left of the tags.
fn unfolded(html: &str) -> String {
    const TAGS: [&str; 5] = ["<details open>", "<details>", "</details>", "<summary>", "</summary>"];
    let text = TAGS.iter().fold(html.to_owned(), |text, tag| text.replace(tag, ""));
    if text.trim().is_empty() { String::new() } else { text }
}

/// Where a link may lead.
fn address(target: &str, links: &Links<'_>) -> Option<String> {
    if target.starts_with("https://") || target.starts_with("http://") {
        return Some(target.to_owned());
    }
    // Any other scheme, and addresses of other hosts that take ours (`//host`).
    if target.starts_with('/') || target.split(['/', '#', '?']).next().is_some_and(|first| first.contains(':')) {
        return None;
    }
    if target.starts_with('#') {
        return Some(target.to_owned());
    }
    (links.resolve)(target)
}

/// Gives headings an id and their place below the page's own.
struct Headings<'a, I: Iterator<Item = Event<'a>>> {
    events: std::iter::Peekable<std::vec::IntoIter<Event<'a>>>,
    level: u8,
    used: std::collections::HashMap<String, usize>,
    marker: std::marker::PhantomData<I>,
}

impl<'a, I: Iterator<Item = Event<'a>>> Headings<'a, I> {
    fn new(events: I, level: u8) -> Self {
        let events = events.collect::<Vec<_>>().into_iter().peekable();
        Self { events, level, used: std::collections::HashMap::new(), marker: std::marker::PhantomData }
    }
}

impl<'a, I: Iterator<Item = Event<'a>>> Iterator for Headings<'a, I> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        Some(match self.events.next()? {
            Event::Start(Tag::Heading { level, .. }) => {
                let words: String = self
                    .events
                    .clone()
                    .take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))))
                    .filter_map(|event| match event {
                        Event::Text(text) | Event::Code(text) => Some(text.to_string()),
                        _ => None,
                    })
                    .collect();
                let id = self.id(&words);
                let level = self.moved(level);
                Event::Start(Tag::Heading { level, id: Some(id.into()), classes: Vec::new(), attrs: Vec::new() })
            }
            Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(self.moved(level))),
            other => other,
        })
    }
}

impl<'a, I: Iterator<Item = Event<'a>>> Headings<'a, I> {
    fn moved(&self, level: pulldown_cmark::HeadingLevel) -> pulldown_cmark::HeadingLevel {
        let level = (level as u8 + self.level).saturating_sub(1).min(6);
        pulldown_cmark::HeadingLevel::try_from(usize::from(level)).unwrap_or(pulldown_cmark::HeadingLevel::H6)
    }

    /// The words in lower case with dashes; a second one of the same words has a number.
    fn id(&mut self, words: &str) -> String {
        let parts: Vec<String> = words
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|part| !part.is_empty())
            .map(str::to_lowercase)
            .collect();
        let id: String = parts.join("-").chars().take(60).collect();
        let id = if id.is_empty() { "section".to_owned() } else { id };
        let count = self.used.entry(id.clone()).and_modify(|count| *count += 1).or_insert(1);
        if *count == 1 { id } else { format!("{id}-{count}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_can_run() {
        let hostile = "# <script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n[a](javascript:alert(1)) [b](//evil.example) \
                       [c](data:text/html,x) ![d](https://evil.example/x.png) <b onclick=x>bold</b> [e](vbscript:x) <javascript:x>\n\n<!-- note -->";
        let shown = document(hostile, &Links::NONE, 1);
        for tag in
            ["<script", "<img", "javascript:alert(1)\"", "href=\"//", "href=\"data", "<b ", "vbscript:x\"", "note"]
        {
            assert!(!shown.contains(tag), "{tag} in {shown}");
        }
        assert!(shown.contains("&lt;script&gt;") && shown.contains("&lt;img"), "{shown}");
        assert_eq!(sentence("Set `X<Y>` & <b>go</b>"), "Set <code>X&lt;Y&gt;</code> &amp; &lt;b&gt;go&lt;/b&gt;");
        let folded = "<details open>\n<summary>PyTorch 2.1</summary>\n\n- a\n\n</details>";
        let unfolded = document(folded, &Links::NONE, 1);
        assert!(unfolded.contains("PyTorch 2.1") && !unfolded.contains("details"), "{unfolded}");
        assert_eq!(sentence("- not a list"), "- not a list");
        assert_eq!(sentence("# 5"), "# 5");
    }

    #[test]
    fn links_and_headings() {
        let links = Links { resolve: &|target| target.strip_suffix(".md").map(|name| format!("../book/{name}.html")) };
        let shown = document("## Causes\n## Causes\n[x](oom.md) [y](../src/a.rs) [z](https://a.example)", &links, 2);
        assert_eq!(
            shown,
            "<h3 id=\"causes\">Causes</h3>\n<h3 id=\"causes-2\">Causes</h3>\n<p><a href=\"../book/oom.html\">x</a> y <a \
             href=\"https://a.example\">z</a></p>\n"
        );
    }
}

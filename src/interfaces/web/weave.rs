//! Finishing touches to HTML that [`super::html`] made: names in it become links, links to places that are not on the page
//! become their text, code that can be scrolled can be reached with the keyboard.

use std::collections::BTreeSet;
use std::ops::Range;

/// What a stretch of text names: where, and the address. The text is escaped; the flag says whether it is code.
pub(super) type Named<'n> = &'n dyn Fn(&str, bool) -> Vec<(Range<usize>, String)>;

/// The HTML with its touches.
pub(super) fn woven(html: &str, named: Named<'_>) -> String {
    let ids = ids(html);
    let mut out = String::with_capacity(html.len() + html.len() / 8);
    // Whether each open link was kept; what the text is in.
    let (mut links, mut pre, mut code, mut heading) = (Vec::new(), 0_u32, 0_u32, 0_u32);
    let mut rest = html;
    while !rest.is_empty() {
        let (text, from) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
        if links.is_empty() && pre == 0 && heading == 0 {
            link_names(&mut out, text, &named(text, code > 0));
        } else {
            out.push_str(text);
        }
        let (tag, after) = from.split_at(from.find('>').map_or(from.len(), |end| end + 1));
        rest = after;
        let name: &str = tag.split(['>', ' ']).next().unwrap_or_default();
        match name {
            "<a" => {
                let goes = fragment(tag).is_none_or(|id| ids.contains(&id));
                links.push(goes);
                if !goes {
                    continue;
                }
            }
            "</a" if !links.pop().unwrap_or(true) => continue,
            "<pre" => {
                pre += 1;
                out.push_str("<pre tabindex=\"0\">");
                continue;
            }
            "</pre" => pre = pre.saturating_sub(1),
            "<code" => code += 1,
            "</code" => code = code.saturating_sub(1),
            "<h1" | "<h2" | "<h3" | "<h4" | "<h5" | "<h6" => heading += 1,
            "</h1" | "</h2" | "</h3" | "</h4" | "</h5" | "</h6" => {
                heading = heading.saturating_sub(1);
                // A heading without words cannot be read out.
                if out.rsplit_once("<h").is_some_and(|(_, open)| open.ends_with('>') && !open.contains('<')) {
                    out.push('…');
                }
            }
            _ => {}
        }
        out.push_str(tag);
    }
    out
}

fn link_names(out: &mut String, text: &str, names: &[(Range<usize>, String)]) {
    let mut at = 0;
    for (range, address) in names {
        if range.start < at {
            continue;
        }
        let (Some(before), Some(word)) = (text.get(at..range.start), text.get(range.clone())) else { continue };
        out.push_str(before);
        out.push_str(&format!("<a href=\"{address}\">{word}</a>"));
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
}

/// The ids of the headings.
fn ids(html: &str) -> BTreeSet<String> {
    html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
}

/// The place on the same page that a link leads to.
fn fragment(tag: &str) -> Option<String> {
    let target = tag.strip_prefix("<a href=\"#")?.split('"').next()?;
    Some(percent_encoding::percent_decode_str(target).decode_utf8_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::super::html::{Links, document};
    use super::*;

    #[test]
    fn names_become_links_where_there_is_none() {
        let names: Named<'_> = &|text, is_code| {
            let at = text.find("oom").filter(|_| is_code || text.contains("see"));
            at.map(|at| vec![(at..at + 3, "oom.html".to_owned())]).unwrap_or_default()
        };
        let html =
            document("# oom\n\nsee oom, `oom`, [oom](https://a.example)\n\n```\nsee oom\n```\n", &Links::NONE, 1);
        let woven = woven(&html, names);
        assert_eq!(
            woven,
            "<h1 id=\"oom\">oom</h1>\n<p>see <a href=\"oom.html\">oom</a>, <code><a href=\"oom.html\">oom</a></code>, <a \
             href=\"https://a.example\">oom</a></p>\n<pre tabindex=\"0\"><code>see oom\n</code></pre>\n"
        );
    }

    #[test]
    fn an_empty_heading_has_a_sign() {
        let html = document("#\n\n## `x`\n\n###\n", &Links::NONE, 1);
        let woven = woven(&html, &|_, _| Vec::new());
        let headings = "<h1 id=\"section\">…</h1>\n<h2 id=\"x\"><code>x</code></h2>\n<h3 id=\"section-2\">…</h3>\n";
        assert_eq!(woven, headings);
    }

    #[test]
    fn links_on_the_page_lead_somewhere() {
        let html = document("[a](#root-cause) [b](#nothing)\n\n# Root Cause\n", &Links::NONE, 1);
        let woven = woven(&html, &|_, _| Vec::new());
        assert_eq!(woven, "<p><a href=\"#root-cause\">a</a> b</p>\n<h1 id=\"root-cause\">Root Cause</h1>\n");
    }
}

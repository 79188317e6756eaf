//! HTML: entities and the few tags that notebooks, web consoles and issue trackers put around output.
//!
//! All other tags stay: `<module>` and `<lambda>` are Python's.

use std::borrow::Cow;

/// Whether the text contains HTML at all.
pub(in crate::text) fn occurs(text: &str) -> bool {
    ["&lt;", "&gt;", "&quot;", "&amp;", "&#", "&nbsp;", "&apos;", "<span", "<br", "<pre", "</"]
        .iter()
        .any(|mark| memchr::memmem::find(text.as_bytes(), mark.as_bytes()).is_some())
}

const TAGS: [&str; 12] =
    ["span", "/span", "br", "br/", "pre", "/pre", "code", "/code", "font", "/font", "samp", "/samp"];

/// Resolves entities and drops tags; a `<br>` becomes a line break.
pub(in crate::text) fn plain(text: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'&', b'<', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let mut done = 0;
    let mut at = 0;
    while let Some(step) = memchr::memchr2(b'&', b'<', text.as_bytes().get(at..).unwrap_or_default()) {
        let here = at + step;
        let found = if text.as_bytes()[here] == b'&' { entity(&text[here..]) } else { tag(&text[here..]) };
        at = here + 1;
        if let Some((replacement, length)) = found {
            out.push_str(&text[done..here]);
            out.extend(replacement);
            done = here + length;
            at = done;
        }
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// An entity at the head: its character and its length.
fn entity(text: &str) -> Option<(Option<char>, usize)> {
    let end = text.bytes().take(10).position(|b| b == b';')?;
    let c = match text.get(1..end)? {
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "amp" => '&',
        "apos" => '\'',
        "nbsp" => ' ',
        name => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|c| *c == '\t' || *c == '\u{1b}' || !c.is_control())?
        }
    };
    Some((Some(if c == '\u{a0}' { ' ' } else { c }), end + 1))
}

/// A known tag at the head: a line break for `<br>`, nothing else, and its length.
fn tag(text: &str) -> Option<(Option<char>, usize)> {
    let name = text[1..].bytes().take(8).take_while(|b| b.is_ascii_alphabetic() || *b == b'/').count();
    let name = text.get(1..1 + name)?;
    let known = TAGS.iter().any(|tag| tag.eq_ignore_ascii_case(name));
    if !known {
        return None;
    }
    let window = text.as_bytes().get(..text.len().min(300))?;
    let end = memchr::memchr(b'>', window)?;
    let attributes = &window[1 + name.len()..end];
    if !(attributes.is_empty() || attributes.starts_with(b" ")) {
        return None;
    }
    Some((name.to_ascii_lowercase().starts_with("br").then_some('\n'), end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_and_tags() {
        for (text, plain_text) in [
            ("File &quot;a.py&quot;, line 1, in &lt;module&gt;", "File \"a.py\", line 1, in <module>"),
            ("&#39;x&#39; &amp;&amp; &#x27;y&#x27;&nbsp;z", "'x' && 'y' z"),
            ("<span class=\"ansi-red-fg\">ValueError</span>: x<br/>y", "ValueError: x\ny"),
            ("in <module> a<b && c</b>d &foo; & x", "in <module> a<b && c</b>d &foo; & x"),
        ] {
            assert_eq!(plain(text), plain_text);
        }
    }
}

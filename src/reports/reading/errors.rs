//! Error texts of a report: logs in fences, logs that nobody fenced, and error lines quoted in prose.
//!
//! They are the report's signature, so what a proposed fix prints or catches is left out: `except RuntimeError` in a
//! workaround is not an error that was seen.

use super::roles::{Role, Roles};
use super::words::{is_placeholder, quoted};
use crate::book::blocks::{Fence, Kind};
use crate::book::sections::{Document, visit};
use crate::wording;

/// How many error texts a report may have; a dump of a thousand fences is not a signature.
const MOST: usize = 200;

/// Collects the error texts, fenced ones first.
pub(super) fn read(doc: &Document<'_>, roles: &[Roles]) -> Vec<String> {
    let mut fenced: Vec<String> = Vec::new();
    let mut prose: Vec<String> = Vec::new();
    for (section, roles) in doc.sections.iter().zip(roles) {
        let role = roles.holds;
        if role.is_some_and(|r| r.is_way_out() || matches!(r, Role::Prevention | Role::NextSteps)) {
            continue;
        }
        let is_log = matches!(role, Some(Role::Actual | Role::Logs));
        visit(doc.slice(&section.own), &mut |block| match &block.kind {
            Kind::Fence(fence) if is_log_fence(fence, is_log) => add(&mut fenced, fence.code.trim_end()),
            Kind::Paragraph(words) => {
                if is_log && words.text.contains("Traceback (most recent call last)") {
                    add(&mut fenced, &doc.markdown(block.range.clone()));
                } else {
                    for line in words.text.lines().map(plain_line).filter(|line| is_log_line(line, is_log)) {
                        add(&mut prose, line);
                    }
                }
                for quote in quoted(&words.text).into_iter().filter(|q| is_error_line(q) && is_whole(q)) {
                    add(&mut prose, quote);
                }
            }
            Kind::Table(rows) => {
                for cell in rows.iter().flatten().map(|c| plain_line(c)).filter(|cell| is_error_line(cell)) {
                    add(&mut prose, cell);
                }
            }
            Kind::Html => {
                let text = without_tags(doc.text.get(block.range.clone()).unwrap_or_default());
                if text.lines().any(is_error_line) {
                    add(&mut fenced, text.trim());
                }
            }
            _ => {}
        });
    }
    for line in prose {
        if !fenced.iter().any(|text| text.contains(&line)) {
            add(&mut fenced, &line);
        }
    }
    fenced
}

fn add(to: &mut Vec<String>, text: &str) {
    if to.len() < MOST && !is_placeholder(text) && !to.iter().any(|known| known == text) {
        to.push(text.to_owned());
    }
}

/// Whether a fence holds output and not code.
fn is_log_fence(fence: &Fence, in_log_section: bool) -> bool {
    const CODE: [&str; 24] = [
        "python",
        "py",
        "python3",
        "yaml",
        "yml",
        "bash",
        "sh",
        "shell",
        "zsh",
        "json",
        "toml",
        "ini",
        "diff",
        "cpp",
        "c++",
        "c",
        "cuda",
        "rust",
        "js",
        "dockerfile",
        "makefile",
        "mermaid",
        "powershell",
        "sql",
    ];
    if is_placeholder(&fence.code) {
        return false;
    }
    let is_code = CODE.contains(&fence.language.as_str());
    if is_code {
        // People fence tracebacks as ```python; a real one has its first line.
        return fence.code.contains("Traceback (most recent call last)")
            || (in_log_section && fence.code.lines().any(|l| is_exception_line(l.trim_end())));
    }
    in_log_section || fence.code.lines().any(is_error_line)
}

/// Whether a line of prose is a pasted message. Outside of log sections it must begin like one.
fn is_log_line(line: &str, in_log_section: bool) -> bool {
    let is_class = is_exception_line(line) && !line.starts_with("Error:");
    is_class || (in_log_section && is_error_line(line) && !line.starts_with("Error:"))
}

/// Whether a line is what a program prints when it fails.
pub(super) fn is_error_line(line: &str) -> bool {
    let line = line.trim();
    if line.len() < 8 || line.chars().take(2000).count() >= 2000 {
        return false;
    }
    if is_exception_line(line) {
        return true;
    }
    let alarms = wording::alarms();
    alarms.errors.iter().any(|t| line.contains(t)) && !alarms.not_errors.iter().any(|t| line.contains(t))
}

/// `torch.AcceleratorError: CUDA error: ...`, with a log prefix or without.
fn is_exception_line(line: &str) -> bool {
    let line = line.trim();
    let Some((name, rest)) = line.split_once(':') else { return false };
    let name = name.rsplit([' ', ']']).next().unwrap_or(name);
    let last = name.rsplit('.').next().unwrap_or(name);
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    // "OSError:" and "Error:" both count, the second one only alone at the beginning.
    let is_class =
        last.ends_with("Error") || last.ends_with("Exception") || last.ends_with("Interrupt") || last.ends_with("Exit");
    is_name
        && is_class
        && (last.len() > 5 || line.starts_with(last))
        && (rest.starts_with(' ') || rest.is_empty())
        && !line.ends_with(':')
}

/// Whether a quotation is a message, not a word about one.
fn is_whole(quote: &str) -> bool {
    quote.contains(' ') || quote.contains('_')
}

/// A line of prose without list marks and emphasis.
fn plain_line(line: &str) -> &str {
    let line = line.trim().trim_matches(['`', '*', '"']).trim();
    // "Error: `RuntimeError: ...`" is found through its quotation.
    if line.contains('`') { "" } else { line }
}

/// HTML without its tags, for `<pre>` blocks.
fn without_tags(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut in_tag = false;
    for c in html.chars() {
        match c {
            '<' => in_tag = true,
            '>' if in_tag => in_tag = false,
            _ if !in_tag => out.push(c),
            _ => {}
        }
    }
    out.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_error_lines() {
        for line in [
            "RuntimeError: FIND was unable to find an engine to execute this computation",
            "torch.AcceleratorError: CUDA error: an illegal memory access was encountered",
            "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB",
            "2026-01-01 ERROR x: CUDNN_STATUS_EXECUTION_FAILED",
            "Error: it broke here",
            "Segmentation fault (core dumped)",
            "CUDA_ERROR_OUT_OF_MEMORY",
        ] {
            assert!(is_error_line(line), "{line}");
        }
        for line in [
            "except RuntimeError as e:",
            "Training is fine",
            "Key Error handling: see below",
            "CUDNN_STATUS_SUCCESS",
            "class MyError(Exception):",
            "",
            "OSError",
        ] {
            assert!(!is_error_line(line), "{line}");
        }
        assert_eq!(without_tags("<pre>a &lt;b&gt;\nX</pre>"), "a <b>\nX");
    }
}

//! Places in code that a report names: paths with a line, frames of tracebacks, functions said to fail.

/// How many places of a kind are kept.
const MOST: usize = 400;

/// Longer lines are data, not words of a report.
const LONGEST: usize = 4000;

/// Endings of files that hold code or its configuration.
const ENDINGS: [&str; 22] = [
    "py", "pyx", "ipynb", "sh", "bash", "yaml", "yml", "toml", "cu", "cuh", "cpp", "cc", "c", "h", "hpp", "rs", "go",
    "js", "ts", "cfg", "ini", "so",
];

/// Paths of code in the order of the text, with their line where one is given: `ocr/model.py:68`.
pub(super) fn code_paths(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| line.len() <= LONGEST) {
        if out.len() >= MOST {
            break;
        }
        if let Some((path, number, _)) = python_frame(line) {
            add(&mut out, format!("{}:{number}", without_dots(path)));
            continue;
        }
        let separators = |c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '`' | '"'
                        | '\''
                        | '('
                        | ')'
                        | '['
                        | ']'
                        | '{'
                        | '}'
                        | '<'
                        | '>'
                        | ','
                        | ';'
                        | '|'
                        | '='
                        | '“'
                        | '”'
                )
        };
        for token in line.split(separators) {
            let token = token
                .trim_end_matches(['.', ':', '!', '?', '*'])
                .trim_start_matches(['*', '.', '/'])
                .trim_start_matches("./");
            if is_code_path(token) {
                // An absolute path keeps its first slash.
                let start = line.find(token).filter(|at| *at > 0 && line.as_bytes().get(at - 1) == Some(&b'/'));
                let absolute = start.is_some_and(|at| at < 2 || !matches!(line.as_bytes().get(at - 2), Some(b'.')));
                add(&mut out, if absolute { format!("/{token}") } else { token.to_owned() });
            }
        }
    }
    out
}

/// Frames as words, function first: `forward ocr/models/decoder/fpn_decoder.py`.
pub(super) fn frames(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| line.len() <= LONGEST) {
        if out.len() >= MOST {
            break;
        }
        if let Some((path, _, function)) = python_frame(line) {
            add(&mut out, format!("{function} {}", without_dots(path)).trim().to_owned());
        } else if let Some(symbol) = native_frame(line) {
            add(&mut out, symbol);
        } else if let Some((at, function)) = line.split_once(" in ") {
            // "torch.autograd.graph.py:829 in _engine_run_backward", "Error at `x()` in `on_step`".
            let function = function.trim_start_matches('`');
            let end = function.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(function.len());
            let function = function.get(..end).unwrap_or_default();
            let path = code_paths(at).pop().map(|p| p.split(':').next().unwrap_or_default().to_owned());
            let is_named = function.contains('_') && function.len() > 3;
            match path {
                Some(path) if !function.is_empty() => add(&mut out, format!("{function} {path}")),
                None if is_named && line.to_lowercase().contains("error") => add(&mut out, function.to_owned()),
                _ => {}
            }
        } else if line.to_lowercase().contains("error during") {
            // "Error during `backward()` pass".
            let call = line.split('`').nth(1).and_then(|code| code.strip_suffix("()"));
            call.filter(|c| c.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.'))
                .into_iter()
                .for_each(|c| add(&mut out, c.to_owned()));
        }
    }
    out
}

fn add(to: &mut Vec<String>, place: String) {
    if to.len() < MOST && place.len() < 300 && !to.contains(&place) {
        to.push(place);
    }
}

/// `File "x.py", line 68, in forward`.
fn python_frame(line: &str) -> Option<(&str, &str, &str)> {
    let rest = line.split_once("File \"")?.1;
    let (path, rest) = rest.split_once('"')?;
    let rest = rest.strip_prefix(", line ")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (number, rest) = rest.split_at_checked(digits)?;
    let function = rest.strip_prefix(", in ").unwrap_or_default().split_whitespace().next().unwrap_or_default();
    Some((path, number, function))
}

/// `frame #3: c10::cuda::x(int) + 0x1f (0x7f in /usr/lib/libc10.so)`.
fn native_frame(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix("frame #")?.split_once(": ")?.1;
    let symbol = rest.split(['(', '+']).next()?.trim();
    let file = rest.rsplit_once(" in ").map(|(_, f)| f.trim_end_matches(')')).unwrap_or_default();
    let file = file.rsplit('/').next().unwrap_or(file);
    Some(format!("{symbol} {file}").trim().to_owned()).filter(|s| !s.is_empty())
}

fn without_dots(path: &str) -> &str {
    path.trim_start_matches(".../").trim_start_matches("./")
}

/// `scripts/x.py`, `torch.autograd.graph.py:829`; not `e.g`, not a version, not an address.
fn is_code_path(token: &str) -> bool {
    if token.len() < 4 || token.len() > 200 || token.contains("://") || token.starts_with("www.") {
        return false;
    }
    let path = match token.split_once(':') {
        Some((path, rest)) if rest.starts_with(|c: char| c.is_ascii_digit()) => path,
        Some(_) => return false,
        None => token,
    };
    let Some((stem, ending)) = path.rsplit_once('.') else { return false };
    let stem = stem.rsplit('/').next().unwrap_or(stem);
    ENDINGS.contains(&ending)
        && !stem.is_empty()
        && stem.chars().any(|c| c.is_alphanumeric())
        && path.chars().all(|c| c.is_alphanumeric() || "._-/\\+~@".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_paths() {
        let text = "**File:** `scripts/test_basic_cuda.py` and ./a/b.sh, see https://x.y/z.py or e.g. v1.2.\n  File \".../ocr/dec.py\", line 68, in forward\ntorch.autograd.graph.py:829 in _engine_run_backward\n/usr/lib/libc10.so and (configs/a.yaml).";
        assert_eq!(
            code_paths(text),
            [
                "scripts/test_basic_cuda.py",
                "a/b.sh",
                "ocr/dec.py:68",
                "torch.autograd.graph.py:829",
                "/usr/lib/libc10.so",
                "configs/a.yaml"
            ]
        );
    }

    #[test]
    fn finds_frames() {
        let text = "  File \"x/y.py\", line 3, in <module>\n  File \"a.py\", line 1\nlocation: torch.autograd.graph.py:829 in _engine_run_backward\nError at `isnan()` in `on_before_optimizer_step`\nframe #1: c10::Error::what(int) + 0x1 (0x7 in /l/libc10.so)\nreal data in training";
        assert_eq!(
            frames(text),
            [
                "<module> x/y.py",
                "a.py",
                "_engine_run_backward torch.autograd.graph.py",
                "on_before_optimizer_step",
                "c10::Error::what libc10.so"
            ]
        );
    }
}

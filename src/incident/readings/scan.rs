//! The numbers of a line, each with the words that name it and its unit.
//!
//! No line format is known here: `'loss': 2.31`, `loss=2.31`, `| lm loss: 2.31E+00 |`, `loss 2.31` and `9.8it/s` are
//! read alike. Dates, clocks, versions, paths and numbers inside of words are none.

use crate::incident::words::unit_bytes;

/// A number of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Number<'t> {
    /// What is between the number before it and this one, without what separates them.
    pub(super) key: &'t str,
    pub(super) value: f64,
    /// Letters after it: `GiB`, `it/s`; of a size, also those in brackets before it: `memory (MB): 12`.
    pub(super) unit: &'t str,
    /// The second number of `10/100` and `3.2/23.7GB`, with its unit.
    pub(super) of: Option<(f64, &'t str)>,
    /// Whether its name is quoted, as in JSON and in a printed dict.
    pub(super) is_quoted: bool,
}

impl Number<'_> {
    /// Steps done and all of them, for the count of a progress bar: `10/100`, `[ 50/1000]`.
    pub(super) fn counts(&self) -> Option<(f64, f64)> {
        let (all, unit) = self.of?;
        let is_count = self.key.is_empty() && self.unit.is_empty() && unit.is_empty();
        (is_count && self.value.fract() == 0.0 && all.fract() == 0.0 && self.value <= all).then_some((self.value, all))
    }
}

/// The numbers of a line in their order.
pub(super) struct Numbers<'t> {
    text: &'t str,
    /// Where the next number is looked for.
    at: usize,
    /// Where its name may begin.
    from: usize,
}

impl<'t> Numbers<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self { text, at: 0, from: 0 }
    }
}

impl<'t> Iterator for Numbers<'t> {
    type Item = Number<'t>;

    fn next(&mut self) -> Option<Number<'t>> {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            let start = self.at;
            let is_digit = byte.is_ascii_digit();
            let is_word = byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80;
            if !is_digit && !is_word {
                self.at += 1;
                continue;
            }
            let Some((value, end)) = value_at(self.text, start) else {
                self.at = end_of_word(bytes, start);
                continue;
            };
            let number = self.number(start, end, value);
            if number.is_some() {
                return number;
            }
        }
        None
    }
}

impl<'t> Numbers<'t> {
    /// The number at `start`, whose digits end at `end`; nothing for a percentage.
    fn number(&mut self, start: usize, end: usize, value: f64) -> Option<Number<'t>> {
        let text = self.text;
        let bytes = text.as_bytes();
        let is_negative = start > self.from
            && bytes.get(start - 1) == Some(&b'-')
            && start.checked_sub(2).and_then(|at| bytes.get(at)).is_none_or(|byte| !byte.is_ascii_alphanumeric());
        let head = text.get(self.from..start - usize::from(is_negative)).unwrap_or_default();
        let (mut unit, mut end) = unit_at(text, end);
        if text.get(end..).is_some_and(|rest| rest.starts_with('%')) {
            self.at = end + 1;
            self.from = self.at;
            return None;
        }
        let mut of = None;
        if let Some((second, second_unit, after)) = second_at(text, end) {
            of = Some((second, second_unit));
            end = after;
        }
        let (key, bracketed) = key_of(head);
        if unit.is_empty() {
            unit = bracketed;
        }
        self.at = end;
        self.from = end;
        let is_quoted = head.trim_end_matches([' ', '\'', '"']).ends_with(':') && head.contains(['\'', '"']);
        let value = if is_negative { -value } else { value };
        Some(Number { key, value, unit, of, is_quoted })
    }
}

/// The number that begins at `start` and where it ends; `None` for a word, a date, a clock, a version.
fn value_at(text: &str, start: usize) -> Option<(f64, usize)> {
    let bytes = text.as_bytes();
    let before = start.checked_sub(1).and_then(|at| bytes.get(at)).copied();
    if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/' | b'\\')) {
        return None;
    }
    // gpt-2, sm-90.
    let two_before = start.checked_sub(2).and_then(|at| bytes.get(at));
    if before == Some(b'-') && two_before.is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    if !bytes.get(start)?.is_ascii_digit() {
        let word = text.get(start..end_of_word(bytes, start))?;
        let value = match word {
            _ if word.eq_ignore_ascii_case("nan") => f64::NAN,
            _ if word.eq_ignore_ascii_case("inf") || word.eq_ignore_ascii_case("infinity") => f64::INFINITY,
            _ => return None,
        };
        // Lightning prints "nan.0".
        let end = start + word.len();
        return Some((value, end + if bytes[end..].starts_with(b".0") { 2 } else { 0 }));
    }
    let run =
        |from: usize| bytes.get(from..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count();
    let digit_at = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut end = start + run(start);
    let mut has_commas = false;
    while end - start <= 12 && bytes.get(end) == Some(&b',') && run(end + 1) == 3 {
        has_commas = true;
        end += 4;
    }
    if bytes.get(end) == Some(&b'.') {
        end += 1 + run(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let digits = run(end + 1 + sign);
        end += if digits > 0 { 1 + sign + digits } else { 0 };
    }
    // 2026-11-21, 10:02:31, 1.2.3, 10:02.
    let joins = |byte: u8| matches!(byte, b'-' | b':' | b'.' | b'_');
    if bytes.get(end).copied().is_some_and(joins) && digit_at(end + 1) || end - start > 40 {
        return None;
    }
    let digits = text.get(start..end)?;
    let value = if has_commas { digits.replace(',', "").parse() } else { digits.parse() };
    value.ok().filter(|value: &f64| value.is_finite()).map(|value| (value, end))
}

/// Where a word, or a run of numbers that are none, ends.
fn end_of_word(bytes: &[u8], start: usize) -> usize {
    let digits = bytes.get(start).is_some_and(u8::is_ascii_digit);
    let joined = |byte: &u8| {
        byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80 || digits && matches!(byte, b':' | b'.' | b'-')
    };
    let length = bytes.get(start..).unwrap_or_default().iter().take_while(|byte| joined(byte)).count();
    start + length.max(1)
}

/// The unit right after a number or after one space, and where it ends.
fn unit_at(text: &str, end: usize) -> (&str, usize) {
    let rest = text.get(end..).unwrap_or_default();
    let gap = usize::from(rest.starts_with(' '));
    let word = rest.get(gap..).unwrap_or_default();
    let letters = |text: &str| text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let mut length = letters(word);
    if length == 0 || length > 12 {
        return ("", end);
    }
    if let Some(second) = word.get(length..).and_then(|rest| rest.strip_prefix('/')) {
        let more = letters(second);
        length += if more > 0 { 1 + more } else { 0 };
    }
    let after = word.get(length..).and_then(|rest| rest.chars().next());
    let unit = word.get(..length).unwrap_or_default();
    // The next word of a line is no unit of the number before it.
    let is_known = gap == 0 || unit.contains('/') || is_size(unit) || matches!(unit, "ms" | "s" | "sec" | "iterations");
    // `loss 3.2 it/s 4.9`: it names the next number.
    let next = word.get(length..).unwrap_or_default().trim_start_matches([' ', ':', '=']);
    let names_next = gap > 0 && unit.contains('/') && next.starts_with(|c: char| c.is_ascii_digit());
    if !is_known || names_next || after.is_some_and(|c| matches!(c, '=' | '_') || c.is_alphanumeric()) {
        return ("", end);
    }
    (unit, end + gap + length)
}

/// `/100` and ` / 24576MiB` after a number: the second number, its unit and where it ends.
fn second_at(text: &str, end: usize) -> Option<(f64, &str, usize)> {
    let rest = text.get(end..)?;
    let slash = rest.strip_prefix(" /").or_else(|| rest.strip_prefix('/'))?;
    let digits = slash.trim_start_matches(' ');
    let start = text.len() - digits.len();
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    // The slash before it is its own.
    let (value, length) = value_at(digits, 0)?;
    let (unit, end) = unit_at(text, start + length);
    Some((value, unit, end))
}

/// The name at the end of what is before a number, and a unit in brackets behind it.
fn key_of(head: &str) -> (&str, &str) {
    const BETWEEN: &[char] = &[' ', '\t', ':', '=', '\'', '"', '(', '[', '~', '≈', '<', '：', '@'];
    let mut key = head.trim_end_matches(BETWEEN);
    let mut unit = "";
    for (open, close) in [('(', ')'), ('[', ']')] {
        if let Some(inner) = key.strip_suffix(close)
            && let Some((name, bracketed)) = inner.rsplit_once(open)
        {
            (key, unit) = (name.trim_end_matches(BETWEEN), bracketed);
        }
    }
    let start = key
        .rfind(['|', ',', ';', '{', '}', '(', ')', '[', ']', '\t', '─', '━', '│', '█', '•'])
        .map_or(0, |at| at + key.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
    let key = key.get(start..).unwrap_or_default();
    let start = [" - ", "  ", ": "].iter().filter_map(|gap| key.rfind(gap).map(|at| at + gap.len())).max().unwrap_or(0);
    (key.get(start..).unwrap_or_default().trim_start_matches([' ', '\'', '"']).trim_end(), unit)
}

/// Whether a unit is one of sizes, in any case.
pub(super) fn is_size(unit: &str) -> bool {
    bytes_of(unit).is_some()
}

/// Bytes of a unit as a reading has it: what is in billions ("7B") is no size, and "12 g" is one.
/// Nobody prints memory in bits.
pub(super) fn bytes_of(unit: &str) -> Option<f64> {
    match unit {
        "B" | "b" => None,
        "m" | "g" | "Kb" | "Mb" | "Gb" | "Tb" => unit_bytes(&unit.to_ascii_uppercase()),
        unit => unit_bytes(unit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, f64, String)> {
        Numbers::of(text).map(|n| (n.key.to_owned(), n.value, n.unit.to_owned())).collect()
    }

    fn has(text: &str, key: &str, value: f64, unit: &str) {
        let found = read(text);
        assert!(found.iter().any(|(k, v, u)| k == key && *v == value && u == unit), "{text}: {found:?}");
    }

    #[test]
    fn names_and_units() {
        has("{'loss': 2.31, 'grad_norm': 1.25, 'epoch': 0.02}", "grad_norm", 1.25, "");
        has("{'loss': '2.31', 'epoch': '0.02'}", "epoch", 0.02, "");
        has("iteration      100/  500000 | lm loss: 6.7E+00 | x", "lm loss", 6.7, "");
        has("| elapsed time per iteration (ms): 1234.5 |", "elapsed time per iteration", 1234.5, "ms");
        has("step: 10  loss:  7.8901  memory: 38.52GiB(40.55%)  tps: 3,456  mfu: 20.5%", "tps", 3456.0, "");
        has("step: 10  loss:  7.8901  memory: 38.52GiB(40.55%)  tps: 3,456", "memory", 38.52, "GiB");
        has("Epoch 0:  10%|█   | 10/100 [00:01<00:09, 9.8it/s, v_num=0, loss=2.31]", "loss", 2.31, "");
        has("Epoch 0:  10%|█   | 10/100 [00:01<00:09, 9.8it/s, v_num=0, loss=2.31]", "", 9.8, "it/s");
        has("step 100 loss 2.31", "loss", 2.31, "");
        has("10/100 ━━━━ 12s 120ms/step - accuracy: 0.5 - loss: 1.2", "loss", 1.2, "");
        has("step 1 loss 3.0 it/s 4.9", "it/s", 4.9, "");
        has("loss -0.5", "loss", -0.5, "");
        has("lr: [1e-05]", "lr", 1e-5, "");
    }

    #[test]
    fn what_is_no_number() {
        for text in ["2026-11-21 10:02:31", "torch 2.8.0", "cuda12 gpt-2x", "/data/12/x", "40%", "eta 0:10:00", ""] {
            assert_eq!(read(text), [], "{text}");
        }
        for text in ["loss: nan", "1/6471 [00:03, loss=nan.0]"] {
            assert!(Numbers::of(text).any(|n| n.key == "loss" && n.value.is_nan()), "{text}");
        }
        assert!(Numbers::of("loss=-inf").any(|n| n.key == "loss" && n.value == f64::NEG_INFINITY));
        assert_eq!(read("nano info"), []);
    }

    #[test]
    fn sizes() {
        for (unit, power) in
            [("GiB", 3), ("gib", 3), ("GB", 3), ("Gb", 3), ("g", 3), ("K", 1), ("Ki", 1), ("ti", 4), ("T", 4)]
        {
            assert_eq!(bytes_of(unit), Some(1024f64.powi(power)), "{unit}");
        }
        assert!(["B", "b", "", "it", "ms", "s", "steps"].iter().all(|unit| bytes_of(unit).is_none()));
    }

    #[test]
    fn pairs() {
        let bar = Numbers::of("  10%|█  | 10/100 [00:01<00:09]").find(|n| n.of.is_some());
        assert!(bar.is_some_and(|n| n.counts().is_some() && n.value == 10.0 && n.of == Some((100.0, ""))));
        let memory = Numbers::of("|  12034MiB / 24576MiB |").find(|n| n.of.is_some());
        assert!(memory.is_some_and(|n| n.value == 12034.0 && n.of == Some((24576.0, "MiB"))));
        let gib = Numbers::of("gpu_mem=3.2/23.7GB").next();
        assert!(gib.is_some_and(|n| n.key == "gpu_mem" && n.of == Some((23.7, "GB"))));
    }
}

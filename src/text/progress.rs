//! Progress bars: where one state of tqdm, Rich or Keras ends, and which state replaces which.
//!
//! Only lines with a bar are read, and words after a bar become a line of their own. Another process may interrupt a
//! state (`[1:56:05<12:50:3/opt/...`), so its end is where its grammar stops, not where a bracket closes.

use std::ops::Range;

/// The parts of a line: states (true) and other words (false), in order; consecutive states are one, the last.
pub(super) fn parts(text: &str) -> Vec<(Range<usize>, bool)> {
    let mut parts: Vec<(Range<usize>, bool)> = Vec::new();
    let mut at = 0;
    let mut finder = Finder::default();
    while at < text.len() {
        let Some((begin, end)) = finder.next(text, at) else { break };
        // Words before a state describe it, except those between two states, which are the end of a state that was cut.
        let from = if parts.is_empty() { at } else { begin };
        let between = text[at..begin].trim_matches([' ', ',', '\t']);
        if !parts.is_empty() && !between.is_empty() && !between.ends_with(':') {
            parts.push((at..begin, false));
        } else if let Some(last) = parts.last()
            && last.1
        {
            parts.pop();
        }
        parts.push((from..end, true));
        at = end;
    }
    if parts.is_empty() {
        return vec![(0..text.len(), false)];
    }
    let rest = text[at..].trim_matches([' ', ',', '\t', ']']);
    if rest.is_empty() {
        if let Some(last) = parts.last_mut() {
            last.0.end = text.len();
        }
    } else {
        // Indentation of words joined to a bar is kept, padding after the bar is not.
        parts.push((at..text.len(), false));
    }
    parts
}

/// Whether the line `next` replaces the line `last` on a terminal, when both begin at its left edge.
pub(super) fn replaces(last: &str, next: &str, next_is_state: bool) -> bool {
    if last.trim().is_empty() {
        return true;
    }
    if ["rror", "raceback", "xception", "arning", "File \"", "atal"].iter().any(|word| last.contains(word)) {
        return false;
    }
    if is_state(last) {
        return next_is_state || alike(last, next);
    }
    alike(last, next) && (last.contains('%') || last.bytes().any(|b| b.is_ascii_digit()))
}

/// Whether two lines differ in digits only, at least in their first half.
fn alike(one: &str, two: &str) -> bool {
    let letters = |text: &str| -> Vec<char> { text.chars().take(200).filter(|c| c.is_alphabetic()).collect() };
    let (one, two) = (letters(one), letters(two));
    let shorter = one.len().min(two.len());
    let same = one.iter().zip(&two).take_while(|(a, b)| a == b).count();
    shorter >= 2 && same * 2 >= shorter.max(4)
}

/// Finds states one after another; what a search found or did not find is kept, or many states of one kind would be
/// searched for the other kinds again and again.
#[derive(Default)]
struct Finder {
    /// Per kind: not searched yet, or the next state if there is any.
    found: [Option<Option<(usize, usize)>>; 3],
}

impl Finder {
    /// The first state that begins at or after `at`: where its numbers begin and where it ends.
    fn next(&mut self, text: &str, at: usize) -> Option<(usize, usize)> {
        for (slot, find) in self.found.iter_mut().zip([tqdm, rich, keras]) {
            let stale = match slot {
                None => true,
                Some(None) => false,
                Some(Some((begin, _))) => *begin < at,
            };
            if stale {
                *slot = Some(find(&text[at..]).map(|(begin, end)| (at + begin, at + end)));
            }
        }
        self.found.iter().flatten().flatten().min().copied()
    }
}

/// Whether the text holds a state.
fn is_state(text: &str) -> bool {
    Finder::default().next(text, 0).is_some()
}

/// `Epoch 1:  38%|███▊      | 3/8 [00:00<00:00, 11.79it/s, loss=2.3]`, complete or cut.
fn tqdm(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    loop {
        let percent = from + memchr::memmem::find(text.as_bytes().get(from..)?, b"%|")?;
        from = percent + 2;
        let digits =
            text.as_bytes()[..percent].iter().rev().take(6).take_while(|b| b.is_ascii_digit() || **b == b'.').count();
        if digits == 0 {
            continue;
        }
        let mut scan = Scan { text, at: percent + 2 };
        // The bar: blocks, `#`, digits of the ASCII bar, or spaces.
        if !scan.until('|', 600) {
            continue;
        }
        scan.spaces();
        if !scan.number() {
            return Some((percent - digits, scan.at));
        }
        scan.letters();
        if scan.eat(b'/') {
            scan.number();
            scan.letters();
        }
        scan.spaces();
        if !scan.eat(b'[') {
            return Some((percent - digits, scan.at));
        }
        scan.clock();
        if !scan.eat(b'<') {
            return Some((percent - digits, scan.at));
        }
        scan.clock();
        if scan.eat(b',') {
            let before = scan.at;
            scan.spaces();
            let rated = (scan.number() || scan.eat(b'?')) && scan.letters() && scan.eat(b'/') && scan.letters();
            if !rated {
                return Some((percent - digits, before));
            }
            if scan.eat(b',') && !scan.until(']', 400) {
                // A postfix that never closes: cut somewhere, nobody knows where.
                return Some((percent - digits, text.len()));
            }
        }
        scan.eat(b']');
        return Some((percent - digits, scan.at));
    }
}

/// `Epoch 1/1  ━━━━━╺━━━━ 17/20 0:00:00 • 0:00:01 471.05it/s loss: 0.927`, and Keras 3 with the numbers first.
fn rich(text: &str) -> Option<(usize, usize)> {
    let begin = memchr::memmem::find(text.as_bytes(), "━━".as_bytes())?;
    let bar: usize = text[begin..].chars().take_while(|c| matches!(c, '━' | '╸' | '╺' | ' ')).map(char::len_utf8).sum();
    let end = begin + bar;
    let after = &text[end..];
    let figures = after.trim_start().starts_with(|c: char| c.is_ascii_digit())
        || text[..begin].trim_end().ends_with(|c: char| c.is_ascii_digit());
    // Without numbers it is a rule or the edge of a table.
    if !figures || bar < 9 || text[..begin].contains(['┏', '┡', '└', '╭']) {
        return None;
    }
    Some((begin, metrics(text, end)))
}

/// `3/8 [==>.....] - ETA: 1s - loss: 1.3560`.
fn keras(text: &str) -> Option<(usize, usize)> {
    let begin =
        memchr::memmem::find(text.as_bytes(), b"[=").or_else(|| memchr::memmem::find(text.as_bytes(), b"[>."))?;
    let head = text[..begin].trim_end();
    let inner = text[begin + 1..].bytes().take_while(|b| matches!(b, b'=' | b'>' | b'.')).count();
    if inner < 4
        || !head.ends_with(|c: char| c.is_ascii_digit())
        || text.as_bytes().get(begin + 1 + inner) != Some(&b']')
    {
        return None;
    }
    Some((begin, metrics(text, begin + inner + 2)))
}

/// Where the numbers after a bar end: at the line's end, or where letters stick to a number.
fn metrics(text: &str, from: usize) -> usize {
    let mut at = from;
    for word in text[from..].split_inclusive(' ').take(60) {
        let number = match word.trim_end() {
            w if w.starts_with("nan") || w.starts_with("inf") => 3,
            w => {
                let digits = w.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
                let exponent = w[digits..].strip_prefix(['e', 'E']).and_then(|e| {
                    let sign = usize::from(e.starts_with(['-', '+']));
                    let figures = e[sign..].bytes().take_while(u8::is_ascii_digit).count();
                    (figures > 0).then_some(1 + sign + figures)
                });
                digits + exponent.unwrap_or(0)
            }
        };
        let stuck = word[number..].chars().next();
        if number > 0
            && stuck.is_some_and(|c| c.is_ascii_uppercase() || matches!(c, '`' | '[' | '(' | '{'))
            && !is_size(&word[number..])
        {
            return at + number;
        }
        at += word.len();
    }
    text.len()
}

/// `12.3MB`, `4GiB/s`.
fn is_size(unit: &str) -> bool {
    let unit = unit.trim_end().trim_end_matches("/s");
    matches!(unit, "B" | "kB" | "KB" | "MB" | "GB" | "KiB" | "MiB" | "GiB" | "K" | "M" | "G")
}

/// A cursor over the numbers of a state.
struct Scan<'t> {
    text: &'t str,
    at: usize,
}

impl Scan<'_> {
    fn run(&mut self, of: impl Fn(&u8) -> bool) -> bool {
        let count = self.text.as_bytes().get(self.at..).unwrap_or_default().iter().take_while(|b| of(b)).count();
        self.at += count;
        count > 0
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.text.as_bytes().get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn spaces(&mut self) -> bool {
        self.run(|b| *b == b' ')
    }

    fn number(&mut self) -> bool {
        self.run(|b| b.is_ascii_digit() || *b == b'.')
    }

    fn letters(&mut self) -> bool {
        self.run(u8::is_ascii_alphabetic)
    }

    fn clock(&mut self) -> bool {
        self.run(|b| b.is_ascii_digit() || matches!(b, b':' | b'?' | b'-'))
    }

    /// Moves past the next `stop`, at most `limit` bytes away and outside brackets; stays when there is none.
    fn until(&mut self, stop: char, limit: usize) -> bool {
        let mut depth = 0i32;
        for (at, c) in self.text.get(self.at..).unwrap_or_default().char_indices() {
            if at > limit {
                return false;
            }
            match c {
                _ if c == stop && depth <= 0 => {
                    self.at += at + c.len_utf8();
                    return true;
                }
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
        }
        false
    }
}

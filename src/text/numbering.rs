//! Line numbers in front of every line: `cat -n`, `grep -n`, a listing copied from a code or log viewer.
//!
//! Numbered parts of a text (a notebook's source, backtraces) stay: nearly all lines must be numbered consecutively.

/// Shorter texts are left alone.
const FEWEST: usize = 8;

/// How many bytes of numbering each line begins with; empty when the text is not numbered.
pub(super) fn widths(lines: &[&str]) -> Vec<u16> {
    // The first lines decide for most texts.
    let first = lines.iter().filter(|line| !line.trim().is_empty()).take(4 * FEWEST);
    if first.filter(|line| Number::read(line).is_none()).count() > FEWEST / 2 {
        return Vec::new();
    }
    let numbers: Vec<Option<Number>> = lines.iter().map(|line| Number::read(line)).collect();
    let mut next = None;
    let mut follow = 0;
    for number in numbers.iter().flatten() {
        follow += usize::from(next.is_none_or(|next| next == number.value));
        next = Some(number.value + 1);
    }
    let filled = lines.iter().filter(|line| !line.trim().is_empty()).count();
    if follow < FEWEST || follow * 10 < filled * 9 {
        return Vec::new();
    }
    // The indentation shared by all lines belongs to the numbers.
    let spaces = numbers.iter().flatten().filter_map(|number| number.spaces).min().unwrap_or(0);
    let width = |number: &Option<Number>| {
        let number = number.as_ref()?;
        u16::try_from(number.end + number.spaces.map_or(0, |_| spaces)).ok()
    };
    numbers.iter().map(|number| width(number).unwrap_or(0)).collect()
}

/// The number that a line begins with.
struct Number {
    value: u64,
    /// Where it ends, including the separator after it.
    end: usize,
    /// Spaces before the text, if there is text.
    spaces: Option<usize>,
}

impl Number {
    fn read(line: &str) -> Option<Self> {
        let digits = line.trim_start_matches(' ');
        let behind = digits.trim_start_matches(|c: char| c.is_ascii_digit());
        let value = digits[..digits.len() - behind.len()].parse::<u32>().ok()?.into();
        let mark = [" |", "|", " │", "│", "\t", ":", " ", ""].into_iter().find(|mark| behind.starts_with(mark))?;
        let words = &behind[mark.len()..];
        let (end, spaces) = (line.len() - words.len(), words.len() - words.trim_start_matches(' ').len());
        let bare = mark.is_empty() && !words.is_empty();
        (!bare).then_some(Self { value, end, spaces: (spaces < words.len()).then_some(spaces) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        let lines: Vec<&str> = text.lines().collect();
        let widths = widths(&lines);
        let cut =
            |(n, line): (usize, &&str)| line[widths.get(n).copied().map_or(0, usize::from)..].trim_end().to_owned();
        lines.iter().enumerate().map(cut).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn numbers_go_and_indentation_stays() {
        let text: String = ["a:", "  b", "", "c", "d", "e", "f", "g", "h"].join("\n");
        for form in ["{}  ", "{}: ", "{} | ", "{}\t", "{} "] {
            let numbered: Vec<String> = text
                .lines()
                .enumerate()
                .map(|(n, line)| format!("{}{line}", form.replace("{}", &format!("{:>5}", n + 97))))
                .collect();
            assert_eq!(plain(&numbered.join("\n")), text, "{form}");
        }
    }

    #[test]
    fn other_numbers_stay() {
        let backtrace: String = (0..9).map(|n| format!("{n}: f\n   at x.rs\n")).collect();
        let counts: String = (0..9).map(|n| format!("{} apples\n", 2 * n)).collect();
        for text in [backtrace.trim_end(), counts.trim_end(), "1 a\n2 b\n3 c"] {
            assert_eq!(plain(text), text);
        }
    }
}

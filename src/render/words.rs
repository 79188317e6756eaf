//! Words that several formats share: percentages, counts, sentences that continue.

pub(crate) use crate::amounts::thousands;
use crate::diagnosis::Solved;
use crate::text::words::capital;

/// Said of an ordinary error, so that nobody looks for the fault in the machine.
pub(crate) const ORDINARY: &str =
    "An ordinary error, usually of the program or its files, not of the GPU or the driver.";

/// How often an action solved known cases: `Solved 14 of 23 known cases on WSL 2, for example ADDRESS`.
pub(crate) fn precedents(solved: &Solved) -> String {
    let platform = solved.platform.as_deref().map(place).unwrap_or_default();
    let nearest = solved.nearest.join(", ");
    let (cases, of) = (solved.cases, counted(solved.of as u64, "known case", "known cases"));
    format!("Solved {cases} of {of}{platform}, for example {nearest}")
}

/// A value of `run.platform` after its preposition: ` on Windows`, ` in a notebook`.
fn place(platform: &str) -> String {
    match platform {
        "wsl1" => " on WSL 1".to_owned(),
        "wsl2" => " on WSL 2".to_owned(),
        "macos" => " on macOS".to_owned(),
        "notebook" => " in a notebook".to_owned(),
        "container" => " in a container".to_owned(),
        "docker" => " in Docker".to_owned(),
        "cloud" | "rented" => " on a rented machine".to_owned(),
        "linux" | "windows" | "colab" | "kaggle" | "kubernetes" | "slurm" | "jetson" => {
            format!(" on {}", capital(platform))
        }
        other => format!(" on {other}"),
    }
}

/// A probability as a percentage; `None` if it is not a probability.
pub(crate) fn percent(probability: f64) -> Option<String> {
    if !(0.0..=1.0).contains(&probability) {
        return None;
    }
    let rounded = (probability * 100.0).round();
    Some(match rounded {
        r if r >= 100.0 => ">99 %".to_owned(),
        r if r < 1.0 => "<1 %".to_owned(),
        r => format!("{r:.0} %"),
    })
}

/// "+3 copies"; empty without any.
pub(crate) fn copies(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => "+1 copy".to_owned(),
        count => format!("+{count} copies"),
    }
}

/// `1 line`, `5,298 lines`.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(count), if count == 1 { one } else { many })
}

/// The sentence without its final dot, so that it can continue.
pub(crate) fn open_ended(text: &str) -> &str {
    let text = text.trim();
    if text.ends_with("..") { text } else { text.strip_suffix('.').unwrap_or(text) }
}

/// The text with its first letter in lower case, unless the first word is a name, an abbreviation or code.
pub(crate) fn mid_sentence(text: &str) -> String {
    const NAMES: [&str; 12] = [
        "Python",
        "Docker",
        "Windows",
        "Linux",
        "Triton",
        "Ray",
        "Lightning",
        "Slurm",
        "Kubernetes",
        "Conda",
        "Accelerate",
        "Flash",
    ];
    let word = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let mut letters = word.chars();
    let Some(first) = letters.next() else { return text.to_owned() };
    let ordinary = first.is_ascii_uppercase() && letters.all(|c| c.is_ascii_lowercase()) && !NAMES.contains(&word);
    if !ordinary {
        return text.to_owned();
    }
    let mut out = first.to_ascii_lowercase().to_string();
    out.push_str(&text[1..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn per_cent() {
        for (probability, expected) in [
            (0.714, Some("71 %")),
            (0.999, Some(">99 %")),
            (1.0, Some(">99 %")),
            (0.004, Some("<1 %")),
            (0.0, Some("<1 %")),
            (f64::NAN, None),
            (1.2, None),
        ] {
            assert_eq!(percent(probability).as_deref(), expected, "{probability}");
        }
    }

    #[test]
    fn counts() {
        assert_eq!(counted(1, "line", "lines"), "1 line");
        assert_eq!(counted(0, "line", "lines"), "0 lines");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(5298), "5,298");
        assert_eq!(thousands(1_234_567), "1,234,567");
    }

    #[test]
    fn sentences_joined() {
        assert_eq!(open_ended("Costs time. "), "Costs time");
        assert_eq!(open_ended("and so on..."), "and so on...");
        assert_eq!(mid_sentence("Halve the batch"), "halve the batch");
        assert_eq!(mid_sentence("NCCL hangs"), "NCCL hangs");
        assert_eq!(mid_sentence("PyTorch wheels"), "PyTorch wheels");
        assert_eq!(mid_sentence("`pip list`"), "`pip list`");
        assert_eq!(mid_sentence("Ünder"), "Ünder");
        assert_eq!(mid_sentence(""), "");
    }
}

//! Questions typed at a prompt, answered on the next line: `>>> torch.__version__`, `$ echo $LD_LIBRARY_PATH`.
//!
//! A line with two questions is ignored, since it is unclear which one the next line answers.

use super::super::command::matters;
use super::super::words::is_word;
use super::version;
use crate::facts::Facts;
use crate::packages::Packages;

/// The question on the line before.
#[derive(Debug, Default)]
pub(super) struct Answers {
    question: Option<String>,
    /// Whether it was the GPU's compute capability, alone or with its name.
    capability: bool,
}

impl Answers {
    /// Whether the next line may be an answer.
    pub(super) fn open(&self) -> bool {
        self.question.is_some() || self.capability
    }

    /// Reads the answer to the previous question, then the next question.
    pub(super) fn read(&mut self, words: &str, line: u32, packages: &Packages, facts: &mut Facts) {
        if std::mem::replace(&mut self.capability, words.contains("get_device_capability(")) {
            capability(words, line, facts);
        }
        if let Some(name) = self.question.take().filter(|_| !is_prompt(words)) {
            let out =
                words.split_once("]: ").filter(|(head, _)| head.starts_with("Out[")).map_or(words, |(_, out)| out);
            let value = out.trim_matches(['\'', '"', ' ']);
            if !value.is_empty() && !value.contains(' ') && value.len() < 4096 {
                version::answer(&name, value, line, facts);
            }
        }
        self.question = question(words, packages);
    }
}

/// `(8, 6)`, `('GeForce GTX TITAN X', (5, 2))`.
fn capability(words: &str, line: u32, facts: &mut Facts) {
    let Some((_, pair)) = words.rsplit_once('(') else { return };
    let Some((major, minor)) = pair.trim_end_matches(')').split_once(", ") else { return };
    if let (Ok(major @ 1..=20), Ok(minor @ 0..=9)) = (major.parse::<u32>(), minor.parse::<u32>()) {
        facts.words_in_text("gpu.compute_capability", format!("{major}.{minor}"), line);
        facts.words_in_text("gpu.arch", format!("sm_{major}{minor}"), line);
    }
}

/// The fact that a line asks for.
fn question(words: &str, packages: &Packages) -> Option<String> {
    let (_, variable) = words.rsplit_once("echo ").unwrap_or_default();
    let name = variable.trim_matches(['"', ' ']).strip_prefix('$').map(|name| name.trim_matches(['{', '}']));
    if let Some(name) = name.filter(|name| matters(name)) {
        return Some(format!("env.{name}"));
    }
    if !is_prompt(words) && !words.contains("python") {
        return None;
    }
    // Expressions about builds are spellings too: `torch.version.cuda`.
    let known = packages.spelled(words).filter_map(|(package, place)| {
        let spelling = words.get(place.clone())?;
        let asks = spelling.contains('.') && !spelling.ends_with("__version__");
        asks.then(|| (place.end, package.fact.to_string()))
    });
    let versions = words.match_indices(".__version__").filter_map(|(at, expression)| {
        let import = words.get(..at)?.rsplit(|c: char| !is_word(c)).next()?;
        Some((at + expression.len(), packages.by_import(import)?.fact.to_string()))
    });
    let mut names = known.chain(versions);
    let (end, name) = names.next().filter(|_| names.next().is_none())?;
    words.get(end..)?.trim_matches([')', '"', '\'', ' ']).is_empty().then_some(name)
}

fn is_prompt(words: &str) -> bool {
    words.starts_with(">>> ") || words.starts_with("In [") || words.starts_with("$ ") || words.contains("$ python")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(text: &str) -> Facts {
        let mut facts = Facts::default();
        let mut answers = Answers::default();
        for (line, words) in (1..).zip(text.lines()) {
            answers.read(words, line, crate::packages::builtin(), &mut facts);
        }
        facts
    }

    #[test]
    fn answers_stand_below_their_questions() {
        for (text, name, value) in [
            (">>> torch.__version__\n'2.0.1+cu117'", "torch.version", "2.0.1+cu117"),
            (">>> print(torch.backends.cudnn.version())\n8500", "cudnn.version", "8.5.0"),
            ("In [3]: torch.version.cuda\nOut[3]: '12.1'", "torch.cuda", "12.1"),
            (">>> torch.cuda.get_device_capability()\n(8, 6)", "gpu.compute_capability", "8.6"),
            (
                ">>> torch.cuda.get_device_name(0), torch.cuda.get_device_capability(0)\n('GeForce GTX TITAN X', (5, 2))",
                "gpu.arch",
                "sm_52",
            ),
            ("$ python -c 'import jax; print(jax.__version__)'\n0.4.30", "jax.version", "0.4.30"),
            (
                "(x) a@b:~$ echo $LD_LIBRARY_PATH\n/usr/local/cuda-10.0/lib64:",
                "env.LD_LIBRARY_PATH",
                "/usr/local/cuda-10.0/lib64:",
            ),
        ] {
            assert_eq!(facts(text).text(name), Some(value), "{text}");
        }
        for text in [
            ">>> torch.__version__\n>>> 1",
            "$ python -c 'print(torch.__version__, torch.version.cuda)'\n2.0.1 12.1",
            "$ echo $SECRET_KEY\nabc",
            "see torch.__version__\n2.0",
            ">>> torch.__version__",
        ] {
            assert!(facts(text).is_empty(), "{text}");
        }
    }
}

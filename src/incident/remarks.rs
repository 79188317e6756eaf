//! What the person who pasted the text says of it in words: what works, where it fails, what was tried. Facts `writer.*`.
//!
//! The wordings are data (`kb/wording/statements.toml`). Only statements about circumstances are read, clause by clause, no
//! opinions about causes; a clause that denies does not count. Such words are written above or below the machine's
//! output, so only the ends of a long text are looked at.

use std::sync::LazyLock;

use super::{Incident, Role};
use crate::facts::{Source, Value};
use crate::pattern::Pattern;
use crate::text::Transcript;
use crate::wording::{self, Statements};

/// Lines at the head and the tail that are looked at.
const HEAD: usize = 150;
const TAIL: usize = 300;

struct Statement<'s> {
    fact: &'s str,
    words: &'s str,
    works: bool,
    foreign: bool,
    pattern: Pattern,
}

impl Statement<'_> {
    /// Whether a clause says it. Cheap looks come first: a pattern that is never asked is never compiled.
    fn says(&self, clause: &Clause<'_>) -> bool {
        !(self.foreign && clause.text.is_ascii())
            && (!self.works || clause.works)
            && self.words.split('&').all(|group| group.split('|').any(|word| clause.holds(word)))
            && self.pattern.is_match(clause.text)
    }
}

/// A part of a sentence that says one thing.
struct Clause<'t> {
    text: &'t str,
    lower: String,
    /// It holds a word of success.
    works: bool,
}

impl<'t> Clause<'t> {
    fn new(text: &'t str, success: &[&str]) -> Self {
        let lower = text.to_lowercase();
        let mut words = lower.split(|c: char| !c.is_alphanumeric());
        let works = words.any(|word| success.contains(&word));
        Self { text, works, lower }
    }

    /// Whether a word, or an ideograph anywhere, begins so.
    fn holds(&self, word: &str) -> bool {
        let whole = word.starts_with(|c: char| c.is_ascii_alphanumeric());
        let begins = |at: usize| !self.lower[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
        self.lower.match_indices(word).any(|(at, _)| !whole || begins(at))
    }
}

/// The statements with their patterns.
struct Remarks<'s> {
    statements: Vec<Statement<'s>>,
    /// Words of success.
    success: Vec<&'s str>,
    /// Facts that are no less true where their clause denies something.
    blunt: Vec<&'s str>,
    denial: Pattern,
    no_beginning: Pattern,
}

static REMARKS: LazyLock<Remarks<'static>> = LazyLock::new(|| Remarks::new(wording::statements()));

impl<'s> Remarks<'s> {
    fn new<S: AsRef<str>>(source: &'s Statements<S>) -> Self {
        let statement = |row: &'s wording::Statement<S>| {
            let pattern = row.pattern.as_ref();
            Statement {
                fact: row.fact.as_ref(),
                words: row.words.as_ref(),
                works: pattern.starts_with("{works}"),
                foreign: !pattern.is_ascii() || pattern.ends_with("{good}"),
                pattern: Pattern::new(&full(pattern, source)),
            }
        };
        Self {
            statements: source.statement.iter().map(statement).collect(),
            success: source.works_words.iter().map(AsRef::as_ref).collect(),
            blunt: source.blunt.iter().map(AsRef::as_ref).collect(),
            denial: Pattern::new(source.denies.as_ref()),
            no_beginning: Pattern::new(source.no_beginning.as_ref()),
        }
    }

    /// The facts that the clauses of a line state.
    fn said(&self, text: &str) -> Vec<&'s str> {
        let mut found = Vec::new();
        for clause in clauses(text).into_iter().map(|clause| Clause::new(clause, &self.success)) {
            let mut denied = None;
            for statement in &self.statements {
                let fact = statement.fact;
                if found.contains(&fact) || !statement.says(&clause) {
                    continue;
                }
                if fact == "writer.began_with_update" && self.no_beginning.is_match(clause.text) {
                    continue;
                }
                // "Works on 1.12, fails on 2.0": what denies may follow after a comma.
                let states = |part: &str| statement.pattern.is_match(part) && !self.denial.is_match(part);
                if self.blunt.contains(&fact)
                    || !*denied.get_or_insert_with(|| self.denial.is_match(clause.text))
                    || clause.text.split(", ").any(states)
                {
                    found.push(fact);
                }
            }
        }
        found
    }
}

/// The pattern with its abbreviations written out.
fn full<S: AsRef<str>>(pattern: &str, source: &Statements<S>) -> String {
    let works = pattern.strip_prefix("{works}").map(|rest| format!("{}{rest}", source.works.as_ref()));
    let pattern = works.unwrap_or_else(|| pattern.to_owned());
    pattern.strip_suffix("{good}").map(|rest| format!("{rest}{}", source.good.as_ref())).unwrap_or(pattern)
}

/// Records what the writer says.
pub(super) fn facts(transcript: &Transcript, incident: &mut Incident) {
    let len = transcript.len();
    for index in (0..len).filter(|&index| index < HEAD || index + TAIL >= len) {
        if !matches!(incident.roles.get(index), Some(Role::Text | Role::Quiet)) {
            continue;
        }
        let line = transcript.line(index);
        if line.prefix.level.is_some() || line.prefix.time.is_some() || !is_said(line.text) {
            continue;
        }
        for fact in REMARKS.said(line.text) {
            incident.facts.add(fact, Value::Bool(true), Source::Text, Some(line.number));
        }
    }
}

/// Whether a line can be a person's sentence at all: words, not too long, no record of a logger or of progress.
fn is_said(text: &str) -> bool {
    let words = text.trim();
    let spaced = words.split_whitespace().take(3).count() == 3;
    let foreign = words.chars().any(|c| ('\u{3040}'..'\u{9fff}').contains(&c));
    let logged = ["Warning:", "WARNING", "INFO", "it/s", "s/it", "http://", "DEBUG", "wandb:"]
        .iter()
        .any(|mark| words.contains(mark));
    (6..600).contains(&words.len()) && (spaced || foreign) && !logged
}

/// The parts of a sentence that each say one thing.
fn clauses(text: &str) -> Vec<&str> {
    const ENDS: [&str; 14] =
        [". ", "; ", "! ", "? ", " but ", " while ", " whereas ", " although ", " (", ") ", "。", "；", "但", "，"];
    let mut parts = vec![text];
    for end in ENDS {
        parts = parts.into_iter().flat_map(|part| part.split(end)).collect();
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_say() {
        for (text, expected) in [
            ("the same script works on CPU", "works_on_cpu"),
            ("CPU 上跑完全正常", "works_on_cpu"),
            ("It worked with torch 2.0.1 on the same box", "works_on_other_version"),
            ("Works fine on 1.12.1, fails on 2.0", "works_on_other_version"),
            ("Downgrading to 0.4.2 fixed it for me", "works_on_other_version"),
            ("换成 torch 1.10 版本就好了", "works_on_other_version"),
            ("it started after I updated the driver", "began_with_update"),
            ("After upgrading to torch 2.3 every run dies like this", "began_with_update"),
            ("升级驱动之后就开始报错", "began_with_update"),
            ("runs fine with batch size 2", "works_smaller"),
            ("tried three cards, seq_len<=1024 works everywhere", "works_smaller"),
            ("单卡训练没问题，多卡就报错", "works_on_one_gpu"),
            ("# the same two lines with cuda:0 work", "works_on_first_gpu"),
            ("works without problems on cuda:0", "works_on_first_gpu"),
            ("the card works in another machine fine on another machine", "works_elsewhere"),
            ("It always happens on the same GPU", "one_card_only"),
            ("crashes randomly, at a different step each time", "intermittent"),
            ("训练偶尔会报这个错", "intermittent"),
            ("training stops after about 6 hours", "after_hours"),
            ("I have to reboot the machine before nvidia-smi shows it", "needs_reboot"),
            ("必须重启服务器才能再看到卡", "needs_reboot"),
            ("it fails every time on the same image", "same_input"),
            ("with fp32 it works, fp16 gives nan; float32 works", "works_in_fp32"),
            ("No error with --enforce-eager or in eager mode", "works_eager"),
            ("the error disappears with CUDA_LAUNCH_BLOCKING=1", "works_blocking"),
            ("yesterday I pressed Ctrl+C during the training", "interrupted_before"),
            ("It started after upgrading torch.", "began_with_update"),
            ("The very same script runs fine with torch 2.3.1 here.", "works_on_other_version"),
            ("the same image with NCCL 2.27.7 works", "works_on_other_version"),
            ("I had to downgrade to make it go.", "works_on_other_version"),
            ("升级到 2.4 之后就报错", "began_with_update"),
            ("旧版本没问题", "works_on_other_version"),
            ("With a batch size of 2 it works.", "works_smaller"),
            ("reducing the image size fixes it", "works_smaller"),
            ("把batch改小就可以了", "works_smaller"),
            ("The network runs without trouble, no errors on the CPU.", "works_on_cpu"),
            ("换成 CPU 就没问题", "works_on_cpu"),
            ("works on the GTX 1080 machine, fails on the new one", "works_elsewhere"),
            ("It crashes randomly, never at the same batch", "intermittent"),
            ("The job dies after about 6 hours", "after_hours"),
            ("训练大概跑了三个小时就崩了", "after_hours"),
            ("I had another notebook open", "other_process"),
            ("显卡被占用了，有别人的进程", "other_process"),
            ("A reboot of the box fixes it for a day", "needs_reboot"),
            ("重启之后就好了", "needs_reboot"),
        ] {
            let fact = format!("writer.{expected}");
            let said = REMARKS.said(text);
            assert!(said.contains(&fact.as_str()), "{text}: {said:?}");
        }
    }

    #[test]
    fn denials_and_machines() {
        for text in [
            "does not work on CPU either",
            "it should work on cpu",
            "downgrading to torch 2.0 did not help",
            "Epoch 3 runs in 3.5 hours",
            "after updating the driver it still fails",
            "even after I upgraded to 2.1",
            "升级驱动之后还是报错",
            "Using random seed 42",
            "You are running on PyTorch 2.1",
            "the checkpoint was trained with torch 1.6",
            "I am working with torch 2.1",
            "Running on CPU",
            "the smaller model is not available",
            "2048/4096 tokens on the same sample",
            "换成 torch 1.10 版本也不行",
            "It does not work with torch 2.3.1 either.",
            "A smaller batch did not help, same error on the CPU",
            "换成小的 batch 还是报错",
            "torch 2.3.1, driver 550.54, Ubuntu 22.04",
            "Training on 4 GPUs with batch size 32",
            "in an upcoming release, it will be required to pass the indexing argument",
        ] {
            assert_eq!(REMARKS.said(text), Vec::<&str>::new(), "{text}");
        }
        assert!(!is_said("UserWarning: fp16 works only on CUDA"));
        assert!(!is_said("works"));
    }

    #[test]
    fn every_pattern_compiles() {
        let source = wording::statements();
        for row in &source.statement {
            let pattern = full(row.pattern, source);
            assert!(Pattern::check(&pattern).is_ok() && !pattern.contains("{works}"), "{}: {pattern}", row.fact);
            assert!(
                row.words.split(['|', '&']).all(|word| !word.is_empty() && word.to_lowercase() == word),
                "{}: {}",
                row.fact,
                row.words
            );
        }
        assert!(source.blunt.iter().all(|fact| source.statement.iter().any(|row| row.fact == *fact)));
    }

    #[test]
    #[cfg(feature = "os")]
    fn a_new_wording_is_a_row_of_data() {
        let row = "[[statement]]\nfact = \"writer.works_on_cpu\"\nwords = \"processeur\"\n\
                   pattern = 'fonctionne sur le processeur'\n";
        let text = format!("{}\n{row}", include_str!("../../kb/wording/statements.toml"));
        let source: Statements<String> = wording::source::read(&text).expect("the file reads");
        let line = "le script fonctionne sur le processeur";
        assert_eq!(Remarks::new(&source).said(line), ["writer.works_on_cpu"]);
        assert_eq!(REMARKS.said(line), Vec::<&str>::new());
    }
}

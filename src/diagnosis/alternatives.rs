//! Where a recipe has commands for several frameworks, keeps those for the framework in the text.
//!
//! A recipe labels its alternatives with comment lines ("# Lightning"). `faultbook show` prints the whole recipe.

use std::collections::BTreeSet;

use crate::incident::{Incident, Role};
use crate::text::Transcript;

/// Words in a label or a command, and the word in the text that shows the same framework.
const FRAMEWORKS: &[(&str, &[&str])] = &[
    ("lightning", &["lightning", "trainer.", "on_before_optimizer_step", "sanity checking"]),
    ("hugging face", &["transformers", "huggingface", "trainer.py", "per_device_train_batch_size"]),
    ("vllm", &["vllm", "enginecore"]),
    ("accelerate", &["accelerate"]),
    ("deepspeed", &["deepspeed"]),
    ("keras", &["keras", "tensorflow"]),
    ("tensorflow", &["tensorflow", "keras"]),
    ("jax", &["jax", "xla"]),
    ("docker", &["docker", "container"]),
    ("kubernetes", &["kubectl", "kubernetes", "k8s"]),
    ("slurm", &["slurm", "srun"]),
    ("torchrun", &["torchrun", "elastic"]),
    ("conda", &["conda"]),
    ("windows", &[":\\", "windows"]),
    ("wsl", &["wsl"]),
    ("llama.cpp", &["ggml", "llama"]),
];

/// The frameworks that a text is about.
#[derive(Debug, Default)]
pub(super) struct Frameworks(BTreeSet<&'static str>);

impl Frameworks {
    /// Looks at file names of frames and at the lines around them, as far as errors reach.
    pub(super) fn of(transcript: &Transcript, incident: &Incident) -> Self {
        const LINES: usize = 400;
        let errors = incident.errors.iter().flat_map(|error| error.lines.clone());
        let lines: BTreeSet<usize> = (0..transcript.len().min(LINES)).chain(errors.take(LINES)).collect();
        let mut found = BTreeSet::new();
        // One of our own answers names frameworks unrelated to the run.
        for index in lines.into_iter().filter(|index| incident.roles.get(*index) != Some(&Role::Answer)) {
            let line = transcript.line(index).text.to_ascii_lowercase();
            let named = FRAMEWORKS.iter().filter(|(_, words)| words.iter().any(|word| line.contains(word)));
            found.extend(named.map(|(framework, _)| *framework));
        }
        Self(found)
    }

    fn about(&self, words: &str) -> bool {
        let words = words.to_ascii_lowercase();
        self.0.iter().any(|framework| words.contains(framework))
    }
}

/// The alternatives of a block that are for these frameworks; the first one where none is; the block where it has none.
pub(super) fn relevant(block: &str, frameworks: &Frameworks) -> String {
    let parts = parts(block);
    if parts.len() < 2 {
        return block.to_owned();
    }
    let fitting: Vec<&String> = parts.iter().filter(|part| frameworks.about(label(part))).collect();
    match fitting.as_slice() {
        [] => parts[0].clone(),
        fitting => fitting.iter().map(|part| part.as_str()).collect::<Vec<_>>().join("\n"),
    }
}

/// Where several blocks say the same for different frameworks, the ones for these; else the first.
pub(super) fn relevant_blocks(blocks: Vec<String>, frameworks: &Frameworks) -> Vec<String> {
    let fitting: Vec<String> = blocks.iter().filter(|block| frameworks.about(label(block))).cloned().collect();
    if fitting.is_empty() { blocks.into_iter().take(1).collect() } else { fitting }
}

/// A block split before each comment line.
fn parts(block: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for line in block.lines() {
        match parts.last_mut() {
            Some(last) if !line.starts_with("# ") => {
                last.push('\n');
                last.push_str(line);
            }
            _ => parts.push(line.to_owned()),
        }
    }
    parts
}

/// The comment that labels a part.
fn label(part: &str) -> &str {
    part.lines().find(|line| line.contains('#')).and_then(|line| line.split_once('#')).map_or("", |(_, label)| label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incident;
    use crate::text;

    const BLOCK: &str = "# Hugging Face Trainer\ntrain --bs 2\n# Lightning\ntrain bs=2";

    fn frameworks(text: &str) -> Frameworks {
        let transcript = text::read(text.as_bytes());
        Frameworks::of(&transcript, &incident::read(&transcript))
    }

    #[test]
    fn the_framework_at_hand_is_chosen() {
        let lightning = frameworks("  File \"lightning/trainer.py\", line 1, in fit\n");
        assert!(relevant(BLOCK, &lightning).contains("# Lightning"));
        assert_eq!(relevant(BLOCK, &frameworks("nothing known")), "# Hugging Face Trainer\ntrain --bs 2");
        assert_eq!(relevant("one\ntwo", &lightning), "one\ntwo");
    }
}

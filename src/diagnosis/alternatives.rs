//! Where a recipe has commands for several platforms, keeps those for the platform in the text, and leaves out commands
//! that cannot exist there.
//!
//! A recipe labels its alternatives with comment lines ("# Lightning"). `faultbook show` prints the whole recipe.

use std::collections::BTreeMap;

use super::shell;
use super::situation::{Presence, Situation};
use super::words::Lexicon;
use crate::wording::PlatformKind;

/// What is left of an action's commands.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Fitting {
    /// Blocks of commands that fit.
    pub blocks: Vec<String>,
    /// Whether there were commands and none can exist on this system or for this GPU.
    pub impossible: bool,
}

/// A part of a block: up to the next comment that labels one.
#[derive(Debug)]
struct Part {
    block: usize,
    lines: Vec<String>,
    names: Vec<(PlatformKind, &'static str)>,
    labelled: bool,
}

impl Part {
    /// Whether its label names a system that may be there, and none that is.
    fn is_for_open_system(&self, situation: &Situation) -> bool {
        let mut systems = self.names.iter().filter(|(kind, _)| *kind == PlatformKind::System).peekable();
        systems.peek().is_some() && systems.all(|(_, name)| situation.presence(name) == Presence::Open)
    }
}

/// The parts of the blocks that fit a situation: those whose label names what is known to be there, the closest, else the
/// first one that is not ruled out.
pub(super) fn fitting(blocks: &[String], situation: &Situation) -> Fitting {
    let parts: Vec<Part> = blocks.iter().enumerate().flat_map(|(block, text)| parts(block, text)).collect();
    let mut left: Vec<(u8, Part)> = Vec::new();
    let usual_is_left = parts.first().is_none_or(|part| ruled_out(part, situation).is_none());
    // What another framework says otherwise may still be done here.
    let (mut impossible, mut otherwise) = (false, false);
    for mut part in parts {
        match ruled_out(&part, situation) {
            Some(PlatformKind::System | PlatformKind::Vendor) => impossible = true,
            Some(_) => otherwise = true,
            None if !possible_lines(&mut part, situation) => impossible = true,
            None => left.push((closeness(&part, situation), part)),
        }
    }
    let closest = left.iter().map(|(closeness, _)| *closeness).max().unwrap_or(0);
    let mut chosen: Vec<Part> = left.into_iter().filter(|(one, _)| *one == closest).map(|(_, part)| part).collect();
    if closest == 0 {
        // Where the usual part is ruled out, that for a scheduler of which the text shows nothing is none in its place.
        chosen.retain(|part| usual_is_left || !part.labelled || !part.is_for_open_system(situation));
        chosen.truncate(1);
    }
    let mut out = Fitting { blocks: Vec::new(), impossible: impossible && !otherwise && chosen.is_empty() };
    let mut last = None;
    for part in chosen {
        let text = shell::written_for(situation.shell(), &part.lines);
        match out.blocks.last_mut() {
            Some(block) if last == Some(part.block) => {
                block.push('\n');
                block.push_str(&text);
            }
            _ => out.blocks.push(text),
        }
        last = Some(part.block);
    }
    out
}

/// Whether all commands are for a system of which the text shows nothing, such as a scheduler.
pub(super) fn are_for_open_system(blocks: &[String], situation: &Situation) -> bool {
    let mut parts = blocks.iter().enumerate().flat_map(|(block, text)| parts(block, text)).peekable();
    parts.peek().is_some() && parts.all(|part| part.is_for_open_system(situation))
}

/// A block split before each comment line that names a platform.
fn parts(block: usize, text: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for line in text.lines() {
        let label = line.strip_prefix("# ").and_then(|comment| comment.split([':', ';', '(']).next());
        let label = label.map(|label| Lexicon::labels().named(label)).unwrap_or_default();
        match parts.last_mut() {
            Some(last) if label.is_empty() => last.lines.push(line.to_owned()),
            _ => parts.push(Part { block, lines: vec![line.to_owned()], labelled: !label.is_empty(), names: label }),
        }
    }
    for part in &mut parts {
        // What the label leaves open, the commands may show.
        let shown = Lexicon::code().named(&part.lines.join("\n"));
        let open = |kind: &PlatformKind| part.names.iter().all(|(known, _)| known != kind);
        let shown: Vec<_> = shown.into_iter().filter(|(kind, _)| open(kind)).collect();
        part.names.extend(shown);
    }
    parts
}

/// The kind of platforms of which a part names some and every one is ruled out; the framework first.
fn ruled_out(part: &Part, situation: &Situation) -> Option<PlatformKind> {
    let possible = |name: &str| situation.presence(name) != Presence::RuledOut;
    let kinds = part.names.iter().map(|(kind, _)| *kind);
    kinds.filter(|kind| !part.names.iter().any(|(other, name)| other == kind && possible(name))).max()
}

/// How well a label fits: the sum over the kinds that it names. What only lies below something closer counts less, and so
/// does the vendor, who says less of the command than the system does.
fn closeness(part: &Part, situation: &Situation) -> u8 {
    if !part.labelled {
        return 0;
    }
    let mut kinds: BTreeMap<PlatformKind, u8> = BTreeMap::new();
    for (kind, name) in &part.names {
        let fits = match (situation.presence(name), kind) {
            (Presence::Present, PlatformKind::Vendor) => 2,
            (Presence::Present, _) => 4,
            (Presence::Below, _) => 1,
            (Presence::Open | Presence::RuledOut, _) => 0,
        };
        let best = kinds.entry(*kind).or_default();
        *best = fits.max(*best);
    }
    kinds.values().sum()
}

/// Leaves out the commands that do not exist there, and comments that are about nothing then. Whether a command is left.
fn possible_lines(part: &mut Part, situation: &Situation) -> bool {
    let is_comment = |line: &str| line.trim_start().starts_with('#') || line.trim().is_empty();
    let command = |line: &str| line.split("  #").next().unwrap_or(line).trim().to_owned();
    let forbidden = |line: &String| !is_comment(line) && situation.forbids(&command(line));
    // A line of a structure cannot go without the rest of it.
    if part.lines.iter().any(|line| line.starts_with([' ', '\t']) && forbidden(line)) {
        return false;
    }
    let installs = |line: &str| !is_comment(line) && line.split_whitespace().any(|word| word == "install");
    let (gone, stay): (Vec<&String>, Vec<&String>) = part.lines.iter().partition(|line| forbidden(line));
    // What a script is given goes with it, and what is removed first stays where nothing takes its place.
    let is_half = gone.iter().any(|line| line.contains("<<"))
        || gone.iter().any(|line| installs(line)) && !stay.iter().any(|line| installs(line));
    if is_half {
        return false;
    }
    let mut kept: Vec<String> = Vec::new();
    for line in std::mem::take(&mut part.lines) {
        if forbidden(&line) {
            while kept.last().is_some_and(|last| last.trim_start().starts_with('#')) && !part.labelled {
                kept.pop();
            }
        } else {
            kept.push(line);
        }
    }
    part.lines = kept;
    part.lines.iter().any(|line| !is_comment(line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Facts;
    use crate::incident;
    use crate::text;

    const TRAINERS: &str = "# Hugging Face Trainer\ntrain --bs 2\n# Lightning\ntrain bs=2";

    fn shown(block: &str, text: &str) -> Vec<String> {
        let transcript = text::read(text.as_bytes());
        let incident = incident::read(&transcript);
        let situation = Situation::of(&transcript, &incident, &(0..transcript.len()), &Facts::default());
        fitting(&[block.to_owned()], &situation).blocks
    }

    #[test]
    fn the_framework_at_hand_is_chosen() {
        let lightning = "  File \"lightning/trainer.py\", line 1, in fit\n";
        assert_eq!(shown(TRAINERS, lightning), ["# Lightning\ntrain bs=2"]);
        assert_eq!(shown(TRAINERS, "nothing known"), ["# Hugging Face Trainer\ntrain --bs 2"]);
        assert_eq!(shown("one\ntwo", lightning), ["one\ntwo"]);
        assert_eq!(shown(TRAINERS, "  File \"site-packages/jax/_src/api.py\", line 1, in f\n"), [""; 0]);
    }

    #[test]
    fn commands_that_do_not_exist_there_are_left_out() {
        let block = "# NVIDIA GPU\nnvidia-smi\npython train.py\n# AMD ROCm\nrocm-smi";
        assert_eq!(shown(block, "RuntimeError: HIP error: invalid argument\n"), ["# AMD ROCm\nrocm-smi"]);
        assert_eq!(shown("sudo reboot\npython x.py", "on Kaggle\n"), ["!python x.py"]);
        let scheduler = "# NVIDIA GPU\nnvidia-smi\n# Slurm\nscancel JOBID";
        assert_eq!(shown(scheduler, "RuntimeError: HIP error: invalid argument\n"), [""; 0]);
        assert_eq!(shown(scheduler, "srun: RuntimeError: HIP error\n"), ["# Slurm\nscancel JOBID"]);
        assert_eq!(shown("a:\n  args: --gpus all\n", "kubelet\n"), [""; 0]);
    }

    #[test]
    fn what_would_do_half_of_it_is_left_out_whole() {
        let windows = "  File \"C:\\Users\\me\\train.py\", line 1, in f\n";
        let given = "sudo tee /etc/x.conf <<'EOF'\noptions x\nEOF\npython train.py";
        let replaced = "pip uninstall -y nvidia-nccl-cu12\nsudo apt install libnccl2";
        for block in [given, replaced] {
            assert_eq!(shown(block, windows), [""; 0], "{block}");
            assert_eq!(shown(block, "nothing known"), [block]);
        }
        // Something else takes its place, or nothing was to be installed.
        let other = "pip uninstall -y a\nsudo apt install b\npip install c";
        assert_eq!(shown(other, windows), ["pip uninstall -y a\npip install c"]);
        assert_eq!(shown("sudo modprobe x\npython train.py", windows), ["python train.py"]);
    }

    #[test]
    fn a_comment_that_labels_nothing_splits_nothing() {
        assert_eq!(shown("record()\n# run some steps\ndump()", ""), ["record()\n# run some steps\ndump()"]);
    }
}

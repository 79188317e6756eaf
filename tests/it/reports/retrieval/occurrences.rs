//! A failure of a story as it is printed once more, elsewhere.

use super::project::message;
use super::random::Random;
use super::stories::{Story, filled};

/// One new occurrence.
pub(crate) struct Occurrence<'s> {
    /// The story of the report that is wanted.
    pub(crate) key: &'s str,
    pub(crate) text: String,
}

/// A new occurrence of every failure.
pub(crate) fn all(stories: &[Story]) -> Vec<Occurrence<'_>> {
    let failures: Vec<(&Story, usize)> =
        stories.iter().flat_map(|story| (0..story.errors.len()).map(move |at| (story, at))).collect();
    failures
        .iter()
        .enumerate()
        .map(|(number, (story, at))| {
            let mut random = Random::of(&format!("again {} {at}", story.key));
            let error = filled(&story.errors[*at], &mut random);
            // A mere last line tells one report only where no other one ends in the same words.
            let heads = |story: &Story| story.errors.iter().map(|error| head(error)).collect::<Vec<_>>();
            let shared = stories.iter().filter(|other| heads(other).contains(&head(&story.errors[*at]))).count() > 1;
            let text = match number % 5 {
                0 | 1 => noise(&other_frames(&error, &mut random), &mut random),
                2 => cascade(&error, &mut random),
                3 => prefixed(&error, &mut random),
                _ if shared => other_frames(&error, &mut random),
                _ => message(&error).to_owned(),
            };
            Occurrence { key: &story.key, text }
        })
        .collect()
}

/// The first words of a message, as it stands in the story.
fn head(error: &str) -> String {
    let line = message(error).lines().next().unwrap_or_default();
    line.chars().take(60).collect::<String>().split('{').next().unwrap_or_default().to_owned()
}

/// Frames of packages are others in another version.
fn other_frames(error: &str, random: &mut Random) -> String {
    let mut out = String::new();
    let mut lines = error.lines().peekable();
    while let Some(line) = lines.next() {
        let is_library = line.trim_start().starts_with("File \"") && line.contains("-packages");
        if is_library && random.below(0..2) == 0 {
            while lines.peek().is_some_and(|next| next.starts_with("    ")) {
                lines.next();
            }
            continue;
        }
        out.push_str(line);
        out.push('\n');
        if line.starts_with("Traceback") && random.below(0..2) == 0 {
            out.push_str("  File \"/opt/conda/lib/python3.11/site-packages/torch/nn/modules/module.py\", line 1773, in _wrapped_call_impl\n    return self._call_impl(*args, **kwargs)\n");
        }
    }
    out
}

fn noise(error: &str, random: &mut Random) -> String {
    let epoch = random.below(1..40);
    let lines = [
        format!("epoch {epoch} step {} loss {}.{:03}", random.below(1..900), random.below(0..4), random.below(0..999)),
        "/opt/conda/lib/python3.11/site-packages/torch/utils/checkpoint.py:87: UserWarning: None of the inputs have requires_grad=True. Gradients will be None".to_owned(),
        format!("INFO saved {} files to outputs/run_{}", random.below(1..9), random.below(1..400)),
    ];
    format!("{}\n{error}", lines[..random.below(1..4) as usize].join("\n"))
}

/// What a launcher makes of it.
fn cascade(error: &str, random: &mut Random) -> String {
    let rank = random.below(0..4);
    let own: String = error
        .lines()
        .map(|line| if line.starts_with("[rank") { format!("{line}\n") } else { format!("[rank{rank}]: {line}\n") })
        .collect();
    let pid = random.below(1_000..90_000);
    format!(
        "{own}W1103 04:12:55.118000 {pid} torch/distributed/elastic/multiprocessing/api.py:897] Sending process {} closing signal SIGTERM\n\
         E1103 04:12:56.421000 {pid} torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) local_rank: {rank} (pid: {}) of binary: /opt/conda/bin/python\n\
         Traceback (most recent call last):\n  File \"/opt/conda/bin/torchrun\", line 8, in <module>\n    sys.exit(main())\n\
         \x20 File \"/opt/conda/lib/python3.11/site-packages/torch/distributed/launcher/api.py\", line 270, in launch_agent\n    raise ChildFailedError(\n\
         torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n============================================================\n\
         train.py FAILED\n------------------------------------------------------------\nFailures:\n  <NO_OTHER_FAILURES>\n------------------------------------------------------------\n\
         Root Cause (first observed failure):\n[0]:\n  time      : 2025-11-03_04:12:56\n  host      : node3\n  rank      : {rank} (local_rank: {rank})\n  exitcode  : 1 (pid: {})\n  error_file: <N/A>\n\
         ============================================================\n",
        pid + 3,
        pid + 2,
        pid + 2
    )
}

fn prefixed(error: &str, random: &mut Random) -> String {
    let minute = random.below(10..59);
    error
        .lines()
        .enumerate()
        .map(|(at, line)| format!("2025-11-03 10:{minute}:{:02},{:03} ERROR trainer: {line}\n", at % 60, at * 7 % 1000))
        .collect()
}

//! Where in the run the failure happened: the phase from the frames, the step from the progress lines above.
//!
//! Words alone decide the phase only where there are no frames. A backward pass can contain forward frames
//! (checkpointing recomputes), so the outer backward wins over the inner forward.

use super::around::Scene;
use super::context::ParserContext;
use super::triggers;
use super::words::{after_folded, contains_folded, find_folded, parse_uint};
use super::{ErrorEvent, Role};
use crate::facts::{Facts, Source, Value};
use crate::text::Transcript;

/// Indices of the lines that show that the run makes steps.
pub(super) fn steps(r: &ParserContext<'_>) -> Vec<usize> {
    (0..r.len())
        .filter(|&at| {
            r.marks(at) & triggers::PROGRESS != 0
                && matches!(r.role(at), Role::Text)
                && Progress::of(r.text(at)).is_some()
        })
        .map(|at| r.index(at))
        .collect()
}

/// Whether a line shows that the run makes steps.
pub(crate) fn is_step(text: &str) -> bool {
    Progress::of(text).is_some()
}

/// Records `where.phase` and `where.first_step`.
pub(super) fn facts(scene: &Scene<'_>, facts: &mut Facts) {
    /// Progress far above is no evidence about this failure.
    const REACH: usize = 400;
    let Some(error) = scene.traceback() else { return };
    let number = scene.transcript.line(error.headline).number;
    let phase_of = |error| phase(error, scene.transcript);
    // Constructors far out in a chain are part of every phase.
    let chained = || scene.chain().filter_map(phase_of).find(|phase| *phase != "init");
    let mut phase = phase_of(error).or_else(chained);
    let (mut bar, mut zero_epoch) = (None, false);
    for line in scene.lines_above(Some(error.lines.start), REACH) {
        if let Some(progress) = Progress::of(line.text) {
            zero_epoch |= progress.epoch == Some(0);
            bar = Some((line, progress));
        }
    }
    if let Some((line, progress)) = bar {
        if (contains_folded(line.text, "sanity check") || contains_folded(line.text, "validati"))
            && matches!(phase, None | Some("forward"))
        {
            phase = Some("validation");
        }
        let later_epoch = progress.epoch.is_some_and(|epoch| epoch > 1 || epoch == 1 && zero_epoch);
        let first = progress.is_bar && progress.done == Some(0) && !later_epoch;
        if progress.done.is_some() || later_epoch {
            facts.add("where.first_step", Value::Bool(first), Source::Text, Some(line.number));
        }
    }
    if let Some(phase) = phase {
        facts.words_in_text("where.phase", phase, number);
    }
}

/// The phase according to the frames.
fn phase(error: &ErrorEvent, transcript: &Transcript) -> Option<&'static str> {
    let frames = &error.frames;
    let has = |names: &[&str]| frames.iter().any(|frame| names.contains(&bare(&frame.function)));
    if has(&["_teardown", "teardown", "on_exception", "_shutdown", "__del__", "atexit", "destroy_process_group"]) {
        return Some("teardown");
    }
    if has(&["_worker_loop", "_try_get_data", "_get_data", "_next_data", "collate_fn", "default_collate"])
        || error.message.contains("DataLoader worker")
    {
        return Some("dataloader");
    }
    if has(&["run_backward", "_engine_run_backward", "backward"]) {
        return Some("backward");
    }
    if has(&[
        "validation_step",
        "_run_sanity_check",
        "evaluate",
        "validate",
        "evaluation_loop",
        "eval_epoch",
        "validation_epoch",
        "_evaluation_step",
        "on_validation_epoch_end",
        "test_step",
        "prediction_step",
    ]) {
        return Some("validation");
    }
    if has(&[
        "save_checkpoint",
        "load_checkpoint",
        "load_state_dict",
        "torch_load",
        "_save",
        "_legacy_load",
        "_load",
        "save_model",
        "torch_save",
    ]) && frames.iter().any(|frame| {
        frame.file.ends_with("serialization.py")
            || contains_folded(&frame.function, "checkpoint")
            || frame.function.contains("state_dict")
    }) {
        return Some("checkpoint");
    }
    let imports = frames.iter().any(|frame| frame.file.starts_with("<frozen importlib"))
        || error.type_name.ends_with("ImportError")
        || error.type_name.ends_with("ModuleNotFoundError")
        || frames.last().is_some_and(|frame| {
            frame.function == "<module>" && quoted(error, transcript, frame.at).is_some_and(quotes_import)
        });
    if imports {
        return Some("import");
    }
    if let Some(code) = frames.last().and_then(|frame| quoted(error, transcript, frame.at)) {
        if code.contains(".backward(") {
            return Some("backward");
        }
        if code.contains("optimizer.step(") || code.contains("opt.step(") || code.contains("scaler.step(") {
            return Some("optimizer");
        }
    }
    for frame in frames.iter().rev() {
        let file = frame.file.replace('\\', "/");
        match bare(&frame.function) {
            "forward" | "_call_impl" | "_wrapped_call_impl" | "training_step" | "generate" | "compute_loss"
            | "call" => return Some("forward"),
            "optimizer_step" | "_optimizer_step" | "clip_grad_norm_" | "unscale_" => return Some("optimizer"),
            "step" if file.contains("/optim/") || file.contains("optimizer") => return Some("optimizer"),
            "_lazy_init" | "__init__" | "to" | "cuda" | "_apply" | "from_pretrained" | "init_process_group"
            | "set_device" | "load_model" | "init_device" => return Some("init"),
            _ => {}
        }
    }
    None
}

/// The function without its class.
fn bare(function: &str) -> &str {
    function.rsplit('.').next().unwrap_or(function)
}

/// The source line that an error's writer printed below the frame at line `at`.
fn quoted<'t>(error: &ErrorEvent, transcript: &'t Transcript, at: usize) -> Option<&'t str> {
    transcript.next_of_stream(error.stream, at).map(|line| line.text.trim())
}

fn quotes_import(code: &str) -> bool {
    code.starts_with("import ") || code.starts_with("from ") && code.contains(" import ")
}

/// One line of progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Progress {
    /// Steps done, where shown.
    done: Option<u64>,
    /// The epoch, where shown.
    epoch: Option<u64>,
    /// Whether it is a bar, which shows 0 before the first step ends, rather than a line that is printed after a step.
    is_bar: bool,
}

impl Progress {
    fn of(text: &str) -> Option<Progress> {
        if text.len() > 4000 {
            return None;
        }
        let is_bar = text.contains("it/s")
            || text.contains("s/it")
            || text.contains('━')
            || text.contains("%|")
            || text.contains("/step")
            || contains_folded(text, "sanity check");
        let epoch = after_folded(text, "epoch")
            .map(|rest| rest.trim_start_matches([' ', ':', '=', '[', '#', '_']))
            .and_then(parse_uint);
        let epoch_at = find_folded(text, "epoch");
        let mut done = None;
        for (slash, _) in text.match_indices('/') {
            let Some(head) = text.get(..slash) else { continue };
            let digits = head.len() - head.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            let start = slash - digits;
            let total = text.get(slash + 1..).and_then(parse_uint).filter(|_| {
                text.get(slash + 1..).is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit()))
            });
            let belongs_to_epoch = epoch_at.is_some_and(|at| start > at && start - at < 9);
            if digits == 0 || total.is_none() || belongs_to_epoch {
                continue;
            }
            done = parse_uint(text.get(start..slash)?).map(|found| found.0);
        }
        let numbered = ["step", "iter", "iteration", "global_step"].iter().find_map(|word| {
            let rest =
                after_folded(text, word)?.trim_start_matches("ation").trim_start_matches([' ', ':', '=', '[', '#']);
            parse_uint(rest).map(|found| found.0)
        });
        let learns = contains_folded(text, "loss") && text.bytes().any(|b| b.is_ascii_digit());
        if is_bar && (done.is_some() || epoch.is_some()) {
            return Some(Progress { done, epoch: epoch.map(|found| found.0), is_bar });
        }
        if learns && (numbered.is_some() || epoch.is_some())
            || epoch.is_some() && numbered.is_some()
            || text.trim_start().starts_with("Epoch ") && epoch.is_some()
        {
            return Some(Progress {
                done: done.filter(|_| is_bar).or(numbered),
                epoch: epoch.map(|found| found.0),
                is_bar,
            });
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_lines() {
        let of = |text| Progress::of(text).map(|p| (p.done, p.epoch, p.is_bar));
        assert_eq!(of("Epoch 0/0  ━━━━━━━ 0/818"), Some((Some(0), Some(0), true)));
        assert_eq!(of("Epoch 1/2:   0%|          | 0/32 [00:00<?, ?it/s]"), Some((Some(0), Some(1), true)));
        assert_eq!(
            of("Epoch 12:  48%|####  | 31/64 [00:02<00:02, 14.1it/s, loss=0.61]"),
            Some((Some(31), Some(12), true))
        );
        assert_eq!(of("step 4 loss 1.3482"), Some((Some(4), None, false)));
        assert_eq!(of("iter 412 loss 0.8841"), Some((Some(412), None, false)));
        assert_eq!(of("the loss function /a/b is here"), None);
        assert_eq!(of("stepping stones"), None);
    }
}

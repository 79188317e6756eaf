//! Does the run fit another GPU with the same effective batch?
//!
//! Pure arithmetic on catalogue and facts. All of it is an estimate and is labelled so: how much memory a sample needs
//! is only known by running it. Two assumptions bound the answer: that the run needs memory in proportion to the GPU's,
//! and that it filled the old GPU.

use crate::book::hardware::Gpu;
use crate::compatibility::split_capability;

/// The share of memory assumed independent of the batch unless stated: weights, optimizer
/// state, CUDA context, workspaces.
pub(crate) const OVERHEAD: f64 = 0.2;

pub(super) const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

/// A move from one GPU to another.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Move {
    /// One row per property: its name, the old value, the new value, how they compare.
    pub comparison: Vec<[String; 4]>,
    /// The batch to keep in effect.
    pub effective: u32,
    /// What to try first.
    pub proposal: Split,
    /// What to try when that runs out of memory; `None` when it is the same.
    pub fallback: Option<Split>,
    /// Why even one sample at a time may not fit; `None` where it should.
    pub warning: Option<String>,
    /// What the estimate rests on.
    pub assumptions: Vec<String>,
    /// Five things to check.
    pub checklist: [String; 5],
}

/// A batch in pieces: `batch` samples at a time, `accumulation` times before a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Split {
    /// Samples at a time.
    pub batch: u32,
    /// Times before a step.
    pub accumulation: u32,
}

impl Split {
    /// The largest piece of an effective batch that is no larger than `most` and divides it, so that the effective
    /// batch stays exactly.
    pub(super) fn of(effective: u32, most: u32) -> Self {
        let most = most.clamp(1, effective);
        let batch = (1..=most).rev().find(|batch| effective.is_multiple_of(*batch)).unwrap_or(1);
        Self { batch, accumulation: effective / batch }
    }
}

/// What a run needs on its old GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Load {
    /// Samples at a time on the old GPU.
    pub batch: u32,
    /// The share of memory that does not depend on the batch, from 0 to 0.95.
    pub overhead: f64,
    /// Peak memory of the run in bytes, where it was measured.
    pub used: Option<f64>,
}

/// Why no estimate can be given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unknown {
    /// The catalogue has no memory size for the GPU.
    #[error("the catalogue has no memory size for the {0}")]
    Memory(String),
    /// The batch is 0.
    #[error("a batch has at least one sample")]
    Batch,
}

/// Estimates how to move a run.
///
/// # Errors
/// When the catalogue does not know a GPU's memory, or the batch is 0.
pub(crate) fn fit(from: &Gpu, to: &Gpu, load: Load) -> Result<Move, Unknown> {
    let memory = |gpu: &Gpu| gpu.memory_gib.filter(|gib| *gib > 0.0).ok_or_else(|| Unknown::Memory(gpu.name.clone()));
    let (old, new) = (memory(from)?, memory(to)?);
    if load.batch == 0 {
        return Err(Unknown::Batch);
    }
    let overhead = load.overhead.clamp(0.0, 0.95);
    let batch = f64::from(load.batch);
    let mut assumptions = Vec::new();
    // The samples that fit by the estimate; below 1 the run itself is too large for the GPU.
    let (proposal, fallback, room_for) = match load.used {
        Some(used) => {
            // Part of a GPU's memory is never available to the run: context, display, fragmentation.
            const USABLE: f64 = 0.92;
            let used = used / GIB;
            let sample = used * (1.0 - overhead) / batch;
            let room = new * USABLE - used * overhead;
            assumptions.push(format!("the run held {used:.1} GiB at its peak with batch {}", load.batch));
            assumptions.push(format!(
                "about {sample:.2} GiB of that per sample ({:.0} % do not depend on the batch)",
                overhead * 100.0
            ));
            let split = Split::of(load.batch, floor_u32(room / sample));
            (split, None, room / sample)
        }
        None => {
            let in_proportion = floor_u32(batch * new / old);
            let sample = old * (1.0 - overhead) / batch;
            let when_full = floor_u32((new - overhead * old) / sample);
            assumptions.push("first: the run needs memory in proportion to the card".to_owned());
            assumptions.push(format!(
                "then: it filled the old card, and {:.0} % of that do not depend on the batch (--overhead)",
                overhead * 100.0
            ));
            let (first, second) = (Split::of(load.batch, in_proportion), Split::of(load.batch, when_full));
            (first, Some(second).filter(|second| second.batch < first.batch), batch * new / old)
        }
    };
    let warning = (room_for < 1.0).then(|| {
        "by this estimate not even one sample fits; see whether the run filled the old card (--used), then think of \
         checkpointing activations, a smaller optimizer state, offloading, or more than one card"
            .to_owned()
    });
    Ok(Move {
        comparison: comparison(from, to),
        effective: load.batch,
        proposal,
        fallback,
        warning,
        assumptions,
        checklist: checklist(from, to, proposal),
    })
}

/// Rounded down; nothing below 0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
pub(super) fn floor_u32(value: f64) -> u32 {
    if value.is_finite() { value.floor().clamp(0.0, 1e6) as u32 } else { 0 }
}

fn comparison(from: &Gpu, to: &Gpu) -> Vec<[String; 4]> {
    let number = |value: Option<f64>, unit: &str| value.map_or("-".to_owned(), |value| format!("{value}{unit}"));
    let factor = |old: Option<f64>, new: Option<f64>| match (old, new) {
        (Some(old), Some(new)) if old > 0.0 => format!("x {:.2}", new / old),
        _ => String::new(),
    };
    let same = |old: &str, new: &str| if old == new { "same".to_owned() } else { String::new() };
    let row = |name: &str, old: Option<f64>, new: Option<f64>, unit: &str| {
        [name.to_owned(), number(old, unit), number(new, unit), factor(old, new)]
    };
    vec![
        row("memory", from.memory_gib, to.memory_gib, " GiB"),
        row("memory bandwidth", from.bandwidth_gbs, to.bandwidth_gbs, " GB/s"),
        row("multiprocessors", from.sms.map(f64::from), to.sms.map(f64::from), ""),
        row("CUDA cores", from.cuda_cores.map(f64::from), to.cuda_cores.map(f64::from), ""),
        [
            "compute capability".to_owned(),
            from.compute_capability.clone(),
            to.compute_capability.clone(),
            same(&from.compute_capability, &to.compute_capability),
        ],
        [
            "architecture".to_owned(),
            from.architecture.clone(),
            to.architecture.clone(),
            same(&from.architecture, &to.architecture),
        ],
        [
            "year".to_owned(),
            from.year.map_or("-".to_owned(), |year| year.to_string()),
            to.year.map_or("-".to_owned(), |year| year.to_string()),
            String::new(),
        ],
    ]
}

fn checklist(from: &Gpu, to: &Gpu, proposal: Split) -> [String; 5] {
    let arch = format!("sm_{}", to.compute_capability.replace('.', ""));
    let build = if from.compute_capability == to.compute_capability {
        format!("Build: both cards are {arch}, so the same wheels serve; check that the driver there is not older")
    } else {
        format!(
            "Build: the new card is {arch}; the wheel must be built for it and the driver must know it (`faultbook probe`)"
        )
    };
    let capability = |gpu: &Gpu| split_capability(&gpu.compute_capability);
    let has_bf16 = |gpu: &Gpu| capability(gpu).is_none_or(|capability| capability >= (8, 0));
    let precision = match (has_bf16(from), has_bf16(to)) {
        (true, false) => {
            "Precision: the new card has no BF16 and no TF32: use FP16 with loss scaling, expect other numbers"
        }
        (false, true) => "Precision: the new card has BF16 and TF32: BF16 saves memory without loss scaling",
        (_, true) => "Precision: both cards have BF16 and TF32: mixed precision halves the memory of activations",
        (_, false) => "Precision: neither card has BF16 or TF32: FP16 with loss scaling is the way to save memory",
    };
    let memory = format!(
        "Memory: batch {} with accumulation {}, for validation too; leave room for cuDNN's workspace (benchmark off at first)",
        proposal.batch, proposal.accumulation
    );
    let slower = match (from.bandwidth_gbs, to.bandwidth_gbs) {
        (Some(old), Some(new)) if new < old => {
            format!(
                "Time: by memory bandwidth alone a step takes about {:.1} times as long; raise time limits and timeouts",
                old / new
            )
        }
        (Some(_), Some(_)) => {
            "Time: by memory bandwidth alone a step is not slower; the data loader may become the limit".to_owned()
        }
        _ => {
            "Time: the catalogue has no bandwidth for one of the cards; measure fifty steps before you plan".to_owned()
        }
    };
    let proof = if proposal.accumulation > 1 {
        "Proof: `faultbook probe --level functional`, then fifty steps; compare the loss (batch norm sees smaller batches)"
    } else {
        "Proof: `faultbook probe --level functional`, then fifty steps; compare the loss with the old card"
    };
    [build, precision.to_owned(), memory, slower, proof.to_owned()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Book;

    fn load(batch: u32) -> Load {
        Load { batch, overhead: OVERHEAD, used: None }
    }

    fn gpus(from: &str, to: &str) -> (Gpu, Gpu) {
        let book = Book::new(true);
        let gpu = |name| book.hardware.gpu(name).expect(name).clone();
        (gpu(from), gpu(to))
    }

    #[test]
    fn from_24_to_12_gib_half_the_batch_and_twice_the_accumulation() {
        let (from, to) = gpus("RTX 3090", "RTX 3060");
        let answer = fit(&from, &to, load(4)).expect("an estimate");
        assert_eq!(answer.proposal, Split { batch: 2, accumulation: 2 });
        assert_eq!(answer.fallback, Some(Split { batch: 1, accumulation: 4 }));
        assert_eq!(answer.comparison[0], ["memory", "24 GiB", "12 GiB", "x 0.50"]);
        assert!(answer.checklist[0].contains("both cards are sm_86"), "{}", answer.checklist[0]);
        assert!(answer.checklist[3].contains("2.6 times as long"), "{}", answer.checklist[3]);
    }

    #[test]
    fn a_larger_gpu_needs_no_accumulation() {
        let (from, to) = gpus("RTX 3060", "A100-SXM4-80GB");
        let answer = fit(&from, &to, load(8)).expect("an estimate");
        assert_eq!((answer.proposal, answer.fallback), (Split { batch: 8, accumulation: 1 }, None));
    }

    #[test]
    fn the_effective_batch_stays_exactly() {
        for effective in 1..200 {
            for most in 0..220 {
                let split = Split::of(effective, most);
                assert_eq!(split.batch * split.accumulation, effective);
                assert!(split.batch <= most.max(1));
            }
        }
    }

    #[test]
    fn a_measured_peak_needs_no_assumption_about_the_old_gpu() {
        let (from, to) = gpus("RTX 3090", "RTX 3060");
        let small = Load { used: Some(6.0 * GIB), ..load(4) };
        assert_eq!(fit(&from, &to, small).expect("an estimate").proposal, Split { batch: 4, accumulation: 1 });
        let large = Load { used: Some(22.0 * GIB), ..load(4) };
        assert_eq!(fit(&from, &to, large).expect("an estimate").proposal, Split { batch: 1, accumulation: 4 });
    }

    #[test]
    fn a_run_too_large_for_the_gpu_is_reported() {
        let (from, to) = gpus("A100-SXM4-80GB", "RTX 3060");
        assert!(fit(&from, &to, load(1)).expect("an estimate").warning.is_some());
        assert!(fit(&from, &to, Load { used: Some(60.0 * GIB), ..load(8) }).expect("an estimate").warning.is_some());
        assert!(fit(&from, &to, load(8)).expect("an estimate").warning.is_none());
    }

    #[test]
    fn nonsense_is_refused() {
        let (from, to) = gpus("RTX 3090", "RTX 3060");
        assert_eq!(fit(&from, &to, load(0)), Err(Unknown::Batch));
        let blank = Gpu { memory_gib: None, ..to };
        assert!(matches!(fit(&from, &blank, load(4)), Err(Unknown::Memory(_))));
    }

    #[test]
    fn older_gpus_lack_bf16() {
        let (from, to) = gpus("RTX 3090", "Tesla V100-SXM2-16GB");
        let answer = fit(&from, &to, load(4)).expect("an estimate");
        assert!(answer.checklist[1].contains("no BF16"), "{}", answer.checklist[1]);
        assert!(answer.checklist[0].contains("sm_70"), "{}", answer.checklist[0]);
    }
}

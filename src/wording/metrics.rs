//! `kb/wording/metrics.toml` as `build.rs`, which includes this file by path, packs it.

use serde::{Deserialize, Serialize};

/// `metrics.toml`: how trainers name the numbers that they print.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metrics<S> {
    /// Areas of pages about the numbers that steps print.
    pub areas: Vec<S>,
    /// Names that end like one of a metric and are none.
    pub never: Vec<S>,
    /// The metrics.
    pub metric: Vec<Metric<S>>,
}

/// One metric and its names, in words of lower case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "S: Deserialize<'de>"))]
pub struct Metric<S> {
    /// What it measures.
    pub quantity: Quantity,
    /// Last words of its names.
    #[serde(default = "Vec::new")]
    pub names: Vec<S>,
    /// Complete names.
    #[serde(default = "Vec::new")]
    pub whole: Vec<S>,
    /// Units that name it without a word before the number.
    #[serde(default = "Vec::new")]
    pub units: Vec<S>,
}

/// What a number in a log measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// The number of the step.
    Step,
    /// The number of the epoch, also a fraction.
    Epoch,
    /// The rank that the line is about.
    Rank,
    /// The GPU that the numbers after it are about.
    Device,
    /// How many samples a step has.
    BatchSize,
    /// The training loss.
    Loss,
    /// The loss on data that is not trained on.
    ValidationLoss,
    /// The norm of the gradient.
    GradientNorm,
    /// The learning rate.
    LearningRate,
    /// Steps per second.
    StepsPerSecond,
    /// The time of a step in seconds.
    SecondsPerStep,
    /// The time of a step in milliseconds.
    MillisecondsPerStep,
    /// Tokens per second.
    TokensPerSecond,
    /// Samples, images or sequences per second.
    SamplesPerSecond,
    /// GPU memory that tensors use.
    Allocated,
    /// GPU memory that the framework's allocator has taken from the driver.
    Reserved,
    /// GPU memory that nobody uses.
    Free,
    /// GPU memory in use, no matter by whom.
    Used,
    /// Memory of the process on the host.
    Host,
    /// The GPU's memory.
    Total,
}

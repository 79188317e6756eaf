//! Which metric a printed name means (`kb/wording/metrics.toml`).

use std::collections::HashMap;
use std::sync::OnceLock;

use super::scan::bytes_of;
use crate::wording::{self, Quantity};

/// Longer names are sentences.
const MOST_WORDS: usize = 8;

/// The names of all metrics.
pub(super) struct Names {
    /// By the last word of the name: all words, whether nothing may precede them, and what they mean.
    by_last: HashMap<&'static str, Vec<Name>>,
    units: HashMap<&'static str, Quantity>,
}

struct Name {
    words: Vec<&'static str>,
    whole: bool,
    /// Nothing for a name that is none.
    quantity: Option<Quantity>,
}

impl Names {
    pub(super) fn builtin() -> &'static Self {
        static NAMES: OnceLock<Names> = OnceLock::new();
        NAMES.get_or_init(|| {
            let data = wording::metrics();
            let mut names = Names { by_last: HashMap::new(), units: HashMap::new() };
            data.never.iter().for_each(|name| names.add(name, false, None));
            for metric in &data.metric {
                metric.names.iter().for_each(|name| names.add(name, false, Some(metric.quantity)));
                metric.whole.iter().for_each(|name| names.add(name, true, Some(metric.quantity)));
                names.units.extend(metric.units.iter().map(|unit| (*unit, metric.quantity)));
            }
            names
        })
    }

    fn add(&mut self, name: &'static str, whole: bool, quantity: Option<Quantity>) {
        let words: Vec<&str> = name.split(' ').collect();
        if let Some(last) = words.last() {
            self.by_last.entry(last).or_default().push(Name { words, whole, quantity });
        }
    }

    /// The metric that a unit names by itself.
    pub(super) fn of_unit(&self, unit: &str) -> Option<Quantity> {
        self.units.get(unit).copied()
    }

    /// The metric that a name means.
    pub(super) fn of(&self, name: &Spelled) -> Option<Quantity> {
        let words = &name.words;
        let fits = |known: &&Name| {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            words.ends_with(&known.words) && (!known.whole || words.len() == known.words.len())
        };
        let named = self.by_last.get(words.last()?.as_str())?;
        named.iter().filter(fits).max_by_key(|known| (known.words.len(), known.whole))?.quantity
    }
}

/// A printed name in comparing form.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Spelled {
    /// In lower case, without numbers and without a unit.
    pub(super) words: Vec<String>,
    /// The unit of its last word, or of the one in brackets.
    pub(super) unit: Option<f64>,
    /// The number of a GPU in it.
    pub(super) device: Option<u32>,
}

impl Spelled {
    /// Reads `max_mem_GB`, `MaxMemAllocated`, `cuda:0 memory`; nothing for a sentence.
    pub(super) fn of(name: &str) -> Option<Self> {
        let mut spelled = Self::default();
        let mut word = String::new();
        let mut last = ' ';
        for c in name.chars().chain([' ']) {
            // MiB is one word.
            let hump = c.is_uppercase() && last.is_lowercase() && word.len() > 2
                || c.is_ascii_digit() != last.is_ascii_digit();
            if (!c.is_alphanumeric() || hump) && !word.is_empty() {
                spelled.take(std::mem::take(&mut word));
            }
            if c.is_alphanumeric() {
                word.extend(c.to_lowercase());
            }
            last = c;
        }
        if let Some(unit) = spelled.words.last().filter(|word| word.len() > 1).and_then(|word| bytes_of(word))
            && spelled.words.len() > 1
        {
            spelled.unit = Some(unit);
            spelled.words.pop();
        }
        (!spelled.words.is_empty() && spelled.words.len() <= MOST_WORDS).then_some(spelled)
    }

    fn take(&mut self, word: String) {
        match word.parse::<u32>() {
            Ok(number) if matches!(self.words.last().map(String::as_str), Some("gpu" | "device")) => {
                self.device = Some(number);
            }
            _ if word.bytes().all(|byte| byte.is_ascii_digit()) => {}
            _ => self.words.push(word),
        }
    }
}

impl Quantity {
    /// Whether it is counted in bytes.
    pub(crate) fn is_memory(self) -> bool {
        self >= Quantity::Allocated
    }

    /// The name of a series whose line gives none.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Quantity::Step => "step",
            Quantity::Epoch => "epoch",
            Quantity::Rank => "rank",
            Quantity::Device => "GPU",
            Quantity::BatchSize => "batch size",
            Quantity::Loss => "loss",
            Quantity::ValidationLoss => "validation loss",
            Quantity::GradientNorm => "gradient norm",
            Quantity::LearningRate => "learning rate",
            Quantity::StepsPerSecond | Quantity::SecondsPerStep | Quantity::MillisecondsPerStep => "steps/s",
            Quantity::TokensPerSecond => "tokens/s",
            Quantity::SamplesPerSecond => "samples/s",
            Quantity::Allocated => "allocated",
            Quantity::Reserved => "reserved",
            Quantity::Free => "free",
            Quantity::Used => "memory used",
            Quantity::Host => "host memory",
            Quantity::Total => "total",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> Option<Quantity> {
        Spelled::of(name).and_then(|name| Names::builtin().of(&name))
    }

    #[test]
    fn names_as_trainers_print_them() {
        for (name, expected) in [
            ("loss", Some(Quantity::Loss)),
            ("lm loss", Some(Quantity::Loss)),
            ("train/loss", Some(Quantity::Loss)),
            ("box_loss", Some(Quantity::Loss)),
            ("eval_loss", Some(Quantity::ValidationLoss)),
            ("loss scale", None),
            ("GPU_mem", Some(Quantity::Used)),
            ("pin_memory", None),
            ("MemAllocated", Some(Quantity::Allocated)),
            ("max allocated", Some(Quantity::Allocated)),
            ("memory/max_mem_active(gib)", Some(Quantity::Allocated)),
            ("memory/device_mem_reserved(gib)", Some(Quantity::Reserved)),
            ("memory.used [MiB]", Some(Quantity::Used)),
            ("max mem", Some(Quantity::Used)),
            ("worker RSS", Some(Quantity::Host)),
            ("grad norm", Some(Quantity::GradientNorm)),
            ("gnorm", Some(Quantity::GradientNorm)),
            ("norm", Some(Quantity::GradientNorm)),
            ("learning_rate", Some(Quantity::LearningRate)),
            ("RunningAvgSamplesPerSec", Some(Quantity::SamplesPerSecond)),
            ("elapsed time per iteration", Some(Quantity::SecondsPerStep)),
            ("data_time", None),
            ("max_steps", None),
            ("global batch size", Some(Quantity::BatchSize)),
            ("accuracy", None),
        ] {
            assert_eq!(of(name), expected, "{name}");
        }
        assert_eq!(Spelled::of("max_mem_GB").and_then(|name| name.unit), Some(1024f64.powi(3)));
        assert_eq!(Spelled::of("gpu 3 memory").and_then(|name| name.device), Some(3));
    }

    #[test]
    fn every_name_is_in_comparing_form() {
        let data = wording::metrics();
        let names = data.metric.iter().flat_map(|metric| metric.names.iter().chain(&metric.whole));
        for name in names.chain(&data.never) {
            let spelled = Spelled::of(name).map(|spelled| spelled.words.join(" "));
            assert_eq!(spelled.as_deref(), Some(*name), "{name}");
        }
    }
}

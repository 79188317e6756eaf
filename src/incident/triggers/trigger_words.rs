//! The literals that give lines their topics, as `build.rs`, which includes this file by path, packs them.

use serde::{Deserialize, Serialize};

use super::Vendor;
use super::topics::{CODES, ENVIRONMENT, FRAMEWORK, GPUS, KERNEL, Topics};
use crate::literals::Literals;
use crate::numbers::Numbers;

/// The literals with their topics.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Triggers<'a> {
    #[serde(borrow)]
    pub(super) literals: Literals<'a>,
    #[serde(borrow)]
    topics: Numbers<'a>,
}

#[allow(dead_code, reason = "only a build asks, and tests")]
impl Triggers<'static> {
    /// The triggers made of literals with their topics.
    pub(crate) fn new<'l>(literals: impl IntoIterator<Item = (&'l str, Topics)>) -> Self {
        let (literals, topics): (Vec<&str>, Vec<Topics>) = literals.into_iter().unzip();
        Self { literals: Literals::new(literals), topics: topics.into_iter().collect() }
    }
}

#[allow(dead_code, reason = "a build asks for none")]
impl Triggers<'_> {
    /// The topics of a literal.
    pub(super) fn of(&self, literal: usize) -> Topics {
        self.topics.get(literal).unwrap_or(0)
    }
}

#[allow(dead_code, reason = "only a build asks")]
/// The literals from the vendors' vocabulary.
pub(crate) fn of_vendor(vendor: &Vendor) -> Vec<(&str, Topics)> {
    let codes = &vendor.codes;
    let mut all: Vec<(&str, Topics)> = Vec::new();
    all.extend(codes.families.iter().map(|family| (family.prefix.trim_end_matches('_'), CODES)));
    all.extend(codes.literals.iter().map(|literal| (literal.as_str(), CODES)));
    all.extend(vendor.sentences.all.iter().filter(|(.., general)| !general).map(|(text, ..)| (text.as_str(), CODES)));
    all.extend(vendor.gpus.starts.iter().map(|start| (start.trim_end(), ENVIRONMENT | GPUS)));
    all.extend(vendor.gpus.bare.values().flatten().map(|model| (model.as_str(), ENVIRONMENT | GPUS)));
    all.extend(vendor.gpus.machines.values().flatten().map(|machine| (machine.as_str(), ENVIRONMENT | GPUS)));
    all.extend(vendor.tools.iter().map(|tool| (tool.prefix.as_str(), FRAMEWORK)));
    all.extend(vendor.kernel_log.modules.iter().map(|module| (module.as_str(), KERNEL)));
    all.push((vendor.kernel_log.prefix.trim_end_matches([':', ' ']), KERNEL));
    all.retain(|(literal, _)| !literal.is_empty());
    all
}

//! Titles in the words of the vendor whose GPU it is: most pages are named after NVIDIA's libraries, and AMD's fail alike.

use super::Diagnosis;
use crate::facts::Facts;
use crate::vendors::{self, Vendor};

/// Replaces the words of another vendor in the titles of the page and its causes.
pub(super) fn of_vendor(diagnosis: &mut Diagnosis, facts: &Facts) {
    let Some(vendor) = facts.text("gpu.vendor").and_then(vendors::by_id).filter(|vendor| !vendor.terms.is_empty())
    else {
        return;
    };
    let Some(fault) = &mut diagnosis.fault else { return };
    fault.title = translated(&fault.title, vendor, &fault.text);
    for cause in &mut diagnosis.causes {
        cause.title = translated(&cause.title, vendor, &fault.text);
    }
}

/// A title with this vendor's words. It stays as it is where it names this vendor, and so does each word that the failure
/// itself has: a CUDA build on an AMD GPU reports CUDA errors.
fn translated(title: &str, vendor: &Vendor, failure: &str) -> String {
    let has_own = vendor.terms.iter().any(|term| place(title, &term.own).is_some());
    if has_own || [&vendor.name, &vendor.runtime.name, "ROCm"].iter().any(|name| place(title, name).is_some()) {
        return title.to_owned();
    }
    let mut out = String::with_capacity(title.len());
    let mut rest = title;
    let terms = || vendor.terms.iter().filter(|term| place(failure, family(&term.of_others)).is_none());
    // The first place in the title, and of the terms there the first one of the list.
    while let Some((at, term)) =
        terms().filter_map(|term| Some((place(rest, &term.of_others)?, term))).min_by_key(|(at, _)| *at)
    {
        out.push_str(&rest[..at]);
        out.push_str(&term.own);
        rest = &rest[at + term.of_others.len()..];
    }
    out.push_str(rest);
    out
}

/// What a term is about: `CUDA` of `CUDA_HOME` and of `newer CUDA`.
fn family(term: &str) -> &str {
    ["CUDA", "NVIDIA"].into_iter().find(|name| term.contains(name)).unwrap_or(term)
}

/// Where a title has these words as a whole.
fn place(title: &str, words: &str) -> Option<usize> {
    let is_part = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    title
        .match_indices(words)
        .map(|(at, _)| at)
        .find(|at| !is_part(title[..*at].chars().next_back()) && !is_part(title[at + words.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_have_the_words_of_the_vendor() {
        let amd = vendors::by_id("amd").expect("kb/vendors has it");
        for (title, failure, expected) in [
            ("GPU memory ran out (CUDA out of memory)", "HIP out of memory", "GPU memory ran out (HIP out of memory)"),
            (
                "CUDA_VISIBLE_DEVICES hides every GPU",
                "No HIP GPUs are available",
                "HIP_VISIBLE_DEVICES hides every GPU",
            ),
            ("A CUDA call inside NCCL failed", "unhandled cuda error", "A HIP call inside RCCL failed"),
            ("CUDA_HOME, PATH or CC points to the wrong place", "", "ROCM_HOME, PATH or CC points to the wrong place"),
            (
                "This build has code for another CUDA version",
                "HIP error",
                "This build has code for another ROCm version",
            ),
            // The text's own words, and a title that names the vendor.
            ("A CUDA call inside NCCL failed", "NCCL WARN HIP failure", "A HIP call inside NCCL failed"),
            ("Another CUDA or ROCm library failed", "MIOpen Error", "Another CUDA or ROCm library failed"),
            ("Another CUDA error came first", "CUDA error: unknown error", "Another CUDA error came first"),
        ] {
            assert_eq!(translated(title, amd, failure), expected);
        }
    }
}

//! The builds of frameworks that can be installed, by index: kb/hardware/wheels.csv.

use std::str::FromStr;

use pep440_rs::{Version, VersionSpecifiers};
use serde::Deserialize;

use super::lazy_rows::LazyRows;
use crate::compatibility;

/// One row: a build of a framework on one index.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Wheel {
    /// As in `kb/wording/platforms.toml`: "pytorch".
    pub framework: String,
    /// The newest version of that build; empty where it is not certain.
    pub version: String,
    /// The oldest release that the index has of it, as far as this row is for it; empty where it is not certain.
    since: String,
    /// "cu126", "PyPI", "rocm7.2", "conda-forge".
    pub index: String,
    /// Its address; empty for PyPI, the channel for conda.
    pub url: String,
    /// "12.6"; empty for ROCm.
    pub cuda: String,
    /// What it has code for, separated by spaces: "sm_75 compute_120", "gfx90a".
    architectures: String,
    /// The same for the wheels for ARM servers; empty where there are none.
    aarch64: String,
    /// The Python versions, as in PEP 440; empty where they are not certain.
    python: String,
    /// "linux windows", "jetpack6".
    systems: String,
    /// What is installed, separated by spaces.
    requirement: String,
    /// What is removed before, separated by spaces: other builds under the same or another name.
    replaces: String,
    /// What is installed as well for a GPU before Turing.
    before_turing: String,
    /// A container image with such a build; empty where none is certain.
    pub image: String,
}

impl Wheel {
    /// Whether it has code for a compute capability ("8.6") or an AMD target ("gfx1100"), in its wheels for ARM or others.
    pub(crate) fn has_code_for(&self, gpu: &str, arm: bool) -> bool {
        if gpu.starts_with("gfx") {
            return self.targets(arm).any(|arch| arch == gpu);
        }
        self.targets(arm).any(|arch| !arch.starts_with("gfx")) && compatibility::arch_supported(gpu, self.targets(arm))
    }

    /// What it has code for, as the table lists it; nothing where there is no wheel for ARM.
    pub(crate) fn targets(&self, arm: bool) -> impl Iterator<Item = &str> {
        if arm { &self.aarch64 } else { &self.architectures }.split_whitespace()
    }

    /// The JetPack that it is for.
    pub(crate) fn jetpack(&self) -> Option<u32> {
        self.systems.strip_prefix("jetpack")?.parse().ok()
    }

    /// Whether the index has a release of it within these bounds, as far as that is certain.
    pub(crate) fn has_release(&self, bound: &VersionSpecifiers) -> bool {
        let known = [&self.since, &self.version].into_iter().filter_map(|version| Version::from_str(version).ok());
        known.into_iter().any(|version| bound.contains(&version))
    }

    /// Whether it is one old release, which stays as it is.
    pub(crate) fn is_pinned(&self) -> bool {
        self.requirement.contains("==")
    }

    /// The first package that is installed: "torch".
    pub(crate) fn package(&self) -> &str {
        self.requirement.split(['[', '=', '<', ' ']).next().unwrap_or_default()
    }

    /// What is removed before it is installed.
    pub(crate) fn replaced(&self) -> Vec<&str> {
        self.replaces.split_whitespace().collect()
    }

    /// The first and the last architecture: "sm_50 to sm_90".
    pub(crate) fn span(&self, arm: bool) -> String {
        let mut archs = self.targets(arm);
        let first = archs.next().unwrap_or_default();
        archs.last().map_or_else(|| first.to_owned(), |last| format!("{first} to {last}"))
    }

    /// Whether it exists for that Python.
    pub(crate) fn runs_on(&self, python: &str) -> bool {
        let ranges = VersionSpecifiers::from_str(&self.python);
        match (ranges, Version::from_str(python)) {
            (Ok(ranges), Ok(python)) => ranges.contains(&python),
            _ => true,
        }
    }

    /// The Python versions that it exists for.
    pub(crate) fn python(&self) -> &str {
        &self.python
    }

    /// What people call it: the index; on PyPI the package with its extra, of conda its CUDA.
    pub(crate) fn name(&self) -> &str {
        let mut words = self.requirement.split(' ');
        match if self.is_of_conda() { words.next_back() } else { words.next() } {
            Some(version) if self.is_of_conda() => version,
            Some(package) if package.contains('[') => package,
            _ => &self.index,
        }
    }

    /// Whether it exists for that system.
    pub(crate) fn exists_on(&self, system: &str) -> bool {
        self.systems.split(' ').any(|one| one == system)
    }

    /// Whether conda installs it: from a channel, which has a name and no address.
    pub(crate) fn is_of_conda(&self) -> bool {
        !self.url.is_empty() && !self.url.contains("://")
    }

    /// What is installed, for a GPU of that capability.
    pub(crate) fn requirements(&self, gpu: Option<&str>) -> Vec<&str> {
        let old = gpu.and_then(compatibility::split_capability).is_some_and(|capability| capability < (7, 5));
        let more = self.before_turing.split(' ').filter(|word| old && !word.is_empty());
        self.requirement.split(' ').chain(more).collect()
    }
}

/// The table, read when somebody asks.
#[derive(Debug)]
pub(crate) struct Wheels(LazyRows<Wheel>);

impl Wheels {
    /// Keeps the table's text.
    pub(crate) fn new(packed: &'static str) -> Self {
        Self(LazyRows::new(packed))
    }

    /// The builds of a framework, the one to prefer first.
    pub(crate) fn of<'a>(&'a self, framework: &'a str) -> impl Iterator<Item = &'a Wheel> {
        self.0.all().iter().filter(move |wheel| wheel.framework == framework)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_reads_and_its_versions_do() {
        let table = include_str!(concat!(env!("OUT_DIR"), "/wheels.table"));
        let wheels = Wheels::new(table);
        assert_eq!(wheels.0.all().len(), table.lines().count() - 1);
        for wheel in wheels.0.all() {
            assert!(wheel.python.is_empty() || VersionSpecifiers::from_str(&wheel.python).is_ok(), "{wheel:?}");
            assert!(wheel.version.is_empty() || Version::from_str(&wheel.version).is_ok(), "{wheel:?}");
            assert!(wheel.cuda.is_empty() || compatibility::driver_floor(&wheel.cuda).is_some(), "{wheel:?}");
        }
    }

    /// The two tables of PyTorch's builds, one read from PyPI's wheels, do not contradict each other.
    #[test]
    fn code_for_old_gpus_ends_where_the_wheels_say() {
        let wheels = Wheels::new(include_str!(concat!(env!("OUT_DIR"), "/wheels.table")));
        let cuda = |gpu: &str| {
            let newest = wheels.of("pytorch").find(|wheel| wheel.has_code_for(gpu, false) && !wheel.is_of_conda());
            newest.map(|wheel| wheel.index.as_str())
        };
        assert_eq!([cuda("5.2"), cuda("7.0"), cuda("7.5")], [Some("cu126"), Some("cu126"), Some("cu130")]);
        assert_eq!([cuda("3.7"), cuda("3.5"), cuda("12.1")], [Some("PyPI"), None, Some("cu130")]);
        assert_eq!([cuda("gfx906"), cuda("gfx90a"), cuda("gfx803")], [Some("rocm6.3"), Some("rocm7.2"), None]);
    }
}

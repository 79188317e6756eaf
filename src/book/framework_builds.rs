//! The CUDA and cuDNN that releases of a framework are built with: kb/hardware/framework-builds.csv.

use std::sync::OnceLock;

use serde::Deserialize;

use crate::compatibility;

/// One row: some releases of a framework.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct FrameworkBuild {
    /// As facts name it: "tensorflow".
    pub framework: String,
    /// The releases, as in PEP 440.
    pub versions: String,
    /// The CUDA of the official build, the newest where there are several: "10.1".
    pub cuda: String,
    /// Its cuDNN: "7.6".
    pub cudnn: String,
}

/// The table, read when somebody asks.
#[derive(Debug, Default)]
pub(crate) struct FrameworkBuilds {
    csv: &'static str,
    rows: OnceLock<Vec<FrameworkBuild>>,
}

impl FrameworkBuilds {
    /// Keeps the table's text.
    pub(crate) fn new(csv: &'static str) -> Self {
        Self { csv, rows: OnceLock::new() }
    }

    /// The build of a release.
    pub(crate) fn of(&self, framework: &str, version: &str) -> Option<&FrameworkBuild> {
        self.rows().iter().find(|row| row.framework == framework && compatibility::matches(version, &row.versions))
    }

    fn rows(&self) -> &[FrameworkBuild] {
        self.rows.get_or_init(|| crate::table::rows(self.csv).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_reads_and_says_something() {
        let csv = include_str!("../../kb/hardware/framework-builds.csv");
        let builds = FrameworkBuilds::new(csv);
        assert_eq!(builds.rows().len(), csv.lines().count() - 1);
        let cuda = |framework, version| builds.of(framework, version).map(|build| build.cuda.as_str());
        assert_eq!(cuda("tensorflow", "1.15.5"), Some("10.0"));
        assert_eq!(cuda("tensorflow", "2.3.1"), Some("10.1"));
        assert_eq!(cuda("onnxruntime", "1.18.0"), Some("11"));
        assert_eq!(cuda("torch", "1.6.0"), Some("10.2"));
        assert_eq!(cuda("torch", "2.1.0"), None);
    }
}

//! The CUDA and cuDNN that releases of a framework are built with: kb/hardware/framework-builds.csv.

use serde::Deserialize;

use super::lazy_rows::LazyRows;
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
#[derive(Debug)]
pub(crate) struct FrameworkBuilds(LazyRows<FrameworkBuild>);

impl FrameworkBuilds {
    /// Keeps the table's text.
    pub(crate) fn new(packed: &'static str) -> Self {
        Self(LazyRows::new(packed))
    }

    /// The build of a release.
    pub(crate) fn of(&self, framework: &str, version: &str) -> Option<&FrameworkBuild> {
        self.0.all().iter().find(|row| row.framework == framework && compatibility::matches(version, &row.versions))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_reads_and_says_something() {
        let table = include_str!(concat!(env!("OUT_DIR"), "/framework-builds.table"));
        let builds = FrameworkBuilds::new(table);
        assert_eq!(builds.0.all().len(), table.lines().count() - 1);
        let cuda = |framework, version| builds.of(framework, version).map(|build| build.cuda.as_str());
        assert_eq!(cuda("tensorflow", "1.15.5"), Some("10.0"));
        assert_eq!(cuda("tensorflow", "2.3.1"), Some("10.1"));
        assert_eq!(cuda("onnxruntime", "1.18.0"), Some("11"));
        assert_eq!(cuda("torch", "1.6.0"), Some("10.2"));
        assert_eq!(cuda("torch", "2.1.0"), None);
    }
}

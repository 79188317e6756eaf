//! Names of a driver's files and folders on this platform.

use super::description::{Driver, Platforms};

impl Driver {
    /// The folders on this platform.
    pub(crate) fn folders_here(&self) -> &[String] {
        if cfg!(windows) { &self.windows_folders } else { &self.folders }
    }
}

impl Platforms {
    /// The name on this platform.
    pub fn here(&self) -> &str {
        if cfg!(windows) { &self.windows } else { &self.unix }
    }

    /// The name on this platform without its ending: `libcuda`.
    pub fn stem(&self) -> &str {
        let name = self.here();
        name.split_once(".so").or_else(|| name.split_once(".dll")).map_or(name, |(stem, _)| stem)
    }

    /// The same without `lib`: `cuda`.
    pub fn library(&self) -> &str {
        self.stem().strip_prefix("lib").unwrap_or(self.stem())
    }
}

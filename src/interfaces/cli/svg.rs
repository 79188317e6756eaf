//! Writes a drawing to the file that the user named.

use std::path::Path;

use crate::files;

use super::failure::{Failure, Result, reason};
use super::format::Formats;
use super::output::{Output, remark};

/// Writes an SVG document; whether it was printed instead, because the file is `-`.
///
/// A chart that Faultbook wrote may be overwritten; anything else belongs to the user.
pub(super) fn write<F: Formats>(file: &Path, svg: &str, is_ours: fn(&str) -> bool, output: &Output<F>) -> Result<bool> {
    if file.as_os_str() == "-" {
        output.write(svg)?;
        return Ok(true);
    }
    let foreign = std::fs::read(file).is_ok_and(|bytes| !is_ours(&String::from_utf8_lossy(&bytes)));
    if foreign {
        let says = format!("`{}` already exists and is not a chart that Faultbook wrote", file.display());
        return Err(Failure::new(says).hint("name another file"));
    }
    files::replace(file, svg.as_bytes())
        .map_err(|error| Failure::new(format!("could not write `{}`: {}", file.display(), reason(&error))))?;
    remark(&format!("the charts are in {}", file.display()));
    Ok(false)
}

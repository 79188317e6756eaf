//! Fixes that ask for some releases only: "Use a PyTorch before 2.4". Their command must not install another one.

use std::str::FromStr;

use pep440_rs::{Version, VersionSpecifiers};

use super::Machine;
use crate::book::Book;
use crate::book::wheels::Wheel;

impl Machine {
    /// The command that installs a release within a bound (`torch <2.4`); `None` where no build is known to be one, or the
    /// bound is of another package than the one that the table installs.
    pub(super) fn bounded(&self, bound: &str, book: &Book) -> Option<(&'static str, String)> {
        let (package, versions) = bound.split_once(' ')?;
        let versions = VersionSpecifiers::from_str(versions).ok()?;
        // What the newest release of a row needs says nothing of the Python of an older one.
        let python = self.python.as_deref().and_then(|python| Version::from_str(python).ok());
        let newest = || book.hardware.torch_wheels().iter().rev().find(|wheel| holds(&versions, &wheel.torch));
        let for_python = |wheel: &Wheel| match (&python, holds(&versions, &wheel.version)) {
            (Some(python), false) => newest()
                .and_then(|wheel| VersionSpecifiers::from_str(&wheel.python).ok())
                .is_none_or(|range| range.contains(python)),
            (_, true) => self.has_python(wheel),
            (None, false) => true,
        };
        let machine = Self { bound: Some(versions.clone()), container: None, ..self.clone() };
        let mut wheels = machine.wheels(self.framework?, book);
        wheels.retain(|wheel| wheel.package() == package && for_python(wheel));
        let machine = Self { python: None, ..machine };
        if machine.gpu.is_some() {
            let chosen = machine.choose(&wheels).filter(|wheel| machine.driver_runs(&wheel.cuda) != Some(false))?;
            return Some(("wheel.bounded", machine.command(chosen).join("\n")));
        }
        if !machine.vendor_shown {
            return None;
        }
        let (_, command) = machine.unknown_gpu(&wheels).into_iter().find(|(name, _)| *name == "wheel.command")?;
        Some(("wheel.bounded", command))
    }

    /// Whether the index of a build has a release within the bound, if there is one.
    pub(super) fn has_release(&self, wheel: &Wheel) -> bool {
        self.bound.as_ref().is_none_or(|bound| wheel.has_release(bound))
    }
}

fn holds(versions: &VersionSpecifiers, version: &str) -> bool {
    Version::from_str(version).is_ok_and(|version| versions.contains(&version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_one_bound() {
        let mut bounded = 0;
        let book = Book::new(true);
        for (number, entry) in book.faults.iter().enumerate() {
            let page = book.fault(number);
            let fixes = page.causes.iter().flat_map(|cause| &cause.fixes);
            let mut bounds: Vec<&str> = fixes.filter_map(|fix| fix.scope.version.as_deref()).collect();
            bounds.dedup();
            assert!(bounds.len() <= 1, "{}: wheel.bounded is computed for one bound: {bounds:?}", entry.id);
            bounded += bounds.len();
        }
        assert!(bounded > 0);
    }
}

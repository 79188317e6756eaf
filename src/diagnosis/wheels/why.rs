//! Why a build fits, in one line.

use super::{JETSON, Machine, Manager, older, sentence};
use crate::book::wheels::Wheel;
use crate::vendors::Relatives;

impl Machine {
    /// Why this build, in one line. `newer` comes before it in the table and does not fit.
    pub(super) fn why(&self, wheel: &Wheel, newer: Option<&Wheel>) -> String {
        let gpu = self.gpu_in_words();
        let mut says: Vec<String> = Vec::new();
        let last = self.last_branch();
        if let Some(last) = last.filter(|last| self.driver_branch() > Some(*last)) {
            says.push(format!("drivers after {last} do not support {gpu}: install driver {last} first"));
        }
        let needed = self.needed(&wheel.cuda);
        if let Some(needed) = needed.filter(|_| self.driver_runs(&wheel.cuda) == Some(false)) {
            let supports = self.driver_cuda.as_deref().unwrap_or("an older release");
            let first = self.first_cuda().filter(|first| older(supports, first));
            let needs = match first {
                Some(first) => format!("{gpu} needs CUDA {first} or later"),
                None => format!("a build for CUDA {} needs driver {needed}", wheel.cuda),
            };
            let driver =
                self.driver.as_ref().map_or_else(|| "the driver".to_owned(), |driver| format!("driver {driver}"));
            says.push(format!("{needs}, and {driver} supports CUDA {supports}: upgrade the driver to {needed} first"));
        }
        let other_manager = wheel.is_of_conda() && self.manager != Manager::Conda;
        let index = if other_manager { "conda-forge" } else { wheel.name() };
        let code = match self.borrowed(wheel) {
            Some(Relatives { run, with, .. }) => format!(
                "{run}, which {gpu} runs with `{with}` (AMD does not support that, and some operations may fail)"
            ),
            None if self.gpu.is_some() => gpu,
            None => wheel.span(self.arm),
        };
        let cuda = (!wheel.cuda.is_empty()).then(|| format!("CUDA {}", wheel.cuda));
        let version = (!wheel.version.is_empty()).then(|| format!("up to version {}", wheel.version));
        let of: Vec<String> = cuda.into_iter().chain(version).collect();
        let build = if of.is_empty() { String::new() } else { format!(" ({})", of.join(", ")) };
        let has = if self.arm { "has wheels for ARM with code for" } else { "has code for" };
        let mut main = format!("`{index}`{build} {has} {code}");
        if let Some(major) = wheel.jetpack().filter(|_| !wheel.index.contains("JetPack")) {
            main.push_str(&format!(" on JetPack {major}"));
        }
        if let Some(needed) = needed.filter(|_| self.is_nvidia() && self.system != JETSON) {
            let range = last.map_or_else(|| format!("{needed} or newer"), |last| format!("{needed} to {last}"));
            main.push_str(&format!(" and runs with driver {range}"));
        }
        says.push(main);
        if other_manager {
            says.push("no wheel of pip that we know has it".to_owned());
        }
        if let Some(python) = self.python.as_deref().filter(|_| !self.has_python(wheel)) {
            let range = wheel.python();
            says.push(format!("it needs Python {range}, not {python}: make a new environment with that first"));
        }
        if let Some(newer) = newer {
            let without = self.gpu.as_deref().is_some_and(|gpu| !newer.has_code_for(gpu, self.arm));
            match self.needed(&newer.cuda) {
                _ if without => says.push(format!("`{}` has no code for it", newer.name())),
                Some(needed) if newer.cuda != wheel.cuda => {
                    says.push(format!("`{}` needs driver {needed}", newer.name()));
                }
                _ => {}
            }
        }
        sentence(&says.join("; "))
    }
}

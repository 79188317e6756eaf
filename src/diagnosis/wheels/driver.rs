//! Which driver the GPU and the installed build need.

use super::{Machine, sentence};
use crate::compatibility::{self, branch};

impl Machine {
    /// Which driver the installed build and the GPU need.
    pub(super) fn driver_facts(&self, build: Option<&str>) -> Vec<(&'static str, String)> {
        let mut found = Vec::new();
        let last = self.last_branch();
        found.extend(last.map(|last| ("driver.last_branch", last.to_string())));
        let first = self.gpu.as_deref().and_then(compatibility::first_driver);
        let floor = build.and_then(compatibility::driver_floor).and_then(branch);
        let Some(needed) = floor.max(first) else { return found };
        found.push(("driver.needed", needed.to_string()));
        let gpu = self.gpu_in_words();
        let installed = match (&self.driver, self.driver_branch()) {
            (Some(driver), Some(branch)) if branch < needed => format!("; {driver} is installed"),
            (Some(_), _) => String::new(),
            _ => format!("; `{}` shows yours", self.vendor().management.tool),
        };
        let ends = last.map(|last| format!("; {last} is the last branch for {gpu}")).unwrap_or_default();
        let too_new = last.is_some_and(|last| self.driver_branch() > Some(last));
        let why = match build.filter(|_| floor >= first) {
            _ if too_new => format!("driver {} is too new for {gpu}{ends}", self.driver.as_deref().unwrap_or_default()),
            _ if installed.is_empty() => return found,
            Some(build) => {
                format!("the installed build uses CUDA {build} and needs driver {needed} or newer{installed}{ends}")
            }
            None => format!("{gpu} needs driver {needed} or newer{installed}{ends}"),
        };
        found.push(("driver.why", sentence(&why)));
        found
    }
}

//! Builds for Jetson boards: which JetPack decides, and what to say where it is not known or nothing exists.

use super::{Machine, Manager};
use crate::book::wheels::Wheel;

/// Shows the release of Jetson Linux.
const SHOW: &str = "cat /etc/nv_tegra_release";
/// Where NVIDIA lists its wheels for older releases.
const LIST: &str = "https://forums.developer.nvidia.com/t/pytorch-for-jetson-version-1-9-0-now-available/72048";

impl Machine {
    /// The builds to choose from: those of the JetPack that is known, or that the board or the Python leaves. `None` where
    /// several are left.
    pub(super) fn of_jetson<'b>(&self, wheels: &[&'b Wheel]) -> Option<Vec<&'b Wheel>> {
        if self.jetpack.is_some() {
            return Some(wheels.to_vec());
        }
        let with_code: Vec<&Wheel> = wheels.iter().copied().filter(|wheel| self.has_code(wheel)).collect();
        if self.gpu.is_some() && with_code.len() < 2 {
            return Some(with_code);
        }
        // JetPack 5 and 6 have one Python each.
        let of_python: Vec<&Wheel> =
            with_code.into_iter().filter(|wheel| !wheel.is_of_conda() && self.has_python(wheel)).collect();
        (self.gpu.is_some() && self.python.is_some() && of_python.len() == 1).then_some(of_python)
    }

    /// The command that shows the release, and a line for each build.
    pub(super) fn unknown_jetpack(&self, wheels: &[&Wheel]) -> Vec<(&'static str, String)> {
        let with_code: Vec<&&Wheel> = wheels.iter().filter(|wheel| self.has_code(wheel)).collect();
        let Some(first) = with_code.first() else { return Vec::new() };
        let mut lines = vec![SHOW.to_owned()];
        for wheel in &with_code {
            // What is removed before is what each of them installs.
            let manager = if wheel.is_of_conda() { Manager::Conda } else { Manager::Pip };
            let Some(line) = Self { manager, ..self.clone() }.install(wheel, false).pop() else { continue };
            let release = match wheel.jetpack() {
                Some(5) => "R35 (JetPack 5)",
                Some(6) => "R36 (JetPack 6)",
                _ => "R38 or R39 (JetPack 7)",
            };
            let board = match self.gpu {
                Some(_) => String::new(),
                None => format!(", {}", boards(wheel)),
            };
            lines.push(format!("{line}   # {release}{board}, Python {}", wheel.python()));
        }
        let why = "The first command shows the release of Jetson Linux; then run only the line whose comment fits.";
        vec![("wheel.index", first.index.clone()), ("wheel.why", why.to_owned()), ("wheel.command", lines.join("\n"))]
    }

    /// Why there is nothing to install.
    pub(super) fn none_for_jetson(&self) -> String {
        let gpu = self.gpu_in_words();
        let on = self.jetpack.map(|major| format!(" on JetPack {major}")).unwrap_or_default();
        format!(
            "No wheel that we know has code for {gpu}{on}. `{SHOW}` shows the release; NVIDIA lists its wheels for older releases at {LIST}; otherwise build the framework from source."
        )
    }
}

/// The boards with that code.
fn boards(wheel: &Wheel) -> String {
    let names = [("sm_72", "Xavier"), ("sm_87", "Orin"), ("sm_110", "Thor")];
    let named = names.iter().filter(|(code, _)| wheel.targets(false).any(|target| target == *code));
    named.map(|(_, name)| *name).collect::<Vec<_>>().join(" and ")
}

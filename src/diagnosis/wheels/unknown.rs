//! The GPU is not known: what the driver alone decides, or the command that shows the GPU and the builds to choose from.

use std::collections::BTreeSet;

use super::{Candidate, Machine};
use crate::book::wheels::Wheel;
use crate::compatibility::{self, branch};

/// How many builds an answer lists.
const ROWS: usize = 3;

/// What a build of the list is for.
struct Row<'b> {
    wheel: &'b Wheel,
    /// The capabilities or targets that it is the first choice for, in the order of the table.
    gpus: Vec<String>,
    /// The oldest driver with which one of them uses it.
    driver: Option<u32>,
}

impl Machine {
    /// The build that every GPU which the driver runs would get, if it is the same for all.
    pub(super) fn decided_by_the_driver<'b>(&self, wheels: &[&'b Wheel]) -> Option<&'b Wheel> {
        let branch = self.driver_branch().or_else(|| compatibility::driver_of_cuda(self.driver_cuda.as_deref()?))?;
        let mut chosen =
            self.served(wheels).into_iter().filter(|gpu| compatibility::driver_runs_gpu(branch, gpu)).map(|gpu| {
                let machine = Self { gpu: Some(gpu), ..self.clone() };
                machine.choose(wheels)
            });
        let first = chosen.next()??;
        chosen.all(|other| other == Some(first)).then_some(first)
    }

    /// The command that shows the GPU and the driver, and a line for each of the builds that matter.
    pub(super) fn unknown_gpu(&self, wheels: &[&Wheel]) -> Vec<(&'static str, String)> {
        let rows = self.rows(wheels);
        let (Some(first), Some(show)) = (rows.first(), self.show_gpu()) else { return Vec::new() };
        let mut lines: Vec<String> = vec![show.to_owned()];
        let mut commands: Vec<Vec<String>> = rows.iter().map(|row| self.command(row.wheel)).collect();
        // What is removed is the same for all, and comes once.
        if commands.iter().all(|one| one.len() > 1 && one.first() == commands[0].first()) {
            lines.extend(commands[0].first().cloned());
            commands.iter_mut().for_each(|one| drop(one.remove(0)));
        }
        let width = commands.iter().flatten().map(String::len).max().unwrap_or_default();
        for (row, command) in rows.iter().zip(&commands) {
            let (last, before) = command.split_last().expect("a build has a command");
            lines.extend(before.iter().cloned());
            lines.push(format!("{last:width$}   # {}", self.describe(row)));
        }
        let tells = &self.vendor().commands.shown;
        let why = match rows.len() {
            1 => format!("The first command shows {tells}."),
            _ => format!("The first command shows {tells}; then run only the line whose comment fits."),
        };
        vec![("wheel.index", first.wheel.index.clone()), ("wheel.why", why), ("wheel.command", lines.join("\n"))]
    }

    /// The command that shows which GPU there is; a Jetson is known by its name.
    fn show_gpu(&self) -> Option<&'static str> {
        let commands = &self.vendor().commands;
        match (self.container, self.system) {
            (_, super::JETSON) => None,
            (Some("kubernetes"), _) => Some(&commands.show_gpu_in_pod),
            _ => Some(&commands.show_gpu),
        }
    }

    /// The builds that are the first choice of some GPU with some driver, in the order of the table.
    fn rows<'b>(&self, wheels: &[&'b Wheel]) -> Vec<Row<'b>> {
        let drivers: BTreeSet<Option<u32>> = match (self.amd, self.driver_branch()) {
            (true, _) => [None].into(),
            (false, Some(known)) => [Some(known)].into(),
            (false, None) => {
                let floors =
                    wheels.iter().filter_map(|wheel| compatibility::driver_floor(&wheel.cuda).and_then(branch));
                let firsts = self.served(wheels).into_iter().filter_map(|gpu| compatibility::first_driver(&gpu));
                floors.chain(firsts).map(Some).collect()
            }
        };
        let mut rows: Vec<Row<'b>> = Vec::new();
        for gpu in self.served(wheels) {
            let machine = Self { gpu: Some(gpu.clone()), driver: None, driver_cuda: None, ..self.clone() };
            let candidates = machine.with_code(wheels);
            for &driver in &drivers {
                if driver.is_some_and(|driver| !compatibility::driver_runs_gpu(driver, &gpu)) {
                    continue;
                }
                let Some(chosen) = machine.choose_of(&candidates, driver) else { continue };
                if machine.runs(chosen, driver) == Some(false) {
                    continue;
                }
                let Candidate { wheel, needed, .. } = *chosen;
                match rows.iter_mut().find(|row| row.wheel == wheel) {
                    Some(row) => {
                        row.driver = row.driver.min(needed);
                        row.gpus.retain(|known| *known != gpu);
                        row.gpus.push(gpu.clone());
                    }
                    None => rows.push(Row { wheel, gpus: vec![gpu.clone()], driver: needed }),
                }
            }
        }
        let place = |row: &Row<'_>| wheels.iter().position(|wheel| *wheel == row.wheel);
        rows.sort_by_key(place);
        rows.truncate(ROWS);
        rows
    }

    /// "compute_cap 5.0 to 9.0, driver 525 or newer".
    fn describe(&self, row: &Row<'_>) -> String {
        if self.amd {
            return row.gpus.join(", ");
        }
        let (Some(first), Some(last)) = (row.gpus.first(), row.gpus.last()) else { return String::new() };
        let newest = compatibility::capabilities().last().is_some_and(|newest| newest == last);
        let gpus = match newest {
            true => format!("compute_cap {first} or higher"),
            false => format!("compute_cap {first} to {last}"),
        };
        match row.driver.filter(|_| self.driver_branch().is_none()) {
            Some(driver) => format!("{gpus}, driver {driver} or newer"),
            None => gpus,
        }
    }

    /// The GPUs for which a build of the table is more than a pinned old release, in order.
    fn served(&self, wheels: &[&Wheel]) -> Vec<String> {
        let current = || wheels.iter().filter(|wheel| !wheel.is_pinned());
        let targets = || current().flat_map(|wheel| wheel.targets(self.arm));
        if targets().any(|target| target.starts_with("gfx")) {
            let mut found: Vec<String> = Vec::new();
            for target in targets() {
                if !found.iter().any(|known| known == target) {
                    found.push(target.to_owned());
                }
            }
            return found;
        }
        let has_code = |gpu: &String| current().any(|wheel| wheel.has_code_for(gpu, self.arm));
        compatibility::capabilities().into_iter().filter(has_code).collect()
    }
}

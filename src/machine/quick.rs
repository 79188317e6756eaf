//! The quick level: everything is read at once, each part in a thread of its own, and whatever is not there when the
//! budget is spent is a fact that cannot be told.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use super::checks::{self, Start};
use super::child::End;
use super::libraries::{self, Chosen};
use super::note::Notes;
use super::numbering::installed;
use super::vendor::Vendor;
use super::{Shared, environment, kernel_log, python, step, system};

/// A part of the quick level, as it arrives.
pub(super) enum Part {
    Machine(Notes),
    Software(Notes, Chosen),
    Management(Notes, End),
    Init(Notes, End),
}

/// Reads everything at once, each part in a thread of its own, until all is there or the budget is spent.
pub(super) fn read(shared: &Arc<Shared>) -> (Notes, Chosen) {
    type Work = fn(&Shared) -> Part;
    let until = shared.options.budget.map(|budget| Instant::now() + budget);
    let (sender, receiver) = channel();
    let start = |work: Work| {
        let (sender, shared) = (sender.clone(), Arc::clone(shared));
        std::thread::spawn(move || {
            // Nobody listens any more when the budget is spent.
            let _ = sender.send(work(&shared));
        });
    };
    let mut notes = Notes::default();
    let mut open = vec![("machine", machine as Work), ("software", software)];
    notes.flag("driver.present", shared.present);
    if shared.present {
        shared.driver.write(shared.vendor, &mut notes);
        open.extend([("management", ask_management as Work), ("init", ask_init)]);
    } else {
        no_driver(shared.vendor, &mut notes);
    }
    for (_, work) in &open {
        start(*work);
    }
    let mut open: Vec<&str> = open.into_iter().map(|(name, _)| name).collect();
    drop(sender);
    let mut chosen = Chosen::default();
    while !open.is_empty() {
        let part = match until {
            Some(until) => receiver.recv_timeout(until.saturating_duration_since(Instant::now())).ok(),
            None => receiver.recv().ok(),
        };
        let Some(part) = part else { break };
        if let (Some(_), Part::Management(said, End::TimedOut(_)) | Part::Init(said, End::TimedOut(_))) = (until, &part)
        {
            // Slow against a budget is no hang: a driver without persistence mode needs seconds. It stays open.
            notes.facts.merge(&said.facts);
            continue;
        }
        let (name, part_notes) = match part {
            Part::Machine(notes) => ("machine", notes),
            Part::Software(notes, found) => {
                chosen = found;
                ("software", notes)
            }
            Part::Management(mut notes, end) => {
                management_end(&end, shared.vendor, &mut notes);
                ("management", notes)
            }
            Part::Init(mut notes, end) => {
                init_end(&end, shared.vendor, &mut notes);
                ("init", notes)
            }
        };
        open.retain(|other| *other != name);
        notes.facts.merge(&part_notes.facts);
    }
    let budget = shared.options.budget.unwrap_or_default();
    for late in &open {
        too_late(late, budget, &mut notes);
    }
    if !open.is_empty() {
        notes.list("probe.late", open.iter().map(|part| in_words(part, shared.vendor).to_owned()).collect());
        notes.count("probe.budget_ms", u64::try_from(budget.as_millis()).unwrap_or(0));
    }
    (notes, chosen)
}

fn machine(shared: &Shared) -> Part {
    let mut notes = Notes::default();
    environment::read(&shared.options.environment, &mut notes);
    system::read(&shared.options.root, &mut notes);
    shared.vendor.read_system(&shared.options.root, &mut notes);
    kernel_log::read(&shared.options.root, shared.vendor, &mut notes);
    Part::Machine(notes)
}

fn software(shared: &Shared) -> Part {
    let options = &shared.options;
    let mut notes = Notes::default();
    let question = python::Question {
        root: &options.root,
        project: &options.project,
        asked: options.python.as_deref(),
        environment: &options.environment,
    };
    let python = python::read(&question, &mut notes);
    let conda = options.environment.get(&OsString::from("CONDA_PREFIX")).map(PathBuf::from);
    let vendor = shared.vendor;
    let chosen = libraries::read(&shared.loader, vendor.description(), &python, conda.as_deref(), &mut notes);
    vendor.read_toolkit(&options.root, conda.as_deref(), &mut notes);
    Part::Software(notes, chosen)
}

pub(super) fn ask_management(shared: &Shared) -> Part {
    let (notes, end) = checks::ask(start(shared, &shared.options.environment), step::MANAGEMENT, &shared.settings());
    Part::Management(notes, end)
}

fn ask_init(shared: &Shared) -> Part {
    let (notes, end) = checks::ask(start(shared, &shared.options.environment), step::INIT, &shared.settings());
    Part::Init(notes, end)
}

fn start<'a>(shared: &'a Shared, environment: &'a BTreeMap<OsString, OsString>) -> Start<'a> {
    let options = &shared.options;
    let deadline = options.budget.unwrap_or(options.patience);
    Start { executable: &shared.executable, environment, deadline, time: deadline }
}

pub(super) fn no_driver(vendor: &dyn Vendor, notes: &mut Notes) {
    let why = format!("no {} driver on this machine", vendor.description().name);
    for name in [
        "driver.version",
        "driver.cuda",
        "driver.init",
        "gpu.count",
        "gpu.name",
        "gpu.compute_capability",
        "gpu.arch",
        "gpu.memory.total",
        "gpu.memory.free",
        "gpu.memory.used",
        "gpu.ecc.uncorrected",
        "gpu.temperature",
        "gpu.mig",
        "gpu.compute_mode",
    ] {
        notes.set_unknown(name, why.clone());
    }
}

pub(super) fn management_end(end: &End, vendor: &dyn Vendor, notes: &mut Notes) {
    if *end == End::Done {
        return;
    }
    let word = match end {
        End::TimedOut(_) => "timed out",
        End::NotStarted(_) => "not started",
        _ => "crashed",
    };
    let asked_of = (0..installed(&notes.facts)).find(|index| {
        let name = format!("gpu.{index}.name");
        notes.facts.get(&name).is_none() && notes.facts.why_unknown(&name).is_none()
    });
    if let Some(index) = asked_of {
        notes.text(format!("gpu.{index}.error"), word);
    }
    let management = &vendor.description().management;
    let says = format!("{} {}", management.name, end.says());
    notes.text(format!("{}.error", management.facts), word);
    notes.text(format!("{}.says", management.facts), says.clone());
    for name in ["gpu.count", "gpu.name", "gpu.memory.free", "gpu.ecc.uncorrected", "driver.version"] {
        notes.set_unknown(name, says.clone());
    }
}

fn init_end(end: &End, vendor: &dyn Vendor, notes: &mut Notes) {
    let word = match end {
        End::Done => return,
        End::TimedOut(_) => "timed out",
        End::NotStarted(_) => {
            notes.set_unknown("driver.init", format!("the step {}", end.says()));
            return;
        }
        _ => "crashed",
    };
    notes.text("driver.init", word);
    notes.text("driver.init_says", format!("{} {}", vendor.description().runtime.init, end.says()));
}

/// A part as a person calls it.
fn in_words(part: &str, vendor: &dyn Vendor) -> &'static str {
    match part {
        "machine" => "the system's files",
        "software" => "the Python environment",
        "management" => &vendor.description().management.name,
        _ => &vendor.description().runtime.init,
    }
}

/// What a part would have told that did not arrive within the budget.
fn too_late(part: &str, budget: Duration, notes: &mut Notes) {
    let names: &[&str] = match part {
        "machine" => &["os.wsl", "os.container", "host.memory.available", "host.shm.free", "kernel.xid.count"],
        "software" => &["torch.version", "torch.cuda", "torch.arch_list", "python.version", "cudnn.version"],
        "management" => &["gpu.name", "gpu.memory.free", "gpu.ecc.uncorrected", "driver.version"],
        _ => &["driver.init"],
    };
    for name in names {
        let why = format!("no answer within {} ms; `faultbook probe` waits longer", budget.as_millis());
        notes.set_unknown(*name, why);
    }
}

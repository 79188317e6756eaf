//! The quick level: everything is read at once, each part in its own thread; what is missing when the budget is spent
//! becomes an unknown fact.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use super::checks::{self, Start};
use super::child::End;
use super::libraries::{self, Chosen};
use super::loader::{By, Found, libraries_in};
use super::note::Notes;
use super::numbering::installed;
use super::python::Python;
use super::seat::{Seat, write_runtime};
use super::step::{INIT, MANAGEMENT};
use super::vendor::Vendor;
use super::{Shared, environment, kernel_log, others, python, step, system, tools};

/// What was read: facts of the machine and of each vendor.
pub(super) struct Read {
    pub(super) machine: Notes,
    /// In the order of the seats.
    pub(super) vendors: Vec<(Notes, Chosen)>,
}

/// One answer of a thread. The numbers are those of seats.
enum Part {
    Machine(Notes, Vec<Notes>),
    Software(Notes, Vec<(Notes, Chosen)>),
    Tools(Notes),
    Management(usize, Notes, End),
    /// Without an end where there is no runtime to be asked.
    Init(usize, Notes, Option<End>),
}

/// Reads all parts in parallel, until all are done or the budget is spent.
pub(super) fn read(shared: &Arc<Shared>) -> Read {
    let until = shared.options.budget.map(|budget| Instant::now() + budget);
    let mut notes = Notes::default();
    let mut vendors = vec![(Notes::default(), Chosen::default()); shared.seats.len()];
    let (receiver, mut open) = start_all(shared);
    for (seat, (notes, _)) in shared.seats.iter().zip(&mut vendors) {
        notes.flag("driver.present", seat.present);
        if seat.present {
            seat.driver.write(seat.vendor, notes);
        } else {
            no_driver(seat.vendor, notes);
        }
    }
    while !open.is_empty() {
        let part = match until {
            Some(until) => receiver.recv_timeout(until.saturating_duration_since(Instant::now())).ok(),
            None => receiver.recv().ok(),
        };
        let Some(part) = part else { break };
        let name = match part {
            Part::Machine(part, of_vendors) => {
                notes.facts.merge(&part.facts);
                of_vendors.iter().zip(&mut vendors).for_each(|(part, (notes, _))| notes.facts.merge(&part.facts));
                ("machine", 0)
            }
            Part::Software(part, of_vendors) => {
                notes.facts.merge(&part.facts);
                for ((part, found), (notes, chosen)) in of_vendors.into_iter().zip(&mut vendors) {
                    notes.facts.merge(&part.facts);
                    *chosen = found;
                }
                ("software", 0)
            }
            Part::Tools(part) => {
                notes.facts.merge(&part.facts);
                ("tools", 0)
            }
            // Slow is not hung: without persistence mode a driver needs seconds. The fact stays unknown.
            Part::Management(seat, said, End::TimedOut(_)) | Part::Init(seat, said, Some(End::TimedOut(_)))
                if until.is_some() =>
            {
                vendors[seat].0.facts.merge(&said.facts);
                continue;
            }
            Part::Management(seat, mut said, end) => {
                management_end(&end, shared.seats[seat].vendor, &mut said);
                vendors[seat].0.facts.merge(&said.facts);
                ("management", seat)
            }
            Part::Init(seat, mut said, end) => {
                if let Some(end) = end {
                    init_end(&end, shared.seats[seat].vendor, &mut said);
                }
                vendors[seat].0.facts.merge(&said.facts);
                ("init", seat)
            }
        };
        open.retain(|other| *other != name);
    }
    let budget = shared.options.budget.unwrap_or_default();
    for (part, seat) in &open {
        let of_vendor = matches!(*part, "management" | "init");
        too_late(part, budget, if of_vendor { &mut vendors[*seat].0 } else { &mut notes });
    }
    if !open.is_empty() {
        // The program may end before they do.
        shared.running.end();
        let words = open.iter().map(|(part, seat)| in_words(part, shared.seats[*seat].vendor).to_owned());
        notes.list("probe.late", words.collect());
        notes.count("probe.budget_ms", u64::try_from(budget.as_millis()).unwrap_or(0));
    }
    Read { machine: notes, vendors }
}

/// Starts a thread for each part, and says which answers will come.
fn start_all(shared: &Arc<Shared>) -> (std::sync::mpsc::Receiver<Part>, Vec<(&'static str, usize)>) {
    type Work = fn(&Shared, usize, &Sender<Part>);
    let (sender, receiver) = channel();
    let start = |seat: usize, work: Work| {
        let (sender, shared) = (sender.clone(), Arc::clone(shared));
        std::thread::spawn(move || work(&shared, seat, &sender));
    };
    let mut open = vec![("machine", 0), ("software", 0)];
    start(0, machine);
    start(0, software);
    let options = &shared.options;
    let present = tools::present(&options.root, &options.environment);
    if !present.is_empty() {
        open.push(("tools", 0));
        let (sender, shared) = (sender.clone(), Arc::clone(shared));
        std::thread::spawn(move || {
            let options = &shared.options;
            let deadline = options.budget.unwrap_or(options.patience);
            let notes = tools::read(&present, &shared.running, &options.environment, deadline);
            send(&sender, Part::Tools(notes));
        });
    }
    for (number, seat) in shared.seats.iter().enumerate().filter(|(_, seat)| seat.present) {
        open.extend([("management", number), ("init", number)]);
        start(number, |shared, number, sender| {
            let (notes, end) = ask(shared, &shared.seats[number], MANAGEMENT);
            send(sender, Part::Management(number, notes, end));
        });
        if !seat.is_bundled() {
            start(number, |shared, number, sender| {
                let (notes, end) = ask(shared, &shared.seats[number], INIT);
                send(sender, Part::Init(number, notes, Some(end)));
            });
        }
    }
    (receiver, open)
}

/// Nobody receives any more once the budget is spent.
fn send(sender: &Sender<Part>, part: Part) {
    let _ = sender.send(part);
}

fn machine(shared: &Shared, _seat: usize, sender: &Sender<Part>) {
    let root = &shared.options.root;
    let mut notes = Notes::default();
    environment::read(&shared.options.environment, &mut notes);
    system::read(root, &mut notes);
    let mut vendors: Vec<(&dyn Vendor, Notes)> =
        shared.seats.iter().map(|seat| (seat.vendor, Notes::default())).collect();
    for (vendor, notes) in &mut vendors {
        vendor.read_system(root, notes);
    }
    kernel_log::read(root, &mut vendors, &mut notes);
    others::read_bus(root, &mut notes);
    send(sender, Part::Machine(notes, vendors.into_iter().map(|(_, notes)| notes).collect()));
}

/// The Python environment, then the runtimes that its packages bring.
fn software(shared: &Shared, _seat: usize, sender: &Sender<Part>) {
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
    let of_vendors = shared.seats.iter().map(|seat| {
        // A vendor's toolkit is compared with what the framework was built for.
        let mut own = notes.clone();
        let vendor = seat.vendor;
        let chosen = libraries::read(&shared.loader, vendor.description(), &python, conda.as_deref(), &mut own);
        vendor.read_toolkit(&options.root, conda.as_deref(), &mut own);
        (own, chosen)
    });
    send(sender, Part::Software(notes.clone(), of_vendors.collect()));
    for (number, seat) in shared.seats.iter().enumerate().filter(|(_, seat)| seat.present && seat.is_bundled()) {
        let found = bundled(seat, &python).or_else(|| seat.driver.library.clone());
        let mut notes = Notes::default();
        write_runtime(found.as_ref(), seat.vendor, &mut notes);
        let Some(found) = found else {
            notes.set_unknown(
                "driver.init",
                "no framework in this environment and no system package provides the runtime",
            );
            send(sender, Part::Init(number, notes, None));
            continue;
        };
        let settings = step::Settings { driver: Some(found.to_load()), ..shared.settings(seat) };
        let (said, end) = checks::ask(start(shared), INIT, &settings);
        notes.facts.merge(&said.facts);
        send(sender, Part::Init(number, notes, Some(end)));
    }
}

/// The runtime's library in a package of the environment.
fn bundled(seat: &Seat, python: &Python) -> Option<Found> {
    let driver = &seat.vendor.description().driver;
    let folders = python.sites.iter().flat_map(|site| driver.bundled.iter().map(move |folder| site.join(folder)));
    let path =
        folders.into_iter().find_map(|folder| libraries_in(&folder, driver.library.library()).into_iter().next());
    path.map(|path| Found { path, by: By::Wheel })
}

/// Runs one step of a vendor in a child process.
pub(super) fn ask(shared: &Shared, seat: &Seat, step: &str) -> (Notes, End) {
    checks::ask(start(shared), step, &shared.settings(seat))
}

fn start(shared: &Shared) -> Start<'_> {
    let options = &shared.options;
    let deadline = options.budget.unwrap_or(options.patience);
    Start {
        executable: &shared.executable,
        environment: &options.environment,
        running: &shared.running,
        deadline,
        time: deadline,
        tell: &|_| {},
    }
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
            notes.set_unknown("driver.init", format!("the child {}", end.says()));
            return;
        }
        _ => "crashed",
    };
    notes.text("driver.init", word);
    notes.text("driver.init_says", format!("{} {}", vendor.description().runtime.init, end.says()));
}

/// The name of a part for users.
fn in_words(part: &str, vendor: &dyn Vendor) -> &'static str {
    match part {
        "machine" => "the system's files",
        "software" => "the Python environment",
        "tools" => "the system's tools",
        "management" => &vendor.description().management.name,
        _ => &vendor.description().runtime.init,
    }
}

/// The facts of a part, to be marked unknown if it does not finish within the budget.
fn too_late(part: &str, budget: Duration, notes: &mut Notes) {
    let names: &[&str] = match part {
        "machine" => &["os.wsl", "os.container", "host.memory.available", "host.shm.free", "kernel.xid.count"],
        "software" => &["torch.version", "torch.cuda", "torch.arch_list", "python.version", "cudnn.version"],
        "tools" => &[],
        "management" => &["gpu.name", "gpu.memory.free", "gpu.ecc.uncorrected", "driver.version"],
        _ => &["driver.init"],
    };
    for name in names {
        let why = format!("no answer within {} ms; `faultbook probe` waits longer", budget.as_millis());
        notes.set_unknown(*name, why);
    }
}

//! Several vendors on one machine: whose facts get the plain names `gpu.*` and `driver.*`, and how the others' are kept.
//!
//! A processor with graphics of AMD beside a GPU of NVIDIA is common. The vendor in question is that of the installed
//! framework's build, otherwise the first with a GPU. Facts of the others have the vendor before their names:
//! `amd.gpu.0.name`.

use super::libraries::Chosen;
use super::note::Notes;
use super::quick::Read;
use super::seat::Seat;
use super::{Shared, question};
use crate::facts::{Facts, Source, Value, belongs_to_vendor};

/// The vendor in question, all facts, and the libraries that its checks load.
pub(super) fn in_question(shared: &Shared, read: Read) -> (&Seat, Notes, Chosen) {
    let number = by_framework(shared, &read.machine.facts).unwrap_or_else(|| shared.first());
    let seat = &shared.seats[number];
    let mut notes = read.machine;
    notes.text("driver.vendor", seat.vendor.description().id.clone());
    let mut chosen = Chosen::default();
    for (place, (mut own, found)) in read.vendors.into_iter().enumerate() {
        let other = &shared.seats[place];
        if place == number {
            notes.facts.merge(&own.facts);
            chosen = found;
        } else if other.present || other.on_bus {
            let id = &other.vendor.description().id;
            own.text("driver.vendor", id.clone());
            question::settle(&shared.options, &[], &mut own);
            add(&own.facts, id, &mut notes.facts);
        }
    }
    (seat, notes, chosen)
}

/// The vendor that the framework is built for, if it is one of the list.
fn by_framework(shared: &Shared, facts: &Facts) -> Option<usize> {
    let built = |runtime: &str| facts.get(&format!("torch.{runtime}")).is_some();
    let of = |seat: &Seat| built(&seat.vendor.description().runtime.facts);
    shared.seats.iter().position(of)
}

/// Adds the facts about a vendor's driver and GPUs with its name before theirs.
fn add(own: &Facts, vendor: &str, facts: &mut Facts) {
    for (name, fact) in own.iter().filter(|(name, _)| belongs_to_vendor(name)) {
        facts.add(format!("{vendor}.{name}"), fact.value.clone(), Source::Probe, None);
    }
    for (name, why) in own.unknowns().filter(|(name, _)| belongs_to_vendor(name)) {
        facts.set_unknown(format!("{vendor}.{name}"), why);
    }
}

/// Says what GPUs of vendors that are not in question there are; first, if the framework is built for none of them.
pub(super) fn describe(shared: &Shared, seat: &Seat, facts: &Facts, findings: &mut Vec<String>) {
    let asked = seat.vendor.description();
    let built = facts.get(&format!("torch.{}", asked.runtime.facts)).is_some();
    let runtime = &asked.runtime.name;
    for other in shared.seats.iter().map(|other| other.vendor.description()).filter(|other| other.id != asked.id) {
        let (maker, gpus) = (&other.name, names(facts, &other.id).join(", "));
        if gpus.is_empty() {
            continue;
        }
        if built && !seat.present && !seat.on_bus {
            let says = format!("the torch of this environment is built for {runtime}, the GPU is from {maker}: {gpus}");
            findings.insert(0, says);
        } else {
            findings.push(format!("this machine also has a GPU from {maker}, which {runtime} does not use: {gpus}"));
        }
    }
}

/// "AMD Radeon RX 7900 XTX (gfx1100)".
fn names(facts: &Facts, vendor: &str) -> Vec<String> {
    let of = |index: u32, name: &str| facts.text(&format!("{vendor}.gpu.{index}.{name}"));
    let names = (0..256).map_while(|index| Some((index, of(index, "name")?)));
    let mut names: Vec<String> = names
        .map(|(index, name)| match of(index, "arch") {
            Some(arch) => format!("{name} ({arch})"),
            None => name.to_owned(),
        })
        .collect();
    if names.is_empty()
        && let Some(Value::List(gpus)) = facts.get(&format!("{vendor}.pci.gpus")).map(|fact| &fact.value)
    {
        names.clone_from(gpus);
    }
    names
}

//! Several vendors on one machine: whose facts get the plain names `gpu.*` and `driver.*`, and how the others' are kept.
//!
//! A processor with graphics of AMD beside a GPU of NVIDIA is common. The vendor in question is that of the installed
//! framework's build, otherwise the first with a GPU. Facts of the others have the vendor before their names:
//! `amd.gpu.0.name`.

use std::path::Path;

use super::libraries::Chosen;
use super::note::Notes;
use super::quick::Read;
use super::seat::Seat;
use super::{Shared, pci, question};
use crate::facts::{self, Facts, Source, Value, belongs_to_vendor};
use crate::text::words::capital;
use crate::{vendors, wording};

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

/// Lists the GPUs of vendors that no code asks, as the PCI bus has them.
pub(super) fn read_bus(root: &Path, notes: &mut Notes) {
    for platform in &wording::platforms().vendor {
        let Some(devices) = platform.pci.and_then(|number| pci::devices(root, number)) else { continue };
        let gpus = devices.iter().filter(|device| device.is_display());
        let shown =
            |device: &pci::PciDevice| format!("{} {}", device.address, device.driver.as_deref().unwrap_or("no driver"));
        let gpus: Vec<String> = gpus.map(shown).collect();
        if !gpus.is_empty() {
            notes.count(format!("{}.pci.gpu_count", platform.name), gpus.len() as u64);
            notes.list(format!("{}.pci.gpus", platform.name), gpus);
        }
    }
}

/// Says whose the GPUs are where the framework is built for another vendor's.
pub(super) fn describe(seat: &Seat, facts: &Facts, findings: &mut Vec<String>) {
    let runtime = &seat.vendor.description().runtime;
    let built = facts.get(&format!("torch.{}", runtime.facts)).is_some();
    if built && !seat.present && !seat.on_bus {
        let gpus = gpus(facts).into_iter().map(|(maker, gpus)| {
            format!("the torch of this environment is built for {}, the GPU is from {maker}: {gpus}", runtime.name)
        });
        findings.splice(0..0, gpus);
    }
}

/// The GPUs of vendors that are not in question: "AMD" and "AMD Radeon RX 7900 XTX (gfx1100)".
pub(crate) fn gpus(facts: &Facts) -> Vec<(String, String)> {
    let found = facts::vendors().map(|id| (id, names(facts, id))).filter(|(_, names)| !names.is_empty());
    let maker = |id: &str| vendors::by_id(id).map_or_else(|| capital(id), |vendor| vendor.name.clone());
    found.map(|(id, names)| (maker(id), names.join(", "))).collect()
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

//! Maps the runtime's device numbers to the driver's.
//!
//! NVML counts in PCI bus order. CUDA counts the devices in CUDA_VISIBLE_DEVICES, fastest first unless
//! CUDA_DEVICE_ORDER says otherwise. The PCI address identifies a device in both.

use std::ffi::OsStr;

use super::Options;
use crate::facts::{Facts, Value};
use crate::vendors::{self, Vendor};

/// The number of devices that the driver lists.
pub(super) fn installed(facts: &Facts) -> u32 {
    facts.number("gpu.installed").map_or(0, whole)
}

/// The vendor of the devices, otherwise the first vendor.
pub(super) fn vendor(facts: &Facts) -> &'static Vendor {
    facts.text("driver.vendor").and_then(vendors::by_id).unwrap_or(&vendors::all()[0])
}

/// The name of a fact about a device, by its runtime number: `cuda.0.pci`.
pub(super) fn by_ordinal(facts: &Facts, ordinal: u32, name: &str) -> String {
    format!("{}.{ordinal}.{name}", vendor(facts).runtime.facts)
}

/// The driver's number of a device, given its runtime number: the index in `gpu.<index>.*`.
pub(crate) fn index_of(facts: &Facts, ordinal: u32) -> Option<u32> {
    let address = facts.text(&by_ordinal(facts, ordinal, "pci")).and_then(address)?;
    (0..installed(facts))
        .find(|index| facts.text(&format!("gpu.{index}.pci")).and_then(self::address).as_ref() == Some(&address))
}

/// The runtime's number of a device, given its driver number; the first slice if it is divided.
pub(crate) fn ordinal_of(facts: &Facts, index: u32) -> Option<u32> {
    (0..counted(facts)?).find(|ordinal| index_of(facts, *ordinal) == Some(index))
}

/// How a user would call the device with this runtime number.
pub(crate) fn called(facts: &Facts, ordinal: u32) -> String {
    match index_of(facts, ordinal) {
        Some(index) if index != ordinal => {
            format!("GPU {index} ({}'s device {ordinal})", vendor(facts).runtime.name)
        }
        _ => format!("GPU {ordinal}"),
    }
}

/// The visible devices, by driver number and in the runtime's order.
pub(super) fn visible(options: &Options, facts: &Facts) -> Vec<u32> {
    let asked = counted(facts).and_then(|count| (0..count).map(|ordinal| index_of(facts, ordinal)).collect());
    let mut all: Vec<u32> = asked.unwrap_or_else(|| by_variable(options, facts));
    let mut known = Vec::new();
    // With MIG, the runtime lists each slice of a device separately.
    all.retain(|index| {
        !known.contains(index) && {
            known.push(*index);
            true
        }
    });
    all
}

/// The number of devices that the runtime counts.
fn counted(facts: &Facts) -> Option<u32> {
    facts.number(&format!("{}.device_count", vendor(facts).runtime.facts)).map(whole)
}

/// Domain and bus address: "00000000:65:00.0" and "0000:65:00.0" are the same.
fn address(text: &str) -> Option<(u32, String)> {
    let (domain, place) = text.split_once(':')?;
    Some((u32::from_str_radix(domain, 16).ok()?, place.to_ascii_lowercase()))
}

/// The devices in CUDA_VISIBLE_DEVICES when the runtime does not answer: the list up to the first invalid entry, read
/// as driver numbers, which is correct when all devices are the same model.
fn by_variable(options: &Options, facts: &Facts) -> Vec<u32> {
    let installed = installed(facts);
    let set = |name: &String| options.environment.get(OsStr::new(name)).and_then(|value| value.to_str());
    let value = vendor(facts).variables.visible.iter().find_map(set);
    let Some(value) = value else { return (0..installed).collect() };
    let mut visible = Vec::new();
    for entry in value.split(',').map(str::trim) {
        let index = match entry.parse::<u32>() {
            Ok(index) => Some(index).filter(|index| *index < installed),
            Err(_) if entry.is_empty() => None,
            Err(_) => (0..installed).find(|index| is_or_holds(facts, *index, entry)),
        };
        match index {
            Some(index) if !visible.contains(&index) => visible.push(index),
            _ => break,
        }
    }
    visible
}

/// Whether a device, or one of its MIG slices, has this UUID; CUDA accepts a prefix.
fn is_or_holds(facts: &Facts, index: u32, entry: &str) -> bool {
    if facts.text(&format!("gpu.{index}.uuid")).is_some_and(|uuid| uuid.starts_with(entry)) {
        return true;
    }
    let slices = facts.get(&format!("gpu.{index}.mig_devices")).map(|fact| &fact.value);
    matches!(slices, Some(Value::List(slices)) if slices.iter().any(|slice| slice.starts_with(entry)))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
fn whole(count: f64) -> u32 {
    count.clamp(0.0, 256.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::note::Notes;

    #[test]
    fn addresses_join_the_two_numberings() {
        let mut notes = Notes::default();
        notes.count("gpu.installed", 3);
        for (index, pci) in [(0, "00000000:17:00.0"), (1, "00000000:65:00.0"), (2, "00000001:65:00.0")] {
            notes.text(format!("gpu.{index}.pci"), pci);
        }
        notes.count("cuda.device_count", 2);
        notes.text("cuda.0.pci", "0001:65:00.0");
        notes.text("cuda.1.pci", "0000:17:00.0");
        let facts = notes.facts;
        assert_eq!(visible(&Options::default(), &facts), [2, 0]);
        assert_eq!((index_of(&facts, 0), ordinal_of(&facts, 0), ordinal_of(&facts, 1)), (Some(2), Some(1), None));
        assert_eq!(called(&facts, 0), "GPU 2 (CUDA's device 0)");
        assert_eq!(called(&facts, 7), "GPU 7");
    }
}

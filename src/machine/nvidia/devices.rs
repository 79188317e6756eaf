//! What the kernel shows about NVIDIA devices without the driver: module version, device nodes and their permissions,
//! the PCI bus, the fabric manager. All of it works even if the driver hangs.

use std::path::Path;

use super::description;
use crate::machine::note::Notes;
use crate::machine::pci;
use crate::machine::system::{may_open, read_text};

/// Records `driver.kernel_version`, `device_nodes.*`, `pci.*`, `fabric_manager.*`.
pub(super) fn read(root: &Path, notes: &mut Notes) {
    kernel_module(root, notes);
    nodes(root, notes);
    pci_bus(root, notes);
    fabric_manager(root, notes);
}

/// The version and type (open or proprietary) of the loaded kernel module.
fn kernel_module(root: &Path, notes: &mut Notes) {
    match read_text(root, "proc/driver/nvidia/version") {
        Some(text) => {
            if let Some(version) = module_version(&text) {
                notes.text("driver.kernel_version", version);
            }
            notes.flag("driver.open_kernel_module", text.contains("Open Kernel Module"));
        }
        None if crate::machine::system::is_wsl(root) => {
            notes.set_unknown("driver.kernel_version", "on WSL2 the driver runs on the Windows side");
        }
        None => {
            let modules = read_text(root, "proc/modules").unwrap_or_default();
            let nouveau = modules.lines().any(|line| line.starts_with("nouveau "));
            let why = if nouveau {
                "the nouveau driver has the device: NVIDIA's kernel module is not loaded"
            } else {
                "the nvidia kernel module is not loaded (no /proc/driver/nvidia/version)"
            };
            notes.set_unknown("driver.kernel_version", why);
        }
    }
}

/// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue Sep ..." as "580.95.05".
fn module_version(text: &str) -> Option<&str> {
    let line = text.lines().find(|line| line.starts_with("NVRM version"))?;
    line.split_whitespace().find(|word| {
        word.contains('.') && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && word.len() >= 5
    })
}

/// Device nodes: which exist, which of them this user may not open, which a running driver should have created.
fn nodes(root: &Path, notes: &mut Notes) {
    let Ok(entries) = std::fs::read_dir(root.join("dev")) else {
        notes.set_unknown("device_nodes.present", "/dev cannot be read");
        return;
    };
    let mut present: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| (name.starts_with("nvidia") || name == "dxg") && !root.join("dev").join(name).is_dir())
        .collect();
    present.sort();
    let denied: Vec<String> = present
        .iter()
        .filter(|name| !name.contains("modeset") && !may_open(&root.join("dev").join(name)))
        .map(|name| format!("/dev/{name}"))
        .collect();
    let has = |name: &str| present.iter().any(|other| other == name);
    let module = root.join("proc/driver/nvidia/version").exists();
    let missing: Vec<String> = ["nvidiactl", "nvidia-uvm"]
        .into_iter()
        .filter(|name| module && !has(name))
        .map(|name| format!("/dev/{name}"))
        .collect();
    let cards = present.iter().filter(|name| name.strip_prefix("nvidia").is_some_and(is_number)).count();
    notes.count("device_nodes.cards", cards as u64);
    notes.list("device_nodes.present", present.iter().map(|name| format!("/dev/{name}")).collect());
    notes.list("device_nodes.denied", denied);
    notes.list("device_nodes.missing", missing);
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// NVIDIA devices on the PCI bus and the driver that each is bound to.
fn pci_bus(root: &Path, notes: &mut Notes) {
    let Some(devices) = pci::read(root, &description().driver.pci, notes) else { return };
    let switches = devices.iter().any(|device| device.class.starts_with("0x0680"));
    notes.flag("fabric_manager.needed", switches || root.join("dev/nvidia-nvswitchctl").exists());
}

/// Whether the fabric manager is running; the kernel truncates its name to 15 characters.
fn fabric_manager(root: &Path, notes: &mut Notes) {
    if !root.join("dev/nvidia-nvswitchctl").exists() {
        notes.set_unknown("fabric_manager.running", "this machine has no NVSwitch for it to manage");
        return;
    }
    let Ok(entries) = std::fs::read_dir(root.join("proc")) else {
        notes.set_unknown("fabric_manager.running", "/proc cannot be read");
        return;
    };
    let running = entries.filter_map(Result::ok).any(|entry| {
        entry.file_name().to_str().is_some_and(is_number)
            && std::fs::read_to_string(entry.path().join("comm")).is_ok_and(|comm| comm.starts_with("nv-fabricmanage"))
    });
    if running {
        notes.flag("fabric_manager.running", true);
    } else if crate::machine::system::container(root).is_some() {
        notes.set_unknown("fabric_manager.running", "a container does not see the host's services");
    } else {
        notes.flag("fabric_manager.running", false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Value;
    use crate::machine::files::facts_of;

    fn machine(files: &[(&str, &[u8])]) -> crate::facts::Facts {
        facts_of(files, read)
    }

    fn list<'a>(facts: &'a crate::facts::Facts, name: &str) -> &'a [String] {
        match facts.get(name).map(|fact| &fact.value) {
            Some(Value::List(list)) => list,
            other => panic!("{name}: {other:?}"),
        }
    }

    #[test]
    fn both_flavours_of_the_module() {
        let open = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (dvs)\n";
        let closed = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024\n";
        assert_eq!(module_version(open), Some("580.95.05"));
        assert_eq!(module_version(closed), Some("535.183.01"));
        assert_eq!(module_version(""), None);
    }

    #[test]
    fn a_module_without_its_uvm_node() {
        let facts = machine(&[
            ("proc/driver/nvidia/version", b"NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun\n"),
            ("dev/nvidiactl", b""),
            ("dev/nvidia0", b""),
            ("dev/nvidia-modeset", b""),
        ]);
        assert_eq!(list(&facts, "device_nodes.missing"), ["/dev/nvidia-uvm"]);
        assert_eq!(facts.number("device_nodes.cards"), Some(1.0));
        assert_eq!(facts.text("driver.kernel_version"), Some("535.183.01"));
    }

    #[test]
    fn a_card_that_reads_as_all_ones_is_lost() {
        let facts = machine(&[
            ("sys/bus/pci/devices/0000:65:00.0/vendor", b"0x10de\n"),
            ("sys/bus/pci/devices/0000:65:00.0/class", b"0x030200\n"),
            ("sys/bus/pci/devices/0000:65:00.0/config", &[0xff; 64]),
            ("sys/bus/pci/devices/0000:00:1f.0/vendor", b"0x8086\n"),
        ]);
        assert_eq!(list(&facts, "pci.lost"), ["0000:65:00.0"]);
        assert_eq!(list(&facts, "pci.gpus"), ["0000:65:00.0 no driver"]);
    }

    #[test]
    fn no_driver_says_why() {
        let facts = machine(&[("proc/modules", b"nouveau 2400256 0 - Live 0x0\n")]);
        assert!(facts.why_unknown("driver.kernel_version").is_some_and(|why| why.contains("nouveau")));
    }
}

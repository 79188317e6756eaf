//! What the kernel shows about AMD's driver without asking a device: the module, the device nodes and whether this user
//! may open them, the PCI bus.

use std::path::Path;

use super::description;
use crate::machine::note::Notes;
use crate::machine::pci;
use crate::machine::system::{self, may_open, read_text};

/// The compute driver's node: every ROCm program opens it.
const COMPUTE: &str = "dev/kfd";

/// Records `driver.kernel_version`, `device_nodes.*` and `pci.*`.
pub(super) fn read(root: &Path, notes: &mut Notes) {
    kernel_module(root, notes);
    nodes(root, notes);
    pci::read(root, &description().driver.pci, notes);
}

fn is_loaded(root: &Path) -> bool {
    root.join("sys/module").join(&description().driver.module).exists()
}

/// The version of the loaded module: AMD's own packages give it one, the kernel's module has none.
fn kernel_module(root: &Path, notes: &mut Notes) {
    match read_text(root, &format!("sys/module/{}/version", description().driver.module)) {
        Some(version) => {
            notes.text("driver.kernel_version", version.trim());
            notes.text("driver.version", version.trim());
        }
        None => {
            let why = if is_loaded(root) {
                "this amdgpu module is part of the kernel and has no version of its own"
            } else if system::is_wsl(root) {
                "on WSL2 the driver runs on the Windows side"
            } else {
                "the amdgpu kernel module is not loaded"
            };
            for name in ["driver.kernel_version", "driver.version"] {
                notes.set_unknown(name, why);
            }
        }
    }
}

/// `/dev/kfd` and the render nodes of AMD's GPUs: which exist, which of them this user may not open, which are missing.
fn nodes(root: &Path, notes: &mut Notes) {
    let render = render_nodes(root);
    let exists = |path: &str| root.join(path).exists();
    let (present, absent): (Vec<String>, Vec<String>) = render.into_iter().partition(|path| exists(path));
    let cards = present.len();
    let mut all: Vec<String> = [COMPUTE.to_owned()].into_iter().filter(|path| exists(path)).collect();
    all.extend(present);
    let mut missing = Vec::new();
    if is_loaded(root) && !exists(COMPUTE) {
        missing.push(COMPUTE.to_owned());
    }
    // A container may have been given some GPUs only; a program needs one.
    if cards == 0 {
        missing.extend(absent);
    }
    let shown = |paths: Vec<String>| paths.into_iter().map(|path| format!("/{path}")).collect();
    let denied = all.iter().filter(|path| !may_open(&root.join(path))).cloned().collect();
    notes.count("device_nodes.cards", cards as u64);
    notes.list("device_nodes.denied", shown(denied));
    notes.list("device_nodes.present", shown(all));
    notes.list("device_nodes.missing", shown(missing));
}

/// The paths of the nodes that AMD's GPUs should have, from sysfs; a container sees those of the host too.
fn render_nodes(root: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(root.join("sys/class/drm")) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.starts_with("renderD"))
        .filter(|name| {
            let vendor = read_text(root, &format!("sys/class/drm/{name}/device/vendor"));
            vendor.is_some_and(|vendor| vendor.trim() == description().driver.pci)
        })
        .map(|name| format!("dev/dri/{name}"))
        .collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Value;
    use crate::machine::files::facts_of;

    fn list(facts: &crate::facts::Facts, name: &str) -> Vec<String> {
        match facts.get(name).map(|fact| &fact.value) {
            Some(Value::List(list)) => list.clone(),
            other => panic!("{name}: {other:?}"),
        }
    }

    #[test]
    fn a_container_without_the_compute_node() {
        let facts = facts_of(
            &[
                ("sys/module/amdgpu/version", b"6.12.12\n"),
                ("sys/class/drm/renderD128/device/vendor", b"0x10de\n"),
                ("sys/class/drm/renderD129/device/vendor", b"0x1002\n"),
                ("dev/dri/renderD128", b""),
            ],
            read,
        );
        assert_eq!(list(&facts, "device_nodes.missing"), ["/dev/kfd", "/dev/dri/renderD129"]);
        assert_eq!(facts.number("device_nodes.cards"), Some(0.0));
        assert_eq!(facts.text("driver.version"), Some("6.12.12"));
    }

    #[test]
    fn one_gpu_of_several_is_enough() {
        let facts = facts_of(
            &[
                ("sys/module/amdgpu/initstate", b"live\n"),
                ("sys/class/drm/renderD128/device/vendor", b"0x1002\n"),
                ("sys/class/drm/renderD129/device/vendor", b"0x1002\n"),
                ("dev/dri/renderD129", b""),
                ("dev/kfd", b""),
            ],
            read,
        );
        assert!(list(&facts, "device_nodes.missing").is_empty());
        assert_eq!(list(&facts, "device_nodes.present"), ["/dev/kfd", "/dev/dri/renderD129"]);
        assert!(facts.why_unknown("driver.version").is_some_and(|why| why.contains("part of the kernel")));
    }
}

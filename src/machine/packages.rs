//! Installed packages from their metadata folders: their versions as facts, and torch's pins against what is installed.

use std::path::Path;

use super::note::Notes;
use super::python::Python;
use crate::packages;
use crate::vendors;

/// Distributions by the names of their metadata folders.
pub(super) fn distributions(site: &Path) -> Vec<(String, String)> {
    let Ok(entries) = std::fs::read_dir(site) else { return Vec::new() };
    entries
        .filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            let stem = name.strip_suffix(".dist-info").or_else(|| name.strip_suffix(".egg-info"))?;
            let (name, rest) = stem.split_once('-')?;
            let version = rest.split("-py3").next().unwrap_or(rest);
            Some((normalised(name), version.to_owned()))
        })
        .collect()
}

/// A distribution's name as its metadata folder spells it.
fn normalised(name: &str) -> String {
    name.to_ascii_lowercase().replace(['-', '.'], "_")
}

/// Records versions, missing packages, and pins.
pub(super) fn write(python: &Python, notes: &mut Notes) {
    for package in packages::builtin().iter().filter(|package| package.is_python()) {
        let mut named = package.distributions().flat_map(|pattern| {
            python.packages.iter().filter(move |(name, _)| packages::fits(pattern, &packages::normalised(name)))
        });
        if let Some((_, version)) = named.next() {
            notes.text(package.fact.to_string(), version.clone());
        }
    }
    for name in ["torch", "tensorflow", "jax"] {
        if notes.facts.get(&format!("{name}.version")).is_none() {
            notes.set_unknown(format!("{name}.version"), format!("{name} is not installed in this environment"));
        }
    }
    if notes.facts.get("torch.version").is_none() {
        for name in ["torch.cuda", "torch.arch_list"] {
            notes.set_unknown(name, "torch is not installed in this environment");
        }
    }
    let plugin = python.packages.keys().find_map(|name| name.strip_prefix("jax_cuda")?.strip_suffix("_plugin"));
    match plugin {
        Some(cuda) => notes.text("jax.cuda", cuda),
        None if python.packages.contains_key("jaxlib") => {
            notes.set_unknown("jax.cuda", "no GPU plugin of JAX is installed: it runs on the CPU");
        }
        None => {}
    }
    let (wanted, broken) = pins(python);
    if !wanted.is_empty() {
        notes.list("torch.pins", wanted);
        notes.list("torch.broken_pins", broken);
    }
}

/// The version of a package that torch's metadata requires, by a prefix of its normalised name.
pub(super) fn pinned(python: &Python, package: &str) -> Option<String> {
    let (wanted, _) = pins(python);
    wanted.iter().find_map(|pin| {
        let (name, version) = pin.split_once(' ')?;
        normalised(name).starts_with(package).then(|| version.to_owned())
    })
}

/// The vendors' packages that torch's metadata requires, and those that are missing or have another version.
fn pins(python: &Python) -> (Vec<String>, Vec<String>) {
    let Some(version) = python.packages.get("torch") else { return (Vec::new(), Vec::new()) };
    let metadata = python
        .sites
        .iter()
        .find_map(|site| std::fs::read_to_string(site.join(format!("torch-{version}.dist-info/METADATA"))).ok());
    let (mut wanted, mut broken) = (Vec::new(), Vec::new());
    for line in metadata.unwrap_or_default().lines() {
        let Some(need) = line.strip_prefix("Requires-Dist: ") else { continue };
        let (need, marker) = need.split_once(';').unwrap_or((need, ""));
        if !holds_here(marker) {
            continue;
        }
        let need = need.replace(['(', ')', ' '], "");
        let Some((name, pinned)) = need.split_once("==") else { continue };
        let name = name.split('[').next().unwrap_or(name);
        let package = normalised(name);
        if !(is_of_vendor(&package) || matches!(package.as_str(), "triton" | "pytorch_triton")) {
            continue;
        }
        wanted.push(format!("{name} {pinned}"));
        match python.packages.get(&package) {
            Some(installed) if installed == pinned => {}
            Some(installed) => broken.push(format!("{name} {pinned} is required, but {installed} is installed")),
            None => broken.push(format!("{name} {pinned} is required but not installed")),
        }
    }
    (wanted, broken)
}

/// Whether a package is one of a vendor's libraries.
fn is_of_vendor(package: &str) -> bool {
    let mut prefixes = vendors::all().iter().map(|vendor| vendor.wheels.as_str()).filter(|wheels| !wheels.is_empty());
    prefixes.any(|wheels| package.strip_prefix(wheels).is_some_and(|rest| rest.starts_with('_')))
}

/// Whether a requirement applies to this machine: reads only the two markers that torch uses, others count as true.
fn holds_here(marker: &str) -> bool {
    let names_other = |key: &str, own: &str| {
        marker.split(key).nth(1).and_then(|rest| rest.split(['"', '\'']).nth(1)).is_some_and(|named| named != own)
    };
    let system = match std::env::consts::OS {
        "linux" => "Linux",
        "windows" => "Windows",
        "macos" => "Darwin",
        other => other,
    };
    !names_other("platform_system ==", system) && !names_other("platform_machine ==", std::env::consts::ARCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demands_of_other_machines_do_not_count() {
        assert!(holds_here(""));
        assert!(holds_here(" extra == \"opt-einsum\""));
        assert!(!holds_here(" platform_system == \"Plan 9\""));
        let here = format!(" platform_machine == '{}'", std::env::consts::ARCH);
        assert!(holds_here(&here));
        assert!(!holds_here(" platform_system == \"Linux\" and platform_machine == \"pdp11\""));
    }
}

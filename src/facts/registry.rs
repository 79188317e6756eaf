//! The registry of facts: `kb/facts.toml`, packed by `build.rs` and decoded on first use.

use std::sync::OnceLock;

use super::definition::{Definition, FactType, Group, Origin, Registry};
use super::{Value, amount};

static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/facts.postcard"));

/// A fact's definition, with what its name has in place of the parts in braces.
#[derive(Debug, Clone)]
pub struct Described<'n> {
    /// The entry.
    pub definition: &'static Definition<'static>,
    /// Parts in braces and what the name has there: `("{variable}", "CUDA_VISIBLE_DEVICES")`.
    filled: Vec<(&'static str, &'n str)>,
    /// The number of `gpu.1.uuid`.
    gpu: Option<&'n str>,
    /// The vendor of `amd.gpu.uuid`.
    vendor: Option<&'n str>,
}

fn registry() -> &'static Registry<'static> {
    static REGISTRY: OnceLock<Registry<'static>> = OnceLock::new();
    REGISTRY.get_or_init(|| postcard::from_bytes(BYTES).expect("the same build wrote these bytes"))
}

/// The vendors whose facts may have their name first.
pub fn vendors() -> impl Iterator<Item = &'static str> {
    registry().vendors.iter().map(AsRef::as_ref)
}

/// The registry's groups, in the order of the file.
pub fn groups() -> &'static [Group<'static>] {
    &registry().groups
}

/// All facts, in the order of the file.
pub fn definitions() -> impl Iterator<Item = &'static Definition<'static>> {
    groups().iter().flat_map(|group| &group.facts)
}

/// The registry's entry for a name; `None` when there is no such fact.
pub fn describe(name: &str) -> Option<Described<'_>> {
    let vendor = name.split_once('.').filter(|(first, _)| registry().vendors.iter().any(|vendor| vendor == first));
    if let Some((vendor, rest)) = vendor
        && belongs_to_vendor(rest)
    {
        return Some(Described { vendor: Some(vendor), ..find(rest)?.1 });
    }
    Some(find(name)?.1)
}

/// Whether a fact describes one vendor's driver or GPUs, so that another vendor on the same machine has one too.
pub fn belongs_to_vendor(name: &str) -> bool {
    find(name).is_some_and(|(group, _)| group.each_vendor)
}

fn find(name: &str) -> Option<(&'static Group<'static>, Described<'_>)> {
    let all = || groups().iter().flat_map(|group| group.facts.iter().map(move |definition| (group, definition)));
    if let Some((group, definition)) = all().find(|(_, definition)| definition.name == name) {
        return Some((group, Described { definition, filled: Vec::new(), gpu: None, vendor: None }));
    }
    if let Some((gpu, of_gpu)) = name.strip_prefix("gpu.").and_then(|rest| rest.split_once('.'))
        && gpu.bytes().all(|byte| byte.is_ascii_digit())
    {
        let same = |definition: &Definition<'_>| definition.name.strip_prefix("gpu.") == Some(of_gpu);
        let (group, definition) = all().find(|(group, definition)| group.each_gpu && same(definition))?;
        return Some((group, Described { definition, filled: Vec::new(), gpu: Some(gpu), vendor: None }));
    }
    all().filter(|(_, definition)| definition.name.contains('{')).find_map(|(group, definition)| {
        Some((group, Described { definition, filled: fill(group, &definition.name, name)?, gpu: None, vendor: None }))
    })
}

/// Packages whose `<package>.version` is a fact.
pub fn packages() -> impl Iterator<Item = &'static str> {
    definitions()
        .filter(|definition| definition.fact_type == FactType::Version)
        .filter_map(|definition| definition.name.strip_suffix(".version"))
}

/// A row's heading for a fact; its name where the registry does not have it, as in facts saved by another version.
pub fn label(name: &str) -> String {
    describe(name).map_or_else(|| name.to_owned(), |described| described.label())
}

/// A fact's value in words, a number with its unit.
pub fn words(name: &str, value: &Value) -> String {
    amount::words(value, describe(name).and_then(|described| described.definition.unit))
}

impl Described<'_> {
    /// A row's heading.
    pub fn label(&self) -> String {
        let mut label = self.definition.label.to_string();
        for (part, word) in &self.filled {
            label = label.replace(part, word);
        }
        if let Some(gpu) = self.gpu {
            label = format!("{label} (GPU {gpu})");
        }
        match self.vendor {
            Some(vendor) => format!("{label} ({vendor})"),
            None => label,
        }
    }
}

impl Definition<'_> {
    /// Whether it can be measured on this machine.
    pub(crate) fn is_measurable(&self) -> bool {
        self.origin.contains(&Origin::Machine)
    }
}

/// What a name has in place of the parts in braces of a pattern; `None` where it is not of that pattern.
fn fill<'n>(group: &Group<'_>, pattern: &'static str, name: &'n str) -> Option<Vec<(&'static str, &'n str)>> {
    let mut filled = Vec::new();
    let (mut parts, mut words) = (pattern.split('.'), name.split('.'));
    loop {
        match (parts.next(), words.next()) {
            (None, None) => return Some(filled),
            (Some(part), Some(word)) if part.starts_with('{') => {
                let allowed = group.names.is_empty() || group.names.iter().any(|name| name == word);
                let is_word = !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
                if !(allowed && is_word) {
                    return None;
                }
                filled.push((part, word));
            }
            (Some(part), Some(word)) if part == word => {}
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_patterns_and_numbered_gpus() {
        for (name, expected) in [
            ("oom.free", Some((FactType::Number, "Memory free at the failure"))),
            ("vllm.version", Some((FactType::Version, "vLLM"))),
            ("env.CUDA_VISIBLE_DEVICES", Some((FactType::Text, "CUDA_VISIBLE_DEVICES"))),
            ("ladder.holds", Some((FactType::Bool, "All functional checks passed"))),
            ("ladder.copy", Some((FactType::Text, "Check: copy"))),
            ("ladder.code.copy", Some((FactType::Number, "Status of check copy"))),
            ("cudnn.copies", Some((FactType::Number, "Copies of cudnn"))),
            ("gpu.1.memory.free", Some((FactType::Number, "GPU memory free when measured (GPU 1)"))),
            ("cuda.0.workspace.forward", Some((FactType::Number, "cuDNN workspace on CUDA device 0"))),
            ("amd.gpu.1.memory.free", Some((FactType::Number, "GPU memory free when measured (GPU 1) (amd)"))),
            ("amd.hip.0.pci", Some((FactType::Text, "PCI address of HIP device 0 (amd)"))),
            ("amd.torch.version", None),
            ("amd.oom.free", None),
            ("oom.freed", None),
            ("left_pad.version", None),
            ("numpy.copies", None),
            ("gpu.1.count", None),
            ("env.", None),
            ("env.A.B", None),
            ("oom", None),
            ("", None),
        ] {
            let found = describe(name).map(|described| (described.definition.fact_type, described.label()));
            assert_eq!(found, expected.map(|(kind, label)| (kind, label.to_owned())), "{name}");
        }
    }

    #[test]
    fn values_with_their_units() {
        for (name, value, expected) in [
            ("oom.free", Value::Number(100.0 * 1024.0 * 1024.0), "100.0 MiB"),
            ("gpu.memory.total", Value::Number(12.0 * 1024.0 * 1024.0 * 1024.0), "12.0 GiB"),
            ("gpu.held_by_processes", Value::Number(62_914_560_000.0), "58.6 GiB"),
            ("gpu.0.power", Value::Number(311.0), "311 W"),
            ("gpu.count", Value::Number(2.0), "2"),
            ("gpu.temperature", Value::Number(61.5), "61.5 °C"),
            ("nccl.timeout_s", Value::Number(600.0), "600 s"),
            ("ulimit.stack", Value::Text("unlimited".into()), "unlimited"),
            ("os.wsl", Value::Bool(true), "yes"),
            ("torch.arch_list", Value::List(vec!["sm_80".into(), "sm_86".into()]), "sm_80, sm_86"),
            ("of.another_version", Value::Number(1.0), "1"),
        ] {
            assert_eq!(words(name, &value), expected, "{name}");
        }
        assert_eq!(label("of.another_version"), "of.another_version");
    }

    #[test]
    fn packages_have_versions() {
        let packages: Vec<&str> = packages().collect();
        assert!(packages.contains(&"torch") && packages.contains(&"flash_attn"), "{packages:?}");
        assert!(!packages.iter().any(|package| package.contains(['.', '{'])), "{packages:?}");
    }
}

//! The GPUs that the kernel's compute driver (KFD) lists, in the order in which ROCm numbers them.
//!
//! `/sys/class/kfd/kfd/topology/nodes/<n>` has a folder per processor and GPU. Where a control group denies a GPU, its
//! files cannot be read, and ROCm does not see it either.

use std::collections::BTreeMap;
use std::path::Path;

const NODES: &str = "sys/class/kfd/kfd/topology/nodes";

/// One GPU, or one partition of a GPU.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Node {
    /// The number by which the kernel's list of processes names it.
    pub(super) gpu_id: u64,
    /// The chip's name: `navi31`, `gfx1100`, or `ip discovery` on newer kernels.
    pub(super) name: String,
    /// Its own memory in bytes; `None` where it has none.
    pub(super) memory: Option<u64>,
    properties: BTreeMap<String, u64>,
}

impl Node {
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.properties.get(name).copied().filter(|number| *number > 0)
    }

    /// `gfx90a` for the number 90010: major, minor and stepping with two decimal digits each, the last two written as
    /// one hexadecimal digit.
    pub(super) fn target(&self) -> Option<String> {
        let number = self.number("gfx_target_version")?;
        Some(format!("gfx{}{:x}{:x}", number / 10_000, number / 100 % 100, number % 100))
    }

    /// `0000:03:00.0`.
    pub(super) fn pci(&self) -> Option<String> {
        // The bits above 16 number the partitions of a GPU.
        let place = self.number("location_id")? & 0xffff;
        let domain = self.properties.get("domain").copied().unwrap_or(0);
        Some(address(domain, place))
    }
}

/// "10.3.0" as `gfx1030`.
pub(super) fn target_of(version: &str) -> Option<String> {
    let mut parts = version.trim().split('.').map(|part| part.parse::<u32>().ok());
    let (major, minor, step) = (parts.next()??, parts.next()??, parts.next()??);
    Some(format!("gfx{major}{minor:x}{step:x}"))
}

/// A PCI address from its parts: the low 16 bits of `place` are bus, device and function.
pub(super) fn address(domain: u64, place: u64) -> String {
    format!("{domain:04x}:{:02x}:{:02x}.{:x}", place >> 8 & 0xff, place >> 3 & 0x1f, place & 7)
}

/// The GPUs whose files this process may read.
pub(super) fn gpus(root: &Path) -> Vec<Node> {
    let Ok(entries) = std::fs::read_dir(root.join(NODES)) else { return Vec::new() };
    let mut numbers: Vec<u32> = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    numbers.sort_unstable();
    let nodes = numbers.into_iter().filter_map(|number| node(&root.join(NODES).join(number.to_string())));
    nodes.collect()
}

/// `None` for processors, which have the id 0, and for GPUs that may not be read.
fn node(folder: &Path) -> Option<Node> {
    let text = |file: &str| std::fs::read_to_string(folder.join(file)).ok();
    let gpu_id = text("gpu_id")?.trim().parse::<u64>().ok().filter(|id| *id > 0)?;
    let properties = pairs(&text("properties")?);
    let name = text("name").unwrap_or_default().trim().to_owned();
    Some(Node { gpu_id, name, memory: memory(&folder.join("mem_banks")), properties })
}

/// Lines of "name value".
fn pairs(text: &str) -> BTreeMap<String, u64> {
    let pairs = text.lines().filter_map(|line| {
        let (name, value) = line.split_once(' ')?;
        Some((name.to_owned(), value.trim().parse().ok()?))
    });
    pairs.collect()
}

/// The banks of the GPU's own memory: heap types 1 and 2 are frame buffers (hsakmttypes.h).
fn memory(folder: &Path) -> Option<u64> {
    let banks = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let sizes = banks.filter_map(|bank| {
        let bank = pairs(&std::fs::read_to_string(bank.path().join("properties")).ok()?);
        matches!(bank.get("heap_type"), Some(1 | 2)).then(|| bank.get("size_in_bytes").copied())?
    });
    Some(sizes.fold(0, u64::saturating_add)).filter(|bytes| *bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::files::folder;

    fn of(version: u64) -> Option<String> {
        Node { properties: BTreeMap::from([("gfx_target_version".to_owned(), version)]), ..Node::default() }.target()
    }

    #[test]
    fn targets_have_hexadecimal_steppings() {
        let names = [90_010, 90_402, 90_500, 100_306, 110_000, 110_501, 120_001].map(|number| of(number).expect("one"));
        assert_eq!(names, ["gfx90a", "gfx942", "gfx950", "gfx1036", "gfx1100", "gfx1151", "gfx1201"]);
        assert_eq!(of(0), None);
    }

    #[test]
    fn versions_of_the_variable() {
        assert_eq!(target_of("10.3.0").as_deref(), Some("gfx1030"));
        assert_eq!(target_of("9.0.10").as_deref(), Some("gfx90a"));
        assert_eq!(target_of("11"), None);
    }

    #[test]
    fn processors_and_denied_gpus_are_no_gpus() {
        let nodes = "sys/class/kfd/kfd/topology/nodes";
        let file = |path: &str, text: &'static str| (format!("{nodes}/{path}"), text.as_bytes());
        let files = [
            file("0/gpu_id", "0\n"),
            file("0/properties", "cpu_cores_count 32\nsimd_count 0\n"),
            file("10/gpu_id", "7\n"),
            file("10/properties", "gfx_target_version 90402\nlocation_id 2147484928\ndomain 1\n"),
            file("2/gpu_id", "51110\n"),
            file("2/name", "ip discovery\n"),
            file("2/properties", "gfx_target_version 110000\nlocation_id 768\ndomain 0\n"),
            file("2/mem_banks/0/properties", "heap_type 1\nsize_in_bytes 25753026560\nflags 0\n"),
            file("3/gpu_id", "9\n"),
        ];
        let files: Vec<(&str, &[u8])> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        let gpus = gpus(folder(&files).path());
        let shown: Vec<_> = gpus.iter().map(|gpu| (gpu.pci(), gpu.memory)).collect();
        assert_eq!(
            shown,
            [(Some("0000:03:00.0".to_owned()), Some(25_753_026_560)), (Some("0001:05:00.0".to_owned()), None)]
        );
    }

    #[test]
    fn damaged_files_are_no_gpus() {
        assert!(gpus(folder(&[("sys/class/kfd/kfd/topology/nodes/1/gpu_id", b"\xff\xfe")]).path()).is_empty());
        assert!(pairs("a\nb c\nd 18446744073709551616\n").is_empty());
    }
}

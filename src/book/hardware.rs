//! The catalogue under kb/hardware: GPUs by the names people write, and the torch wheels that PyPI serves.
//!
//! Rows are read when somebody asks: most answers need none of them.

use std::str::FromStr;
use std::sync::OnceLock;

use pep440_rs::Version;
use serde::Deserialize;

use crate::table;
use crate::vendors;

/// One row of kb/hardware/gpus.csv.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Gpu {
    /// "GeForce RTX 3060 12GB".
    pub name: String,
    /// Lower-case names it goes by, separated by `;`.
    pub aliases: String,
    /// "Ampere".
    pub architecture: String,
    /// "8.6".
    pub compute_capability: String,
    /// Memory in GiB.
    pub memory_gib: Option<f64>,
    /// "GDDR6".
    pub memory_type: String,
    /// Memory bandwidth in GB/s.
    pub bandwidth_gbs: Option<f64>,
    /// Streaming multiprocessors.
    pub sms: Option<u32>,
    /// CUDA cores.
    pub cuda_cores: Option<u32>,
    /// Year of release.
    pub year: Option<u32>,
    /// `data-centre`, `consumer`, `laptop`, `workstation`, `embedded`.
    pub class: String,
    /// `aarch64` where the GPU comes with an ARM processor.
    pub host: String,
}

/// One row of kb/hardware/torch-wheels.csv: the default wheel of a torch version.
#[derive(Debug, Clone, PartialEq)]
pub struct TorchWheel {
    /// "2.8.0".
    pub torch: String,
    /// The CUDA it is built with: "12.8".
    pub cuda: String,
    /// "sm_70", "sm_75" and so on.
    pub archs: Vec<String>,
    /// The cuDNN that comes with it: "9.10.2.21".
    pub cudnn: String,
    /// The Python versions that it exists for, as in PEP 440.
    pub python: String,
}

/// The catalogue.
#[derive(Debug, Default)]
pub struct Hardware {
    packed_gpus: &'static str,
    packed_wheels: &'static str,
    gpus: OnceLock<Vec<Gpu>>,
    wheels: OnceLock<Vec<TorchWheel>>,
}

impl Hardware {
    /// Keeps the tables' texts.
    pub fn new(packed_gpus: &'static str, packed_wheels: &'static str) -> Self {
        Self { packed_gpus, packed_wheels, gpus: OnceLock::new(), wheels: OnceLock::new() }
    }

    /// The GPU that a name as printed by a driver or written by a person means: the longest alias that it contains
    /// as whole words wins, then the row whose memory the name mentions, then the row that comes first.
    pub fn gpu(&self, name: &str) -> Option<&Gpu> {
        if let Some(gpu) = self.gpus().iter().find(|gpu| gpu.name.eq_ignore_ascii_case(name.trim())) {
            return Some(gpu);
        }
        let name = spaced(name).replace(" laptop gpu", " laptop");
        let mut best: Option<(&Gpu, (usize, bool))> = None;
        for gpu in self.gpus() {
            // A brand before the model says nothing: "geforce rtx 3060" is not longer than "rtx 3060 ti".
            let model = |alias: &str| vendors::model(alias).len();
            let Some(alias) = gpu.aliases.split(';').filter(|alias| replaces(alias, &name)).map(model).max() else {
                continue;
            };
            let memory = gpu.memory_gib.is_some_and(|gib| name.contains(&format!("{gib}gb")));
            if best.is_none_or(|(_, rank)| (alias, memory) > rank) {
                best = Some((gpu, (alias, memory)));
            }
        }
        best.map(|(gpu, _)| gpu)
    }

    /// A GPU whose compute capability is that of every GPU that a short name may mean: of "V100", which has boards with
    /// different memory, any of them.
    pub fn of_generation(&self, name: &str) -> Option<&Gpu> {
        let named = self.gpus_named(name);
        let first = *named.first()?;
        named.iter().all(|gpu| gpu.compute_capability == first.compute_capability).then_some(first)
    }

    /// The GPUs that a person may mean by a short name: "V100", "4090", "A100 80GB". Those whose names say the least
    /// beside the words asked for and their memory; several where the words do not decide, in the order of the table.
    pub fn gpus_named(&self, name: &str) -> Vec<&Gpu> {
        let words = |name: &str| -> Vec<String> {
            let name = spaced(name);
            let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
            words.filter(|word| !vendors::is_brand(word)).map(str::to_owned).collect()
        };
        let asked = words(name);
        if asked.is_empty() {
            return Vec::new();
        }
        let extra = |gpu: &Gpu| {
            let own = words(&gpu.name);
            asked
                .iter()
                .all(|word| own.contains(word))
                .then(|| own.iter().filter(|word| !asked.contains(word) && !word.ends_with("gb")).count())
        };
        let least = self.gpus().iter().filter_map(extra).min();
        self.gpus().iter().filter(|gpu| extra(gpu).is_some_and(|count| Some(count) == least)).collect()
    }

    /// The default wheel of a torch version; a version between two known ones of the same minor release takes theirs.
    pub fn torch_wheel(&self, version: &str) -> Option<&TorchWheel> {
        let version = Version::from_str(version).ok()?;
        let minor = |version: &Version| version.release().iter().take(2).copied().collect::<Vec<_>>();
        self.torch_wheels()
            .iter()
            .find(|wheel| Version::from_str(&wheel.torch).is_ok_and(|known| minor(&known) == minor(&version)))
    }

    /// All GPUs in the order of the table.
    pub fn gpus(&self) -> &[Gpu] {
        self.gpus.get_or_init(|| table::values(self.packed_gpus))
    }

    /// The default wheels of torch versions, the oldest first.
    pub fn torch_wheels(&self) -> &[TorchWheel] {
        self.wheels.get_or_init(|| {
            table::records(self.packed_wheels)
                .filter_map(|row| {
                    Some(TorchWheel {
                        torch: row.get(0)?.to_owned(),
                        cuda: row.get(1)?.to_owned(),
                        archs: row.get(2)?.split_whitespace().map(str::to_owned).collect(),
                        cudnn: row.get(3)?.to_owned(),
                        python: row.get(5)?.to_owned(),
                    })
                })
                .collect()
        })
    }
}

/// A name in lower case with spaces where drivers have them: "RTX3060Ti 8 GB" as "rtx 3060 ti 8gb".
fn spaced(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let mut spaced = String::with_capacity(name.len() + 4);
    for word in name.split(' ') {
        let starts_a_model = |word: &str, brand: &str| {
            word.strip_prefix(brand).is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
        };
        // A size, not the beginning of GB200.
        let is_unit = word == "gb" && spaced.ends_with(|last: char| last.is_ascii_digit());
        if !is_unit && !spaced.is_empty() {
            spaced.push(' ');
        }
        let brand = ["rtx", "gtx", "gt"].into_iter().find(|brand| starts_a_model(word, brand)).unwrap_or_default();
        let model = &word[brand.len()..];
        let digits = model.find(|c: char| !c.is_ascii_digit()).unwrap_or(model.len());
        let (number, suffix) = model.split_at(digits);
        spaced.push_str(brand);
        if !brand.is_empty() {
            spaced.push(' ');
        }
        spaced.push_str(number);
        if !number.is_empty() && (suffix.starts_with("ti") || suffix.starts_with("super")) {
            spaced.push(' ');
        }
        spaced.push_str(suffix);
    }
    spaced
}

/// Whether `name` contains `alias` as whole words.
fn replaces(alias: &str, name: &str) -> bool {
    let is_part = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    !alias.is_empty()
        && name.match_indices(alias).any(|(at, _)| {
            let bytes = name.as_bytes();
            !is_part(at.checked_sub(1).and_then(|before| bytes.get(before))) && !is_part(bytes.get(at + alias.len()))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hardware() -> Hardware {
        Hardware::new(
            include_str!(concat!(env!("OUT_DIR"), "/gpus.table")),
            include_str!(concat!(env!("OUT_DIR"), "/torch-wheels.table")),
        )
    }

    #[test]
    fn names_as_drivers_and_people_write_them() {
        let hardware = hardware();
        let name = |text: &str| hardware.gpu(text).map(|gpu| (gpu.name.as_str(), gpu.compute_capability.as_str()));
        assert_eq!(name("NVIDIA GeForce RTX 3060"), Some(("GeForce RTX 3060 12GB", "8.6")));
        assert_eq!(name("RTX 3060 8 GB"), Some(("GeForce RTX 3060 8GB", "8.6")));
        assert_eq!(name("NVIDIA GeForce RTX 3060 Ti"), Some(("GeForce RTX 3060 Ti", "8.6")));
        assert_eq!(name("NVIDIA GeForce RTX 3060 Laptop GPU"), Some(("GeForce RTX 3060 Laptop", "8.6")));
        assert_eq!(name("NVIDIA A100-SXM4-80GB").map(|(_, capability)| capability), Some("8.0"));
        assert_eq!(name("NVIDIA GB200"), Some(("GB200", "10.0")));
        assert_eq!(name("NVIDIA GB10"), Some(("GB10", "12.1")));
        assert_eq!(name("RTX3060Ti"), Some(("GeForce RTX 3060 Ti", "8.6")));
        assert_eq!(name("gtx1080"), Some(("GeForce GTX 1080", "6.1")));
        assert_eq!(name("a card nobody knows"), None);
    }

    #[test]
    fn every_row_goes_by_its_own_name() {
        let hardware = hardware();
        for gpu in hardware.gpus() {
            assert_eq!(hardware.gpu(&gpu.name).map(|found| found.name.as_str()), Some(gpu.name.as_str()));
        }
    }

    #[test]
    fn short_names_mean_the_plainest_cards_of_that_name() {
        let hardware = hardware();
        let names =
            |text: &str| -> Vec<&str> { hardware.gpus_named(text).into_iter().map(|gpu| gpu.name.as_str()).collect() };
        assert_eq!(names("4090"), ["GeForce RTX 4090"]);
        assert_eq!(names("1080ti"), ["GeForce GTX 1080 Ti"]);
        assert_eq!(names("T4"), ["Tesla T4"]);
        assert_eq!(names("nvidia k80"), ["Tesla K80"]);
        assert!(names("H100").len() > 1, "the SXM and PCIe boards, not only the NVL");
        assert!(names("V100").len() > 1 && names("V100").iter().all(|name| name.contains("V100")));
        assert!(names("A100 80 GB").iter().all(|name| name.ends_with("80GB")));
        assert!(names("NVIDIA").is_empty() && names("a card nobody knows").is_empty());
    }

    #[test]
    fn a_short_name_tells_the_generation() {
        let hardware = hardware();
        let capability = |text: &str| hardware.of_generation(text).map(|gpu| gpu.compute_capability.as_str());
        for (name, expected) in [
            ("V100", Some("7.0")),
            ("Tesla V100 32 GB", Some("7.0")),
            ("NVIDIA A100", Some("8.0")),
            ("H100", Some("9.0")),
            ("MI300X", None),
            ("Quadro", None),
        ] {
            assert_eq!(capability(name), expected, "{name}");
            assert!(expected.is_none() || hardware.gpu(name).is_none(), "{name} decides the board too");
        }
    }

    #[test]
    fn every_row_reads() {
        let hardware = hardware();
        let rows = include_str!(concat!(env!("OUT_DIR"), "/gpus.table")).lines().count() - 1;
        assert_eq!(hardware.gpus().len(), rows);
    }

    #[test]
    fn a_gpu_is_a_row_of_data() {
        let hardware = Hardware::new(
            concat!(
                include_str!(concat!(env!("OUT_DIR"), "/gpus.table")),
                "Ours Z900\u{1f}z900;ours z900\u{1f}Ours\u{1f}15.0\u{1f}96\u{1f}HBM9\u{1f}9000\u{1f}200\u{1f}25600\u{1f}2027\u{1f}",
                "data-centre\u{1f}\n"
            ),
            "",
        );
        assert!(self::hardware().gpu("NVIDIA Z900").is_none());
        assert_eq!(hardware.gpu("NVIDIA Z900").and_then(|gpu| gpu.memory_gib), Some(96.0));
    }

    #[test]
    fn wheels_by_minor_release() {
        let hardware = hardware();
        let cuda = |version: &str| hardware.torch_wheel(version).map(|wheel| wheel.cuda.as_str());
        assert_eq!(cuda("2.8.0+cu128"), Some("12.8"));
        assert_eq!(cuda("2.1.0"), Some("12.1"));
        assert_eq!(cuda("0.4.1"), None);
    }
}

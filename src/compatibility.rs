//! Comparisons that need more than numbers: version ranges, compute capabilities against a build, drivers against CUDA.
//!
//! Each returns `false` for what it cannot read only where that is the safe answer; callers that need the difference
//! check the facts first.

use std::str::FromStr;
use std::sync::OnceLock;

use pep440_rs::{Version, VersionSpecifiers};

use crate::table::records;

/// Whether `version` ("2.8.0+cu128", "580.95.05") lies in the PEP 440 `range` (">=2.1,<2.8").
pub(crate) fn matches(version: &str, range: &str) -> bool {
    let Ok(range) = VersionSpecifiers::from_str(range) else { return false };
    parse(version).is_some_and(|version| range.contains(&version))
}

/// Whether two versions have the same major number; an unreadable version matches everything.
pub(crate) fn same_major(one: &str, other: &str) -> bool {
    match (parse(one), parse(other)) {
        (Some(one), Some(other)) => one.release().first() == other.release().first(),
        _ => true,
    }
}

/// Whether a build for `archs` ("sm_86", "compute_90") runs on a device of `capability` ("8.6").
///
/// A cubin runs on the same major version with an equal or higher minor one; PTX (`compute_NN`) is compiled for any
/// newer device (CUDA programming guide, "Binary compatibility"). Code for an AMD target ("gfx1100") runs on that target.
pub(crate) fn arch_supported(capability: &str, archs: impl IntoIterator<Item = impl AsRef<str>>) -> bool {
    let mut archs = archs.into_iter();
    if capability.starts_with("gfx") {
        // Features follow a colon: gfx90a:sramecc+:xnack-.
        return archs.any(|arch| arch.as_ref().split(':').next() == Some(capability));
    }
    let Some((major, minor)) = split_capability(capability) else { return true };
    archs.any(|arch| {
        let Some((kind, number)) = arch.as_ref().split_once('_') else { return false };
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, suffix) = number.split_at(digits);
        let Ok(number) = digits.parse::<u32>() else { return false };
        let (arch_major, arch_minor) = (number / 10, number % 10);
        match (kind, suffix) {
            // Features of that very device, as code or as PTX.
            (_, "a") => (major, minor) == (arch_major, arch_minor),
            ("compute", "") => (major, minor) >= (arch_major, arch_minor),
            // Code, and features of a family: later devices of the same major version.
            _ => major == arch_major && minor >= arch_minor,
        }
    })
}

/// Whether a Linux or Windows driver is new enough for programs built with `cuda` ("12.8"): the floor of minor-version
/// compatibility.
pub(crate) fn driver_supports(driver: &str, cuda: &str) -> bool {
    let floor = driver_floor(cuda);
    // A branch alone: its newest driver.
    if let (false, Some(driver), Some(floor)) = (driver.contains('.'), branch(driver), floor.and_then(branch)) {
        return driver >= floor;
    }
    let (Some(driver), Some(floor)) = (parse(driver), floor.and_then(parse)) else { return true };
    driver >= floor
}

/// The oldest driver that supports the family of that CUDA version; `None` for families that are not in the table.
pub(crate) fn driver_floor(cuda: &str) -> Option<&'static str> {
    catalogue().driver_floor(cuda)
}

/// The oldest driver that supports the newest family of CUDA.
pub(crate) fn newest_floor() -> Option<&'static str> {
    catalogue().floors.first().map(|(_, floor)| floor.as_str())
}

/// The newest CUDA that a driver of that version supports: 450.102.04 supports 11.0. A driver compiles PTX of its own
/// CUDA and of older ones only, whatever minor-version compatibility allows otherwise. `None` for what cannot be read
/// or is older than the table.
pub(crate) fn cuda_of_driver(driver: &str) -> Option<&'static str> {
    catalogue().cuda_of_driver(driver)
}

/// Whether the toolkit of that CUDA version knew devices of that capability when it was released; what is not in the
/// table was known.
pub(crate) fn cuda_knows(cuda: &str, capability: &str) -> bool {
    catalogue().cuda_knows(cuda, capability)
}

/// Whether the toolkit of that CUDA version makes code that runs on devices of that capability: it knew them, or an earlier
/// minor version of their generation ([`arch_supported`]).
pub(crate) fn cuda_reaches(cuda: &str, capability: &str) -> bool {
    catalogue().cuda_reaches(cuda, capability)
}

/// The first CUDA toolkit that knows devices of that capability: 12.8 for 12.0.
pub(crate) fn first_cuda(capability: &str) -> Option<String> {
    Some(architecture(capability)?.first_cuda.to_string())
}

/// The last branch of drivers for devices of that capability; `None` where it has not ended.
pub(crate) fn last_driver(capability: &str) -> Option<u32> {
    architecture(capability)?.last_driver
}

/// The first branch of drivers for devices of that capability: 570 for 12.0.
pub(crate) fn first_driver(capability: &str) -> Option<u32> {
    catalogue().driver_of_cuda(&architecture(capability)?.first_cuda)
}

/// The row of a compute capability.
fn architecture(capability: &str) -> Option<&'static Architecture> {
    let known = split_capability(capability)?;
    catalogue().architectures.iter().find(|row| row.capability == known)
}

/// All compute capabilities of the table, the oldest first: "5.0".
pub(crate) fn capabilities() -> Vec<String> {
    catalogue().architectures.iter().map(|row| format!("{}.{}", row.capability.0, row.capability.1)).collect()
}

/// Whether a branch of drivers runs GPUs of that capability: not before their first CUDA, not after their last driver.
pub(crate) fn driver_runs_gpu(branch: u32, capability: &str) -> bool {
    first_driver(capability).is_none_or(|first| branch >= first)
        && last_driver(capability).is_none_or(|last| branch <= last)
}

/// The first branch of drivers that supports that very CUDA: 570 for 12.8.
pub(crate) fn driver_of_cuda(cuda: &str) -> Option<u32> {
    catalogue().driver_of_cuda(&parse(cuda)?)
}

/// Drivers, floors and architectures: the tables under kb/hardware.
#[derive(Debug)]
struct Catalogue {
    /// Families of CUDA and the oldest driver of each: "12" and "525.60.13".
    floors: Vec<(String, String)>,
    /// Branches of drivers, the newest first.
    branches: Vec<Branch>,
    /// Compute capabilities.
    architectures: Vec<Architecture>,
}

/// What kb/hardware/cuda-drivers.csv says of a branch of drivers.
#[derive(Debug)]
struct Branch {
    /// The major version of its drivers: 525.
    major: u32,
    /// The CUDA that they support: "12.0".
    cuda: String,
    version: Version,
}

/// One row of kb/hardware/architectures.csv.
#[derive(Debug)]
struct Architecture {
    capability: (u32, u32),
    first_cuda: Version,
    last_driver: Option<u32>,
}

/// The tables, read on first use.
fn catalogue() -> &'static Catalogue {
    static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
    CATALOGUE.get_or_init(|| {
        Catalogue::read(
            include_str!(concat!(env!("OUT_DIR"), "/cuda-floors.table")),
            include_str!(concat!(env!("OUT_DIR"), "/cuda-drivers.table")),
            include_str!(concat!(env!("OUT_DIR"), "/architectures.table")),
        )
    })
}

impl Catalogue {
    /// Reads the three tables; rows that do not read are left out.
    fn read(floors: &str, drivers: &str, architectures: &str) -> Self {
        let mut branches: Vec<Branch> = records(drivers)
            .filter_map(|row| {
                let cuda = row.get(0)?.split('.').take(2).collect::<Vec<_>>().join(".");
                Some(Branch { major: branch(row.get(1)?)?, version: parse(&cuda)?, cuda })
            })
            .collect();
        branches.sort_by(|one, other| (other.major, &other.cuda).cmp(&(one.major, &one.cuda)));
        Self {
            floors: records(floors).filter_map(|row| Some((row.get(0)?.to_owned(), row.get(1)?.to_owned()))).collect(),
            branches,
            architectures: records(architectures)
                .filter_map(|row| {
                    Some(Architecture {
                        capability: split_capability(row.get(0)?)?,
                        first_cuda: parse(row.get(2)?)?,
                        last_driver: row.get(3).and_then(branch),
                    })
                })
                .collect(),
        }
    }

    fn driver_floor(&self, cuda: &str) -> Option<&str> {
        let mut numbers = cuda.split('.');
        let major = numbers.next().filter(|major| major.parse::<u32>().is_ok())?;
        let minor = numbers.next().map(|minor| format!("{major}.{minor}"));
        let of = |family: &str| self.floors.iter().find(|(known, _)| known == family).map(|(_, floor)| floor.as_str());
        // Where each release has its own floor, a bare major version needs the oldest of them.
        let oldest = || {
            let releases = self.floors.iter().filter(|(known, _)| known.split('.').next() == Some(major));
            releases.map(|(_, floor)| floor.as_str()).min_by_key(|floor| parse(floor))
        };
        minor.and_then(|minor| of(&minor)).or_else(|| of(major)).or_else(oldest)
    }

    fn cuda_of_driver(&self, driver: &str) -> Option<&str> {
        let branch = branch(driver).filter(|branch| *branch < 1000)?;
        self.branches.iter().find(|known| branch >= known.major).map(|known| known.cuda.as_str())
    }

    fn driver_of_cuda(&self, cuda: &Version) -> Option<u32> {
        self.branches.iter().filter(|known| known.version >= *cuda).map(|known| known.major).min()
    }

    fn cuda_knows(&self, cuda: &str, capability: &str) -> bool {
        let (Some(cuda), Some(capability)) = (parse(cuda), split_capability(capability)) else { return true };
        let known = self.architectures.iter().find(|known| known.capability == capability);
        known.is_none_or(|known| cuda >= known.first_cuda)
    }

    fn cuda_reaches(&self, cuda: &str, capability: &str) -> bool {
        let Some(cuda) = parse(cuda) else { return true };
        let known = self.architectures.iter().filter(|known| known.first_cuda <= cuda);
        let archs = known.map(|known| format!("sm_{}{}", known.capability.0, known.capability.1));
        arch_supported(capability, archs)
    }
}

/// The major number of a driver's version.
pub(crate) fn branch(driver: &str) -> Option<u32> {
    driver.split('.').next()?.trim().parse().ok()
}

/// "8.6", "86" or "sm_86" as major and minor.
pub(crate) fn split_capability(capability: &str) -> Option<(u32, u32)> {
    let text = capability.trim_start_matches("sm_").trim_end_matches(char::is_alphabetic);
    match text.split_once('.') {
        Some((major, minor)) => Some((major.parse().ok()?, minor.parse().ok()?)),
        None => text.parse::<u32>().ok().map(|number| (number / 10, number % 10)),
    }
}

fn parse(version: &str) -> Option<Version> {
    Version::from_str(version.trim().trim_start_matches('v')).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubins_run_on_later_minors_and_ptx_on_anything_later() {
        let archs = |list: &[&'static str]| list.to_vec();
        assert!(arch_supported("8.9", archs(&["sm_86"])));
        assert!(!arch_supported("9.0", archs(&["sm_86"])));
        assert!(arch_supported("12.0", archs(&["sm_86", "compute_90"])));
        assert!(!arch_supported("6.1", archs(&["sm_70", "compute_70"])));
        assert!(!arch_supported("12.1", archs(&["sm_120a"])));
        assert!(!arch_supported("12.0", archs(&["sm_90a", "compute_90a"])));
        assert!(arch_supported("10.3", archs(&["sm_100f"])));
        assert!(!arch_supported("12.0", archs(&["compute_100f"])));
    }

    #[test]
    fn toolkits_know_the_devices_of_their_time() {
        assert!(!cuda_knows("10.1", "8.6"));
        assert!(cuda_knows("11.8", "8.6"));
        assert!(!cuda_knows("9.0", "7.5"));
        assert!(!cuda_knows("12.9", "11.0"));
        assert!(cuda_knows("9.0", "a card nobody knows"));
        assert!(
            cuda_reaches("11.0", "8.6") && cuda_reaches("12.8", "12.1") && cuda_reaches("9.0", "a card nobody knows")
        );
        assert!(!cuda_reaches("10.1", "8.6") && !cuda_reaches("11.3", "9.0") && !cuda_reaches("12.1", "12.0"));
    }

    #[test]
    fn drivers_speak_the_cuda_of_their_branch() {
        for row in records(include_str!(concat!(env!("OUT_DIR"), "/cuda-drivers.table"))) {
            let minor = row[0].split('.').take(2).collect::<Vec<_>>().join(".");
            assert_eq!(cuda_of_driver(&row[1]), Some(minor.as_str()), "{row:?}");
        }
        assert_eq!(cuda_of_driver("450.102.04"), Some("11.0"));
        assert_eq!(cuda_of_driver("340.108"), None);
        assert_eq!(cuda_of_driver("a driver"), None);
    }

    #[test]
    fn drivers_meet_their_floor() {
        assert!(driver_supports("525.60.13", "12.8"));
        assert!(driver_supports("525", "12.8"));
        assert!(!driver_supports("470", "12.1"));
        assert!(!driver_supports("470.199.02", "12.1"));
        assert!(!driver_supports("576.57", "13.0"));
        assert_eq!((driver_floor("10.2"), driver_floor("10")), (Some("440.33"), Some("410.48")));
        assert_eq!((driver_floor("12.4"), driver_floor("6.5"), driver_floor("x")), (Some("525.60.13"), None, None));
    }

    #[test]
    fn gpus_have_a_first_and_a_last_driver() {
        assert_eq!(first_cuda("12.0").and_then(|cuda| driver_of_cuda(&cuda)), Some(570));
        assert_eq!(first_driver("12.0"), Some(570));
        assert_eq!(first_cuda("6.1").as_deref(), Some("8.0"));
        assert_eq!([last_driver("3.7"), last_driver("6.1"), last_driver("7.5")], [Some(470), Some(580), None]);
        assert_eq!([569, 570].map(|branch| driver_runs_gpu(branch, "12.0")), [false, true]);
        assert_eq!([580, 590].map(|branch| driver_runs_gpu(branch, "6.1")), [true, false]);
    }

    #[test]
    fn every_gpu_has_its_architecture() {
        let architectures: Vec<_> = records(include_str!(concat!(env!("OUT_DIR"), "/architectures.table"))).collect();
        for gpu in records(include_str!(concat!(env!("OUT_DIR"), "/gpus.table"))) {
            let known = architectures.iter().find(|row| row[0] == gpu[3]);
            assert_eq!(known.map(|row| &row[1]), Some(&gpu[2]), "{gpu:?}");
        }
    }

    #[test]
    fn a_driver_and_an_architecture_are_rows_of_data() {
        let with = |table: &str, row: &str| table.to_owned() + &crate::table::packed(row).expect("one row");
        let tables = Catalogue::read(
            &with(include_str!(concat!(env!("OUT_DIR"), "/cuda-floors.table")), "20,900,900"),
            &with(include_str!(concat!(env!("OUT_DIR"), "/cuda-drivers.table")), "20.1.0,901.10,"),
            &with(include_str!(concat!(env!("OUT_DIR"), "/architectures.table")), "15.0,Ours,20.1,"),
        );
        assert_eq!(tables.driver_floor("20.1"), Some("900"));
        assert_eq!(tables.cuda_of_driver("901.44.02"), Some("20.1"));
        assert!(tables.cuda_knows("20.1", "15.0") && !tables.cuda_knows("13.0", "15.0"));
        assert!(cuda_knows("13.0", "15.0"));
    }

    #[test]
    fn local_versions_stay_in_range() {
        assert!(matches("2.8.0+cu128", ">=2.8"));
        assert!(!matches("2.7.1", ">=2.8"));
        assert!(!matches("not a version", ">=1"));
        assert!(same_major("12.0", "12"));
        assert!(!same_major("9.0", "8.0.61"));
        assert!(same_major("cuda12_pip", "11"));
    }
}

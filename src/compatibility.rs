//! Comparisons that need more than numbers: version ranges, compute capabilities against a build, drivers against CUDA.
//!
//! Each returns `false` for what it cannot read only where that is the safe answer; callers that must know the
//! difference ask for the facts first.

use std::str::FromStr;

use pep440_rs::{Version, VersionSpecifiers};

/// Whether `version` ("2.8.0+cu128", "580.95.05") lies in the PEP 440 `range` (">=2.1,<2.8").
pub(crate) fn matches(version: &str, range: &str) -> bool {
    let Ok(range) = VersionSpecifiers::from_str(range) else { return false };
    parse(version).is_some_and(|version| range.contains(&version))
}

/// Whether two versions agree in their first number; what cannot be read agrees with everything.
pub(crate) fn same_major(one: &str, other: &str) -> bool {
    match (parse(one), parse(other)) {
        (Some(one), Some(other)) => one.release().first() == other.release().first(),
        _ => true,
    }
}

/// Whether a build for `archs` ("sm_86", "compute_90") runs on a device of `capability` ("8.6").
///
/// A cubin runs on the same major version with an equal or higher minor one; PTX (`compute_NN`) is compiled for any
/// newer device (CUDA programming guide, "Binary compatibility").
pub(crate) fn arch_supported(capability: &str, archs: &[String]) -> bool {
    let Some((major, minor)) = split_capability(capability) else { return true };
    archs.iter().any(|arch| {
        let Some((kind, number)) = arch.split_once('_') else { return false };
        let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
        let suffix = &number[digits.len()..];
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

/// Whether a Linux or Windows driver is new enough for programs built with `cuda` ("12.8").
///
/// The floors of minor-version compatibility: NVIDIA, "CUDA Compatibility", table of minimum drivers per family.
pub(crate) fn driver_supports(driver: &str, cuda: &str) -> bool {
    let (Some(driver), Some(floor)) = (parse(driver), driver_floor(cuda).and_then(parse)) else { return true };
    driver >= floor
}

/// The oldest driver that serves the family of that CUDA version; `None` for families that are not in the table.
pub(crate) fn driver_floor(cuda: &str) -> Option<&'static str> {
    let family = cuda.split('.').next().and_then(|major| major.parse::<u32>().ok());
    Some(match family? {
        13 => "580",
        12 => "525.60.13",
        11 => "450.80.02",
        10 => "410.48",
        _ => return None,
    })
}

/// The newest CUDA that a driver of that version speaks: 450.102.04 speaks 11.0. A driver translates PTX of its own
/// CUDA and of older ones only, whatever minor-version compatibility allows otherwise.
///
/// The first driver branch of each CUDA: kb/hardware/cuda-drivers.csv; before 11, NVIDIA's CUDA release notes, table of
/// toolkits and drivers. `None` for what cannot be read or is older than CUDA 7.5.
pub(crate) fn cuda_of_driver(driver: &str) -> Option<&'static str> {
    const BRANCHES: [(u32, &str); 30] = [
        (595, "13.2"),
        (590, "13.1"),
        (580, "13.0"),
        (575, "12.9"),
        (570, "12.8"),
        (565, "12.7"),
        (560, "12.6"),
        (555, "12.5"),
        (550, "12.4"),
        (545, "12.3"),
        (535, "12.2"),
        (530, "12.1"),
        (525, "12.0"),
        (520, "11.8"),
        (515, "11.7"),
        (510, "11.6"),
        (495, "11.5"),
        (470, "11.4"),
        (465, "11.3"),
        (460, "11.2"),
        (455, "11.1"),
        (450, "11.0"),
        (440, "10.2"),
        (418, "10.1"),
        (410, "10.0"),
        (396, "9.2"),
        (390, "9.1"),
        (384, "9.0"),
        (367, "8.0"),
        (352, "7.5"),
    ];
    let branch = driver.split('.').next()?.trim().parse::<u32>().ok().filter(|branch| *branch < 1000)?;
    BRANCHES.iter().find(|(first, _)| branch >= *first).map(|(_, cuda)| *cuda)
}

/// Whether the toolkit of that CUDA version knew devices of that capability when it was released.
///
/// First release per architecture: CUDA toolkit release notes and the architectures that its own NVRTC lists.
pub(crate) fn cuda_knows(cuda: &str, capability: &str) -> bool {
    let (Some(cuda), Some(capability)) = (parse(cuda), split_capability(capability)) else { return true };
    let first = match capability {
        (11, _) => "13.0",
        (12, 1) | (10, 3) => "12.9",
        (10 | 12, _) => "12.8",
        (9, 0) | (8, 9) => "11.8",
        (8, 6 | 7) => "11.1",
        (8, 0) => "11.0",
        (7, 5) => "10.0",
        (7, 0 | 2) => "9.0",
        (6, _) => "8.0",
        _ => return true,
    };
    parse(first).is_none_or(|first| cuda >= first)
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
        let archs = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert!(arch_supported("8.9", &archs(&["sm_86"])));
        assert!(!arch_supported("9.0", &archs(&["sm_86"])));
        assert!(arch_supported("12.0", &archs(&["sm_86", "compute_90"])));
        assert!(!arch_supported("6.1", &archs(&["sm_70", "compute_70"])));
        assert!(!arch_supported("12.1", &archs(&["sm_120a"])));
        assert!(!arch_supported("12.0", &archs(&["sm_90a", "compute_90a"])));
        assert!(arch_supported("10.3", &archs(&["sm_100f"])));
        assert!(!arch_supported("12.0", &archs(&["compute_100f"])));
    }

    #[test]
    fn toolkits_know_the_devices_of_their_time() {
        assert!(!cuda_knows("10.1", "8.6"));
        assert!(cuda_knows("11.8", "8.6"));
        assert!(!cuda_knows("9.0", "7.5"));
        assert!(!cuda_knows("12.9", "11.0"));
        assert!(cuda_knows("9.0", "a card nobody knows"));
    }

    #[test]
    fn drivers_speak_the_cuda_of_their_branch() {
        for row in include_str!("../kb/hardware/cuda-drivers.csv").lines().skip(1) {
            let mut cells = row.split(',');
            let (cuda, linux) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
            let minor = cuda.split('.').take(2).collect::<Vec<_>>().join(".");
            assert_eq!(cuda_of_driver(linux), Some(minor.as_str()), "{linux}");
        }
        assert_eq!(cuda_of_driver("450.102.04"), Some("11.0"));
        assert_eq!(cuda_of_driver("340.108"), None);
        assert_eq!(cuda_of_driver("a driver"), None);
    }

    #[test]
    fn drivers_meet_their_floor() {
        assert!(driver_supports("525.60.13", "12.8"));
        assert!(!driver_supports("470.199.02", "12.1"));
        assert!(!driver_supports("576.57", "13.0"));
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

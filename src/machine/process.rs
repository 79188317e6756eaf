//! How a process that uses a GPU is named to people.

use std::path::Path;

use super::system;
use crate::amounts::size;

/// "pid 4312 python train.py uses 10.9 GiB".
pub(super) fn describe(pid: u32, held: Option<u64>, root: &Path) -> String {
    #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
    let held =
        held.map_or("uses an unknown amount of memory".to_owned(), |bytes| format!("uses {}", size(bytes as f64)));
    match command_of(pid, root) {
        Some(command) => format!("pid {pid} {command} {held}"),
        None => format!("pid {pid} {held}"),
    }
}

/// The memory in such a sentence, as exactly as it says it: saved facts have nothing else.
#[cfg(any(feature = "web", test))]
pub(crate) fn memory_of(sentence: &str) -> Option<f64> {
    let (_, amount) = sentence.rsplit_once(" uses ")?;
    let (number, unit) = amount.split_once(' ')?;
    let power = ["B", "KiB", "MiB", "GiB", "TiB"].iter().position(|known| *known == unit)?;
    let number: f64 = number.parse().ok()?;
    Some(number * 1024_f64.powi(i32::try_from(power).ok()?))
}

/// The program and its first argument that is not an option: enough to identify the job, too little to leak a secret.
///
/// In a container, drivers report the host's process ids, which belong to other processes here.
fn command_of(pid: u32, root: &Path) -> Option<String> {
    if system::container(root).is_some() {
        return None;
    }
    let bytes = std::fs::read(root.join(format!("proc/{pid}/cmdline"))).ok()?;
    let mut words = bytes.split(|byte| *byte == 0).map(String::from_utf8_lossy).filter(|word| !word.is_empty());
    let program = words.next()?;
    let program = program.rsplit('/').next().unwrap_or_default().to_owned();
    let script = words.find(|word| !word.starts_with('-') && !word.contains('='));
    Some(match script {
        Some(script) => format!("{program} {}", script.chars().take(60).collect::<String>()),
        None => program,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_can_be_read_back() {
        let root = Path::new("/nonexistent");
        for bytes in [0_u64, 1536, 3 << 20, 10 << 30] {
            #[expect(clippy::cast_precision_loss, reason = "small")]
            let expected = Some(bytes as f64);
            assert_eq!(memory_of(&describe(4312, Some(bytes), root)), expected);
        }
        assert_eq!(memory_of(&describe(4312, None, root)), None);
    }

    #[test]
    fn commands_show_the_job_and_no_options() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(folder.path().join("proc/4312")).expect("folders");
        let line = b"/usr/bin/python3.11\0-u\0--token=abc\0runners/train.py\0--password\0secret\0";
        std::fs::write(folder.path().join("proc/4312/cmdline"), line).expect("a file");
        assert_eq!(command_of(4312, folder.path()).as_deref(), Some("python3.11 runners/train.py"));
        assert_eq!(command_of(4313, folder.path()), None);
        std::fs::write(folder.path().join(".dockerenv"), "").expect("a file");
        assert_eq!(command_of(4312, folder.path()), None);
    }
}

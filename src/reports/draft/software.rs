//! The software of this machine, for a report on a run of this machine: logs rarely name the versions they ran with.
//!
//! A run was here if its log names a file of the user's code that exists here. Versions that contradict the log are
//! another environment's and are left out, all of them.

use std::path::Path;

use super::code;
use crate::facts::Facts;
use crate::machine::{self, Level, Options};

/// Whether a log names a file of the user's code that exists on this machine.
pub(crate) fn ran_here(log: &[u8]) -> bool {
    code::own_files(log).iter().any(|path| Path::new(path).is_file())
}

/// The system and Python environment of this machine, as far as they do not contradict the log.
pub(crate) fn of_this_machine(options: &Options, log: &Facts) -> Facts {
    let (measured, _) = machine::relate(&machine::run(Level::Quick, options), log);
    let mut out = Facts::default();
    for (name, fact) in measured.iter().filter(|(name, _)| name.starts_with("os.") || machine::is_software(name)) {
        out.add(name, fact.value.clone(), fact.source, fact.line);
    }
    out
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    #[test]
    fn a_run_was_here_when_its_own_code_is_here() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("train.py");
        let library = folder.path().join("site-packages/torch/tensor.py");
        std::fs::create_dir_all(library.parent().unwrap()).unwrap();
        for file in [&own, &library] {
            std::fs::write(file, "").unwrap();
        }
        let log = |file: &Path| format!("Traceback:\n  File \"{}\", line 3, in step\n", file.display());
        assert!(ran_here(log(&own).as_bytes()));
        assert!(!ran_here(log(&library).as_bytes()));
        assert!(!ran_here(log(&folder.path().join("gone.py")).as_bytes()));
        assert!(!ran_here(b"File \"/"));
        assert!(!ran_here(b"File \"/\xff\xfe\", line 1"));
    }
}

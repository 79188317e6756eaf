//! Machines made of files, with the fake driver or without any, and short ways to look at a probe's answer.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use faultbook::facts::Value;
use faultbook::machine::{self, CheckStatus, Level, Options, Outcome};

/// The folder with the fake's libraries, compiled once.
pub(crate) fn fake() -> &'static Path {
    static FAKE: OnceLock<PathBuf> = OnceLock::new();
    FAKE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fake-driver");
        std::fs::create_dir_all(&folder).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake-driver/driver.rs");
        let library = folder.join("libcuda.so.580.95.05");
        let status = std::process::Command::new("rustc")
            .args(["--edition", "2021", "--crate-type", "cdylib", "-O", "-C", "panic=abort", "-o"])
            .arg(&library)
            .arg(&source)
            .status()
            .expect("rustc must be there: it compiles the fake driver");
        assert!(status.success(), "the fake driver does not compile");
        for name in ["libcuda.so", "libcuda.so.1", "libnvidia-ml.so", "libnvidia-ml.so.1"] {
            let link = folder.join(name);
            let _ = std::fs::remove_file(&link);
            symlink("libcuda.so.580.95.05", link).unwrap();
        }
        folder
    })
}

/// The folder with the fake as AMD's libraries of those names.
pub(crate) fn fake_amd(names: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fake-{}", names.join("-")));
    if !folder.exists() {
        let made = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap().keep();
        for name in names {
            std::fs::copy(fake().join("libcuda.so.1"), made.join(name)).unwrap();
        }
        // Another test may have been faster.
        let _ = std::fs::rename(&made, &folder);
    }
    folder
}

/// A machine made of files, with a fake driver or without any.
pub(crate) struct Machine {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) environment: BTreeMap<OsString, OsString>,
    deadline: Duration,
}

impl Machine {
    pub(crate) fn without_driver() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let machine = Self { folder, environment: BTreeMap::new(), deadline: Duration::from_secs(60) };
        machine
            .file("proc/sys/kernel/osrelease", "6.8.0-45-generic\n")
            .file("proc/meminfo", "MemTotal: 65536000 kB\nMemAvailable: 60000000 kB\n")
            .file("project/train.py", "")
    }

    pub(crate) fn with(scenario: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fake-driver/scenarios/{scenario}.txt"));
        assert!(path.exists(), "{}", path.display());
        let libraries = fake().display().to_string();
        Self::without_driver()
            .variable("LD_LIBRARY_PATH", &libraries)
            .variable("FAULTBOOK_FAKE", &path.display().to_string())
            .file(
                "proc/driver/nvidia/version",
                "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue Sep 23 10:11:16 UTC 2025\n",
            )
            .file("dev/nvidiactl", "")
            .file("dev/nvidia-uvm", "")
            .file("dev/nvidia0", "")
    }

    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.environment.insert(name.into(), value.into());
        self
    }

    pub(crate) fn deadline(mut self, seconds: f64) -> Self {
        self.deadline = Duration::from_secs_f64(seconds);
        self
    }

    pub(crate) fn file(self, path: &str, text: &str) -> Self {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    /// A virtual environment with a torch and the fake's cuBLAS, cuDNN and NVRTC as its wheels.
    pub(crate) fn torch(self, version: &str, cuda: &str, archs: &str) -> Self {
        let site = "project/.venv/lib/python3.11/site-packages";
        let machine = self
            .file("project/.venv/pyvenv.cfg", "home = /usr/bin\nversion_info = 3.11.7\n")
            .file(
                &format!("{site}/torch/version.py"),
                &format!("__version__ = '{version}'\ncuda: Optional[str] = '{cuda}'\nhip: Optional[str] = None\n"),
            )
            .file(&format!("{site}/torch/lib/libtorch_python.so"), &format!("\0{archs}\0"))
            .file(&format!("{site}/torch-{}.dist-info/METADATA", version.split('+').next().unwrap()), "Name: torch\n")
            .file(&format!("{site}/nvidia_cudnn_cu12-9.10.2.21.dist-info/METADATA"), "")
            .file(&format!("{site}/nvidia_cublas_cu12-12.8.4.1.dist-info/METADATA"), "");
        for (folder, name) in
            [("cudnn", "libcudnn.so.9"), ("cublas", "libcublas.so.12"), ("cuda_nvrtc", "libnvrtc.so.12")]
        {
            let folder = machine.folder.path().join(format!("{site}/nvidia/{folder}/lib"));
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::copy(fake().join("libcuda.so.1"), folder.join(name)).unwrap();
        }
        machine
    }

    pub(crate) fn torch_28(self) -> Self {
        self.torch("2.8.0+cu128", "12.8", "sm_70 sm_75 sm_80 sm_86 sm_90 sm_100 sm_120")
    }

    pub(crate) fn options(&self) -> Options {
        Options {
            project: self.folder.path().join("project"),
            patience: self.deadline,
            deadline: self.deadline,
            // The fake computes everything on this processor, which may be busy.
            time: Duration::from_secs(300),
            seconds: 1,
            executable: Some(PathBuf::from(env!("CARGO_BIN_EXE_faultbook"))),
            environment: self.environment.clone(),
            root: self.folder.path().to_owned(),
            ..Options::default()
        }
    }

    pub(crate) fn probe(&self, level: Level) -> Outcome {
        let outcome = machine::run(level, &self.options());
        assert_eq!(crate::facts::unregistered(&outcome.facts), [""; 0]);
        outcome
    }
}

#[track_caller]
pub(crate) fn number(outcome: &Outcome, name: &str) -> f64 {
    outcome.facts.number(name).unwrap_or_else(|| panic!("{name}: {:?}", outcome.facts.why_unknown(name)))
}

#[track_caller]
pub(crate) fn text<'a>(outcome: &'a Outcome, name: &str) -> &'a str {
    outcome.facts.text(name).unwrap_or_else(|| panic!("{name}: {:?}", outcome.facts.why_unknown(name)))
}

#[track_caller]
pub(crate) fn yes(outcome: &Outcome, name: &str) -> bool {
    match outcome.facts.get(name).map(|fact| &fact.value) {
        Some(Value::Bool(value)) => *value,
        other => panic!("{name}: {other:?}"),
    }
}

/// An outcome that was there in time, of a few tries: a busy machine makes single ones longer, never shorter.
pub(crate) fn within(most: Duration, probe: impl Fn() -> Outcome) -> Outcome {
    let timed = || {
        let started = Instant::now();
        let outcome = probe();
        (started.elapsed() <= most).then_some(outcome)
    };
    std::iter::repeat_with(timed).take(10).flatten().next().unwrap_or_else(|| panic!("never within {most:?}"))
}

#[track_caller]
pub(crate) fn says(outcome: &Outcome, words: &str) {
    assert!(outcome.findings.iter().any(|says| says.contains(words)), "no {words:?} in {:#?}", outcome.findings);
}

#[track_caller]
pub(crate) fn check(outcome: &Outcome, name: &str) -> (CheckStatus, String) {
    let check = outcome.checks.iter().find(|check| check.name == name);
    let check = check.unwrap_or_else(|| panic!("no check {name}: {:#?}", outcome.checks));
    (check.word, check.says.clone())
}

/// Every check but those named passes.
#[track_caller]
pub(crate) fn only_broken(outcome: &Outcome, broken: &[&str]) {
    let found: Vec<&str> =
        outcome.checks.iter().filter(|check| !check.word.holds()).map(|check| check.name.as_str()).collect();
    assert_eq!(found, broken, "{:#?}", outcome.checks);
}

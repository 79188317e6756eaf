//! A minimal vendor: adding one takes a folder like this file, a description in kb/vendors and one line of `VENDORS`.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use super::findings::Findings;
use super::native::CallError;
use super::note::Notes;
use super::step::{self, Settings};
use super::vendor::{Bench, Checks, Ended, Vendor};
use super::{CheckStatus, Level, Options, run_with, view};
use crate::facts::Facts;
use crate::render::terminal::Terminal;
use crate::vendors::{self, Vendor as Description};

const GIB: u64 = 1 << 30;

/// Returns fixed results where a real vendor calls libraries.
struct Fake;

static VENDORS: &[&dyn Vendor] = &[&super::nvidia::Nvidia, &Fake];

impl Vendor for Fake {
    fn description(&self) -> &'static Description {
        vendors::by_id("amd").expect("kb/vendors describes it")
    }

    fn read_system(&self, _root: &Path, notes: &mut Notes) {
        notes.text("driver.kernel_version", "6.16.6");
    }

    fn read_toolkit(&self, _root: &Path, _conda: Option<&Path>, notes: &mut Notes) {
        notes.flag("toolkit.present", false);
    }

    fn read_kernel_log(&self, _log: Result<&str, &str>, _uptime: Option<f64>, _notes: &mut Notes) {}

    fn read_management(&self, _settings: &Settings, tell: &mut dyn FnMut(&Notes)) {
        let mut notes = Notes::default();
        notes.count("gpu.installed", 1);
        notes.text("gpu.0.name", "AMD Instinct MI300X");
        notes.text("gpu.0.pci", "0000:0c:00.0");
        notes.count("gpu.0.memory.total", 192 * GIB);
        notes.count("gpu.0.memory.free", 190 * GIB);
        tell(&notes);
    }

    fn start(&self, _library: &OsStr, notes: &mut Notes) -> Result<(), CallError> {
        notes.count("hip.device_count", 1);
        notes.text("hip.0.pci", "0000:0c:00.0");
        Ok(())
    }

    fn checks(&self) -> Checks {
        Checks { functional: &["context", "copy"], stress: &[] }
    }

    fn bench(&self, _settings: &Settings) -> Box<dyn Bench> {
        Box::new(FakeBench)
    }

    fn findings(&self, _facts: &Facts, findings: &mut Findings) {
        findings.note("the fake vendor has something to say");
    }
}

struct FakeBench;

impl Bench for FakeBench {
    fn run(&mut self, check: &str) -> Ended {
        match check {
            "copy" => Ended::wrong("4 of 4096 bytes differ".to_owned()),
            _ => Ok("made".to_owned()).into(),
        }
    }

    fn take_notes(&mut self) -> Notes {
        Notes::default()
    }
}

/// A program that runs each step by calling the vendor in this process.
#[cfg(unix)]
fn answering_program(folder: &Path) -> std::path::PathBuf {
    for step in [step::MANAGEMENT, step::INIT, step::CHECKS] {
        let settings = Settings { checks: vec!["context".into(), "copy".into()], ..Settings::default() };
        let mut lines = Vec::new();
        assert!(step::perform(step, &Fake, &settings, &mut lines), "{step}");
        std::fs::write(folder.join(step), lines).expect("a file");
    }
    let program = folder.join("program");
    std::fs::write(&program, format!("#!/bin/sh\ncat \"{}/$2\"\n", folder.display())).expect("a file");
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("permission");
    program
}

#[cfg(unix)]
#[test]
fn a_vendor_is_a_folder_a_description_and_a_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("root");
    std::fs::create_dir_all(root.join("dev")).expect("folders");
    std::fs::write(root.join("dev/kfd"), "").expect("a file");
    std::fs::create_dir_all(root.join("opt/rocm/lib")).expect("folders");
    std::fs::write(root.join("opt/rocm/lib/libamdhip64.so"), "").expect("a file");
    let options = Options {
        root,
        project: folder.path().to_owned(),
        executable: Some(answering_program(folder.path())),
        patience: Duration::from_secs(20),
        environment: std::env::vars_os().filter(|(name, _)| name == "PATH").collect(),
        ..Options::default()
    };
    let outcome = run_with(VENDORS, Level::Functional, &options, &|_| {});
    assert_eq!(outcome.vendor.name, "AMD");
    assert_eq!(outcome.facts.text("gpu.name"), Some("AMD Instinct MI300X"));
    assert_eq!(outcome.facts.number("gpu.count"), Some(1.0));
    assert_eq!(outcome.facts.text("driver.init"), Some("ok"));
    let words: Vec<CheckStatus> = outcome.checks.iter().map(|check| check.word).collect();
    assert_eq!(words, [CheckStatus::Ok, CheckStatus::Wrong]);
    assert!(outcome.findings.iter().any(|says| says == "the fake vendor has something to say"));
    assert!(outcome.findings.iter().any(|says| says.contains("wrong results of copy")), "{:?}", outcome.findings);
    let shown = view::probe::render(&outcome, Terminal::default());
    assert!(shown.contains("HIP initializes") && shown.contains("AMD Instinct MI300X"), "{shown}");
    assert!(!shown.contains("NVIDIA") && !shown.contains("CUDA"), "{shown}");
    let saved = super::to_json(&outcome);
    assert!(saved.contains("\"vendor\": \"amd\""), "{saved}");
}

#[test]
fn without_any_driver_the_first_vendor_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options { root: folder.path().to_owned(), project: folder.path().to_owned(), ..Options::default() };
    let options = Options { environment: std::collections::BTreeMap::new(), ..options };
    let outcome = run_with(VENDORS, Level::Quick, &options, &|_| {});
    assert_eq!((outcome.vendor.name.as_str(), outcome.has_driver()), ("NVIDIA", false));
}

#[test]
fn the_registry_of_facts_knows_the_vendors() {
    for vendor in super::vendor::VENDORS {
        let id = &vendor.description().id;
        assert!(crate::facts::describe(&format!("{id}.gpu.0.name")).is_some(), "{id} is not in kb/facts.toml");
    }
}

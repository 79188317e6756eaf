//! For each generation of GPUs and each way to install, the command that the answer prints; and the truth table has the
//! build or the image of every one. `UPDATE_EXPECT=1 cargo test --test it wheels` rewrites `commands.txt`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use faultbook::truth::{self, Kind, Verdict};

use super::{ERROR, HIP, on, recipe};
use crate::support::diagnose;

const FILE: &str = "tests/it/wheels/commands.txt";

const MANAGERS: [(&str, &str); 6] = [
    ("pip", ""),
    ("uv", "$ uv pip install torch\n"),
    ("poetry", "$ poetry add torch\n"),
    ("conda", "$ conda install -c conda-forge pytorch\n"),
    ("docker", "$ docker run --rm train\n"),
    ("kubernetes", "$ kubectl logs trainer\n"),
];

const NVIDIA: [(&str, &str, &str); 14] = [
    ("Maxwell", "NVIDIA GeForce GTX 980", "580.95.05"),
    ("Pascal", "NVIDIA GeForce GTX 1080 Ti", "580.95.05"),
    ("Pascal", "Tesla P100-PCIE-16GB", "535.104.05"),
    ("Volta", "Tesla V100-SXM2-16GB", "580.95.05"),
    ("Turing", "Tesla T4", "580.95.05"),
    ("Turing", "Tesla T4", "470.256.02"),
    ("Ampere", "NVIDIA A100-SXM4-80GB", "580.95.05"),
    ("Ampere", "NVIDIA GeForce RTX 3090", "550.54.14"),
    ("Ada", "NVIDIA GeForce RTX 4090", "580.95.05"),
    ("Hopper", "NVIDIA H100 80GB HBM3", "535.104.05"),
    ("Blackwell", "NVIDIA B200", "580.95.05"),
    ("Blackwell", "NVIDIA GB300", "580.95.05"),
    ("Blackwell", "NVIDIA GeForce RTX 5090", "570.124.06"),
    ("Blackwell", "NVIDIA GeForce RTX 5090", "580.95.05"),
];

const AMD: [&str; 15] = [
    "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1031", "gfx1100", "gfx1101", "gfx1102", "gfx1103",
    "gfx1150", "gfx1151", "gfx1200", "gfx1201",
];

/// Frameworks, and a file of theirs in the traceback.
const FRAMEWORKS: [(&str, &str); 4] = [
    ("pytorch", "torch/nn/modules/module"),
    ("jax", "jax/_src/api"),
    ("tensorflow", "tensorflow/python/eager/context"),
    ("onnxruntime", "onnxruntime/capi/onnxruntime_inference_collection"),
];

/// The texts: what they show in words, and the text.
fn texts() -> Vec<(String, &'static str, String)> {
    let mut out = Vec::new();
    for (framework, file) in FRAMEWORKS {
        let other = |text: String| text.replace("torch/nn/modules/module", file);
        for (manager, shown) in MANAGERS {
            if framework != "pytorch" && manager != "pip" {
                continue;
            }
            for (generation, gpu, driver) in NVIDIA {
                let name = format!("{framework}, {manager}, {generation}: {gpu}, driver {driver}");
                out.push((name, framework, format!("{shown}{}", other(on(gpu, driver)))));
            }
            for target in AMD {
                let name = format!("{framework}, {manager}, {target}");
                out.push((name, framework, format!("{shown}AMD GPU, {target}\n{}", other(HIP.to_owned()))));
            }
            out.push((
                format!("{framework}, {manager}, unknown GPU"),
                framework,
                format!("{shown}{}", other(ERROR.to_owned())),
            ));
        }
    }
    out
}

#[test]
fn each_generation_and_each_way_to_install_has_its_command() {
    let mut shown = String::from("# What an answer tells people to run, by framework, way to install and GPU.\n");
    for (name, _, text) in texts() {
        let diagnosis = diagnose(text.as_bytes());
        let commands = diagnosis.environment.text("wheel.command").unwrap_or("(none that exists)");
        // The recipe shows the command that was computed, unless nothing was.
        let (printed, _) = recipe("matching-build", &text);
        assert!(
            commands.starts_with('(') || printed.is_empty() || printed == commands,
            "{name}: {printed}\n{commands}"
        );
        let _ = write!(shown, "\n{name}\n");
        for line in commands.lines() {
            let _ = writeln!(shown, "    {line}");
        }
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(FILE, &shown).expect("the file can be written");
    }
    let expected = fs::read_to_string(FILE).unwrap_or_default();
    assert!(expected == shown, "{FILE} differs: run with UPDATE_EXPECT=1 and read the difference");
}

#[test]
fn every_build_and_image_of_a_command_is_in_the_truth_table() {
    let known = |kind: Kind, name: &str| {
        let rows = truth::builtin().rows(name).iter().filter(|row| row.kind == kind);
        rows.map(|row| row.verdict).any(|verdict| matches!(verdict, Verdict::Exists | Verdict::Documented))
    };
    let mut missing = BTreeSet::new();
    let mut reader = csv::Reader::from_path("kb/hardware/wheels.csv").expect("the table");
    let head = reader.headers().expect("a head").clone();
    for row in reader.records().map_while(Result::ok) {
        let cell =
            |name: &str| head.iter().position(|column| column == name).and_then(|at| row.get(at)).unwrap_or_default();
        let parts = ["framework", "index", "version", "cuda"].map(cell);
        let name = parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(" ");
        missing.extend((!known(Kind::Wheel, &name)).then_some(name));
        let image = cell("image");
        missing.extend((!image.is_empty() && !known(Kind::Image, image)).then(|| image.to_owned()));
    }
    assert!(missing.is_empty(), "not in kb/truth.csv: {missing:?}; tests/truth/check.py looks them up");
    // An index of the commands is one of the table's.
    let table = fs::read_to_string("kb/hardware/wheels.csv").expect("the table");
    for (name, framework, text) in texts() {
        let diagnosis = diagnose(text.as_bytes());
        if let Some(index) = diagnosis.environment.text("wheel.index") {
            let begins =
                |line: &str| line.starts_with(&format!("{framework},")) && line.split(',').nth(3) == Some(index);
            assert!(table.lines().any(begins), "{name}: {index}");
        }
    }
}

//! Over all pages: no command that is shown for a platform can be missing there.

use regex::Regex;

use super::alternatives;
use super::conditions::Conditions;
use super::fixes;
use super::searched::Searched;
use super::situation::Situation;
use super::weigh::Scene;
use crate::book::Book;
use crate::facts::Facts;
use crate::incident::{self, Incident};
use crate::text;

#[path = "../../tests/it/platforms/list.rs"]
mod list;
use list::PLATFORMS;

fn situation(text: &str) -> (Situation, Facts) {
    let transcript = text::read(text.as_bytes());
    let incident = incident::read(&transcript);
    let last = transcript.len().saturating_sub(1);
    let mut facts = incident.facts.clone();
    let situation = Situation::of(&transcript, &incident, &(last..last + 1), &facts);
    situation.record(&mut facts);
    (situation, facts)
}

#[test]
fn no_command_is_shown_where_it_cannot_exist() {
    let book = Book::new(true);
    let nothing = Facts::default();
    let conditions = Conditions::new(&nothing);
    let (mut wrong, mut fits) = (Vec::new(), fixes::Fits::new());
    let (empty, incident) = (text::read(b""), Incident::default());
    for (platform, text, missing) in PLATFORMS {
        let (situation, _) = situation(text);
        let missing = Regex::new(missing).expect("a regex");
        let mut shown = 0;
        // What a scheduler says shows that there is a scheduler.
        let pages = (0..book.faults.len()).map(|index| book.fault(index));
        for page in pages.filter(|page| !["Docker", "Linux"].contains(&platform) || page.area != "cluster") {
            for cause in &page.causes {
                let scene = Scene {
                    transcript: &empty,
                    incident: &incident,
                    error: None,
                    line: 0,
                    searched: Searched::new(&empty, &incident, 0),
                    conditions: &conditions,
                    special: None,
                    told: None,
                };
                let actions = fixes::proposed(&page.id, cause, 1.0, &scene, &situation, &mut fits);
                let check = cause.check.command.iter();
                let checks =
                    check.flat_map(|check| alternatives::fitting(std::slice::from_ref(check), &situation).blocks);
                let checks = checks.map(|block| ("check".to_owned(), block));
                let fixes =
                    actions.into_iter().flat_map(|one| one.commands.into_iter().map(move |b| (one.id.clone(), b)));
                for (id, block) in fixes.chain(checks) {
                    shown += 1;
                    let found = block
                        .lines()
                        .map(|line| line.split("   #").next().unwrap_or(line))
                        .filter(|line| missing.is_match(line));
                    wrong.extend(found.map(|line| format!("{platform}: {} {} {id}: {line}", page.id, cause.id)));
                }
            }
        }
        assert!(shown > 300, "{platform}: only {shown} blocks of commands are shown");
    }
    wrong.sort();
    wrong.dedup();
    assert_eq!(wrong, [""; 0], "{} lines", wrong.len());
}

#[test]
fn what_a_text_shows_becomes_facts() {
    let shown = |text: &str, fact: &str| situation(text).1.text(fact).unwrap_or_default().to_owned();
    for (text, fact, expected) in [
        (PLATFORMS[0].1, "gpu.vendor", "amd"),
        (PLATFORMS[0].1, "run.framework", "pytorch"),
        (PLATFORMS[2].1, "run.platform", "windows"),
        (PLATFORMS[3].1, "run.platform", "wsl1"),
        (PLATFORMS[4].1, "run.platform", "wsl2"),
        (PLATFORMS[5].1, "gpu.vendor", "apple"),
        (PLATFORMS[6].1, "run.platform", "jetson"),
        (PLATFORMS[7].1, "run.platform", "kubernetes"),
        (PLATFORMS[9].1, "run.platform", "colab"),
        ("I do not use docker, no Slurm\nKilled\n", "run.platform", ""),
        ("collect_env: ROCM used to build PyTorch: N/A\nCUDA error: unknown error\n", "gpu.vendor", "nvidia"),
        ("GPU: AMD Radeon RX 7900 XTX and GeForce RTX 3060\nKilled\n", "gpu.vendor", ""),
        ("  File \"site-packages/vllm/engine.py\", line 1, in f\nimport torch\n", "run.framework", "vllm"),
        ("conda activate x\n", "run.package_manager", "conda"),
        // A path of Windows in another notation, Homebrew's folder, and CUDA's words where the GPU is AMD's.
        ("  File \"C:/Users/me/train.py\", line 1, in f\nKilled\n", "run.platform", "windows"),
        ("/opt/homebrew/lib/python3.13/site-packages/x.py:3: UserWarning: y\nKilled\n", "run.platform", "macos"),
        ("Radeon RX 7900 XTX, ROCm 6.4\nRuntimeError: CUDA error: unknown error\n", "gpu.vendor", "amd"),
        ("RuntimeError: CUDA error: unknown error\n", "gpu.vendor", "nvidia"),
    ] {
        assert_eq!(shown(text, fact), expected, "{fact} of {text}");
    }
}

#[test]
fn the_windows_around_wsl_is_not_that_of_the_run() {
    let (_, facts) = situation("Windows 11, WSL2 (Ubuntu), TF 2.16\nKilled\n");
    assert_eq!((facts.text("run.platform"), facts.get("os.windows")), (Some("wsl2"), None));
    let (_, facts) = situation("Windows 11, TF 2.16\nKilled\n");
    assert!(facts.get("os.windows").is_some());
}

#[test]
fn a_rocm_wheel_is_no_cuda() {
    let (_, facts) =
        situation("torch 2.8.0+rocm6.4\nGPU: AMD Instinct MI300X\nRuntimeError: HIP error: out of memory\n");
    for name in ["cuda.version", "torch.cuda", "driver.cuda", "toolkit.version"] {
        assert_eq!(facts.get(name), None, "{name}");
    }
}

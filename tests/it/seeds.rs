//! The four documents that the book was made for, read whole. They are third-party text and lie outside of the
//! project; without them the tests say so and pass.

use crate::support::left_out;
use std::path::PathBuf;

use faultbook::book::report::{Report, SolutionKind};
use faultbook::facts::Value;
use faultbook::reports::reading::read;

fn seed(stem: &str) -> Option<Report> {
    let given = std::env::var_os("FAULTBOOK_SEEDS").map(PathBuf::from);
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let folder = given.unwrap_or_else(|| {
        let near = [root.join("../shared/seeds"), root.join("../../shared/seeds")];
        near.iter().find(|folder| folder.is_dir()).cloned().unwrap_or_default()
    });
    let path = folder.join(format!("{stem}.txt"));
    match std::fs::read_to_string(&path) {
        Ok(text) => {
            let report = read(&path, &text);
            assert_eq!(report.text, text);
            Some(report)
        }
        Err(error) => {
            left_out::note("a seed document", &format!("{}: {error}", path.display()));
            None
        }
    }
}

fn titles(report: &Report, kind: SolutionKind) -> Vec<&str> {
    report.solutions.iter().filter(|s| s.kind == kind).map(|s| s.title.as_str()).collect()
}

fn fact(report: &Report, name: &str) -> String {
    match report.environment.get(name).map(|fact| &fact.value) {
        Some(Value::Text(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Bool(yes)) => yes.to_string(),
        Some(Value::List(list)) => list.join(","),
        None => "?".to_owned(),
    }
}

fn facts(report: &Report, wanted: &[(&str, &str)]) {
    for (name, value) in wanted {
        assert_eq!(fact(report, name), *value, "{name}");
    }
    assert_eq!(report.environment.iter().count(), wanted.len(), "{:?}", report.environment);
}

#[test]
fn workspace_report() {
    let Some(report) = seed("000_728d143e8cb4e287") else { return };
    assert_eq!(
        (report.id.as_str(), report.title.as_str()),
        ("BUG-20251110-003", "cuDNN Workspace Memory Exhaustion on RTX 3060")
    );
    assert_eq!(
        (report.status.as_str(), report.severity.as_str(), report.date.as_str()),
        ("active", "critical", "2025-12-06 18:08 (KST)")
    );
    assert_eq!(report.tags, ["bug_report", "troubleshooting"]);
    assert!(report.summary.starts_with("Training fails with cuDNN"));
    facts(
        &report,
        &[
            ("gpu.name", "NVIDIA GeForce RTX 3060"),
            ("gpu.memory.total", "12884901888"),
            ("os.name", "Linux 6.6.87.2-microsoft-standard-WSL2"),
            ("os.wsl", "true"),
            ("os.wsl_version", "2"),
            ("python.version", "3.10.12"),
            ("torch.version", "2.8.0+cu128"),
            ("torch.cuda", "12.8"),
            ("cuda.version", "12.8"),
            ("driver.cuda", "13.0"),
            ("cudnn.version", "9.10.2"),
            ("run.precision", "fp32"),
            ("run.batch_size", "4"),
        ],
    );
    let [first, second] = report.errors.as_slice() else { panic!("{:?}", report.errors) };
    assert!(first.contains("26/818") && first.ends_with("an illegal memory access was encountered"));
    assert!(
        second.contains("0/818") && second.ends_with("FIND was unable to find an engine to execute this computation")
    );
    assert_eq!(report.frames, ["on_before_optimizer_step", "backward"]);
    assert_eq!(report.root_causes[0], "cuDNN Workspace Memory Exhaustion");
    assert!(report.root_causes.iter().any(|c| c.starts_with("GPU Memory Constraint")));
    assert_eq!(
        titles(&report, SolutionKind::Proposed),
        ["Reduce Batch Size", "Use Smaller Model", "Use FP16 (Mixed Precision)", "Reduce Image Size"]
    );
    assert_eq!(titles(&report, SolutionKind::Implementation), ["Batch Size Reduction", "FP16 + Batch Size 2"]);
    assert_eq!(titles(&report, SolutionKind::Workaround), ["Use batch_size=2 with accumulate_grad_batches=2"]);
    let batch = &report.solutions[0];
    assert!(batch.recommended && !report.solutions[1].recommended);
    assert!(
        batch.commands[0].contains("dataloaders.train_dataloader.batch_size=2")
            && batch.commands[0].contains("trainer.accumulate_grad_batches=2")
    );
    assert_eq!((batch.benefits.len(), batch.trade_offs.len()), (4, 2));
    let counts: Vec<_> =
        report.solutions[1..4].iter().map(|s| (s.commands.len(), s.benefits.len(), s.trade_offs.len())).collect();
    assert_eq!(counts, [(1, 3, 2), (1, 3, 3), (1, 2, 2)]);
    assert_eq!(report.tasks.len(), 12);
    assert_eq!(
        report.tasks.iter().filter(|t| t.done).map(|t| t.text.as_str()).collect::<Vec<_>>(),
        ["Diagnose root cause"]
    );
    assert_eq!(report.tasks[4].phase, "Phase 2: Production Test");
    assert_eq!(report.prevention.len(), 9);
    assert_eq!(report.related, ["BUG-20251110-002", "BUG-20251110-001", "BUG-20251109-002"]);
    assert_eq!(report.code_paths, ["runners/train.py", "scripts/test_minimal_batch.sh"]);
}

#[test]
fn execution_failed_report() {
    let Some(report) = seed("002_cc50472a7e82ad21") else { return };
    assert_eq!(
        (report.id.as_str(), report.title.as_str()),
        ("BUG-20251110-002", "Cudnn Status Execution Failed During Training")
    );
    assert!(report.aliases.contains(&"002_cc50472a7e82ad21".to_owned()));
    facts(
        &report,
        &[
            ("gpu.name", "NVIDIA GeForce RTX 3060"),
            ("driver.version", "581.57"),
            ("driver.cuda", "13.0"),
            ("torch.version", "2.8.0+cu128"),
            ("torch.cuda", "12.8"),
            ("run.batch_size", "2"),
            ("run.devices", "1"),
            ("run.strategy", "auto"),
        ],
    );
    let [log] = report.errors.as_slice() else { panic!("{:?}", report.errors) };
    assert!(
        log.starts_with("RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED")
            && log.contains("illegal instruction")
    );
    assert_eq!(
        report.frames,
        ["forward ocr/models/decoder/fpn_decoder.py", "batch_to lightning/fabric/utilities/optimizer.py"]
    );
    assert!(report.code_paths.contains(&"ocr/models/decoder/fpn_decoder.py:68".to_owned()));
    assert_eq!(report.root_causes.len(), 2);
    assert_eq!(report.solutions.len(), 4);
    assert!(report.solutions[3].title.contains("deterministic"));
    assert_eq!(report.tasks.len(), 3);
    assert!(report.tasks.iter().all(|t| !t.done && t.phase == "Testing"));
    assert_eq!(report.prevention.len(), 2);
}

#[test]
fn diagnosis_document() {
    let Some(report) = seed("003_1424d5fcf89df674") else { return };
    assert_eq!((report.id.as_str(), report.status.as_str()), ("003_1424d5fcf89df674", "diagnosis_complete"));
    assert_eq!(report.title, "CUDA Training Error - Comprehensive Diagnosis");
    facts(&report, &[("gpu.name", "RTX 3060"), ("os.wsl", "true"), ("os.wsl_version", "2")]);
    let hypotheses: Vec<_> = report.hypotheses.iter().map(|h| (h.title.as_str(), h.confidence)).collect();
    assert_eq!(
        hypotheses,
        [
            ("Invalid Training Data", Some(0.6)),
            ("Loss Function with Real Labels", Some(0.4)),
            ("WSL2 GPU Passthrough Issue", Some(0.3)),
            ("DataLoader Multiprocessing", Some(0.2))
        ]
    );
    assert!(report.hypotheses[0].detail.contains("torch.isnan(labels)"));
    assert_eq!(
        titles(&report, SolutionKind::Workaround),
        [
            "Use CPU for Problematic Operations",
            "Use Mixed Precision Training",
            "Switch to Native Linux",
            "Use Different PyTorch Build"
        ]
    );
    assert_eq!(report.solutions.len(), 4);
    let [error] = report.errors.as_slice() else { panic!("{:?}", report.errors) };
    assert!(
        error.contains("_engine_run_backward") && error.ends_with("CUDA error: an illegal instruction was encountered")
    );
    assert_eq!(report.frames, ["_engine_run_backward torch.autograd.graph.py"]);
    assert_eq!(report.root_causes.len(), 1);
    assert!(
        report.root_causes[0].contains("training pipeline")
            && report.root_causes[0].contains("Loss computation with actual labels")
    );
    assert_eq!(
        report.dead_ends[..4],
        [
            "GPU hardware (tested OK)",
            "CUDA/cuDNN drivers (tested OK)",
            "Model architecture (tested OK)",
            "Wandb multiprocessing (partially responsible but not primary)"
        ]
    );
    let tests: Vec<_> = report
        .tasks
        .iter()
        .filter(|t| t.phase == "Diagnostic Test Results")
        .map(|t| (t.text.as_str(), t.done))
        .collect();
    assert_eq!(
        tests,
        [
            ("Test 1: Basic CUDA Operations", true),
            ("Test 2: Model Architecture", true),
            ("Test 3: Training with Wandb + forkserver", false),
            ("Test 4: Training without Wandb", false)
        ]
    );
    assert_eq!(report.tasks.iter().filter(|t| t.phase == "Works" && t.done).count(), 5);
    assert_eq!(report.tasks.iter().filter(|t| t.phase == "Fails" && !t.done).count(), 3);
    assert_eq!(report.tasks.iter().filter(|t| t.phase == "Immediate Next Steps").count(), 4);
    assert_eq!(report.tasks.iter().filter(|t| t.text.starts_with("[Test") && t.done).count(), 9);
    assert_eq!(report.related, ["BUG-20251110-002", "BUG-20251109-002"]);
    assert_eq!(report.code_paths.len(), 8);
    assert!(report.code_paths.contains(&"torch.autograd.graph.py:829".to_owned()));
}

#[test]
fn article() {
    let Some(report) = seed("004_7843b4e7157ffc19") else { return };
    assert_eq!(report.id, "why-is-cudnn-failing-to-allocate-memory-when");
    assert!(report.title.starts_with("Why is cuDNN failing to allocate memory"));
    assert!(report.summary.starts_with("The most common cause"));
    assert_eq!(report.errors, ["CUDA_ERROR_OUT_OF_MEMORY"]);
    assert_eq!(report.root_causes.len(), 1);
    assert_eq!(
        titles(&report, SolutionKind::Proposed),
        [
            "Monitor GPU Memory Usage",
            "Reduce Batch Size",
            "Optimize Data Handling",
            "Mixed Precision Training (fp16)",
            "Check for Memory Leaks"
        ]
    );
    assert_eq!(
        titles(&report, SolutionKind::Example),
        ["Reducing Batch Size", "Implementing a Data Generator", "Enabling Mixed Precision Training"]
    );
    assert!(report.solutions.iter().filter(|s| s.kind == SolutionKind::Example).all(|s| s.commands.len() == 1));
    assert!(report.environment.is_empty());
}

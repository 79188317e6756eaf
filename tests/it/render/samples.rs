//! Diagnoses made by hand.

use faultbook::diagnosis::{
    Action, CauseStatus, Consequence, Diagnosis, Fault, FrameRef, NearPage, NextCheck, NoticeHit, PrimaryError,
    ProbeSummary, RankedCause, Reason, ReportHit, Verdict,
};
use faultbook::facts::{Facts, Source, Value};
use faultbook::span::Span;

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

/// Every sample with its name.
pub(crate) fn all() -> Vec<(&'static str, Diagnosis)> {
    vec![
        ("known", known()),
        ("unlisted", unlisted()),
        ("healthy", healthy()),
        ("empty", empty()),
        ("wide", wide()),
        ("hostile", hostile()),
    ]
}

/// A fault that the book holds, with the machine asked and a report found.
pub(crate) fn known() -> Diagnosis {
    let text = "RuntimeError: FIND was unable to find an engine to execute this computation after trying 14 plans";
    let mut environment = Facts::default();
    environment.words_in_text("torch.version", "2.8.0+cu128", 2);
    environment.add("gpu.name", Value::Text("NVIDIA GeForce RTX 3060".into()), Source::Probe, None);
    environment.add("gpu.memory.free", Value::Number(0.6 * GIB), Source::Probe, None);
    environment.add("os.wsl", Value::Bool(false), Source::Probe, None);
    environment.set_unknown("gpu.ecc.uncorrected", "this board has no ECC");
    Diagnosis {
        verdict: Verdict::KnownFault,
        fault: Some(Fault {
            id: "cudnn-no-engine".into(),
            title: "cuDNN found no engine for the computation".into(),
            page: "kb/faults/cudnn/cudnn-no-engine.md".into(),
            confidence: 0.97,
            span: Span::of_line(412, text.len()),
            text: text.into(),
            rank: None,
            circumstances: vec!["in backward()".into(), "first step".into(), "epoch 0 (0/818)".into()],
            lookalikes: vec!["`cudnn-execution-failed`: an engine was chosen and died while running.".into()],
        }),
        cascade: vec![echo("illegal-instruction", "The GPU met an illegal instruction", 415, "teardown")],
        error: Some(PrimaryError {
            type_name: "RuntimeError".into(),
            message: text.trim_start_matches("RuntimeError: ").into(),
            frame: Some(FrameRef { file: "runners/train.py".into(), line: 88, function: "train".into() }),
            span: Span::of_line(412, text.len()),
            rank: None,
        }),
        causes: vec![memory_exhausted(), second_library(), wrong_build(), no_operator(), driver_old()],
        actions: memory_exhausted().fixes,
        like_cases: Vec::new(),
        next_check: Some(NextCheck {
            says: "Run the same step with half the batch; if it passes, this is the cause.".into(),
            command: Some("print(torch.cuda.mem_get_info(), torch.cuda.memory_reserved())".into()),
        }),
        reports: vec![
            ReportHit {
                id: "BUG-20251110-003".into(),
                title: "cuDNN Workspace Memory Exhaustion on RTX 3060".into(),
                path: "docs/bug_reports/BUG-20251110-003.md".into(),
                status: "active".into(),
                score: 0.93,
                why: vec!["same error".into(), "same GPU".into(), "same cuDNN 91002".into()],
                solution: Some("Reduce batch size and accumulate gradients".into()),
                command: Some("trainer.accumulate_grad_batches=2".into()),
                copies: Vec::new(),
            },
            ReportHit {
                id: "BUG-20251110-002".into(),
                title: "cuDNN execution failed during training".into(),
                path: "docs/bug_reports/BUG-20251110-002.md".into(),
                status: String::new(),
                score: 0.41,
                why: vec!["same GPU".into()],
                solution: None,
                command: None,
                copies: Vec::new(),
            },
        ],
        nearest: Vec::new(),
        silent: Vec::new(),
        notices: vec![NoticeHit {
            title: "TensorFlow announces cuBLAS factory registration at level E".into(),
            line: 12,
            count: 3,
        }],
        environment,
        probe: Some(ProbeSummary {
            level: "quick".into(),
            findings: vec!["GPU 0 has 0.6 of 12.0 GiB free, pid 4312 uses 10.9 GiB".into()],
        }),
        lines_read: 5298,
        notes: vec!["decoded as UTF-16".into()],
        picture: None,
    }
}

fn memory_exhausted() -> RankedCause {
    RankedCause {
        status: CauseStatus::Supported,
        status_says: Some("GPU 0 has 0.6 of 12.0 GiB free".into()),
        reasons: vec![
            reason(true, Source::Probe, "GPU 0 has 0.6 of 12.0 GiB free; this job's pid 4312 uses 10.9 GiB", None),
            reason(true, Source::Report, "`batch_size=4` on an RTX 3060 12GB, report BUG-20251110-003 failed so", None),
            reason(true, Source::Text, "it fails in the backward pass, which needs the largest workspaces at the highest memory level", Some(398)),
            reason(false, Source::Text, "torch's own allocation did not fail before it", None),
        ],
        check: "Run the same step with half the batch; if it passes, this is the cause.".into(),
        check_command: Some("print(torch.cuda.mem_get_info(), torch.cuda.memory_reserved())".into()),
        fixes: vec![
            Action {
                commands: vec!["uv run python runners/train.py dataloaders.train_dataloader.batch_size=2 trainer.accumulate_grad_batches=2".into()],
                trade_offs: vec!["about twice the steps; results stay comparable.".into()],
                ..fix("reduce-batch", "Halve the batch, keep the effective batch")
            },
            fix("no-benchmark", "Turn off cuDNN benchmark mode"),
            fix("mixed-precision", "Train in mixed precision"),
            fix("smaller-inputs", "Use smaller inputs"),
            fix("cudnn-no-engine#memory-exhausted#5", "Use expandable segments"),
        ],
        dead_ends: vec![
            "`torch.cuda.empty_cache()` in every step: the memory is in live tensors of this very process.".into(),
            "Reinstalling CUDA or the driver: nothing about them is wrong.".into(),
        ],
        ..cause("memory-exhausted", "GPU memory is exhausted, no room for the cuDNN workspace", 0.714)
    }
}

fn second_library() -> RankedCause {
    RankedCause {
        check: "List the libcudnn files that the process has really mapped after one convolution attempt; more than one directory or version is the cause.".into(),
        ..cause("toolkit-mismatch", "A second libcudnn comes first on the path", 0.14)
    }
}

fn wrong_build() -> RankedCause {
    RankedCause {
        status: CauseStatus::Refuted,
        status_says: Some("sm_86 is in the wheel".into()),
        reasons: vec![reason(false, Source::Probe, "sm_86 is in the wheel", None)],
        ..cause("arch-unsupported", "No kernel in this build for the GPU", 0.09)
    }
}

fn no_operator() -> RankedCause {
    RankedCause {
        check: "Rerun the layer in FP32.".into(),
        ..cause("op-unsupported", "Dtype or layout not supported", 0.06)
    }
}

fn driver_old() -> RankedCause {
    cause("driver-old", "The driver is too old for the kernels of this cuDNN", 0.003)
}

/// An error that the book does not hold.
pub(crate) fn unlisted() -> Diagnosis {
    let mut diagnosis = nothing(Verdict::UnlistedError, 320);
    diagnosis.error = Some(PrimaryError {
        type_name: "KeyError".into(),
        message: "'gt_shrink'".into(),
        frame: Some(FrameRef { file: "ocr/data/collate.py".into(), line: 41, function: "collate_fn".into() }),
        span: Span::of_line(88, 22),
        rank: Some(1),
    });
    diagnosis.cascade = vec![
        echo("nccl-timeout", "A collective timed out", 120, "other ranks"),
        echo("nccl-timeout", "A collective timed out", 140, "other ranks"),
        echo("peer-exit", "Another process of the job died", 310, "launcher"),
    ];
    diagnosis.reports = vec![ReportHit {
        id: "missing_keys_after_augmentation_2025".into(),
        title: "Missing keys after augmentation".into(),
        path: "docs/bugs/missing keys.md".into(),
        status: "resolved".into(),
        score: 0.41,
        why: Vec::new(),
        solution: None,
        command: None,
        copies: Vec::new(),
    }];
    diagnosis.nearest =
        vec![NearPage { id: "worker-crashed".into(), title: "A data loading worker died".into(), score: 1.0 }];
    diagnosis
}

/// A text with nothing wrong in it.
pub(crate) fn healthy() -> Diagnosis {
    let mut diagnosis = nothing(Verdict::NoError, 5298);
    diagnosis.notices = vec![
        NoticeHit {
            title: "TensorFlow announces cuBLAS factory registration at level E at every start".into(),
            line: 12,
            count: 1,
        },
        NoticeHit { title: "the c10d store prefers IPv4".into(), line: 1234, count: 16 },
    ];
    diagnosis
}

/// An empty text.
pub(crate) fn empty() -> Diagnosis {
    nothing(Verdict::NoError, 0)
}

/// Wide characters in titles, reports and error texts.
pub(crate) fn wide() -> Diagnosis {
    let mut diagnosis = known();
    let text = "RuntimeError: 그래픽 카드의 메모리가 부족하여 계산을 실행할 엔진을 찾을 수 없습니다, 배치 크기를 줄여 주십시오 (장치 0)";
    if let Some(fault) = &mut diagnosis.fault {
        fault.text = text.into();
    }
    diagnosis.reports.truncate(1);
    for report in &mut diagnosis.reports {
        report.title = "컨볼루션 역전파에서 작업 공간 메모리 부족으로 학습이 중단됨".into();
        report.why = vec!["같은 오류".into(), "같은 그래픽 카드".into()];
    }
    diagnosis
}

/// Escapes, direction marks, line breaks, very long words and odd figures.
pub(crate) fn hostile() -> Diagnosis {
    let mut diagnosis = known();
    let evil = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}x\r\n| `<script>` @everyone \u{9b}31m";
    if let Some(fault) = &mut diagnosis.fault {
        fault.text = format!("{evil}{}", "A".repeat(5000));
        fault.title = evil.into();
        fault.confidence = f64::NAN;
        fault.circumstances = vec![evil.into(), "B".repeat(300)];
        fault.rank = Some(7);
    }
    if let Some(error) = &mut diagnosis.error {
        error.message = evil.repeat(50);
        error.frame =
            Some(FrameRef { file: format!("/very/{}/train.py", "long/".repeat(60)), line: 0, function: evil.into() });
    }
    for report in &mut diagnosis.reports {
        report.id = format!("{evil}'; rm -rf / #");
        report.title = evil.repeat(3);
        report.status = evil.into();
        report.score = f64::INFINITY;
        report.command = Some(format!("echo {evil}\n\tdone"));
    }
    for cause in &mut diagnosis.causes {
        cause.title.push_str(evil);
        cause.probability = f64::NAN;
    }
    diagnosis.notes = vec![evil.into()];
    diagnosis
}

fn nothing(verdict: Verdict, lines_read: u32) -> Diagnosis {
    Diagnosis {
        verdict,
        fault: None,
        cascade: Vec::new(),
        error: None,
        causes: Vec::new(),
        actions: Vec::new(),
        like_cases: Vec::new(),
        next_check: None,
        reports: Vec::new(),
        nearest: Vec::new(),
        silent: Vec::new(),
        notices: Vec::new(),
        environment: Facts::default(),
        probe: None,
        lines_read,
        notes: Vec::new(),
        picture: None,
    }
}

fn cause(id: &str, title: &str, probability: f64) -> RankedCause {
    RankedCause {
        id: id.into(),
        title: title.into(),
        probability,
        tied: false,
        prior: 0.0,
        cases: 0,
        status: CauseStatus::Unverified,
        status_says: None,
        reasons: Vec::new(),
        check: String::new(),
        check_command: None,
        fixes: Vec::new(),
        dead_ends: Vec::new(),
    }
}

fn fix(id: &str, title: &str) -> Action {
    Action {
        id: id.into(),
        title: title.into(),
        detail: String::new(),
        commands: Vec::new(),
        trade_offs: Vec::new(),
        cost: None,
        solved: None,
        causes: vec!["memory-exhausted".into()],
        of_message: false,
    }
}

fn reason(supports: bool, source: Source, says: &str, line: Option<u32>) -> Reason {
    Reason { supports, source, says: says.into(), span: line.map(|line| Span::of_line(line, 10)), weight: 1.2 }
}

fn echo(id: &str, title: &str, line: u32, why: &str) -> Consequence {
    Consequence {
        id: id.into(),
        title: title.into(),
        span: Span::of_line(line, 20),
        text: format!("text of {id}"),
        why: why.into(),
    }
}

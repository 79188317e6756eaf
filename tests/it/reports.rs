//! Bug reports as people write them: every variation that was seen, in composed documents.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod doors;
mod grouping;
mod hostile;
mod project;
mod retrieval;

use std::path::Path;

use faultbook::book::report::{Report, SolutionKind};
use faultbook::reports::reading::{normal_id, read};

fn report(text: &str) -> Report {
    read(Path::new("docs/bug_reports/note.md"), text)
}

fn titles(report: &Report) -> Vec<&str> {
    report.solutions.iter().map(|s| s.title.as_str()).collect()
}

#[test]
fn the_id_is_found_in_many_places() {
    let cases = [
        ("a.md", "---\nbug_id: BUG-20251110-003\ntitle: \"BUG-20251110-004 other\"\n---\n", "BUG-20251110-003"),
        ("a.md", "---\nBug-ID: 'BUG-2025-002'\n---\n", "BUG-2025-002"),
        ("a.md", "# Title\n## Bug ID\nBUG-20251110-003\n", "BUG-20251110-003"),
        ("a.md", "# Title\n\n| Feld | Wert |\n|---|---|\n| Ticket | BUG-20251110-003 |\n", "BUG-20251110-003"),
        ("a.md", "# Title\n\nTicket: `BUG-20251110-003`\n", "BUG-20251110-003"),
        ("a.md", "# Title\n\nTicket: see BUG-20251110-003 too\n", "a"),
        ("a.md", "# Title\n## 🆔 Bug ID:\n\n`BUG-20251110-003`\n", "BUG-20251110-003"),
        ("a.md", "# Title\n\n**Bug ID:** bug_001\n**Status:** open\n", "bug_001"),
        ("a.md", "# Title\n\nBug ID: BUG-2025-002 (duplicate)\n", "BUG-2025-002"),
        ("a.md", "# Title\n\n- Bug ID: BUG-7\n", "BUG-7"),
        ("a.md", "# Title\n\n| Field | Value |\n|---|---|\n| Bug ID | BUG-2025-009 |\n", "BUG-2025-009"),
        ("a.md", "---\ntitle: Bug 20251110 003 cuDNN dies\n---\n", "BUG-20251110-003"),
        ("a.md", "# BUG-20251110-003: cuDNN dies\n", "BUG-20251110-003"),
        ("a.md", "# [BUG-20251110-003] cuDNN dies\n", "BUG-20251110-003"),
        ("a.md", "# Bug Report - BUG-2025-002\n", "BUG-2025-002"),
        ("BUG-20251110-003_cudnn.md", "# Nothing here\n", "BUG-20251110-003"),
        ("bug_001_oom.md", "words\n", "BUG-001"),
        ("diagnosis.md", "# Diagnosis of it all\n", "diagnosis"),
        ("a.md", "## Bug ID\nBUG-YYYYMMDD-NNN\n\n**Bug ID:** BUG-20251110-003\n", "BUG-20251110-003"),
        ("q.md", "---\nid: why-does-it-fail\ntitle: Why?\n---\nBecause of BUG-20251110-003.\n", "why-does-it-fail"),
        ("a.md", "# 제목\n\n버그 ID: BUG-20251110-003\n", "BUG-20251110-003"),
    ];
    for (file, text, id) in cases {
        assert_eq!(read(Path::new(file), text).id, id, "{text}");
    }
    let both = read(Path::new("bug_001_x.md"), "---\nbug_id: BUG-20251110-003\ntitle: Bug 20251111 004 x\n---\n");
    for alias in ["BUG-20251111-004", "BUG-001", "bug_001_x"] {
        assert!(both.aliases.iter().any(|a| a == alias), "{alias}: {:?}", both.aliases);
    }
    assert_eq!(report("# T\n\nBug ID: bug_001\n").aliases[0], "BUG-001");
    assert_eq!(normal_id("bug_001").as_deref(), Some("BUG-001"));
}

#[test]
fn titles_lose_what_is_no_title() {
    for (text, title) in [
        (
            "---\ntitle: \"Bug 20251110 003 Cudnn Dies\"\n---\n# Bug Report: cuDNN dies on step 3\n",
            "cuDNN dies on step 3",
        ),
        ("---\ntitle: \"Bug 20251110 003 Cudnn Dies\"\n---\n", "Cudnn Dies"),
        ("---\ntitle: Out of memory\n---\n# Bug Report\n", "Out of memory"),
        ("# 🐛 BUG-2025-002: Loss is NaN\n", "Loss is NaN"),
        ("# [Bug Title]\n\n# Real title: it hangs\n", "Real title: it hangs"),
        ("# Bugs in the loader\n", "Bugs in the loader"),
        ("# Bug Report\n## Summary\nIt hangs.\n", "note"),
        ("", "note"),
    ] {
        assert_eq!(report(text).title, title, "{text}");
    }
}

#[test]
fn status_severity_and_date_are_found_in_many_places() {
    for (text, status, severity, date) in [
        (
            "---\nstatus: in_progress\nseverity: High\ndate: \"2025-12-06 18:08 (KST)\"\n---\n",
            "in_progress",
            "high",
            "2025-12-06 18:08 (KST)",
        ),
        ("---\ndate: 2025-12-06\npriority: P1\n---\n## Status\n✅ Resolved\n", "Resolved", "p1", "2025-12-06"),
        (
            "# T\n\n**Status:** wontfix\n**Severity:** Critical\n**Date:** 2025-01-02\n\n## Test\n**Status:** Running\n",
            "wontfix",
            "critical",
            "2025-01-02",
        ),
        ("# T\n## Summary\nx\n## Impact\n### Severity: Medium\n- y\n", "", "medium", ""),
        ("# T\n\n- **상태**: 해결됨\n- **심각도**: 높음\n- **작성일**: 2025-03-04\n", "해결됨", "높음", "2025-03-04"),
        ("# T\n## Severity\n🔴 **High**\n", "", "high", ""),
        ("# T\n## ⚠️ Статус: открыт\n## Дата: 05.03.2026\n## Impact: nobody can train\n", "открыт", "", "05.03.2026"),
        ("> **Status:** closed — **Date:** 2026-03-05\n\n# T\n", "closed", "", "2026-03-05"),
        ("# T\n\n*Reported on 2026-03-05*\n", "", "", "2026-03-05"),
    ] {
        let report = report(text);
        assert_eq!(
            (report.status.as_str(), report.severity.as_str(), report.date.as_str()),
            (status, severity, date),
            "{text}"
        );
    }
}

#[test]
fn error_texts_are_found_under_many_headings() {
    let line = "RuntimeError: CUDA error: an illegal memory access was encountered";
    for heading in [
        "Logs / Stack Trace",
        "Error Messages",
        "Actual Behavior",
        "Logs",
        "### Second Run (Manual):",
        "🔥 Error Message",
        "에러 로그",
        "오류 메시지",
        "실제 동작",
        "Notes",
    ] {
        for body in [
            format!("```\n{line}\n```"),
            format!("```python\nTraceback (most recent call last):\n{line}\n```"),
            format!("    {line}"),
            line.to_owned(),
            format!("- `{line}`"),
            format!("> {line}"),
            format!("It said \"{line}\"."),
        ] {
            let text = format!("# T\n## {heading}\n\n{body}\n");
            let errors = report(&text).errors;
            assert!(errors.len() == 1 && errors[0].contains(line), "{text}\n{errors:?}");
        }
    }
    let pre = report(&format!(
        "## Logs\n<details><summary>log</summary>\n\n```\n{line}\n```\n\n</details>\n<pre>\nCUDNN_STATUS_EXECUTION_FAILED &lt;x&gt;\n</pre>\n"
    ));
    assert_eq!(pre.errors.len(), 2, "{:?}", pre.errors);
    let none = report(
        "## Solution 1: Catch it\n```python\nexcept RuntimeError as e:\n    raise ValueError('x')\n```\n## Logs\n```\n[paste the log here]\n```\n## Environment\n```\ntorch 2.1\n```\n",
    );
    assert!(none.errors.is_empty(), "{:?}", none.errors);
}

#[test]
fn root_causes_under_investigation_and_elsewhere() {
    let text = "# T\n## Investigation\nWe looked.\n### Root Cause Analysis\n1. **Memory**: too little\n2. Workspace grows\n\n## Notes\n**Root Cause:** One place\n";
    assert_eq!(report(text).root_causes, ["Memory: too little", "Workspace grows", "One place"]);
    assert_eq!(
        report("## Root Cause: the batch is too large\nIt was doubled last week.\n").root_causes,
        ["the batch is too large", "It was doubled last week."]
    );
    assert_eq!(report("## 원인 분석\n배치가 너무 큽니다.\n").root_causes, ["배치가 너무 큽니다."]);
}

#[test]
fn solutions_come_in_many_shapes() {
    let numbered = report(
        "## Proposed Solutions\n### ✅ Option A: Pin cuDNN (Recommended)\nDo it.\n```sh\npip install a\n```\nPros:\n- safe\nCons:\n- slow\n### Option B - Wait\n**Benefits:** nothing to do\n**Trade-offs:** nothing done\n",
    );
    assert_eq!(titles(&numbered), ["Pin cuDNN", "Wait"]);
    let [first, second] = numbered.solutions.as_slice() else { panic!() };
    assert!(first.recommended && !second.recommended);
    assert_eq!(
        (&first.commands, &first.benefits, &first.trade_offs),
        (&vec!["pip install a".to_owned()], &vec!["safe".to_owned()], &vec!["slow".to_owned()])
    );
    assert_eq!(
        (second.benefits.as_slice(), second.trade_offs.as_slice()),
        (&["nothing to do".to_owned()][..], &["nothing done".to_owned()][..])
    );

    let list =
        report("## Resolution\n- Check the inputs. They may be NaN.\n- **Pin cuDNN**: `pip install x`\n- [TODO]\n");
    assert_eq!(titles(&list), ["Check the inputs", "Pin cuDNN"]);
    assert_eq!(list.solutions[0].detail, "They may be NaN.");

    let strategy = report(
        "## 🔧 Fix Strategy\n**Immediate:**\n- Halve the batch\n- Restart\n\n**Long-term:**\n- Shard the model\n",
    );
    assert_eq!(titles(&strategy), ["Halve the batch", "Restart", "Shard the model"]);

    let prose = report("## Fix\nSet the flag to off. It is safe.\n```sh\nexport X=0\n```\n");
    assert_eq!(titles(&prose), ["Set the flag to off"]);
    assert_eq!(prose.solutions[0].commands, ["export X=0"]);

    let around = report("## Workarounds\n1. Use the CPU\n2. Use FP16\n\n## Solution 2: Alone\nwords\n");
    assert_eq!(titles(&around), ["Use the CPU", "Use FP16", "Alone"]);
    assert_eq!(around.solutions[0].kind, SolutionKind::Workaround);

    let under =
        report("## Solutions\n### Solution 1: A\nx\n### Workarounds, if nothing helps\n#### Solution 2: B\ny\n");
    assert_eq!(titles(&under), ["A", "B"]);
    assert_eq!(under.solutions[1].kind, SolutionKind::Workaround);

    let korean = report(
        "## 해결 방법\n### 방법 1: 배치 크기 줄이기 (권장)\n**장점:**\n- 빠름\n\n**단점:**\n- 느림\n\n```bash\ntrain --batch_size 2\n```\n",
    );
    assert_eq!(titles(&korean), ["배치 크기 줄이기"]);
    assert!(
        korean.solutions[0].recommended
            && korean.solutions[0].benefits == ["빠름"]
            && korean.solutions[0].trade_offs == ["느림"]
    );

    let bold = report(
        "**2. Mitigation:**\n\nThese steps:\n\n* **Less batch:** fewer rows.\n* **FP16:** half.\n\n**3. Code Examples:**\n\n**Example 1: Less batch:**\n\n```python\nx\n```\n",
    );
    assert_eq!(titles(&bold), ["Less batch", "FP16", "Less batch"]);
}

#[test]
fn hypotheses_carry_confidence() {
    let seen = |text: &str| report(text).hypotheses.into_iter().map(|h| (h.title, h.confidence)).collect::<Vec<_>>();
    let two = vec![("Bad data".to_owned(), Some(0.6)), ("Driver".to_owned(), Some(0.4))];
    assert_eq!(
        seen("## Hypotheses\n### Hypothesis 1: Bad data (60% confidence)\nx\n### Hypothesis 2: Driver (40%)\n"),
        two
    );
    assert_eq!(
        seen("## Hypotheses\n### H1: Bad data\n**Confidence:** 60%\n\n### H2: Driver\n- x\n\nLikelihood: 40 %\n"),
        two
    );
    assert_eq!(seen("## Possible causes\n- Bad data (60% likely)\n- Driver (40 %)\n"), two);
    assert_eq!(seen("## 가설\n1. Bad data (신뢰도 60%)\n2. Driver (확률: 40%)\n"), two);
    assert_eq!(seen("## Hypotheses\n- Bad data\n"), [("Bad data".to_owned(), None)]);
}

#[test]
fn tasks_are_ticked_or_not() {
    let seen = |text: &str| {
        report(text).tasks.into_iter().map(|t| format!("{}|{}|{}", t.phase, t.text, t.done)).collect::<Vec<_>>()
    };
    assert_eq!(
        seen("## Plan\n### Phase 1: A\n- [x] one\n- [ ] two\n  - [X] deep\n"),
        ["Phase 1: A|one|true", "Phase 1: A|two|false", "Phase 1: A|deep|true"]
    );
    assert_eq!(
        seen(
            "## Test Results\n### Test 1: A ✅\n### Test 2: B\n**Result:** FAILED\n### Test 3: C: PASSED (3/3)\n### Test 4: D ⏳\n"
        ),
        [
            "Test Results|Test 1: A|true",
            "Test Results|Test 2: B|false",
            "Test Results|Test 3: C|true",
            "Test Results|Test 4: D|false"
        ]
    );
    assert_eq!(
        seen("## Testing\n1. Run it\n2. ✅ Look\n3. Convolution: FAILED\n"),
        ["Testing|Run it|false", "Testing|Look|true", "Testing|Convolution: FAILED|false"]
    );
    assert_eq!(
        seen("## Verification\n| Test | Result |\n|---|---|\n| forward | ✅ |\n| backward | failed |\n"),
        ["Verification|forward|true", "Verification|backward|false"]
    );
    assert_eq!(
        seen("## 테스트\n- [x] 하나\n- 둘 ❌\n"),
        ["테스트|하나|true", "테스트|둘 ❌|false"].map(|s| s.replace(" ❌|", "|"))
    );
    assert_eq!(
        seen("## Test Results\n```\n[1] forward ✓\n[2] backward ✗\n```\n"),
        ["Test Results|[1] forward|true", "Test Results|[2] backward|false"]
    );
    assert_eq!(seen("## Test results\nâœ… is a mark\n\n### Test 1: A âœ…\n"), ["Test results|Test 1: A|true"]);
}

#[test]
fn dead_ends_are_kept() {
    assert_eq!(
        report("The problem is **NOT** in:\n- ❌ GPU hardware (tested OK)\n- drivers\n").dead_ends,
        ["GPU hardware (tested OK)", "drivers"]
    );
    assert_eq!(report("NOT in: GPU hardware (tested OK)\n").dead_ends, ["GPU hardware (tested OK)"]);
    assert_eq!(report("## What didn't work\n- Reinstalling\n- Rebooting\n").dead_ends, ["Reinstalling", "Rebooting"]);
    assert_eq!(report("## Notes\n- Ruled out: bad cable\n- fine\n").dead_ends, ["bad cable"]);
    assert_eq!(
        report("### Dead end: falling back to the CPU\nIt fails too. Always.\n").dead_ends,
        ["falling back to the CPU. It fails too"]
    );
}

#[test]
fn placeholders_above_the_real_text_are_passed_over() {
    let text = "---\ntitle: \"[Bug Title]\"\nstatus: open\nseverity: TBD\n---\n# Bug Report: [Bug Title]\n\n## Bug ID\nBUG-YYYYMMDD-NNN\n\n## Summary\nBrief description of the bug.\n\n## Environment\n- **GPU:** [your GPU]\n- **OS:** <OS>\n\n## Actual Behavior\nWhat actually happened.\n\n```\n[paste the error here]\n```\n\n## Proposed Solution\n[Describe]\n\n---\n\n# BUG-2025-003: The loader hangs\n\n## Summary\nIt hangs at epoch 2.\n\n## Environment\n- **GPU:** RTX 4090\n\n## Severity\nHigh\n\n## Proposed Solution\nUse one worker.\n";
    let report = report(text);
    assert_eq!((report.id.as_str(), report.title.as_str()), ("BUG-2025-003", "The loader hangs"));
    assert_eq!((report.summary.as_str(), report.severity.as_str()), ("It hangs at epoch 2.", "high"));
    assert_eq!(report.environment.text("gpu.name"), Some("RTX 4090"));
    assert!(report.environment.get("os.name").is_none());
    assert!(report.errors.is_empty(), "{:?}", report.errors);
    assert_eq!(titles(&report), ["Use one worker"]);
}

#[test]
fn environments_come_as_lists_tables_fences_and_keys() {
    for text in [
        "## Environment\n- **GPU:** NVIDIA A100 80GB\n- **PyTorch:** 2.1.0+cu121\n- **Batch Size:** 8\n",
        "## ⚙️ System Information\n* GPU: NVIDIA A100 (80GB)\n* PyTorch: 2.1.0+cu121\n* Batch size: 8\n",
        "## Environment\n| Item | Value |\n|---|---|\n| GPU | NVIDIA A100 80GB |\n| PyTorch version | 2.1.0+cu121 |\n| Batch Size | 8 |\n",
        "## Environment\n```\nGPU: NVIDIA A100 80GB\nPyTorch: 2.1.0+cu121\nBatch size: 8\n```\n",
        "## Environment\nGPU: NVIDIA A100 80GB\nPyTorch: 2.1.0+cu121\nBatch Size: 8\n",
        "---\ntitle: x\nenvironment:\n  gpu: NVIDIA A100 80GB\n  pytorch: 2.1.0+cu121\n  batch_size: 8\n---\n",
        "## 실행 환경\n- 그래픽카드: NVIDIA A100 80GB\n- 파이토치: 2.1.0+cu121\n- 배치 크기: 8\n",
    ] {
        let facts = report(text).environment;
        assert_eq!(facts.text("gpu.name"), Some("NVIDIA A100"), "{text}");
        assert_eq!(facts.number("gpu.memory.total"), Some(80.0 * 1024.0 * 1024.0 * 1024.0), "{text}");
        assert_eq!(
            (facts.text("torch.version"), facts.text("torch.cuda")),
            (Some("2.1.0+cu121"), Some("12.1")),
            "{text}"
        );
        assert_eq!(facts.number("run.batch_size"), Some(8.0), "{text}");
    }
}

#[test]
fn korean_reports_are_read() {
    let text = "# 버그 리포트: 학습이 멈춤\n\n## 요약\n학습이 3 스텝에서 멈춥니다.\n\n## 환경\n- GPU: RTX 3060 12GB\n- 운영체제: Ubuntu 22.04\n\n## 재현 방법\n1. `python train.py --batch_size 4`\n\n## 에러 로그\n```\nRuntimeError: CUDA out of memory.\n```\n\n## 원인\n- 메모리 부족\n\n## 해결\n1. 배치 크기를 줄인다\n2. FP16 사용\n\n## 예방\n- 메모리 기록\n\n## 관련\n- BUG-20251110-002\n";
    let report = report(text);
    assert_eq!((report.title.as_str(), report.summary.as_str()), ("학습이 멈춤", "학습이 3 스텝에서 멈춥니다."));
    assert_eq!(report.environment.text("os.name"), Some("Ubuntu 22.04"));
    assert_eq!(report.environment.number("run.batch_size"), Some(4.0));
    assert_eq!(report.errors, ["RuntimeError: CUDA out of memory."]);
    assert_eq!(report.root_causes, ["메모리 부족"]);
    assert_eq!(titles(&report), ["배치 크기를 줄인다", "FP16 사용"]);
    assert_eq!(
        (report.prevention.as_slice(), report.related.as_slice()),
        (&["메모리 기록".to_owned()][..], &["BUG-20251110-002".to_owned()][..])
    );
}

#[test]
fn the_gpu_of_a_later_occurrence_is_not_that_of_the_report() {
    let text = "# T\n\nIt stops.\n\n## Occurrences\n\n- 2026-02-09: node09, GPU: A100\n";
    assert_eq!(report(text).environment.text("gpu.name"), None);
    assert_eq!(report(&text.replace("It", "On the A100 it")).environment.text("gpu.name"), Some("A100"));
}

#[test]
fn german_and_chinese_headings_are_read() {
    for text in [
        "# BUG-20260101-001: Kein Speicher\n\n## Zusammenfassung\nDer Lauf endet.\n\n## Umgebung\n- **GPU:** RTX 3060\n\n\
         ## Fehlermeldung\n```\nRuntimeError: CUDA out of memory\n```\n\n## Ursachenanalyse\nDer Speicher ist voll.\n\n\
         ## Vorgeschlagene Lösung\n### Lösung 1: Batch halbieren\n```bash\npython train.py batch=2\n```\n\n## Testplan\n- [ ] eine Epoche\n",
        "# BUG-20260101-001: 显存不足\n\n## 摘要\n训练中断。\n\n## 环境\n- **GPU:** RTX 3060\n\n## 错误日志\n```\nRuntimeError: CUDA out of memory\n```\n\n\
         ## 根本原因\n显存已满。\n\n## 解决方案\n### Solution 1: 减小批量\n```bash\npython train.py batch=2\n```\n\n## 测试计划\n- [ ] 一个周期\n",
    ] {
        let report = report(text);
        assert!(!report.summary.is_empty(), "{text}");
        assert_eq!(report.environment.text("gpu.name"), Some("RTX 3060"), "{text}");
        assert!(report.errors.iter().any(|error| error.contains("CUDA out of memory")), "{text}");
        assert_eq!(report.root_causes.len(), 1, "{text}: {:?}", report.root_causes);
        assert!(
            report.solutions.iter().any(|one| one.commands.iter().any(|c| c.contains("batch=2"))),
            "{text}: {:?}",
            report.solutions
        );
        assert_eq!(report.tasks.len(), 1, "{text}");
    }
}

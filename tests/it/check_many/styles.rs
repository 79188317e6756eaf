//! Sound reports as different people write them. Nothing may be found in any of them.

use super::compose::{Draft, Line};

/// The report of that number, in the style that is its turn.
pub(crate) fn draft(number: usize) -> Draft {
    let day = 1 + number % 28;
    let id = format!("BUG-202511{day:02}-{number:03}");
    let style = number / 2 % STYLES.len();
    let path = match number % 5 {
        0 => format!("docs/bug_reports/{id}.md"),
        1 => format!("docs/bug_reports/{id}-loader-hangs.md"),
        2 => format!("docs/bug_reports/2025-12-06_1808_BUG_{number:03}_loader-hangs.md"),
        3 => format!("docs/bug_reports/archive/{id}_x.markdown"),
        _ => format!("docs/bug_reports/deep/er/note-{number}.md"),
    };
    let front = FRONT.replace("{id}", &id).replace("{n}", &number.to_string()).replace("{day}", &format!("{day:02}"));
    let body = STYLES[style].replace("{id}", &id).replace("{n}", &number.to_string());
    let mut text = format!("{front}{body}");
    if STYLES[style].contains("{table}") {
        let rows: String = (0..300).map(|row| format!("| {row} | 0.{row} | ok |\n")).collect();
        text = text.replace("{table}\n", &rows);
    }
    if SOLVED.contains(&style) {
        text = text.replace("status: open", "status: resolved");
    }
    Draft { path, number, id, lines: text.lines().map(Line::new).collect(), utf8: !text.contains("byte here") }
}

/// Styles of solved reports.
const SOLVED: [usize; 2] = [2, 5];

const FRONT: &str = "---
title: \"Loader {n}: it hangs\"
date: \"2025-11-{day} 18:08 (KST)\"
type: \"bug_report\"
status: open
severity: high
tags: ['a', \"b\"]
unknown_key: kept
bug_id: {id}
---
";

const STYLES: [&str; 10] = [
    // The format itself.
    "
# Bug Report: the loader hangs ({n})

## Summary
The loader hangs in its second epoch; the first one passes.

## Environment
- **GPU:** RTX 3060 12GB
- **OS:** Ubuntu 22.04

## Steps to Reproduce
1. Run `train.py`.
2. Wait.

## Expected Behavior
It trains to its end.

## Actual Behavior
```
RuntimeError: FIND was unable to find an engine to execute this computation
```

## Testing Plan
- [x] one step
- [ ] one epoch
",
    // Korean.
    "
# 🐛 버그 리포트: 학습이 멈춤 {n}

## 📋 요약
학습이 3 스텝에서 멈춥니다.

## 실행 환경
- GPU: RTX 3060

## 재현 방법
1. 실행한다.

## 예상 동작
끝까지 학습한다.

## 실제 동작
~~~
RuntimeError: CUDA out of memory.
~~~
",
    // German, solved, with rules and headings inside of fences.
    "
# Der Lader hängt {n}

## Zusammenfassung
Der Lader hängt in der zweiten Epoche.

## Umgebung
| Was | Wert |
|---|---|
| GPU | RTX 3060 |

## Schritte zum Nachstellen
1. Starten.

## Erwartetes Verhalten
Es läuft durch.

## Tatsächliches Verhalten
```text
---
title: [not front matter]
---
## Summary
TODO: this is the program's own output, BUG-20990101-001 too
- [ ] no box
```

## Ursache
Zu wenig Speicher.

## Lösung
Kleinere Batches.

## Prüfplan
- [x] ein Schritt
- [X] eine Epoche

## Prevention
- [ ] eine Warnung einbauen
",
    // Chinese.
    "
# 加载器挂起 {n}

## 摘要
第二个 epoch 时加载器挂起。

## 环境
RTX 3060

## 复现步骤
1. 运行。

## 预期行为
训练完成。

## 实际行为
挂起。
",
    // Labels in place of headings, quotes, nested lists, tabs.
    "
# The loader hangs {n}

The training stops after a few steps with an error of cuDNN, as it did last week.

**Environment:** RTX 3060 on WSL2

**Steps to reproduce:**
1. Run
   - with two workers
     1. and a batch of 4
\t\t* tabs

**Expected:** it trains

**Actual:** it hangs

> **Note:** quoted
> - nested
",
    // Solved, setext headings, numbers, details, comments.
    "
The loader hangs {n}
====================

Summary
-------
It hangs. We describe what we saw.

## 2. Environment (affected)
<details>
<summary>Versions</summary>

- torch 2.8.0
</details>

## 3. How to reproduce
<!-- TODO: nobody sees this -->
Run it.

## 4. Expected vs. Actual
What we expected to happen did not happen.

## 5. Observed error
`RuntimeError: x`

## 6. Root cause
A lock. See [the summary](#summary).

## 7. Resolution
Fixed in [a commit](https://example.org/c/1).

## Next steps
- [ ] tell the others
",
    // A huge table.
    "
# The loader hangs {n}

## Summary
It hangs.

## System
| step | loss | state |
|-----:|:----:|-------|
{table}

## Repro steps
Run it.

## Expected behaviour
It trains.

## Observed behaviour
See the table [above][system].

[system]: #system
",
    // A table of contents that is right, and heads of the same name.
    "
# The loader hangs {n}

## Table of Contents
* [What happened](#summary)
* [Environment](#environment)
* [Steps to Reproduce](#steps-to-reproduce)
* [Expected Behavior](#expected-behavior)
* [Actual Behavior](#actual-behavior)

## Summary
It hangs, see {id}.

## Environment
RTX 3060, `[0, 1, 2]`, array[0], [1] and <unknown>.

## Steps to Reproduce
Run it.

## Expected Behavior
It trains.

## Actual Behavior
It hangs. \"What should happen is that it trains\", said the manual.
",
    // A diagnosis-like body of a bug, with front matter rules in the text.
    "
# The loader hangs {n}

***

## Summary
It hangs. The date format is YYYY-MM-DD in the log, ids are BUG-YYYYMMDD-NNN there as everybody knows.

---

## Environment
RTX 3060

---

## Reproduction
```bash
cat <<'EOF'
status: whatever
EOF
```

## Expected
It trains.

## Symptoms
- It hangs
  ```
  TODO: inside of a list
  ```
",
    // Bytes that are no UTF-8.
    "
# The loader hangs {n}

## Summary
It hangs with a byte here that is no UTF-8.

## Environment
RTX 3060

## Steps to Reproduce
Run it.

## Expected Behavior
It trains.

## Actual Behavior
It hangs.
",
];

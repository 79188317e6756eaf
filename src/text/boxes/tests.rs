//! Panels, gutters and columns, composed in the shapes that Rich and pytest print.

use crate::text::read;

fn clean(text: &str) -> Vec<String> {
    read(text.as_bytes()).lines().map(|line| line.text.to_owned()).collect()
}

#[test]
fn a_log_in_a_panel_keeps_its_lines() {
    let text = "\
╭──────────────────────────────────────────────────────╮
│ 2026-01-05 10:00:00,123 ERROR trainer: it stopped    │
│ Traceback (most recent call last):                   │
│   File \"ops.py\", line 39, in <module>              │
│     torch.multinomial(torch.tensor([[0.2, 0.1]]), 1) │
│     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^       │
│ RuntimeError: probability tensor contains inf        │
╰──────────────────────────────────────────────────────╯
";
    let lines = clean(text);
    assert_eq!(lines[1], "trainer: it stopped");
    assert_eq!(lines[5].trim(), "^".repeat(42));
    assert_eq!(lines[6], "RuntimeError: probability tensor contains inf");
}

#[test]
fn panels_are_opened_and_words_joined() {
    let text = "\
╭───────── Traceback (most recent call last) ──────────╮
│ /home/u/train.py:10 in <module>                      │
│                                                      │
│    9 │   def forward(self, x): return self.conv(x)   │
│ ❱ 10 run(sys.argv[1])                                │
│                                                      │
│ /opt/venv/lib/python3.11/site-packages/torch/nn/mod  │
│ ╭─────────────────── locals ───────────────────╮     │
│ │ x = 1                                        │     │
│ ╰──────────────────────────────────────────────╯     │
│ /opt/lib/python3.11/site-packages/torch/module.py:93 │
│ in _apply                                            │
│ /opt/lib/python3.11/site-packages/transformers/token │
│ ization.py:12 in load                                │
╰──────────────────────────────────────────────────────╯
RuntimeError: stack expects each tensor to be equal 
size, but got [3, 4] at entry 0 and [3, 5] at entry 1
done";
    assert_eq!(
        clean(text),
        [
            "╭─ Traceback (most recent call last) ─╮",
            "/home/u/train.py:10 in <module>",
            "",
            "   9 │   def forward(self, x): return self.conv(x)",
            "❱ 10 run(sys.argv[1])",
            "",
            "/opt/venv/lib/python3.11/site-packages/torch/nn/mod",
            "╭─ locals ─╮",
            "x = 1",
            "╰─╯",
            "/opt/lib/python3.11/site-packages/torch/module.py:93 in _apply",
            "/opt/lib/python3.11/site-packages/transformers/tokenization.py:12 in load",
            "╰─╯",
            "RuntimeError: stack expects each tensor to be equal size, but got [3, 4] at entry 0 and [3, 5] at entry 1",
            "done",
        ]
    );
}

#[test]
fn pytest_gutter_and_rich_columns() {
    assert_eq!(
        clean(">       assert x\nE       RuntimeError: no\nE         Tried to\nE\n\ntest.py:3: RuntimeError"),
        [">       assert x", "RuntimeError: no", "  Tried to", "", "", "test.py:3: RuntimeError"]
    );
    assert_eq!(
        clean(
            "[11/21/26 02:46:51] INFO     building the encoder       fail.py:9\n                             and more\n                    ERROR    broke                      fail.py:12"
        ),
        ["building the encoder and more", "broke"]
    );
    assert_eq!(clean("│ ERROR 03-22 10:15:44 [w.py:3] boom  │"), ["boom"]);
}

#[test]
fn tables_and_trees_stay() {
    for text in ["├─ cuda-cudart is\n│  ├─ 12.2 would\n│  └─ y", "| GPU  Name | Bus-Id |\n+-----------+--------+"]
    {
        assert_eq!(clean(text).join("\n"), text);
    }
}

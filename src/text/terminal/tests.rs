//! Escapes in every spelling, progress in every shape.

use super::*;

fn seen(line: &str) -> Vec<String> {
    let mut out = Vec::new();
    segments(line, 0, Spelling::of(line), &mut out);
    for segment in &out {
        assert!(segment.at.start <= segment.at.end && segment.at.end <= line.len());
    }
    out.into_iter().map(|segment| segment.text.into_owned()).collect()
}

#[test]
fn escapes_vanish_in_every_spelling() {
    for line in [
        "\u{1b}[1;31mRuntimeError\u{1b}[0m: bad \u{1b}]8;id=1;file:///a.py\u{1b}\\link\u{1b}]8;;\u{1b}\\",
        "\u{1b}]0;title\u{7}RuntimeError: bad link\u{1b}[K\u{1b}(B",
        "\u{9b}31mRuntimeError\u{9b}0m: bad link",
        "^[[1;31mRuntimeError^[[0m: bad ^[]8;;http://a^[\\link^[]8;;^[\\",
        "\\x1b[31mRuntimeError\\x1b[0m: bad link",
        "\\033[31mRuntimeError\\033[0m: bad link",
        "#x1B[31mRuntimeError#x1B[0m: bad link",
        "#033[31mRuntimeError#033[0m: bad link",
        "\\u001b[31mRuntimeError\\u001b[0m: bad link",
        "[31mRuntimeError[0m: bad link",
        "Run\0timeError: bad\u{7f} link",
        "RuntimeErrorr\u{8}: bad\u{a0}link\u{200b}",
        "RuntimeError:\u{1b}[1Cbad link",
    ] {
        assert_eq!(seen(line), ["RuntimeError: bad link"], "{line:?}");
    }
}

#[test]
fn code_with_brackets_stays() {
    for line in ["x = a[31]", "    ~~~~^[0]", "took [10m", "a\\nb\\x1", "tensor([[0., 1.]])", "^^^^[[i]"] {
        assert_eq!(seen(line), [line]);
    }
}

#[test]
fn only_the_last_state_counts() {
    assert_eq!(
        seen(
            "\rEpoch 1:   0%|          | 0/8 [00:00<?, ?it/s]\rEpoch 1:  38%|███▊      | 3/8 [00:00<00:00, 11.79it/s, lr=0.1]"
        ),
        ["Epoch 1:  38%|███▊      | 3/8 [00:00<00:00, 11.79it/s, lr=0.1]"]
    );
    assert_eq!(
        seen(
            "1/8 [==>......] - ETA: 1s - loss: 1.3560\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\r8/8 [========] - 0s 2ms/step - loss: 1.3"
        ),
        ["8/8 [========] - 0s 2ms/step - loss: 1.3"]
    );
    assert_eq!(
        seen("Counting objects:  3% (3/100)\rCounting objects: 100% (100/100), done."),
        ["Counting objects: 100% (100/100), done."]
    );
}

#[test]
fn words_that_are_not_progress_survive_a_carriage_return() {
    assert_eq!(seen("RuntimeError: one\rRuntimeError: two"), ["RuntimeError: one", "RuntimeError: two"]);
    assert_eq!(
        seen(" 12%|█▎        | 2/16 [00:00<00:00, 80.62it/s]\r                  \r{'loss': 4.5}"),
        [" 12%|█▎        | 2/16 [00:00<00:00, 80.62it/s]", "{'loss': 4.5}"]
    );
}

#[test]
fn words_glued_to_progress_get_their_own_line() {
    assert_eq!(
        seen("  0%|          | 0/16 [00:00<?, ?it/s]/opt/lib/loader.py:7: UserWarning: no pin"),
        ["  0%|          | 0/16 [00:00<?, ?it/s]", "/opt/lib/loader.py:7: UserWarning: no pin"]
    );
    assert_eq!(
        seen("20%|▏| 11/50 [1:56:01<4:28:10, 20%|▏| 12/50 [1:56:05<12:50:3/opt/lib/function.py:9: UserWarning: bad"),
        ["20%|▏| 12/50 [1:56:05<12:50:3", "/opt/lib/function.py:9: UserWarning: bad"]
    );
    assert_eq!(
        seen("Epoch 1/1  ━━━━━━━━╺━━━━ 17/20 0:00:00 • 0:00:01 471.05it/s loss: 0.927`fit` stopped"),
        ["Epoch 1/1  ━━━━━━━━╺━━━━ 17/20 0:00:00 • 0:00:01 471.05it/s loss: 0.927", "`fit` stopped"]
    );
    assert_eq!(
        seen(" 1/16 ━━━━━━━━ 2s 136ms/step - loss: 4067.0000Batch 1: Invalid loss, terminating training"),
        [" 1/16 ━━━━━━━━ 2s 136ms/step - loss: 4067.0000", "Batch 1: Invalid loss, terminating training"]
    );
    assert_eq!(
        seen("16/16 ━━━━━━━━ 0s 207us/step - loss: nanBatch 3: Invalid"),
        ["16/16 ━━━━━━━━ 0s 207us/step - loss: nan", "Batch 3: Invalid"]
    );
}

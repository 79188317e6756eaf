//! Log headers of the usual loggers, and lines that are none.

use super::*;

#[test]
fn headers_of_usual_loggers() {
    let e = Some(Level::Error);
    for (text, message, found) in [
        (" - name - ERROR - it broke", "it broke", e),
        (" - ERROR - pkg.mod -   File \"a\"", "  File \"a\"", e),
        (" - train.py:12 - ERROR - it broke", "it broke", e),
        (" | ERROR    | mod:<module>:12 - it broke", "it broke", e),
        (" | ERROR | fairseq_cli.train | it broke", "it broke", e),
        (" [ERROR] it broke", "it broke", e),
        ("] [ERROR] it broke", "] [ERROR] it broke", None),
        (" [ERROR] [launch.py:315:sigkill_handler] it broke", "it broke", e),
        (" [2110] [ERROR] it broke", "it broke", e),
        ("[__main__][ERROR] - it broke", "it broke", e),
        (" {subprocess.py:93} ERROR - it broke", "it broke", e),
        (" torch._inductor.utils: [ERROR] it broke", "it broke", e),
        (" [0/0] torch._inductor.utils: [ERROR] it broke", "it broke", e),
        (" ERROR worker.py:1816 -- it broke", "it broke", e),
        (" ERROR    it broke", "it broke", e),
        (" ERROR   File \"a\"", "  File \"a\"", e),
        (" ERROR: it broke", "it broke", e),
        (" ERROR 3 GPUs lost", "3 GPUs lost", e),
        (" [ERROR] [0] lost", "[0] lost", e),
        (" ERROR [4711] lost", "lost", e),
        (" CEST [60011] ERROR:  it broke", "CEST [60011] ERROR:  it broke", None),
        (" [60011] ERROR:  it broke", "[60011] ERROR:  it broke", e),
        (" [E:onnxruntime:, a.cc:3 Run] it broke", "[E:onnxruntime:, a.cc:3 Run] it broke", e),
        (" ERROR RuntimeError: it broke", "RuntimeError: it broke", e),
        (" - ERROR - RuntimeError - it broke", "RuntimeError - it broke", e),
        (" /opt/lib/module.py:12: in to", "/opt/lib/module.py:12: in to", None),
        (" - RuntimeError: it broke", "RuntimeError: it broke", None),
        (" Starting ERROR handling", "Starting ERROR handling", None),
        (": E external/xla/cuda_dnn.cc:407] it broke", "it broke", e),
        (" [rank 1] it broke", "it broke", None),
        ("   File \"a\"", "  File \"a\"", None),
        (" [rank0] x", "x", None),
        ("", "", None),
    ] {
        let got = tail(text, Form::Dated, None);
        assert_eq!((got.rest, got.level), (message, found), "{text:?}");
    }
    assert_eq!(tail(" [rank 7] x", Form::Dated, None).rank, Some(7));
}

#[test]
fn behind_a_platforms_stamp_the_line_is_the_programs() {
    assert_eq!(tail(" ERROR: Unexpected bus error", Form::Platform, None).rest, "ERROR: Unexpected bus error");
    assert_eq!(tail(" ERROR text_generation_launcher: Shard 0 died", Form::Platform, None).rest, "Shard 0 died");
}

#[test]
fn places() {
    for place in [
        "file.py:12",
        "launch.py:315:sigkill_handler",
        "mod.sub:fn:12",
        "Lib\\site-packages\\a.py:3",
        "E:\\a\\b.py:3",
        "__main__:<module>:9",
    ] {
        assert!(is_place(place), "{place}");
    }
    for other in ["RuntimeError:", "12:30", "a:b", "10.0.0.1:80:x y", "", "x:"] {
        assert!(!is_place(other), "{other}");
    }
}

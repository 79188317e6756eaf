//! The whole way: known tracebacks made noisy must come out clean; any bytes must come out at all.

use proptest::prelude::*;

use super::*;

const TRACE: [&str; 9] = [
    "Traceback (most recent call last):",
    "  File \"/home/u/train.py\", line 41, in <module>",
    "    main()",
    "    ^^^^^^",
    "  File \"/opt/venv/lib/python3.11/site-packages/torch/nn/modules/module.py\", line 933, in _apply",
    "    module._apply(fn)",
    "RuntimeError: CUDA error: device-side assert triggered",
    "CUDA kernel errors might be asynchronously reported at some other API call.",
    "",
];

fn clean(text: &str) -> Vec<String> {
    lines(&read(text.as_bytes()))
}

fn lines(transcript: &Transcript) -> Vec<String> {
    transcript.lines().map(|line| line.text.to_owned()).collect()
}

fn every(form: impl Fn(usize, &str) -> String) -> String {
    TRACE.iter().enumerate().map(|(n, line)| form(n, line)).collect::<Vec<_>>().join("\n")
}

fn check(bytes: &[u8]) {
    let transcript = read(bytes);
    let mut last = 0;
    for line in transcript.lines() {
        assert!(!line.text.contains(['\n', '\r', '\u{1b}']), "{:?}", line.text);
        assert!(line.origin.start >= last && line.origin.start <= line.origin.end && line.origin.end <= bytes.len());
        assert!(line.number >= 1 && line.number <= transcript.physical_lines().max(1));
        assert_eq!(transcript.line_at(transcript.range_of(line.index).start), line.index);
        last = line.origin.start;
    }
    let grouped: usize = transcript.streams().iter().map(|stream| stream.lines.len()).sum();
    assert_eq!(grouped, transcript.len());
}

#[test]
fn prefixes_recolouring_and_wrapping_leave_the_same_lines() {
    let forms: Vec<(&str, String)> = vec![
        ("plain", every(|_, l| l.to_owned())),
        ("crlf", every(|_, l| format!("{l}\r"))),
        ("colour", every(|_, l| format!("\u{1b}[31m{l}\u{1b}[0m\u{1b}[K"))),
        ("literal colour", every(|_, l| format!("^[[31m{l}^[[0m"))),
        ("actions", every(|n, l| format!("2026-11-21T02:46:41.07{n}1300Z {l}"))),
        ("cri", every(|n, l| format!("2026-11-21T02:46:41.07{n}Z stderr F {l}"))),
        ("compose", every(|_, l| format!("worker-0  | {l}"))),
        ("kubectl", every(|_, l| format!("[pod/train-0/main] {l}"))),
        ("srun", every(|_, l| format!("3: {l}"))),
        ("mpirun", every(|_, l| format!("[1,3]<stderr>:{l}"))),
        ("torchrun", every(|_, l| format!("[default1]:[rank1]: {l}"))),
        ("journald", every(|n, l| format!("Nov 21 03:15:2{n} host python[123]: {l}"))),
        ("glog", every(|n, l| format!("E0314 08:41:12.55{n}000 913 site-packages/a.py:533] {l}"))),
        ("vllm", every(|n, l| format!("(EngineCore_DP0 pid=7) ERROR 10-02 11:20:0{n} [core.py:718] {l}"))),
        ("python", every(|n, l| format!("2024-01-29 10:02:31,40{n} - train - ERROR - {l}"))),
        ("loguru", every(|n, l| format!("2024-01-29 10:02:31.40{n} | ERROR    | mod:<module>:12 - {l}"))),
        ("airflow", every(|n, l| format!("[2024-01-29, 10:02:3{n} UTC] {{process.py:93}} INFO - {l}"))),
        ("nested", every(|n, l| format!("w-1  | 2026-11-21T02:46:41.07{n}Z [default3]:[rank3]: {l}"))),
        ("quoted", every(|_, l| format!("> {l}"))),
        ("quoted twice", every(|_, l| format!("> > {l}"))),
        ("html", every(|_, l| l.replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;"))),
        ("nbsp", every(|_, l| l.replace(' ', "\u{a0}"))),
        (
            "docker",
            every(|_, l| {
                format!(
                    "{{\"log\":{},\"stream\":\"stderr\",\"time\":\"2026-11-21T02:46:15.9Z\"}}",
                    serde_json::json!(format!("{l}\n"))
                )
            }),
        ),
        ("json", format!("{{\"level\":\"error\",\"message\":{}}}", serde_json::json!(TRACE.join("\n")))),
        (
            "json in cri",
            format!(
                "2026-11-21T02:46:41.07Z stderr F {{\"level\":\"error\",\"msg\":{}}}",
                serde_json::json!(TRACE.join("\n"))
            ),
        ),
        ("repr", TRACE.join("\\n")),
        ("doubled", every(|_, l| format!("{l}\r\n\r"))),
        ("nul", every(|_, l| format!("\0{l}"))),
    ];
    let known: Vec<&str> = TRACE[..8].to_vec();
    for (name, text) in forms {
        let mut got = clean(&text);
        while got.last().is_some_and(String::is_empty) {
            got.pop();
        }
        assert_eq!(got, known, "{name}");
        check(text.as_bytes());
    }
    let wide: Vec<u8> =
        [0xFF, 0xFE].into_iter().chain(TRACE.join("\r\n").encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(lines(&read(&wide))[..8], known);
    check(&wide);
}

#[test]
fn origins_point_into_the_original() {
    let text = "\u{1b}[31ma\u{1b}[0m\r\n2024-01-29 10:02:31,400 - t - ERROR - b\nc";
    let transcript = read(text.as_bytes());
    let origins: Vec<&str> = transcript.lines().map(|line| &text[line.origin.clone()]).collect();
    assert_eq!(origins, ["\u{1b}[31ma\u{1b}[0m", "2024-01-29 10:02:31,400 - t - ERROR - b", "c"]);
    assert_eq!(transcript.lines().map(|line| line.number).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(transcript.line(1).prefix.level, Some(Level::Error));
    assert_eq!(transcript.line(1).prefix.time, Some(1_706_522_551.4));
    assert_eq!(transcript.physical_lines(), 3);
    let glued = " 0%| | 0/16 [00:00<?, ?it/s]/opt/a.py:7: UserWarning: x";
    let transcript = read(glued.as_bytes());
    assert_eq!(&glued[transcript.line(1).origin.clone()], "/opt/a.py:7: UserWarning: x");
}

#[test]
fn ranks_are_taken_apart() {
    let text = "[rank0]: Traceback (most recent call last):\n[rank1]: Traceback (most recent call last):\nlauncher\n\
                [rank1]:   File \"a.py\", line 1, in f\n[rank0]:   File \"b.py\", line 2, in g[rank1]: ValueError: x\n[rank0]: KeyError: 'y'";
    let transcript = read(text.as_bytes());
    let by_rank: Vec<(Option<u32>, Vec<&str>)> = transcript
        .streams()
        .iter()
        .map(|stream| (stream.rank, stream.lines.iter().map(|n| transcript.line(*n).text).collect()))
        .collect();
    assert_eq!(
        by_rank,
        [
            (Some(0), vec!["Traceback (most recent call last):", "  File \"b.py\", line 2, in g", "KeyError: 'y'"]),
            (Some(1), vec!["Traceback (most recent call last):", "  File \"a.py\", line 1, in f", "ValueError: x"]),
            (None, vec!["launcher"]),
        ]
    );
}

#[test]
fn loggers_make_no_streams() {
    let transcript =
        read(b"2024-01-29 10:02:31,400 - a - ERROR - x\nTraceback\n2024-01-29 10:02:31,401 - b - INFO - y");
    assert_eq!(transcript.streams(), [Stream { rank: None, source: None, lines: vec![0, 1, 2] }]);
    let transcript = read(b"w-0  | a\nw-1  | b\nw-0  | c");
    assert_eq!(transcript.streams().len(), 2);
    assert_eq!(transcript.streams()[1].source.map(|at| transcript.sources()[at as usize].as_str()), Some("w-1"));
}

#[test]
fn a_record_cut_by_the_runtime_is_one_line() {
    let text = "2026-11-21T02:46:41.07Z stderr P RuntimeError: CUDA\n2026-11-21T02:46:41.08Z stderr F  error\nx";
    assert_eq!(clean(text), ["RuntimeError: CUDA error", "x"]);
    let text = "{\"log\":\"RuntimeError: CUDA\",\"stream\":\"stderr\"}\n{\"log\":\" error\\n\",\"stream\":\"stderr\"}";
    assert_eq!(clean(text), ["RuntimeError: CUDA error"]);
}

#[test]
fn nothing_and_almost_nothing() {
    assert!(read(b"").is_empty());
    assert_eq!(read(b"").streams().len(), 0);
    assert_eq!(clean("\n"), [""]);
    assert_eq!(clean("a"), ["a"]);
    assert_eq!(clean("\r\r\r"), [""]);
}

#[test]
fn huge_lines_are_shortened() {
    let mut text = "x".repeat(3 << 20);
    text.insert_str(0, "RuntimeError: head ");
    text.push_str(" tail");
    let transcript = read(text.as_bytes());
    assert_eq!(transcript.len(), 1);
    assert!(transcript.line(0).text.starts_with("RuntimeError: head") && transcript.line(0).text.ends_with("tail"));
    assert!(transcript.line(0).text.len() < 2 << 20);
    assert_eq!(transcript.notes(), ["1 lines longer than 1 MiB shortened in their middle"]);
    check(text.as_bytes());
    for awkward in
        ["\r", "\u{1b}[31m", "[", "\\n", "&lt;", "%|", "[rank1]: ", "a\\n'", "\u{8}", "{\"log\":\"", "━━ 1/", "^[["]
    {
        check(awkward.repeat(20_000).as_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        check(&bytes);
    }

    #[test]
    fn any_mixture_of_what_logs_hold(parts in proptest::collection::vec(proptest::sample::select(vec![
        "\n", "\r", "\r\n", " ", "  ", "é", "│", "╭──╮", "╰──╯", "│ x │", "E   x", "[rank1]: ", "[", "]", "{\"log\":\"a\\n\"}", "\u{1b}[3", "1m", "\u{1b}]8;;",
        "2024-01-29 10:02:31,400", "2024-01-29T10:02:31Z", " - ", " | ", "ERROR", ": ", "\\n", "'", "\"", "Traceback (most recent call last):", "  File \"a\"",
        "> ", "0: ", "w-1  | ", "&lt;", "<br>", "%|", "1/8", "[00:00<", "it/s]", "━━━━", "\u{8}", "\0", "(a pid=1) ", "E0314 08:41:12.551000 1 a.py:1] ",
        "Nov 21 03:15:22 h p[1]: ", "time=", "level=INFO ", "msg=\"", "##[error]", "\u{c2}\u{9b}31m", "[11/21/26 02:46:51] INFO     ", "                    ", "         x",
    ]), 0..60)) {
        check(parts.concat().as_bytes());
    }

    #[test]
    fn a_cut_trace_stays_itself(from in 0usize..400, to in 0usize..400) {
        let text = TRACE.join("\n");
        let (from, to) = (from.min(to).min(text.len()), from.max(to).min(text.len()));
        check(&text.as_bytes()[from..to]);
    }
}

#[test]
fn what_is_too_much_loses_its_middle_and_says_so() {
    let many: String = (0..150_000).map(|n| format!("{}\n", n % 10)).collect();
    let transcript = read(many.as_bytes());
    assert_eq!(transcript.len(), FEW_LINES);
    assert_eq!(transcript.notes(), ["50000 lines from line 25001 on left out"]);
    assert_eq!(transcript.line(FEW_LINES - 1).number, 150_000);
    // Two long lines are as much as thousands of short ones.
    let text = format!("first\n{0}\n{0}\nlast\n", "x".repeat(MOST_BYTES));
    assert_eq!(left_out(&text, 4), 1..2);
}

#[test]
fn blank_lines_are_collapsed_however_they_end() {
    for line_break in ["\n", "\r\n"] {
        assert!(read(line_break.repeat(100_000).as_bytes()).len() <= MOST_BLANK);
    }
}

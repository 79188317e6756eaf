//! Inputs that are no ordinary log.

use crate::place::{ENGINE, Place};

#[test]
fn missing_files_and_folders_get_a_hint() {
    let place = Place::new();
    for (arguments, error, hint) in [
        ("diagnose gone.log", "error: could not read `gone.log`: no such file\n", ""),
        ("diagnose .", "error: could not read `.`: it is a folder\n", "hint: "),
        ("lisst", "error: no file, command, page, report or code is called `lisst`\n", "did you mean `list`?"),
        ("xyzzyxyzzy", "error: no file, command, page, report or code is called", "hint: see `faultbook --help`"),
        ("--reports nowhere list", "error: could not read `nowhere`: ", "hint: "),
    ] {
        let answer = place.run(arguments, "");
        assert_eq!((answer.code, answer.out.as_str()), (2, ""), "{arguments}");
        assert!(answer.err.starts_with(error) && answer.err.contains(hint), "{arguments}: {}", answer.err);
    }
}

#[test]
fn words_that_name_no_file_do_what_is_meant() {
    let place = Place::new();
    for (arguments, shown) in [
        ("oom", "GPU memory ran out"),
        ("700", "CUDA_ERROR_ILLEGAL_ADDRESS"),
        ("Xid 79", "Xid"),
        ("CUDA out of memory", "Do this next"),
        ("words of nobody about anything", "page  "),
    ] {
        let answer = place.run(&format!("--no-probe {arguments}"), "");
        assert!(answer.out.contains(shown), "{arguments}: {} {}", answer.out, answer.err);
    }
    let json = place.run("-f json --no-probe CUDA out of memory", "");
    assert!(json.out.contains("faultbook/diagnosis/2"), "{}", json.out);
}

#[test]
fn files_that_are_no_text_are_refused_with_what_to_do() {
    let place = Place::new();
    for (name, bytes, hint) in [
        ("screen.png", &b"\x89PNG\r\n\x1a\n"[..], "(OCR) such as `tesseract screen.png -`"),
        ("core.77", b"\x7fELF\x02", "gdb PROGRAM core.77"),
        ("logs.7z", b"7z\xbc\xaf\x27\x1c\0\x04", "7z x -so logs.7z"),
    ] {
        place.file(name, bytes);
        let answer = place.run(&format!("diagnose {name}"), "");
        assert_eq!((answer.code, answer.out.as_str()), (2, ""), "{name}");
        assert!(answer.err.contains("not a text") && answer.err.contains(hint), "{name}: {}", answer.err);
    }
}

#[test]
fn wrong_options_are_usage_errors() {
    let place = Place::new();
    for arguments in ["--width 3 list", "--width x", "--format yaml", "--no-such-option", "search", "show"] {
        let answer = place.run(arguments, "");
        assert_eq!((answer.code, answer.out.as_str()), (2, ""), "{arguments}");
        assert!(answer.err.starts_with("error: "), "{arguments}: {}", answer.err);
    }
}

#[test]
fn help_and_version_are_answers() {
    let place = Place::new();
    assert!(place.run("--version", "").out.starts_with("faultbook "));
    let help = place.run("--help", "");
    assert_eq!((help.code, help.err.as_str()), (0, ""));
    assert!(help.out.contains("Exit codes:"));
}

#[test]
fn garbage_is_answered() {
    let place = Place::new();
    let mut state = 0x9e37_79b9_u32;
    let noise: Vec<u8> = (0..200_000)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state as u8
        })
        .collect();
    let mut inside = noise.clone();
    inside.extend_from_slice(b"\n");
    inside.extend_from_slice(ENGINE.as_bytes());
    let utf16: Vec<u8> = std::iter::once(0xfeff).chain(ENGINE.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for (bytes, codes) in [
        (noise, 0..=1),
        (vec![0; 100_000], 1..=1),
        (vec![0xff; 1000], 1..=1),
        (b"\x1b[2J\x1b]0;title\x07".to_vec(), 1..=1),
        (vec![b'x'; 3_000_000], 1..=1),
        (b"\r\r\r\n\r\n".to_vec(), 1..=1),
        (inside, 0..=0),
        (utf16, 0..=0),
    ] {
        let answer = place.run("", bytes);
        assert!(codes.contains(&answer.code), "{}: {}{}", answer.code, answer.out, answer.err);
        assert!(answer.out.chars().all(|c| c == '\n' || !c.is_control()), "{:?}", answer.out);
    }
}

#[test]
fn names_of_files_cannot_steer_the_terminal() {
    let place = Place::new();
    let output = place.command().args(["diagnose", "a\u{1b}[2Jb"]).output().expect("runs");
    assert!(!output.stderr.contains(&0x1b), "{:?}", String::from_utf8_lossy(&output.stderr));
}

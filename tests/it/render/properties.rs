//! What must hold for every answer at every width.

use faultbook::render::clean;
use faultbook::render::markdown;
use faultbook::render::terminal::{self, Terminal};
use textwrap::core::display_width;

use super::samples;

/// Commands that cannot be broken may be wider: samples have none at these widths.
const WIDTHS: [usize; 12] = [30, 33, 40, 47, 60, 72, 79, 80, 81, 100, 120, 200];

#[test]
fn no_line_is_wider_than_the_page() {
    for (name, diagnosis) in samples::all() {
        for width in WIDTHS {
            let text = terminal::render(&diagnosis, Terminal { width, color: false });
            for line in text.lines().filter(|line| !is_unbreakable(line)) {
                assert!(display_width(line) <= width, "{name} at {width}: {line}");
            }
        }
    }
}

/// A part of a command without a blank to break at, or kept whole by quotes.
fn is_unbreakable(line: &str) -> bool {
    let words = line.trim().trim_end_matches(" \\");
    !words.contains(' ') || words.starts_with("echo ")
}

#[test]
fn narrow_and_absurd_widths_give_an_answer() {
    for (_, diagnosis) in samples::all() {
        for width in [0, 1, 19, 20, 21, 5000] {
            assert!(!terminal::render(&diagnosis, Terminal { width, color: false }).trim().is_empty());
        }
    }
}

#[test]
fn no_control_character_reaches_the_terminal() {
    for (name, diagnosis) in samples::all() {
        let text = terminal::render(&diagnosis, Terminal { width: 80, color: false });
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{name}: {text:?}");
        assert!(!text.contains('\u{202e}'), "{name}");
        let text = markdown::render(&diagnosis);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{name}: {text:?}");
    }
}

#[test]
fn colour_changes_nothing_but_colour() {
    for (name, diagnosis) in samples::all() {
        for width in [40, 80] {
            let plain = terminal::render(&diagnosis, Terminal { width, color: false });
            let colored = terminal::render(&diagnosis, Terminal { width, color: true });
            assert!(colored.contains('\u{1b}'), "{name}");
            let without: String = colored.lines().map(|line| clean::lines(line).concat() + "\n").collect();
            assert_eq!(without, plain, "{name} at {width}");
        }
    }
}

#[test]
fn lines_have_no_blanks_at_their_ends_and_blocks_are_one_line_apart() {
    for (name, diagnosis) in samples::all() {
        for width in WIDTHS {
            let text = terminal::render(&diagnosis, Terminal { width, color: false });
            assert!(text.lines().all(|line| line.trim_end() == line), "{name} at {width}:\n{text}");
            assert!(!text.contains("\n\n\n") && !text.starts_with('\n') && text.ends_with('\n'), "{name} at {width}");
        }
    }
}

#[test]
fn commands_for_windows_stay_on_their_line() {
    let error = "RuntimeError: CUDA error: no kernel image is available for execution on the device\n";
    let broken = |shown: &str| {
        let diagnosis =
            crate::support::diagnose(format!("{shown}\nGPU 0: NVIDIA GeForce GTX 1080\n{error}").as_bytes());
        let text = terminal::render(&diagnosis, Terminal { width: 60, color: false });
        assert!(text.contains("torchvision"), "{text}");
        text.lines().any(|line| line.ends_with('\\'))
    };
    assert!(broken("Linux 6.8.0-40-generic x86_64"), "the other case");
    assert!(!broken("Microsoft Windows 11 Pro"));
}

//! The answer for a language model is short, whatever is in it, and keeps what matters most.

use faultbook::diagnosis::Solved;
use faultbook::render::brief::{self, LIMIT};

use super::samples;

#[test]
fn every_answer_is_short_and_ends_with_the_way_to_more() {
    for (name, diagnosis) in samples::all() {
        let text = brief::render(&diagnosis);
        assert!(text.len() <= LIMIT, "{name}: {} bytes\n{text}", text.len());
        assert!(text.lines().last().unwrap_or_default().starts_with("More: "), "{name}: {text}");
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{name}: {text:?}");
    }
}

#[test]
fn the_failure_and_the_measured_come_before_what_solved_others() {
    let text = brief::render(&samples::known());
    let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words} is missing:\n{text}"));
    let order = ["cudnn-no-engine:", "line 412: ", "Certain", "BUG-20251110-003", "Not decided", "Settles it: "];
    assert!(order.map(place).is_sorted(), "{text}");
}

#[test]
fn nothing_known_is_said_plainly() {
    let text = brief::render(&samples::unlisted());
    assert!(text.starts_with("Not in the book: ") && text.contains("nothing certain"), "{text}");
    assert!(brief::render(&samples::healthy()).starts_with("No failure found"));
}

#[test]
fn guesses_are_no_advice_and_what_is_nearly_certain_is() {
    let mut sample = samples::known();
    let text = brief::render(&sample);
    assert!(text.contains("Not decided") && !text.contains("What solves it"), "{text}");
    sample.causes[0].probability = 0.97;
    sample.actions[0].solved = Some(Solved { cases: 9, of: 12, platform: None, nearest: vec!["address".into()] });
    let text = brief::render(&sample);
    assert!(text.contains("Nearly certain:") && text.contains("What solves it:\n- Halve the batch"), "{text}");
}

#[test]
fn how_to_install_something_is_said_where_that_comes_first() {
    // A port that is taken has nothing to do with the driver or the build, although the text names the GPU and the driver.
    let text = "RTX 3090, Ubuntu 22.04, driver 535.54.03, torch 2.1.0+cu118\nRuntimeError: The server socket has failed to \
                listen on any local network address. port: 29500, useIpv6: false, code: -98, name: EADDRINUSE\n";
    let port = crate::support::diagnose(text.as_bytes());
    let commands = ["driver.command", "wheel.command", "wheel.pinned", "wheel.bounded", "wheel.install"];
    let known: Vec<_> = commands.into_iter().filter(|name| port.environment.text(name).is_some()).collect();
    assert!(!known.is_empty(), "no command is computed, so that none can be left out");
    assert!(!brief::render(&port).contains("\n- Command "), "{known:?}: {}", brief::render(&port));
    // The same fact is said where the first action is that command.
    let mut first = port.clone();
    first.actions[0].commands = vec![port.environment.text(known[0]).unwrap_or_default().to_owned()];
    assert!(brief::render(&first).contains("\n- Command "), "{}", brief::render(&first));
}

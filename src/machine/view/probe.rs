//! A probe as text: each device in a few lines, then the findings, then what is unknown.

use crate::facts::Facts;
use crate::machine::view::device::{device, devices, lead, links_and_modes, row};
use crate::machine::view::rows::{driver_parts, kernel_log, limits, machine, software, variables};
use crate::machine::{Check, CheckStatus, Outcome, alike, called, other_gpus};
use crate::render::layout::{Paragraph, Sheet};
use crate::render::style::{AGAINST, FAINT, FOR, PLAIN, STRONG};
use crate::render::terminal::Terminal;

/// The number of reasons shown for unknown facts.
const REASONS: usize = 6;

/// The result of a probe for a terminal.
pub fn render(outcome: &Outcome, terminal: Terminal) -> String {
    let mut sheet = Sheet::new(terminal.width, terminal.color);
    let facts = &outcome.facts;
    if outcome.has_driver() {
        sheet.paragraph(&Paragraph::new(driver_words(outcome)).style(STRONG));
        for index in devices(facts) {
            device(&mut sheet, facts, index);
            links_and_modes(&mut sheet, facts, index);
        }
        checks(&mut sheet, outcome);
    } else {
        sheet.paragraph(&Paragraph::new(format!("No {} driver on this machine.", outcome.vendor.name)).style(STRONG));
        row(&mut sheet, "looked in", &outcome.looked_in.join(", "));
        sheet.blank();
    }
    if outcome.has_driver() {
        sheet.blank();
        driver_parts(&mut sheet, facts);
    }
    for (maker, gpus) in other_gpus(facts) {
        row(&mut sheet, "also here", &format!("{maker}: {gpus}"));
    }
    software(&mut sheet, outcome);
    machine(&mut sheet, facts);
    limits(&mut sheet, facts);
    variables(&mut sheet, facts);
    kernel_log(&mut sheet, outcome);
    findings(&mut sheet, outcome);
    unknown(&mut sheet, facts);
    sheet.finish()
}

/// The driver in one line.
pub(crate) fn driver_words(outcome: &Outcome) -> String {
    let (facts, runtime) = (&outcome.facts, &outcome.vendor.runtime);
    let mut words = Vec::new();
    match (facts.text("driver.version"), facts.text("driver.kernel_version")) {
        (Some(version), _) => words.push(format!("Driver {version}")),
        (None, Some(version)) => words.push(format!("Driver {version} (kernel module)")),
        (None, None) => words.push("Driver of unknown version".to_owned()),
    }
    if let Some(version) = facts.text(&format!("driver.{}", runtime.facts)) {
        words.push(format!("{} {version}", runtime.name));
    }
    match facts.text("driver.init") {
        Some("ok") => words.push(format!("{} initializes", runtime.name)),
        Some(word) => words.push(format!("{} does not initialize: {word}", runtime.name)),
        None => {}
    }
    words.join(" · ")
}

/// The checks of each device: failed ones with their messages, passed ones on one line.
fn checks(sheet: &mut Sheet, outcome: &Outcome) {
    let checks = &outcome.checks;
    if checks.is_empty() {
        return;
    }
    sheet.blank();
    let mut devices: Vec<u32> = checks.iter().map(|check| check.device).collect();
    devices.dedup();
    for device in devices {
        sheet.paragraph(&Paragraph::new(format!("{}, check by check", called(&outcome.facts, device))).style(STRONG));
        let own: Vec<Check> = checks.iter().filter(|check| check.device == device).cloned().collect();
        for (check, names) in alike(&own, CheckStatus::is_broken) {
            let words = format!("{}: {}", names.join(" · "), check.says);
            sheet.paragraph(&Paragraph::new(words).lead(AGAINST, lead(&check.word.word().to_uppercase())));
        }
        for check in own.iter().filter(|check| check.word == CheckStatus::Ok) {
            // The two checks whose messages say more than "ok".
            if matches!(check.name.as_str(), "largest_block" | "peer") {
                let words = format!("{}: {}", check.name.replace('_', " "), check.says);
                sheet.paragraph(&Paragraph::new(words).lead(FAINT, lead("")));
            }
        }
        for (style, label, word) in [(FOR, "ok", CheckStatus::Ok), (FAINT, "not tried", CheckStatus::NotReached)] {
            let names: Vec<String> =
                own.iter().filter(|check| check.word == word).map(|check| check.name.replace('_', " ")).collect();
            if !names.is_empty() {
                sheet.paragraph(&Paragraph::new(names.join(" · ")).lead(style, lead(label)));
            }
        }
        for (check, names) in alike(&own, |word| word == CheckStatus::Skipped) {
            let words = format!("{}: {}", check.says, names.join(" · "));
            sheet.paragraph(&Paragraph::new(words).lead(FAINT, lead("skipped")));
        }
    }
}

fn findings(sheet: &mut Sheet, outcome: &Outcome) {
    if outcome.findings.is_empty() {
        if outcome.has_driver() {
            sheet.blank();
            sheet.paragraph(&Paragraph::new("No problems found.").style(STRONG));
        }
        return;
    }
    sheet.blank();
    sheet.paragraph(&Paragraph::new("Findings").style(STRONG));
    for finding in &outcome.findings {
        sheet.paragraph(&Paragraph::new(finding).lead(PLAIN, "  - "));
    }
}

/// Reasons why something is unknown, each once with the facts it affects; what a device simply lacks is not among them.
pub(crate) fn reasons(facts: &Facts) -> Vec<(&str, Vec<&str>)> {
    let news = |name: &str, why: &str| {
        !why.starts_with("this device does not")
            && !why.starts_with("this driver does not")
            && !why.starts_with("this board has no")
            && !why.starts_with("this device has no")
            && !why.starts_with("this machine has no")
            && !why.contains("is not installed")
            && !why.ends_with(" driver on this machine")
            && !name.starts_with("toolkit.")
            && !name.starts_with("ladder.")
            && !why.contains("is reachable")
    };
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, why) in facts.unknowns() {
        if facts.get(name).is_some() || !news(name, why) {
            continue;
        }
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, names)) => names.push(name),
            None => reasons.push((why, vec![name])),
        }
    }
    reasons
}

fn unknown(sheet: &mut Sheet, facts: &Facts) {
    let reasons = reasons(facts);
    if reasons.is_empty() {
        return;
    }
    sheet.blank();
    sheet.paragraph(&Paragraph::new("Not known").style(STRONG));
    for (why, names) in reasons.iter().take(REASONS) {
        let more = if names.len() > 3 { format!(" and {} more", names.len() - 3) } else { String::new() };
        let names: Vec<&str> = names.iter().take(3).copied().collect();
        sheet.paragraph(&Paragraph::new(format!("{}{more}: {why}", names.join(", "))).lead(PLAIN, "  - "));
    }
    if reasons.len() > REASONS {
        sheet.paragraph(
            &Paragraph::new(format!("{} more reasons in --format json", reasons.len() - REASONS)).lead(FAINT, "    "),
        );
    }
}

/// The result of a probe for an issue tracker.
pub(crate) fn markdown(outcome: &Outcome) -> String {
    let text = render(outcome, Terminal { width: 100, color: false });
    // The fence must be longer than any inside.
    let fence = "`"
        .repeat(3.max(1 + text.lines().map(|line| line.chars().take_while(|c| *c == '`').count()).max().unwrap_or(0)));
    format!("## Probe ({})\n\n{fence}text\n{text}{fence}\n", outcome.level)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Source, Value};

    fn outcome(facts: &[(&str, Value)]) -> Outcome {
        let mut all = Facts::default();
        for (name, value) in facts {
            all.add(*name, value.clone(), Source::Probe, None);
        }
        Outcome {
            vendor: &crate::vendors::all()[0],
            level: "functional".into(),
            facts: all,
            findings: vec!["GPU 0: 0.4 of 12.0 GiB free".into()],
            checks: vec![Check {
                name: "conv_backward_filter".into(),
                device: 0,
                word: CheckStatus::Failed,
                says: "needs 1.1 GiB of workspace".into(),
                code: Some(2),
                milliseconds: 31,
            }],
            looked_in: vec!["/etc/ld.so.cache".into()],
            taken: std::time::UNIX_EPOCH,
        }
    }

    #[test]
    fn no_driver_says_where_it_looked() {
        let text = render(&outcome(&[]), Terminal::default());
        assert!(text.starts_with("No NVIDIA driver on this machine.\n  looked in   /etc/ld.so.cache\n"), "{text}");
    }

    #[test]
    fn a_device_in_a_few_lines() {
        let gib = 1024.0 * 1024.0 * 1024.0;
        let words = |text: &str| Value::Text(text.into());
        let text = render(
            &outcome(&[
                ("driver.present", Value::Bool(true)),
                ("driver.version", words("580.95.05")),
                ("gpu.installed", Value::Number(1.0)),
                ("gpu.0.name", words("NVIDIA GeForce RTX 3060")),
                ("gpu.0.arch", words("sm_86")),
                ("gpu.0.memory.total", Value::Number(12.0 * gib)),
                ("gpu.0.memory.free", Value::Number(3.0 * gib)),
                ("gpu.0.processes", Value::List(vec!["pid 4312 python train.py uses 8.9 GiB".into()])),
                ("gpu.0.temperature", Value::Number(61.0)),
                ("gpu.0.pcie.generation", Value::Number(1.0)),
                ("gpu.0.pcie.width", Value::Number(8.0)),
                ("gpu.0.pcie.max_generation", Value::Number(4.0)),
                ("gpu.0.pcie.max_width", Value::Number(16.0)),
                ("gpu.0.persistence", Value::Bool(false)),
                ("gpu.0.gsp", Value::Bool(true)),
                ("gpu.0.nvlink.active", Value::Number(3.0)),
                ("gpu.0.nvlink.inactive", Value::Number(1.0)),
                ("env.NCCL_DEBUG", words("INFO")),
                ("ulimit.memlock", Value::Number(65536.0)),
                ("kernel.log", words("/dev/kmsg")),
                ("kernel.xid.count", Value::Number(1.0)),
                ("kernel.xid.lines", Value::List(vec!["Xid (PCI:0000:65:00): 79, gone".into()])),
                ("cudnn.copies", Value::Number(2.0)),
                ("cudnn.found", Value::List(vec!["9.1 by the wheels: /a/b".into(), "8.9 by conda: /c/d".into()])),
            ]),
            Terminal::default(),
        );
        assert!(text.contains("GPU 0  NVIDIA GeForce RTX 3060"), "{text}");
        assert!(text.contains("memory      ####################------ 9.0 GiB of 12.0 GiB used"), "{text}");
        assert!(text.contains("pid 4312 python train.py"), "{text}");
        assert!(text.contains("conv backward filter"), "{text}");
        for row in [
            "links       PCIe 1 x8 of 4 x16 · NVLink 3 up, 1 down",
            "modes       persistence off · GSP on",
            "variables   NCCL_DEBUG=INFO",
            "limits      locked memory 64.0 KiB",
            "kernel log  Xid (PCI:0000:65:00): 79, gone",
            "2 copies of cuDNN:",
            "8.9 by conda: /c/d",
        ] {
            assert!(text.contains(row), "{row}\n{text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}

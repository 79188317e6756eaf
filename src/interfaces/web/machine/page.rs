//! This machine as a page: GPUs with their memory, what the driver and the kernel say, and the functional checks.

use std::time::Duration;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Redirect};
use axum::routing::{get, post};

use super::gpus;
use super::panel::{self, Run};
use crate::facts::{Facts, Value};
use crate::interfaces::web::failed::{Failed, page};
use crate::interfaces::web::frame::{Frame, Section};
use crate::interfaces::web::html;
use crate::interfaces::web::server::Shared;
use crate::machine::view::probe::{driver_words, reasons};
use crate::machine::view::rows::surroundings;
use crate::machine::{Check, CheckStatus, Outcome, called};
use crate::render::clean;

/// Of a connection that says nothing for longer, browsers and proxies think that it is dead.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The addresses of the machine.
pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/machine", get(whole))
        .route("/machine/events", get(events))
        .route("/machine/checks", post(check))
}

/// Whether this machine may be asked.
pub(crate) fn allowed(site: &Shared) -> Result<(), Failed> {
    match site.can.probe {
        true => Ok(()),
        false => {
            Err(Failed::new(StatusCode::FORBIDDEN, "this server was started with `--no-probe`: it asks no machine"))
        }
    }
}

#[derive(Template)]
#[template(path = "machine/page.html")]
struct MachinePage {
    frame: Frame,
    /// The machine has not answered yet: what it says comes as events, or with the next page.
    reading: bool,
    gpus: String,
    details: String,
    checks: String,
}

async fn whole(State(site): State<Shared>) -> Result<Html<String>, Failed> {
    allowed(&site)?;
    let outcome = panel::soon(&site).await;
    page(&MachinePage {
        frame: site.frame("", Section::Machine, "This machine"),
        reading: outcome.is_none(),
        gpus: outcome.as_ref().map(|outcome| gpus::shown(&outcome.facts, None)).unwrap_or_default(),
        details: outcome.as_ref().map(|outcome| details(outcome)).unwrap_or_default(),
        checks: checks(&site.panel.run()),
    })
}

async fn events(State(site): State<Shared>) -> Result<impl IntoResponse, Failed> {
    allowed(&site)?;
    Ok(Sse::new(panel::listen(&site)?).keep_alive(KeepAlive::new().interval(HEARTBEAT)))
}

async fn check(State(site): State<Shared>) -> Result<Redirect, Failed> {
    allowed(&site)?;
    panel::start_functional(&site);
    Ok(Redirect::to("/machine#checks"))
}

#[derive(Template)]
#[template(path = "machine/details.html")]
struct Details {
    driver: String,
    no_driver: String,
    looked_in: String,
    findings: Vec<String>,
    /// The name of the driver's events in the kernel log.
    event: String,
    log: String,
    log_lines: Vec<String>,
    rows: Vec<(String, Vec<String>)>,
    unknown: Vec<(String, String)>,
}

/// Everything but the devices themselves.
pub(super) fn details(outcome: &Outcome) -> String {
    let (facts, has_driver) = (&outcome.facts, outcome.has_driver());
    let event = outcome.vendor.kernel_log.event.clone();
    let log_lines = list(facts, "kernel.xid.lines");
    let log = match (facts.text("kernel.log"), facts.number("kernel.xid.count")) {
        (Some(log), Some(0.0)) => format!("no {event} in {log}"),
        (Some(log), Some(count)) => format!("{count} in {log}{}", since(facts.number("kernel.xid.age"))),
        _ => facts.why_unknown("kernel.xid.count").unwrap_or_default().to_owned(),
    };
    let shortened = |(why, names): (&str, Vec<&str>)| {
        let more = if names.len() > 3 { format!(" and {} more", names.len() - 3) } else { String::new() };
        (clean::line(why), format!("{}{more}", names.iter().take(3).copied().collect::<Vec<_>>().join(", ")))
    };
    let details = Details {
        driver: if has_driver { clean::line(&driver_words(outcome)) } else { String::new() },
        no_driver: outcome.vendor.name.clone(),
        looked_in: outcome.looked_in.join(", "),
        findings: outcome.findings.iter().map(|finding| html::sentence(finding)).collect(),
        event,
        log: clean::line(&log),
        log_lines,
        rows: cleaned(surroundings(outcome)),
        unknown: reasons(facts).into_iter().map(shortened).collect(),
    };
    details.render().unwrap_or_default()
}

fn since(seconds: Option<f64>) -> String {
    match seconds {
        None => String::new(),
        Some(seconds) if seconds < 120.0 => format!(", the last one {seconds:.0} s ago"),
        Some(seconds) if seconds < 7200.0 => format!(", the last one {:.0} min ago", seconds / 60.0),
        Some(seconds) => format!(", the last one {:.0} h ago", seconds / 3600.0),
    }
}

#[derive(Template)]
#[template(path = "machine/checks.html")]
struct Checks {
    running: bool,
    seconds: u64,
    now: Vec<String>,
    /// The checks of each device that ended.
    devices: Vec<(String, Vec<CheckView>)>,
    findings: Vec<String>,
    /// They ran, and none of them failed; what else there is to say of the machine is in `findings`.
    passed: bool,
}

struct CheckView {
    name: String,
    class: &'static str,
    word: &'static str,
    says: String,
    milliseconds: u64,
}

/// How the functional checks are doing, or how they ended.
pub(super) fn checks(run: &Run) -> String {
    let facts = run.outcome.as_ref().map(|outcome| outcome.facts.clone()).unwrap_or_default();
    let ended = run.outcome.as_ref().map_or(&run.ended, |outcome| &outcome.checks);
    let mut devices: Vec<(String, Vec<CheckView>)> = Vec::new();
    for check in ended {
        let device = called(&facts, check.device);
        match devices.iter_mut().find(|(known, _)| *known == device) {
            Some((_, checks)) => checks.push(check_view(check)),
            None => devices.push((device, vec![check_view(check)])),
        }
    }
    let checks = Checks {
        running: run.since.is_some(),
        seconds: run.since.map_or(0, |since| since.elapsed().as_secs()),
        now: run
            .now
            .iter()
            .map(|(device, name)| format!("GPU {device}: {}", clean::line(&name.replace('_', " "))))
            .collect(),
        devices,
        findings: run
            .outcome
            .iter()
            .flat_map(|outcome| &outcome.findings)
            .map(|finding| html::sentence(finding))
            .collect(),
        passed: run.outcome.as_ref().is_some_and(|outcome| {
            outcome.checks.iter().any(|check| check.word == CheckStatus::Ok)
                && !outcome.checks.iter().any(|check| check.word.is_broken())
        }),
    };
    checks.render().unwrap_or_default()
}

fn check_view(check: &Check) -> CheckView {
    CheckView {
        name: clean::line(&check.name.replace('_', " ")),
        class: match check.word {
            CheckStatus::Ok => "passed",
            CheckStatus::Skipped | CheckStatus::NotReached => "untried",
            _ => "broken",
        },
        word: check.word.word(),
        says: clean::line(&check.says),
        milliseconds: check.milliseconds,
    }
}

pub(super) fn list(facts: &Facts, name: &str) -> Vec<String> {
    match facts.get(name).map(|fact| &fact.value) {
        Some(Value::List(list)) => list.iter().map(|one| clean::line(one)).collect(),
        _ => Vec::new(),
    }
}

pub(super) fn cleaned(rows: Vec<(String, Vec<String>)>) -> Vec<(String, Vec<String>)> {
    rows.into_iter().map(|(label, values)| (label, values.iter().map(|value| clean::line(value)).collect())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_says_what_is_under_way() {
        let run = Run { since: Some(std::time::Instant::now()), now: vec![(0, "gemm_fp16".into())], ..Run::default() };
        let shown = checks(&run);
        assert!(shown.contains("GPU 0: gemm fp16") && shown.contains("disabled"), "{shown}");
        assert!(!checks(&Run::default()).contains("disabled"));
    }

    #[test]
    fn checks_pass_whatever_else_the_kernel_log_holds() {
        let ended = |word: CheckStatus| {
            let check =
                Check { name: "copy".into(), device: 0, word, says: String::new(), code: None, milliseconds: 4 };
            let outcome = Outcome {
                vendor: &crate::vendors::all()[0],
                level: "functional".into(),
                facts: Facts::default(),
                findings: vec!["the kernel's OOM killer ended: 4312 (python)".into()],
                checks: vec![check],
                looked_in: Vec::new(),
                taken: std::time::UNIX_EPOCH,
            };
            checks(&Run { outcome: Some(std::sync::Arc::new(outcome)), ..Run::default() })
        };
        let shown = ended(CheckStatus::Ok);
        assert!(shown.contains("All checks passed") && shown.contains("4312 (python)"), "{shown}");
        assert!(!ended(CheckStatus::Wrong).contains("All checks passed"));
        assert!(!ended(CheckStatus::Skipped).contains("All checks passed"));
    }
}

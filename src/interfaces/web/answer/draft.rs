//! A bug report drafted in a form: the report beside it, what `check` finds in it, what was left out and may stay.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use askama::Template;
use axum::Router;
use axum::extract::rejection::FormRejection;
use axum::extract::{Form, Path as Segments, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use axum::routing::{get, post};

use super::page::measured_id;
use crate::check::Finding;
use crate::incident::Incident;
use crate::interfaces::drafts::{self, Choices, Purpose};
use crate::interfaces::findings::{findings, shown as shown_path};
use crate::interfaces::web::failed::{Failed, not_found, page};
use crate::interfaces::web::frame::{Frame, Section, report_address};
use crate::interfaces::web::html;
use crate::interfaces::web::server::{Shared, Site, work};
use crate::interfaces::workspace::Workspace;
use crate::render::clean;
use crate::reports::draft::fill::ReportOptions;
use crate::reports::draft::noninteractive::{Drafted, TEMPLATE};
use crate::reports::draft::{report, report_config};
use crate::reports::reading;
use crate::text::redact::{Kind, Redaction};

/// The longest title and command that are taken.
const LONGEST: usize = 500;

/// Saved forms that are remembered, so that a second post of one writes nothing.
const REMEMBERED: usize = 256;

const SEVERITIES: [&str; 4] = ["critical", "high", "medium", "low"];

pub(super) fn routes() -> Router<Shared> {
    Router::new()
        .route("/d/{id}/{place}/draft", get(first).post(again))
        .route("/d/{id}/{place}/draft/save", post(save))
        .route("/d/{id}/{place}/draft/report.md", post(download))
}

/// Forms that were saved: the nonce of each, and where its report is.
#[derive(Debug, Default)]
pub(crate) struct Saved(Mutex<Vec<(String, String)>>);

/// What the form says.
#[derive(Debug, Clone, Default)]
struct Filled {
    title: String,
    /// The title that was drafted, not typed.
    title_drafted: String,
    severity: String,
    command: String,
    command_drafted: String,
    template: String,
    keep: BTreeSet<String>,
    /// Whether secrets may be saved.
    sure: bool,
    /// The report that this becomes an occurrence of.
    append: String,
    nonce: String,
}

impl Filled {
    fn of(form: Result<Form<Vec<(String, String)>>, FormRejection>) -> Result<Self, Failed> {
        let Form(fields) = form.map_err(|error| Failed::new(StatusCode::BAD_REQUEST, error.body_text()))?;
        let mut filled = Self::default();
        for (name, value) in fields {
            let value = clean::line(&value.chars().take(LONGEST).collect::<String>()).trim().to_owned();
            match name.as_str() {
                "title" => filled.title = value,
                "title_drafted" => filled.title_drafted = value,
                "severity" => filled.severity = value,
                "command" => filled.command = value,
                "command_drafted" => filled.command_drafted = value,
                "template" => filled.template = value,
                "keep" => drop(filled.keep.insert(value)),
                "sure" => filled.sure = value == "yes",
                "append" => filled.append = value,
                "nonce" => filled.nonce = value,
                _ => {}
            }
        }
        Ok(filled)
    }

    /// What was typed, not drafted.
    fn options(&self) -> ReportOptions {
        let typed = |value: &str, drafted: &str| (!value.is_empty() && value != drafted).then(|| value.to_owned());
        ReportOptions {
            title: typed(&self.title, &self.title_drafted),
            severity: SEVERITIES.contains(&self.severity.as_str()).then(|| self.severity.clone()),
            command: typed(&self.command, &self.command_drafted),
            ..ReportOptions::default()
        }
    }

    fn template(&self) -> &str {
        if self.template.is_empty() { TEMPLATE } else { &self.template }
    }
}

#[derive(Template)]
#[template(path = "answer/draft.html")]
struct DraftPage {
    frame: Frame,
    id: String,
    place: usize,
    /// Why there is no report, or why it was not saved.
    problem: String,
    nonce: String,
    filled: Filled,
    severities: [&'static str; 4],
    templates: Vec<(String, String)>,
    draft: Option<DraftView>,
}

struct DraftView {
    path: String,
    /// The id that it would get.
    report: String,
    rendered: String,
    lines: Vec<Line>,
    of_title: Vec<FindingView>,
    of_severity: Vec<FindingView>,
    of_command: Vec<FindingView>,
    findings: usize,
    redactions: Vec<RedactionView>,
    kept_secrets: usize,
    alike: Option<Alike>,
}

struct Line {
    number: usize,
    text: String,
    findings: Vec<FindingView>,
}

#[derive(Clone)]
struct FindingView {
    line: u32,
    severity: &'static str,
    rule: &'static str,
    says: String,
}

struct RedactionView {
    mark: String,
    secret: bool,
    kept: bool,
    what: &'static str,
    looked: String,
    replaced_by: String,
    count: usize,
}

struct Alike {
    id: String,
    address: String,
    says: String,
}

type Place = Segments<(String, usize)>;
type Posted = Result<Form<Vec<(String, String)>>, FormRejection>;

async fn first(State(site): State<Shared>, Segments((id, place)): Place) -> Result<Html<String>, Failed> {
    work(&site, move |site, workspace| {
        // A new form asks the machine again; its previews do not.
        site.kept.forget_probed(&measured_id(&id, place));
        shown(site, workspace, "../../../", &id, place, Filled::default(), String::new())
    })
    .await
}

async fn again(State(site): State<Shared>, Segments((id, place)): Place, form: Posted) -> Result<Html<String>, Failed> {
    let filled = Filled::of(form)?;
    work(&site, move |site, workspace| shown(site, workspace, "../../../", &id, place, filled, String::new())).await
}

async fn save(State(site): State<Shared>, Segments((id, place)): Place, form: Posted) -> Result<Response, Failed> {
    if !site.can.write {
        let words = "this server only reads: `faultbook serve --allow-write` lets the page write reports";
        return Err(Failed::new(StatusCode::FORBIDDEN, words));
    }
    let filled = Filled::of(form)?;
    if filled.nonce.len() != 32 || !filled.nonce.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(Failed::new(StatusCode::BAD_REQUEST, "the form is incomplete: open the draft again"));
    }
    work(&site, move |site, workspace| {
        // One at a time, so that a form that is sent twice is saved once.
        let mut saved = site.saved.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, address)) = saved.iter().find(|(nonce, _)| *nonce == filled.nonce) {
            return Ok(Redirect::to(address).into_response());
        }
        let nonce = filled.nonce.clone();
        match written(site, workspace, &id, place, &filled)? {
            Ok(drafted) => {
                let address = format!("/{}", report_address(&drafted.id));
                if saved.len() == REMEMBERED {
                    saved.remove(0);
                }
                saved.push((nonce, address.clone()));
                site.live.reopen();
                Ok(Redirect::to(&address).into_response())
            }
            Err(problem) => {
                let page = shown(site, workspace, "../../../../", &id, place, filled, problem)?;
                Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
            }
        }
    })
    .await
}

async fn download(State(site): State<Shared>, Segments((id, place)): Place, form: Posted) -> Result<Response, Failed> {
    let filled = Filled::of(form)?;
    work(&site, move |site, workspace| {
        let drafted = drafted(site, workspace, &id, place, &filled, &Purpose::Preview)?;
        let drafted = drafted.map_err(|problem| Failed::new(StatusCode::UNPROCESSABLE_ENTITY, problem))?;
        let name: String =
            drafted.id.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect();
        let headers = [
            (CONTENT_TYPE, "text/markdown; charset=utf-8".to_owned()),
            (CONTENT_DISPOSITION, format!("attachment; filename=\"{name}.md\"")),
        ];
        Ok((headers, drafted.text.unwrap_or_default()).into_response())
    })
    .await
}

/// Saves it, unless that would share a secret that nobody confirmed.
fn written(
    site: &Site,
    workspace: &Workspace,
    id: &str,
    place: usize,
    filled: &Filled,
) -> Result<Result<Drafted, String>, Failed> {
    let preview = match drafted(site, workspace, id, place, filled, &Purpose::Preview)? {
        Ok(preview) => preview,
        Err(problem) => return Ok(Err(problem)),
    };
    if !filled.sure && preview.kept.iter().any(|one| one.kind == Kind::Secret) {
        return Ok(Err("the report would contain a secret: confirm that below, or leave it out".to_owned()));
    }
    let purpose = if filled.append.is_empty() { Purpose::Write } else { Purpose::Append(filled.append.clone()) };
    drafted(site, workspace, id, place, filled, &purpose)
}

/// The draft, or in words why there is none.
fn drafted(
    site: &Site,
    workspace: &Workspace,
    id: &str,
    place: usize,
    filled: &Filled,
    purpose: &Purpose,
) -> Result<Result<Drafted, String>, Failed> {
    let pasted = site.kept.get(id).ok_or_else(not_found)?;
    let text = pasted.texts.get(place).ok_or_else(not_found)?;
    let text_id = measured_id(id, place);
    let measure = |incident: &Incident| {
        let known = site.kept.measurement(&text_id).or_else(|| site.kept.probed(&text_id));
        known.map(|known| (*known).clone()).or_else(|| {
            let measured = drafts::measure(workspace, incident)?;
            site.kept.keep_probed(&text_id, measured.clone());
            Some(measured)
        })
    };
    let (template, keep, options) = (filled.template(), filled.keep.clone(), filled.options());
    let choices = Choices { template, keep, options, measure: &measure };
    Ok(drafts::chosen(workspace, &text.bytes, choices, purpose).map_err(|error| drafts::failure(&error)))
}

fn shown(
    site: &Site,
    workspace: &Workspace,
    root: &'static str,
    id: &str,
    place: usize,
    mut filled: Filled,
    mut problem: String,
) -> Result<Html<String>, Failed> {
    let options = filled.options();
    let draft = match drafted(site, workspace, id, place, &filled, &Purpose::Preview)? {
        Ok(drafted) => Some(drafted),
        Err(why) => {
            problem = if problem.is_empty() { why } else { problem };
            None
        }
    };
    if let Some(drafted) = &draft {
        if options.title.is_none() {
            (filled.title, filled.title_drafted) = (drafted.fields.title.clone(), drafted.fields.title.clone());
        }
        if options.command.is_none() {
            (filled.command, filled.command_drafted) = (drafted.fields.command.clone(), drafted.fields.command.clone());
        }
    }
    page(&DraftPage {
        frame: site.frame(root, Section::Diagnose, "Draft a report"),
        id: id.to_owned(),
        place,
        problem: clean::line(&problem),
        nonce: nonce()?,
        severities: SEVERITIES,
        templates: templates(workspace),
        draft: draft.map(|drafted| view(workspace, drafted)),
        filled,
    })
}

fn view(workspace: &Workspace, drafted: Drafted) -> DraftView {
    let text = drafted.text.as_deref().unwrap_or_default();
    let found: Vec<FindingView> =
        findings(workspace, shown_path(&drafted.path), text, None).iter().map(finding_view).collect();
    let lines: Vec<Line> = clean::lines(text)
        .into_iter()
        .zip(1..)
        .map(|(text, number)| {
            let findings = found.iter().filter(|finding| finding.line as usize == number).cloned().collect();
            Line { number, text, findings }
        })
        .collect();
    let of = |starts: &[&str]| {
        let own = lines.iter().filter(|line| starts.iter().any(|start| line.text.trim_start().starts_with(start)));
        own.flat_map(|line| line.findings.iter().cloned()).collect::<Vec<_>>()
    };
    let redaction = |one: &Redaction, kept: bool| RedactionView {
        mark: one.mark.clone(),
        secret: one.kind == Kind::Secret,
        kept,
        what: one.what,
        looked: clean::line(&one.looked),
        replaced_by: one.replaced_by.clone(),
        count: one.count,
    };
    let left_out = drafted.redactions.iter().map(|one| redaction(one, false));
    DraftView {
        path: drafted.path.strip_prefix(&workspace.root).unwrap_or(&drafted.path).display().to_string(),
        rendered: html::document(&reading::parts(text).1, &html::Links::NONE, 2),
        of_title: of(&["title:", "# "]),
        of_severity: of(&["severity:", "**Severity"]),
        of_command: of(&["**Command", "- **Command"]),
        findings: found.len(),
        redactions: drafted.kept.iter().map(|one| redaction(one, true)).chain(left_out).collect(),
        kept_secrets: drafted.kept.iter().filter(|one| one.kind == Kind::Secret).count(),
        alike: drafted.alike.map(|alike| Alike {
            address: report_address(&alike.id),
            says: clean::line(&alike.message()),
            id: alike.id,
        }),
        report: drafted.id,
        lines,
    }
}

fn finding_view(finding: &Finding) -> FindingView {
    let help = if finding.help.is_empty() { String::new() } else { format!(" ({})", finding.help) };
    FindingView {
        line: finding.line,
        severity: finding.severity.word(),
        rule: finding.rule,
        says: clean::line(&format!("{}{help}", finding.message)),
    }
}

/// The templates that can be filled from a log: all but those that describe a commit.
fn templates(workspace: &Workspace) -> Vec<(String, String)> {
    let Ok(templates) = report_config::templates(&workspace.config, &workspace.root) else { return Vec::new() };
    let usable = templates.choices().filter(|choice| choice.broken.is_none() && report::kind(&choice.name) != "CHG");
    usable.map(|choice| (choice.name.clone(), clean::line(&choice.about))).collect()
}

fn nonce() -> Result<String, Failed> {
    let mut bytes = [0_u8; 16];
    let none = |_| Failed::new(StatusCode::INTERNAL_SERVER_ERROR, "this machine gives no random numbers");
    getrandom::fill(&mut bytes).map_err(none)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

//! A diagnosis as a page: the answer beside the text that it is about.

use std::sync::Arc;

use askama::Template;
use axum::http::StatusCode;

use super::compared::compare;
use super::kept::{Pasted, Text};
use super::log::{self, CodeLink, LogView, Margin, Part};
use super::view::AnswerView;
use crate::diagnosis::picture::RunPicture;
use crate::diagnosis::{Diagnosis, Library, Measured, Verdict, diagnose};
use crate::incident::{self, Incident};
use crate::interfaces::web::book::names;
use crate::interfaces::web::failed::{Failed, not_found};
use crate::interfaces::web::frame::{Frame, Section};
use crate::interfaces::web::server::Site;
use crate::interfaces::workspace::Workspace;
use crate::render::clean;
use crate::render::plot::{Figure, figures};
use crate::text::{self, Transcript};

/// The page of one diagnosed text.
#[derive(Template)]
#[template(path = "answer/page.html")]
pub(super) struct AnswerPage {
    pub frame: Frame,
    /// The address of what was pasted, without its text's place.
    pub id: String,
    /// Which of its texts this is, from 0.
    pub place: usize,
    /// All texts that were sent together.
    pub tabs: Arc<Vec<Tab>>,
    pub answer: AnswerView,
    /// Status codes in the line of the failure.
    pub codes: Vec<CodeLink>,
    pub log: LogView,
    /// The run over time: its ranks, memory, loss.
    pub picture: Vec<Figure>,
    /// The first line shown, if only a stretch was asked for.
    pub from: Option<usize>,
    /// Whether a machine can be asked about it, or recorded facts be loaded.
    pub verifiable: bool,
}

/// One of several texts.
#[derive(Debug, Clone)]
pub(super) struct Tab {
    pub name: String,
    /// What was found in it, in few words.
    pub found: String,
    /// `known-fault` and the like.
    pub verdict: &'static str,
    pub address: String,
}

/// One text of what was pasted, diagnosed.
pub(super) struct Analysis {
    pub transcript: Transcript,
    pub incident: Incident,
    pub diagnosis: Diagnosis,
}

/// Diagnoses a text; with what was measured for it, if anything was.
pub(super) fn analyse(workspace: &Workspace, text: &Text, measured: Option<&Measured>) -> Analysis {
    analysed(text, workspace.knowledge.library(), measured)
}

fn analysed(text: &Text, library: Library<'_>, measured: Option<&Measured>) -> Analysis {
    let mut transcript = text::read(&text.bytes);
    text.note.iter().for_each(|note| transcript.note(note.clone()));
    let incident = incident::read(&transcript);
    let diagnosis = diagnose(&transcript, &incident, library, measured.unwrap_or(&Measured::default()));
    Analysis { transcript, incident, diagnosis }
}

/// What a page says of a text, without what is around it.
#[cfg(feature = "fuzzing")]
pub(crate) fn shown(bytes: &[u8], library: Library<'_>) -> String {
    let text = Text { bytes: bytes.to_vec(), ..Text::default() };
    let analysis = analysed(&text, library, None);
    let answer = AnswerView::new(&analysis.diagnosis);
    let margin = Margin::new(&analysis.diagnosis, &analysis.incident, &analysis.transcript, library.book);
    let log = log::view(&text::decoded(bytes), &analysis.transcript, &margin, None);
    let can = crate::interfaces::web::frame::Abilities::default();
    let (title, url, description) = (answer.found.clone(), String::new(), String::new());
    let frame = Frame { root: "".into(), title, description, section: Section::None, can, url };
    let (id, tabs, picture) = (String::new(), Arc::default(), picture(&analysis, bytes));
    let (codes, from, verifiable) = (Vec::new(), None, false);
    let page = AnswerPage { frame, id, place: 0, tabs, answer, codes, log, picture, from, verifiable };
    let page = page.render().unwrap_or_default();
    page.split_once("<main").map(|(_, main)| main.to_owned()).unwrap_or_default()
}

/// The page of one of the texts that were pasted under an id.
pub(super) fn page(
    site: &Site,
    workspace: &Workspace,
    id: &str,
    place: usize,
    from: Option<usize>,
) -> Result<AnswerPage, Failed> {
    let pasted = site.kept.get(id).ok_or_else(gone)?;
    let text = pasted.texts.get(place).ok_or_else(not_found)?;
    let measured = site.kept.measurement(&measured_id(id, place));
    let analysis = analyse(workspace, text, measured.as_deref());
    let mut answer = AnswerView::new(&analysis.diagnosis);
    if measured.is_some() {
        compare(&mut answer, &analyse(workspace, text, None).diagnosis);
    }
    let root = if place == 0 { "../" } else { "../../" };
    let book = &workspace.knowledge.book;
    answer.link(&|text, is_code| names::linked(book, root, text, is_code));
    let margin = Margin::new(&analysis.diagnosis, &analysis.incident, &analysis.transcript, book);
    let log = log::view(&text::decoded(&text.bytes), &analysis.transcript, &margin, from);
    let codes = answer.line.map(|line| margin.codes(line as usize).to_vec()).unwrap_or_default();
    let picture = picture(&analysis, &text.bytes);
    let frame = site.frame(root, Section::Diagnose, answer.found.clone());
    if place == 0 {
        site.kept.describe(id, &answer.found);
    }
    let verifiable = cfg!(feature = "machine") && answer.verdict != Verdict::NoError.word();
    let tabs = if pasted.texts.len() > 1 { tabs(site, workspace, id, &pasted) } else { Arc::default() };
    Ok(AnswerPage { frame, id: id.to_owned(), place, tabs, answer, codes, log, picture, from, verifiable })
}

/// The run over time, where the text shows something of it.
fn picture(analysis: &Analysis, bytes: &[u8]) -> Vec<Figure> {
    let Analysis { transcript, incident, diagnosis } = analysis;
    RunPicture::of(transcript, incident, diagnosis, bytes).map(|picture| figures(&picture, "run")).unwrap_or_default()
}

/// The diagnosis of one of the texts, with what was measured for it.
pub(super) fn diagnosis(site: &Site, workspace: &Workspace, id: &str, place: usize) -> Result<Diagnosis, Failed> {
    let pasted = site.kept.get(id).ok_or_else(gone)?;
    let text = pasted.texts.get(place).ok_or_else(not_found)?;
    let measured = site.kept.measurement(&measured_id(id, place));
    Ok(analyse(workspace, text, measured.as_deref()).diagnosis)
}

/// What was measured for one text.
pub(super) fn measured_id(id: &str, place: usize) -> String {
    format!("{id}/{place}")
}

/// The other texts, each with what was found in it.
fn tabs(site: &Site, workspace: &Workspace, id: &str, pasted: &Pasted) -> Arc<Vec<Tab>> {
    site.kept.tabs(id, || {
        let tab = |(place, text): (usize, &Text)| {
            let answer = AnswerView::new(&analyse(workspace, text, None).diagnosis);
            let name = if text.name.is_empty() { format!("text {}", place + 1) } else { clean::line(&text.name) };
            let address = if place == 0 { format!("d/{id}") } else { format!("d/{id}/{place}") };
            Tab { name, found: answer.found, verdict: answer.verdict, address }
        };
        pasted.texts.iter().enumerate().map(tab).collect()
    })
}

pub(super) fn gone() -> Failed {
    Failed::new(StatusCode::NOT_FOUND, "this text is not kept any more: paste it again")
}

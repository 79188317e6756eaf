//! What people send: texts from the form, dropped or picked files, archives of logs.

use std::io::{Cursor, Read as _};
use std::ops::ControlFlow;

use axum::extract::Multipart;
use axum::extract::multipart::{Field, MultipartError};
use axum::http::StatusCode;

use super::kept::{Pasted, Text};
use crate::interfaces::web::failed::Failed;
use crate::unpack::{self, Source};

/// The longest request, in bytes; forms and errors name it.
pub(crate) const LARGEST: usize = 64 << 20;

/// The longest text that is kept of a compressed file.
const LONGEST_TEXT: u64 = 64 << 20;

/// Files and members of archives of one request.
const MOST_TEXTS: usize = 64;

/// Files as they arrived: name and content.
pub(super) struct Received {
    pub texts: Vec<(String, Vec<u8>)>,
    /// Facts of a machine, as `faultbook probe --save` wrote them.
    pub facts: Option<Vec<u8>>,
}

/// Reads a form with the fields `text`, `file` (several) and `facts`.
///
/// # Errors
/// When the body is no form, is cut off, or is longer than [`LARGEST`].
pub(super) async fn receive(mut form: Multipart) -> Result<Received, Failed> {
    let mut received = Received { texts: Vec::new(), facts: None };
    while let Some(field) = form.next_field().await.map_err(|error| refused(&error))? {
        let name = field.name().unwrap_or_default().to_owned();
        let file = field.file_name().map(last_part).unwrap_or_default();
        let bytes = content(field).await?;
        match name.as_str() {
            _ if bytes.is_empty() => {}
            "facts" => received.facts = Some(bytes),
            "text" if bytes.iter().all(u8::is_ascii_whitespace) => {}
            "text" | "file" if received.texts.len() < MOST_TEXTS => received.texts.push((file, bytes)),
            "text" | "file" => {
                let message =
                    format!("these are more than {MOST_TEXTS} files: put them into one archive, or send fewer");
                return Err(Failed::new(StatusCode::PAYLOAD_TOO_LARGE, message));
            }
            _ => {}
        }
    }
    Ok(received)
}

async fn content(mut field: Field<'_>) -> Result<Vec<u8>, Failed> {
    let mut bytes = Vec::new();
    while let Some(part) = field.chunk().await.map_err(|error| refused(&error))? {
        bytes.extend_from_slice(&part);
    }
    Ok(bytes)
}

fn refused(error: &MultipartError) -> Failed {
    let message = match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => format!(
            "this is longer than {} MiB: send the part around the failure, or use `faultbook FILE`, which reads logs of any length",
            LARGEST >> 20
        ),
        _ => "the form did not arrive whole: send it again".to_owned(),
    };
    // A body that stops arriving is no error of this server's.
    let status = if error.status().is_server_error() { StatusCode::REQUEST_TIMEOUT } else { error.status() };
    Failed::new(status, message)
}

/// A browser may send a path; only the last part is a name.
fn last_part(name: &str) -> String {
    name.rsplit(['/', '\\']).next().unwrap_or_default().chars().take(200).collect()
}

/// Unpacks what is compressed or an archive.
///
/// # Errors
/// When nothing in it is a text.
pub(super) fn unpacked(received: Vec<(String, Vec<u8>)>) -> Result<Pasted, Failed> {
    let mut pasted = Pasted::default();
    let mut refusal = None;
    for (name, bytes) in received {
        match texts_of(&name, bytes) {
            Ok(texts) => pasted.texts.extend(texts),
            Err(why) => refusal = Some(why),
        }
    }
    pasted.texts.truncate(MOST_TEXTS);
    match refusal {
        Some(why) if pasted.texts.is_empty() => Err(Failed::new(StatusCode::UNPROCESSABLE_ENTITY, why)),
        None if pasted.texts.is_empty() => Err(Failed::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "there is nothing to diagnose: paste a traceback or choose a log first",
        )),
        _ => Ok(pasted),
    }
}

fn texts_of(name: &str, bytes: Vec<u8>) -> Result<Vec<Text>, String> {
    let called = if name.is_empty() { "the text" } else { name };
    let failed = |error: std::io::Error| format!("{called} cannot be read: {error}");
    let mut texts = Vec::new();
    let outcome = unpack::each(Source::Stream(Box::new(Cursor::new(bytes))), unpack::Limits::default(), &mut |log| {
        let mut text = Vec::new();
        let read = log.by_ref().take(LONGEST_TEXT).read_to_end(&mut text);
        let member = log.member.to_owned();
        let note = log.flaw().map(|flaw| flaw.note()).or_else(|| read.err().map(|error| error.to_string()));
        let name = match (name.is_empty(), member.is_empty()) {
            (_, true) => name.to_owned(),
            (true, false) => member,
            (false, false) => format!("{name}/{member}"),
        };
        texts.push(Text { name, bytes: text, note });
        if texts.len() < MOST_TEXTS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    let outcome = outcome.map_err(failed)?;
    match outcome.refusal {
        Some((what, hint)) if texts.is_empty() => Err(format!("{called} is {what}, not a text; {hint}")),
        _ if texts.is_empty() => Err(format!("{called} holds no text that can be read")),
        _ => Ok(texts),
    }
}

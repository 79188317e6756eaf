//! What redaction removed from a log: for `--show-redactions`, for JSON, and whenever there was a secret.

use crate::text::redact::Redactor;
use serde::Serialize;

use super::output::remark;

/// Something that was removed, without its content.
#[derive(Serialize)]
pub(crate) struct Taken {
    kind: &'static str,
    what: &'static str,
    looked: String,
    replaced_by: String,
    count: usize,
}

pub(crate) fn taken(redactor: Option<&Redactor>) -> Vec<Taken> {
    let found = redactor.into_iter().flat_map(Redactor::found);
    found
        .map(|one| Taken {
            kind: one.kind.word(),
            what: one.what,
            looked: one.looked.clone(),
            replaced_by: one.replaced_by.clone(),
            count: one.count,
        })
        .collect()
}

/// Lists what was removed: everything if `show`, otherwise only that there was a secret.
pub(crate) fn say(redactor: Option<&Redactor>, show: bool) {
    let taken = taken(redactor);
    if show {
        for one in &taken {
            remark(&format!("{}: {} is now {}, {} times", one.what, one.looked, one.replaced_by, one.count));
        }
    }
    let secrets = taken.iter().filter(|one| one.kind == "secret").count();
    if secrets > 0 {
        remark(&format!(
            "{} in the log; {} out of the report and should be revoked if others have seen the log",
            if secrets == 1 { "there is a secret".to_owned() } else { format!("there are {secrets} secrets") },
            if secrets == 1 { "it was left" } else { "they were left" },
        ));
    } else if show && taken.is_empty() {
        remark("nothing was redacted");
    }
}

//! How a project wants its reports: where they go, how they are named, which templates they use;
//! and what must not be in them.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use super::error::Error;
use super::scheme::{self, Scheme};
use super::templates::Templates;
use crate::reports::config::Config;
use crate::text::redact::{Known, Redactor};

/// The templates of a project: those it configured, else those in the usual place above `here`.
///
/// # Errors
/// When one of them cannot be read or is wrong.
pub(crate) fn templates(config: &Config, here: &Path) -> Result<Templates, Error> {
    let mut folders: Vec<PathBuf> = config.templates.clone();
    if folders.is_empty() {
        folders.extend(Templates::usual_folder(here));
    }
    Templates::open(&folders)
}

/// How a project names its reports.
///
/// # Errors
/// When the configured pattern is wrong.
pub(crate) fn scheme(config: &Config) -> Result<Scheme, Error> {
    let id = config.id.as_deref().unwrap_or(scheme::ID);
    Scheme::new(id, config.file_name.as_deref().unwrap_or(scheme::FILE_NAME))
}

/// The names of this user and this machine, which are private.
pub(crate) fn known() -> Known {
    let variables = |names: &[&str]| names.iter().filter_map(|name| std::env::var(name).ok()).collect::<Vec<_>>();
    let mut hosts = variables(&["HOSTNAME", "COMPUTERNAME"]);
    hosts.extend(std::fs::read_to_string("/proc/sys/kernel/hostname").ok().map(|name| name.trim().to_owned()));
    Known { users: variables(&["USER", "LOGNAME", "USERNAME"]), hosts }
}

/// A log without what should not be shared.
pub(crate) fn redacted(bytes: &[u8], redactor: &mut Redactor) -> Vec<u8> {
    let text = match encoding_rs::Encoding::for_bom(bytes) {
        Some((encoding, _)) => encoding.decode(bytes).0.into_owned(),
        None => String::from_utf8_lossy(bytes).into_owned(),
    };
    redactor.text(&without_colours(&text)).into_owned().into_bytes()
}

/// The text without escapes that set colours: a token that changes its colour half-way is still one token. Escapes that
/// move the cursor stay, because they say which lines were written over.
fn without_colours(text: &str) -> Cow<'_, str> {
    static COLOUR: LazyLock<Regex> = LazyLock::new(|| Regex::new("\x1b\\[[0-9;:]*m").expect("a valid pattern"));
    COLOUR.replace_all(text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_in_two_colours_is_taken_out_whole() {
        let token = format!("hf_{}", "q7Zk2LmX9vT4bNpR8sWy3GdHj6Fc5Va1Ue");
        let (first, second) = token.split_at(9);
        let log = format!("\u{1b}[1mtoken\u{1b}[0m \u{1b}[31m{first}\u{1b}[0;33m{second}\u{1b}[0m refused\n");
        let clean = String::from_utf8(redacted(log.as_bytes(), &mut Redactor::default())).expect("text");
        assert_eq!(clean, "token REDACTED_HF_TOKEN refused\n");
    }
}

//! What a project says about the reports written in it: where they go, how they are named, which templates they fill;
//! and what must not stand in them.

use std::path::{Path, PathBuf};

use super::error::Error;
use super::scheme::{self, Scheme};
use super::templates::Templates;
use crate::book::config::Config;
use crate::transcript::redact::{Known, Redactor};

/// The templates of a project: those it configured, else those in the usual place above `here`.
///
/// # Errors
/// When one of them cannot be read or is wrong.
pub fn templates(config: &Config, here: &Path) -> Result<Templates, Error> {
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
pub fn scheme(config: &Config) -> Result<Scheme, Error> {
    let id = config.id.as_deref().unwrap_or(scheme::ID);
    Scheme::new(id, config.file_name.as_deref().unwrap_or(scheme::FILE_NAME))
}

/// The names of this user and this machine, which are nobody else's business.
pub fn known() -> Known {
    let variables = |names: &[&str]| names.iter().filter_map(|name| std::env::var(name).ok()).collect::<Vec<_>>();
    let mut hosts = variables(&["HOSTNAME", "COMPUTERNAME"]);
    hosts.extend(std::fs::read_to_string("/proc/sys/kernel/hostname").ok().map(|name| name.trim().to_owned()));
    Known { users: variables(&["USER", "LOGNAME", "USERNAME"]), hosts }
}

/// A log without what should not be shared.
pub fn redacted(bytes: &[u8], redactor: &mut Redactor) -> Vec<u8> {
    let text = match encoding_rs::Encoding::for_bom(bytes) {
        Some((encoding, _)) => encoding.decode(bytes).0.into_owned(),
        None => String::from_utf8_lossy(bytes).into_owned(),
    };
    redactor.text(&text).into_owned().into_bytes()
}

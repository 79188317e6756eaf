//! The environment variables that change how GPU programs behave, from an allow-list: nothing else is read, so that a
//! saved probe contains no secrets. A value that looks like a credential is withheld anyway.

use std::collections::BTreeMap;
use std::ffi::OsString;

use super::note::Notes;
use crate::{vendors, wording};

/// Prefixes of credentials that services issue.
const CREDENTIALS: &[&str] = &["hf_", "sk-", "ghp_", "gho_", "github_pat_", "glpat-", "xoxb-", "AKIA", "nvapi-", "eyJ"];

/// Parts of a variable's name that indicate a secret.
const SECRET: &[&str] =
    &["TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "APIKEY", "API_KEY", "ACCESS_KEY", "AUTH"];

/// Longer values are truncated.
const LONGEST: usize = 2000;

/// Records the variables as `env.NAME`.
///
/// An unset LD_LIBRARY_PATH is recorded as empty, which means the same to the loader. An empty CUDA_VISIBLE_DEVICES
/// hides every device while an unset one hides none, so it is recorded only if it is set.
pub(super) fn read(environment: &BTreeMap<OsString, OsString>, notes: &mut Notes) {
    for (name, value) in environment {
        let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else { continue };
        if !listed(name) {
            continue;
        }
        if is_credential(value) {
            notes.set_unknown(format!("env.{name}"), "withheld: the value looks like a credential");
            continue;
        }
        let mut value = value.to_owned();
        if value.len() > LONGEST {
            let cut = (0..=LONGEST).rev().find(|&at| value.is_char_boundary(at)).unwrap_or(0);
            value.truncate(cut);
        }
        notes.text(format!("env.{name}"), value);
    }
    if !environment.contains_key(&OsString::from("LD_LIBRARY_PATH")) {
        notes.text("env.LD_LIBRARY_PATH", "");
    }
}

fn listed(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let known = wording::variables();
    let mut families = vendors::variables().chain(known.recorded_families.iter().copied());
    (known.recorded.contains(&name) || families.any(|family| name.starts_with(family)))
        && !SECRET.iter().any(|part| upper.contains(part))
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether part of a value starts like a credential or is a URL with a password.
fn is_credential(value: &str) -> bool {
    let begins = |word: &str| word.len() >= 16 && CREDENTIALS.iter().any(|start| word.starts_with(start));
    let address = value.split("://").skip(1).any(|rest| {
        let host = rest.split('/').next().unwrap_or(rest);
        host.split_once('@').is_some_and(|(user, _)| user.contains(':'))
    });
    address || value.split(|c: char| c.is_whitespace() || matches!(c, '=' | ',' | ';' | ':')).any(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(pairs: &[(&str, &str)]) -> crate::facts::Facts {
        let environment = pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect();
        let mut notes = Notes::default();
        read(&environment, &mut notes);
        notes.facts
    }

    #[test]
    fn only_listed_variables_and_no_secrets() {
        let facts = facts(&[
            ("NCCL_DEBUG", "INFO"),
            ("PYTORCH_ALLOC_CONF", "expandable_segments:True"),
            ("HOME", "/home/someone"),
            ("OLLAMA_API_KEY", "abc"),
            ("TF_CONFIG_TOKEN", "abc"),
            ("TF_VAR_db_password", "hunter2"),
            ("NCCL_my_secret", "abc"),
            ("CUDA_VISIBLE_DEVICES", ""),
        ]);
        assert_eq!(facts.text("env.NCCL_DEBUG"), Some("INFO"));
        assert_eq!(facts.text("env.CUDA_VISIBLE_DEVICES"), Some(""));
        assert_eq!(facts.text("env.LD_LIBRARY_PATH"), Some(""));
        assert_eq!(facts.iter().count(), 4);
    }

    #[test]
    fn values_that_look_like_credentials_are_withheld() {
        let facts = facts(&[
            ("TORCH_HOME", "hf_abcdefghijklmnopqrstuvwx"),
            ("NCCL_SOCKET_IFNAME", "=eth0"),
            ("TORCH_HUB", "https://me:secret@example.org/models"),
            ("TF_FORCE_GPU_ALLOW_GROWTH", "true"),
        ]);
        for name in ["env.TORCH_HOME", "env.TORCH_HUB"] {
            assert!(facts.get(name).is_none());
            assert!(facts.why_unknown(name).is_some_and(|why| why.contains("credential")), "{name}");
        }
        assert_eq!(facts.text("env.NCCL_SOCKET_IFNAME"), Some("=eth0"));
        assert_eq!(facts.text("env.TF_FORCE_GPU_ALLOW_GROWTH"), Some("true"));
    }

    #[test]
    fn unset_visible_devices_is_not_empty() {
        assert!(facts(&[]).get("env.CUDA_VISIBLE_DEVICES").is_none());
    }
}

//! What precedes the host in a URL: `scheme://user:password@host`, `scheme://token@host`.

use super::tokens::secret;
use super::{Cut, Kind, Word, is_placeholder};

/// Adds passwords, tokens and users.
pub(super) fn find(text: &str, cuts: &mut Vec<Cut>) {
    for (at, _) in text.match_indices("://") {
        let begin = at + 3;
        let rest = text.get(begin..).unwrap_or_default();
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | '`' | '<' | '>'));
        let authority = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let Some((user, _)) = authority.rsplit_once('@') else { continue };
        match user.split_once(':') {
            Some((name, password)) => {
                if !is_placeholder(password) {
                    let from = begin + name.len() + 1;
                    cuts.push(secret(from..from + password.len(), "a password in an address", "REDACTED_PASSWORD"));
                }
                if !name.is_empty() && !is_placeholder(name) && name != "oauth2" && name != "git" {
                    cuts.push(Cut {
                        range: begin..begin + name.len(),
                        kind: Kind::Person,
                        what: "a user name in an address",
                        word: Word::Fixed("REDACTED_USER"),
                        exact: false,
                    });
                }
            }
            None if user.len() >= 16 && !is_placeholder(user) => {
                cuts.push(secret(begin..begin + user.len(), "a token in an address", "REDACTED_TOKEN"));
            }
            None => {}
        }
    }
}

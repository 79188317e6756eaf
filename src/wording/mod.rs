//! Wordings as data (`kb/wording`): words that report failure, advice that proves nothing, what people say about their
//! own attempts, where runs happen. Each file is packed separately and decoded on first use.

mod mentions;
mod metrics;
mod places;
mod rows;
mod secrets;
#[cfg(all(test, feature = "os"))]
pub(crate) mod source;
mod systems;
mod titles;
pub mod topics;

use std::sync::OnceLock;

use serde::Deserialize;

pub use mentions::Mentions;
pub use metrics::{Metric, Metrics, Quantity};
pub use places::{Platform, PlatformKind, Platforms, Shell, Tool};
pub(crate) use places::{PlatformWords, literal};
pub use rows::{
    Advice, Alarms, At, Commands, Complaint, Complaints, Concepts, Failures, Headings, Language, Recall, Redaction,
    Spellings, StateLabels, Statement, Statements, States, Symptom, Symptoms, Variables, Wording, Writing,
};
pub use secrets::{Cookies, Hexadecimal, NamedSecret, SecretCommands, SecretNames, Secrets, Token, Wrapped};
pub use systems::{NumberedMessage, Translation, Translations};
pub use titles::Titles;

/// A function that decodes one file on its first call.
macro_rules! packed {
    ($name:ident, $type:ident, $about:literal) => {
        #[doc = $about]
        pub fn $name() -> &'static $type<&'static str> {
            static VALUE: OnceLock<$type<&'static str>> = OnceLock::new();
            VALUE.get_or_init(|| decode(include_bytes!(concat!(env!("OUT_DIR"), "/", stringify!($name), ".postcard"))))
        }
    };
}

packed!(alarms, Alarms, "Words that make a line worth reading, those of the catalogue of packages included.");
packed!(advice, Advice, "Advice that libraries print with every error.");
packed!(statements, Statements, "What people say of their own tries.");
packed!(symptoms, Symptoms, "What people complain of who have no message.");
packed!(failures, Failures, "How a failure is reported in words that no page knows.");
packed!(mentions, Mentions, "How people write about a message that is no failure of theirs.");
packed!(metrics, Metrics, "How trainers name the numbers that they print.");
packed!(headings, Headings, "The words of headings in reports.");
packed!(states, States, "How reports state their status, severity and day.");
packed!(translations, Translations, "What operating systems print in other languages.");
packed!(titles, Titles, "How people name a problem in a few words.");
packed!(recall, Recall, "What a failure and a question are compared with reports by.");
packed!(concepts, Concepts, "Words that mean the same.");
packed!(writing, Writing, "How people write about failures that did not happen to them.");
packed!(platforms, Platforms, "Where and with what runs happen, and what of our advice exists there.");
packed!(commands, Commands, "Programs that start a run.");
packed!(variables, Variables, "Environment variables by what may be done with them.");
packed!(redaction, Redaction, "What is not removed from a text that is shared.");
packed!(secrets, Secrets, "What is removed from a text that is shared.");

/// What finds the words of all platforms.
pub(crate) fn platform_words() -> &'static PlatformWords<'static> {
    static WORDS: OnceLock<PlatformWords<'static>> = OnceLock::new();
    WORDS.get_or_init(|| decode(include_bytes!(concat!(env!("OUT_DIR"), "/platform_words.postcard"))))
}

fn decode<T: Deserialize<'static>>(bytes: &'static [u8]) -> T {
    postcard::from_bytes(bytes).expect("the same build wrote these bytes")
}
/// Whether a word means nothing by itself, in any of the languages.
pub(crate) fn is_function_word(word: &str) -> bool {
    static WORDS: OnceLock<std::collections::HashSet<&'static str>> = OnceLock::new();
    let all =
        WORDS.get_or_init(|| recall().function_words.values().flat_map(|words| words.split_whitespace()).collect());
    all.contains(word)
}

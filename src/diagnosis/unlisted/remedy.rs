//! What the failing message itself says to do: "To solve this issue, pass ...", "Please install ...".

use super::{Action, Cost};
use crate::wording;

/// Shorter sentences say nothing, longer ones are cut.
const FEWEST_BYTES: usize = 16;
const MOST_LETTERS: usize = 180;

/// The id of the action.
pub(super) const OWN_REMEDY: &str = "unlisted#own-remedy";

/// To do what the message says, if it says something that can be done.
pub(super) fn remedy(message: &str) -> Option<Action> {
    let sentence = message.lines().flat_map(sentences).find(|sentence| is_remedy(sentence))?;
    let short: String = sentence.chars().take(MOST_LETTERS).collect();
    let dots = if short.len() < sentence.len() { " ..." } else { "" };
    Some(Action {
        id: OWN_REMEDY.to_owned(),
        title: format!("Do what the message says: \u{201c}{short}{dots}\u{201d}"),
        detail: "The software that failed knows this case and names its remedy.".to_owned(),
        commands: commands(sentence),
        trade_offs: Vec::new(),
        cost: Some(Cost::Setting),
        solved: None,
        causes: Vec::new(),
        of_message: false,
    })
}

/// What the sentence quotes to be typed.
fn commands(sentence: &str) -> Vec<String> {
    let programs = &wording::advice().programs;
    let quoted = sentence.split(['`', '"']).skip(1).step_by(2).map(str::trim);
    let typed = quoted.filter(|it| it.split(' ').next().is_some_and(|program| programs.contains(&program)));
    typed.filter(|it| it.contains(' ')).map(str::to_owned).collect()
}

/// Sentences end with a full stop or the like and a space.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        // One look at each byte: a line may hold thousands of sentences.
        let ends = rest.as_bytes().windows(2).position(|two| matches!(two, [b'.' | b'!' | b'?', b' ']));
        let end = ends.map_or(rest.len(), |at| at + 1);
        let (sentence, tail) = rest.split_at(end);
        rest = tail;
        (!sentence.is_empty()).then_some(sentence.trim())
    })
}

fn is_remedy(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let any = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    let said = wording::advice();
    sentence.len() >= FEWEST_BYTES && (any(&said.remedies) || names_a_value(&lower)) && !any(&said.no_remedies)
}

/// Whether it says what a setting must be: "neg_sample_num should be 0 when ...".
fn names_a_value(sentence: &str) -> bool {
    let before = [" should be ", " must be "].iter().find_map(|says| sentence.split_once(says));
    let setting = before.and_then(|(before, _)| before.split_whitespace().next_back());
    setting.is_some_and(|it| it.contains('_') || it.ends_with(['`', '\'', '"']))
}

#[cfg(test)]
mod tests {
    use super::remedy;

    #[test]
    fn messages_name_remedies() {
        for (message, says) in [
            (
                "Tracing needs a mask. To solve this issue, load the model with `attn=\"eager\"`.",
                "To solve this issue, load",
            ),
            ("FooBackend is missing: please install it with `pip install foo`", "please install it"),
            ("rope_scaling must be a dictionary", "rope_scaling must be"),
            ("neg_num should be 0 when the loss is CE", "neg_num should be 0"),
            ("The input must be a matrix", ""),
            ("Something went wrong. Please try again later.", ""),
            ("This is a bug. Please report it with the trace above.", ""),
        ] {
            let title = remedy(message).map(|action| action.title).unwrap_or_default();
            assert!(title.contains(says) && title.is_empty() == says.is_empty(), "{message}: {title}");
        }
    }
}

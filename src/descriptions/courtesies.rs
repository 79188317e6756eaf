//! Thanks, praise and greetings, which people write whether anything failed or not. `build.rs` includes this file by path.
//!
//! The composed descriptions of problems and the logs have none of them, so a model would learn that whoever thanks has no
//! problem.

/// Longer sentences say more than thanks.
const MOST_LETTERS: usize = 160;
/// Of a text that is nearly nothing else, everything is kept.
const FEWEST_BYTES: usize = 20;

/// From here on, scripts write words without spaces between them.
const WITHOUT_SPACES: char = '\u{3040}';

/// The sentences of a text without those that hold one of these phrases, which are in lower case.
pub(crate) fn without<S: AsRef<str>>(text: &str, phrases: &[S]) -> String {
    let is_courtesy = |sentence: &str| {
        let lower = sentence.to_lowercase();
        phrases.iter().any(|phrase| begins_a_word(&lower, phrase.as_ref()))
            && sentence.chars().nth(MOST_LETTERS).is_none()
    };
    let sentences = text.split_inclusive(['.', '!', '?', '\n', '。', '！', '？']);
    let rest: String = sentences.filter(|sentence| !is_courtesy(sentence)).collect();
    if rest.trim().len() > FEWEST_BYTES { rest } else { text.to_owned() }
}

fn begins_a_word(text: &str, phrase: &str) -> bool {
    let without_spaces = phrase.chars().next().is_some_and(|first| first >= WITHOUT_SPACES);
    let follows_a_letter = |at: usize| text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
    text.match_indices(phrase).any(|(at, _)| without_spaces || !follows_a_letter(at))
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn thanks_are_left_out() {
        let phrases = ["thank", "great work", "merci", "谢谢"];
        for (text, rest) in [
            ("Great work! It hangs at epoch 2 of 40. Thank you very much!", " It hangs at epoch 2 of 40."),
            ("训练卡住了，没有任何报错，怎么解决？谢谢！", "训练卡住了，没有任何报错，怎么解决？"),
            ("The commercial version hangs at start.", "The commercial version hangs at start."),
            ("Thanks for your help!", "Thanks for your help!"),
        ] {
            assert_eq!(without(text, &phrases), rest);
        }
    }
}

//! Values that somebody decided to share: each by its own mark, and nothing else with it.

use std::collections::BTreeSet;

use super::*;

fn token(first: char) -> String {
    format!("hf_{first}7Zk2LmX9vT4bNpR8sWy3GdHj6Fc5Va1U")
}

#[test]
fn what_is_kept_stays_everywhere_and_everything_else_goes() {
    let (one, other) = (token('q'), token('w'));
    let text = format!("HF_TOKEN={one}\nlogin {other} at /home/alice/x\nagain {one}\n");
    let mut redactor = Redactor::default();
    let without = redactor.text(&text).into_owned();
    assert!(!without.contains(&one) && !without.contains(&other) && !without.contains("alice"), "{without}");
    let found: Vec<Redaction> = redactor.found().cloned().collect();
    assert!(found.iter().all(|one| one.mark.len() == 16 && !one.mark.contains("hf_")), "{found:?}");
    assert_eq!(found.iter().filter(|one| one.kind == Kind::Secret).count(), 2, "{found:?}");
    for kept in &found {
        let mut redactor = Redactor::default().keeping(BTreeSet::from([kept.mark.clone()]));
        let text = redactor.text(&text).into_owned();
        let shown = [&one, &other, "alice"].into_iter().filter(|value| text.contains(*value)).count();
        assert_eq!(shown, 1, "{kept:?}: {text}");
        assert_eq!(redactor.kept().map(|one| &one.mark).collect::<Vec<_>>(), [&kept.mark]);
        assert!(!redactor.found().any(|one| one.mark == kept.mark));
        // A second look at the same text changes nothing more.
        assert_eq!(redactor.text(&text), text);
    }
}

#[test]
fn a_mark_of_nothing_keeps_nothing() {
    let text = format!("token {}", token('q'));
    let marks = BTreeSet::from([String::new(), "*".to_owned(), "secret".to_owned(), "0000000000000000".to_owned()]);
    let mut redactor = Redactor::default().keeping(marks);
    assert!(redactor.text(&text).contains("REDACTED_HF_TOKEN"));
    assert_eq!(redactor.kept().count(), 0);
}

//! Texts that mention a failure and report none are no alarm; texts that report one in nearly the same words are.

use faultbook::diagnosis::Verdict;

use crate::support::diagnose;

/// The blocks of a file of texts, each with its name.
fn texts(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    file.split("\n=== ").skip(1).filter_map(|block| block.split_once('\n'))
}

/// The names of the texts whose answer is not right.
fn wrong(file: &'static str, least: usize, right: impl Fn(Verdict) -> bool) -> Vec<String> {
    assert!(texts(file).count() >= least);
    let answers = texts(file).map(|(name, text)| (name, diagnose(text.as_bytes())));
    let wrong = answers.filter(|(_, answer)| !right(answer.verdict));
    wrong.map(|(name, answer)| format!("{name}: {:?} {:?}", answer.verdict, answer.error)).collect()
}

/// A short question may be taken for a problem that no page is about: to call a problem none is worse.
#[test]
fn mentions_are_no_alarm() {
    const NOT_IN_THE_BOOK: usize = 2;
    let mentions = include_str!("lines/mentions.txt");
    let known = wrong(mentions, 100, |verdict| matches!(verdict, Verdict::NoError | Verdict::UnlistedError));
    assert!(known.is_empty(), "{} wrong:\n{}", known.len(), known.join("\n"));
    let wrong = wrong(mentions, 100, |verdict| verdict == Verdict::NoError);
    assert!(wrong.len() <= NOT_IN_THE_BOOK, "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn reports_in_nearly_the_same_words_are_failures() {
    let wrong = wrong(include_str!("lines/reports.txt"), 100, |verdict| verdict != Verdict::NoError);
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_answer_names_the_page_of_what_is_mentioned() {
    let note = |text: &str| diagnose(text.as_bytes()).notes.join("\n");
    let asked = note("What does CUBLAS_STATUS_EXECUTION_FAILED mean exactly?\n");
    assert!(asked.contains("line 1 mentions") && asked.contains("`faultbook show cublas-execution-failed`"), "{asked}");
    let skipped = note(
        "CUDA out of memory while evaluating sample 812, skipped\nEpoch 4: 100%|##| 500/500 [10:00<00:00, 1.2it/s]\n",
    );
    assert!(skipped.contains("the run went on") && skipped.contains("`faultbook show oom`"), "{skipped}");
}

#[test]
fn one_failure_without_an_excuse_makes_all_count() {
    let run = "CUDA out of memory, skipping batch\nstep 2 loss 2.0\nstep 3 loss 1.9\nstep 4 loss 1.8\n";
    assert_eq!(diagnose(run.as_bytes()).verdict, Verdict::NoError);
    let died = format!("{run}RuntimeError: CUDA error: unspecified launch failure\n");
    assert_eq!(diagnose(died.as_bytes()).verdict, Verdict::KnownFault);
}

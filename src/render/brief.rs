//! The answer for a language model: what it cannot read in the text or compute itself, in as few words as possible.
//!
//! What is certain (measured, computed, in the team's reports) comes first, then what is nearly certain, then what solved
//! known cases. Guesses are left out: `show` and the JSON have them. A usual answer stays under [`LIMIT`]; what does not fit is left out whole, the least useful part first, and the last line says
//! how to get it.

use super::inline::plain;
use super::words::{ORDINARY, copies, counted, open_ended, precedents};
use super::{clean, layout};
use crate::diagnosis::picture::RunPicture;
use crate::diagnosis::{Action, Consequence, Diagnosis, LikeCase, RankedCause, ReportHit, Solved, Verdict};
use crate::facts::{self, Source};

/// Bytes of an answer, the last line included.
pub const LIMIT: usize = 2000;

/// Most bytes of one sentence from a page, and of one quoted line.
const SENTENCE: usize = 260;
const QUOTE: usize = 160;

/// Fewer known cases of a fault say nothing about what usually solves it.
const FEWEST_CASES: usize = 5;

/// Most lines of a command block.
const COMMAND_LINES: usize = 3;

/// A part of the answer. The higher its number, the sooner it is left out.
struct Part {
    dispensable: u8,
    text: String,
}

/// The answer in brief.
pub fn render(diagnosis: &Diagnosis) -> String {
    let mut parts = vec![Part { dispensable: 0, text: head(diagnosis) }];
    let mut add = |dispensable, lines: Vec<String>| {
        parts.extend((!lines.is_empty()).then(|| Part { dispensable, text: lines.join("\n") }));
    };
    add(1, titled("Certain (measured or computed):", certain(diagnosis)));
    add(4, titled("Known beyond the text:", machine(diagnosis)));
    add(1, titled("The team's own reports:", diagnosis.reports.iter().take(2).map(report).collect()));
    match diagnosis.settled() {
        Some(action) => {
            add(0, titled("Nearly certain:", causes(diagnosis)));
            add(0, vec!["What solves it:".to_owned(), advice(action)]);
            add(3, titled("Does not help:", first_cause(diagnosis, |cause| listed(&cause.dead_ends, 2))));
        }
        None => add(0, undecided(diagnosis)),
    }
    add(2, known_cases(diagnosis));
    add(2, titled("Resolved cases with like clues:", diagnosis.like_cases.iter().map(like).collect()));
    let check = diagnosis.next_check.as_ref();
    add(
        3,
        check.map(|check| format!("Settles it: {}", with(&check.says, check.command.as_deref()))).into_iter().collect(),
    );
    let follows = |echo: &Consequence| format!("- line {}: {} ({})", echo.span.start.line, echo.id, plain(&echo.why));
    let shown =
        diagnosis.picture.iter().flat_map(RunPicture::shown).map(|shown| shown.says.clone()).collect::<Vec<_>>();
    add(3, titled("The run over time:", listed(&shown, 6)));
    add(5, titled("Follows from it, not the cause:", diagnosis.cascade.iter().take(3).map(follows).collect()));
    fit(parts, &more(diagnosis))
}

fn titled(title: &str, lines: Vec<String>) -> Vec<String> {
    if lines.is_empty() { lines } else { std::iter::once(title.to_owned()).chain(lines).collect() }
}

/// Which failure, or plainly that there is nothing to say about it.
fn head(diagnosis: &Diagnosis) -> String {
    let lines = counted(diagnosis.lines_read.into(), "line", "lines");
    if let Some(fault) = &diagnosis.fault {
        let kind = if diagnosis.verdict == Verdict::OrdinaryError { format!("\n{ORDINARY}") } else { String::new() };
        let circumstances = match fault.circumstances.as_slice() {
            [] => String::new(),
            parts => format!(" ({})", plain(&parts.join(", "))),
        };
        let (title, place, quote) = (plain(&fault.title), fault.span.start.line, quoted(&fault.text));
        return format!("{}: {title}{circumstances}\nline {place}: {quote}{kind}", fault.id);
    }
    match (&diagnosis.error, diagnosis.verdict) {
        (Some(error), _) => {
            let words = match error.type_name.as_str() {
                "" => quoted(&error.message),
                name => quoted(&format!("{name}: {}", error.message)),
            };
            format!(
                "Not in the book: {words} (line {}). Faultbook knows nothing certain about this error.",
                error.span.start.line
            )
        }
        (None, Verdict::NoError) => format!("No failure found in {lines}."),
        (None, _) => format!("Not in the book. {lines} read."),
    }
}

fn certain(diagnosis: &Diagnosis) -> Vec<String> {
    let measured = diagnosis.probe.iter().flat_map(|probe| &probe.findings);
    let status = diagnosis.causes.iter().filter_map(|cause| {
        Some(format!("{} is {}: {}", cause.id, cause.status.word(), cause.status_says.as_deref()?))
    });
    let all: Vec<String> = diagnosis.notes.iter().chain(measured).cloned().chain(status).collect();
    listed(&all, 6)
}

/// The facts that are commands which install something.
const COMMANDS: [&str; 5] = ["driver.command", "wheel.command", "wheel.pinned", "wheel.bounded", "wheel.install"];

/// What was measured or looked up; what the text says the reader has in the text. Commands are known of every GPU, and say
/// something only where they are the first thing to do.
fn machine(diagnosis: &Diagnosis) -> Vec<String> {
    let first = diagnosis.actions.first();
    let is_first = |command: &str| first.is_some_and(|it| it.commands.iter().any(|block| block.contains(command)));
    let is_apart = |name: &str, fact: &facts::Fact| {
        COMMANDS.contains(&name) && !matches!(&fact.value, facts::Value::Text(command) if is_first(command))
    };
    let known = diagnosis.environment.iter().filter(|(_, fact)| !matches!(fact.source, Source::Text));
    let known = known.filter(|(name, fact)| !is_apart(name, fact));
    let line =
        |(name, fact): (&str, &facts::Fact)| format!("- {}: {}", facts::label(name), facts::words(name, &fact.value));
    known.map(line).take(8).collect()
}

/// The first cause with its reasons.
fn causes(diagnosis: &Diagnosis) -> Vec<String> {
    let line = |cause: &RankedCause| {
        let reasons = cause.reasons.iter().filter(|reason| reason.supports).take(3);
        let reasons: Vec<String> = reasons
            .map(|reason| match &reason.span {
                Some(span) => format!("{} (line {})", plain(&reason.says), span.start.line),
                None => format!("{} ({})", plain(&reason.says), reason.source.word()),
            })
            .collect();
        let because = if reasons.is_empty() { String::new() } else { format!("; because {}", reasons.join("; ")) };
        shortened(&format!("- {}: {}{because}", cause.id, plain(&cause.title)), 2 * SENTENCE)
    };
    diagnosis.causes.iter().take(1).map(line).collect()
}

/// What is said where nothing is nearly certain: the advice for this very message, or that there is none. A model that was
/// given a ranked list of guesses followed it, and its first action was right less often than without.
fn undecided(diagnosis: &Diagnosis) -> Vec<String> {
    let of_message: Vec<String> =
        diagnosis.actions.iter().take_while(|action| action.of_message).take(2).map(advice).collect();
    match (&diagnosis.fault, diagnosis.verdict) {
        _ if !of_message.is_empty() => titled("What the book says of this message, right in most cases:", of_message),
        (Some(_), _) => vec!["Not decided: the text tells more about the cause than the book can.".to_owned()],
        (None, Verdict::NoError) => Vec::new(),
        (None, _) => vec!["The book adds nothing to the text.".to_owned()],
    }
}

/// How often which action solved known cases of the fault.
fn known_cases(diagnosis: &Diagnosis) -> Vec<String> {
    let counted = diagnosis.fault.iter().flat_map(|_| &diagnosis.actions);
    let mut counted: Vec<_> = counted.filter_map(|action| Some((action.solved.as_ref()?, action))).collect();
    counted.sort_by_key(|(solved, _)| std::cmp::Reverse(solved.cases));
    let of = counted.first().map_or(0, |(solved, _)| solved.of);
    // Counts of few cases among many would mislead.
    if 3 * counted.iter().map(|(solved, _)| solved.cases).sum::<usize>() < of || of < FEWEST_CASES {
        return Vec::new();
    }
    let each =
        |(solved, action): &(&Solved, &Action)| format!("{} ({})", plain(open_ended(&action.title)), solved.cases);
    let list: Vec<String> = counted.iter().take(5).map(each).collect();
    vec![format!("What solved {of} known cases, whatever their cause: {}.", list.join("; "))]
}

fn like(case: &LikeCase) -> String {
    let clues = case.clues.iter().take(3).map(|clue| plain(clue)).collect::<Vec<_>>().join("; ");
    let with = if case.with.is_empty() { String::new() } else { format!("{}: ", plain(&case.with)) };
    shortened(&format!("- {with}{clues} -> {} ({})", plain(&case.solved_by), case.at), 2 * SENTENCE)
}

fn advice(action: &Action) -> String {
    let solved = action.solved.as_ref().map(|solved| format!(" [{}]", precedents(solved))).unwrap_or_default();
    let title = format!("{}{solved}", plain(open_ended(&action.title)));
    match action.commands.first() {
        Some(block) => {
            let lines: Vec<&str> = block.lines().filter(|line| !line.trim().is_empty()).collect();
            let kept =
                lines.iter().take(COMMAND_LINES).map(|line| format!("\n   {}", shortened(line.trim_end(), QUOTE)));
            let rest = if lines.len() > COMMAND_LINES { "\n   ..." } else { "" };
            format!("- {title}{}{rest}", kept.collect::<String>())
        }
        None => format!("- {}", shortened(&format!("{title}. {}", plain(&action.detail)), SENTENCE)),
    }
}

fn report(report: &ReportHit) -> String {
    let solution =
        report.solution.as_deref().map(|solution| format!("; solved by: {}", plain(solution))).unwrap_or_default();
    let known = [report.status.clone(), copies(report.copies.len())];
    let known: Vec<String> = known.into_iter().filter(|words| !words.is_empty()).collect();
    shortened(&format!("- {} ({}): {}{solution}", report.id, known.join(", "), plain(&report.title)), SENTENCE)
}

fn first_cause<T: Default>(diagnosis: &Diagnosis, of: impl Fn(&RankedCause) -> T) -> T {
    diagnosis.causes.first().map(of).unwrap_or_default()
}

fn listed(sentences: &[String], most: usize) -> Vec<String> {
    sentences.iter().take(most).map(|sentence| format!("- {}", shortened(&plain(sentence), SENTENCE))).collect()
}

fn with(sentence: &str, command: Option<&str>) -> String {
    let sentence = shortened(&plain(sentence), SENTENCE);
    command.map_or(sentence.clone(), |command| format!("{sentence} `{}`", shortened(command.trim(), SENTENCE)))
}

fn quoted(text: &str) -> String {
    layout::shorten_middle(&clean::line(text), QUOTE)
}

/// At most so many bytes, cut between words.
fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= most.saturating_sub(3)).last().unwrap_or(0);
    let cut = text.get(..end).unwrap_or_default();
    let cut = cut.rsplit_once(char::is_whitespace).map_or(cut, |(head, _)| head);
    format!("{cut}...")
}

fn more(diagnosis: &Diagnosis) -> String {
    match &diagnosis.fault {
        Some(fault) => format!(
            "More: `faultbook show {}`, `--format json` (MCP: `show`, or `diagnose` with `detail: full`).",
            fault.id
        ),
        None => "More: `--format json` (MCP: `diagnose` with `detail: full`).".to_owned(),
    }
}

/// Leaves out parts until the rest fits.
fn fit(mut parts: Vec<Part>, last: &str) -> String {
    let length = |parts: &[Part]| parts.iter().map(|part| part.text.len() + 1).sum::<usize>() + last.len() + 1;
    while length(&parts) > LIMIT {
        let most = parts.iter().map(|part| part.dispensable).max().filter(|most| *most > 0);
        let Some(at) = most.and_then(|most| parts.iter().rposition(|part| part.dispensable == most)) else { break };
        parts.remove(at);
    }
    let text: Vec<&str> = parts.iter().map(|part| part.text.as_str()).chain([last]).collect();
    clean::lines(&text.join("\n")).join("\n") + "\n"
}

//! The stories that the project's reports are made of, the questions about them, and errors of other projects.
//!
//! `stories-*.txt` are data: a line `== key` begins a story, `-- name` begins one of its texts. What changes from one run to
//! the next stands in braces: `{n}` a line number, `{s}` a size, `{gib}` an amount, `{home}` where the project is checked
//! out, `{lib}` where packages are installed, `{addr}`, `{ts}`, `{pid}`, `{r}` a rank, `{step}`. Doubled braces are braces.

use super::random::Random;

/// Which questions were looked at while the search was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Half {
    /// Looked at.
    Dev,
    /// Only scored.
    Held,
    /// Only scored, and asked from afar: in few words, none of them the report's if it can be helped.
    Far,
}

/// One thing that went wrong in the imagined project.
#[derive(Debug, Default)]
pub(crate) struct Story {
    pub(crate) key: String,
    /// The manner in which it is written down: template, postmortem, diary, table, note, wiki.
    pub(crate) form: String,
    /// The language of the writer, `en` if not told.
    pub(crate) lang: String,
    pub(crate) day: String,
    pub(crate) status: String,
    pub(crate) title: String,
    pub(crate) story: String,
    /// What was printed, one text for each failure.
    pub(crate) errors: Vec<String>,
    /// What was printed and is no failure: healthy runs print such lines too.
    pub(crate) logs: Vec<String>,
    pub(crate) cause: String,
    pub(crate) fix: String,
    /// Questions of colleagues.
    pub(crate) asks: Vec<(Half, String)>,
}

/// All stories.
pub(crate) fn stories() -> Vec<Story> {
    const FILES: [&str; 4] = [
        include_str!("stories-1.txt"),
        include_str!("stories-2.txt"),
        include_str!("stories-3.txt"),
        include_str!("stories-4.txt"),
    ];
    FILES.iter().flat_map(|file| blocks(file)).map(|(key, text)| story(key, text)).collect()
}

/// Errors that no report is about.
pub(crate) fn unrelated() -> Vec<(&'static str, &'static str)> {
    blocks(include_str!("unrelated.txt"))
}

fn blocks(file: &'static str) -> Vec<(&'static str, &'static str)> {
    let file = file.strip_prefix("== ").expect("a file begins with a story");
    file.split("\n== ").map(|block| block.split_once('\n').expect("a key and a text")).collect()
}

fn story(key: &str, text: &str) -> Story {
    let mut story = Story { key: key.to_owned(), lang: "en".to_owned(), ..Story::default() };
    let mut parts = text.split("\n-- ");
    for line in parts.next().unwrap_or_default().lines() {
        let (name, value) = line.split_once(": ").expect("a name and a value");
        let field = match name {
            "form" => &mut story.form,
            "lang" => &mut story.lang,
            "day" => &mut story.day,
            "status" => &mut story.status,
            "title" => &mut story.title,
            _ => panic!("{key}: {name}"),
        };
        *field = value.to_owned();
    }
    for part in parts {
        let (name, text) = part.split_once('\n').expect("a name and a text");
        let text = text.trim_end().to_owned();
        match name {
            "story" => story.story = text,
            "error" => story.errors.push(text),
            "log" => story.logs.push(text),
            "cause" => story.cause = text,
            "fix" => story.fix = text,
            "ask dev" => story.asks.push((Half::Dev, text)),
            "ask far" => story.asks.push((Half::Far, text)),
            "ask held" => story.asks.push((Half::Held, text)),
            _ => panic!("{key}: {name}"),
        }
    }
    story
}

/// A text as one run prints it.
pub(crate) fn filled(text: &str, random: &mut Random) -> String {
    let home = *random.pick(&["/home/mina/work/atlas", "/mnt/data/run7/src", "/workspace", "/root/atlas"]);
    let lib = *random.pick(&[
        "/opt/conda/lib/python3.10/site-packages",
        "/root/.venv/lib/python3.12/site-packages",
        "/usr/local/lib/python3.11/dist-packages",
    ]);
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("{{").or(rest.strip_prefix("}}")) {
            out.push_str(&rest[..1]);
            rest = after;
            continue;
        }
        let Some(end) = rest.find('}').filter(|_| rest.starts_with('{')) else { panic!("a lone brace: {rest}") };
        match &rest[1..end] {
            "home" => out.push_str(home),
            "lib" => out.push_str(lib),
            "n" => out.push_str(&random.below(12..990).to_string()),
            "s" => out.push_str(&random.below(2..900).to_string()),
            "r" => out.push_str(&random.below(0..8).to_string()),
            "pid" => out.push_str(&random.below(10_000..9_999_999).to_string()),
            "step" => out.push_str(&random.below(3..90_000).to_string()),
            "gib" => out.push_str(&format!("{}.{:02}", random.below(0..20), random.below(0..100))),
            "addr" => out.push_str(&format!("0x00007f{:08x}", random.below(0..0xffff_ffff))),
            "ts" => out.push_str(&format!(
                "{:02}-{:02} {:02}:{:02}:{:02}.{:06}",
                random.below(1..13),
                random.below(1..29),
                random.below(0..24),
                random.below(0..60),
                random.below(0..60),
                random.below(0..1_000_000)
            )),
            name => panic!("{name}"),
        }
        rest = &rest[end + 1..];
    }
    out + rest
}

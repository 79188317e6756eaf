//! Secrets of every kind of `kb/wording/secrets.toml`, generated from the alphabets that the services document, in the forms
//! in which logs show them: what of them survives.

use super::shapes::{Part, Shape};
use super::tests::redacted;
use super::views;
use crate::wording;

/// The same letters at every run.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, most: usize) -> usize {
        // A linear congruential generator with Knuth's constants; the high bits are the random ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    pub(super) fn letters(&mut self, alphabet: &str, length: usize) -> String {
        (0..length).map(|_| char::from(alphabet.as_bytes()[self.below(alphabet.len())])).collect()
    }

    /// A secret of that shape.
    fn secret(&mut self, shape: &Shape) -> String {
        let mut out = String::new();
        for part in shape.parts() {
            match part {
                Part::Literal(text) => out.push_str(text),
                Part::Run(alphabet, from, to) => {
                    let length = from + self.below((to - from).min(24) + 1);
                    let characters = alphabet.characters();
                    out.extend((0..length).map(|_| char::from(characters[self.below(characters.len())])));
                }
            }
        }
        out
    }
}

/// Forms of a line with a token that shows what it is: `$` is the token.
const SHAPED: &[(&str, &str)] = &[
    ("plain", "loading with $ now"),
    ("plain", "$"),
    ("plain", "`$`,"),
    ("plain", "\u{201c}$\u{201d}"),
    ("quoted", "login(token=\"$\")"),
    ("quoted", "x = ['$', 3]"),
    ("JSON", "{\"auth\": {\"value\": \"$\"}}"),
    ("JSON", r#"{"log": "{\"value\": \"$\"}\nlast\n$\n"}"#),
    ("YAML", "  - name: X\n    value: $"),
];

/// Forms of a line with a named secret: `N` is the name.
const NAMED: &[(&str, &str)] = &[
    ("plain", "@N=$"),
    ("plain", "@N = $ # from the environment"),
    ("quoted", "export @N=\"$\""),
    ("quoted", "config['@N'] = '$'"),
    ("JSON", "{\"@N\": \"$\", \"b\": 1}"),
    ("JSON", r#"{"log": "{\"@N\": \"$\"}"}"#),
    ("YAML", "  @N: $"),
    ("YAML", "  @N: '$'"),
];

/// Secrets that other surroundings show, in the order shape, line.
const SURROUNDED: &[(&str, &str)] = &[
    ("{hex 40}", "wandb: logging in with $"),
    ("{hex 32}", "sending key $ to the server"),
    ("{plain 24}", "cookies={'sessionid': '$', 'theme': 'dark'}"),
    ("{plain 24}", "Cookie: sid=$; theme=dark"),
    ("{plain 32}", "Set-Cookie: session=$; Path=/"),
    ("{plain 12}", "mysql -u root -p$ -h db"),
    ("{plain 14}", "sshpass -p $ ssh host"),
    ("{plain 14}", "curl -u alice7:$ https://x.io"),
    ("{plain 14}", "GET /x?a=1%26password%3D$%26b=2"),
    ("{plain 14}", "postgresql://svc:$@db.example.com:5432/x"),
    ("{plain 14}", "redis://:$@cache:6379/0"),
    ("{plain 14}", "mongodb+srv://svc:$@cluster0.mongodb.net/x"),
    ("{plain 14}", "amqp://svc:$@mq:5672"),
    ("{hex 32}", "dsn https://$@o123.ingest.sentry.io/45"),
    ("{plain 40}", "git clone https://$@github.com/x/y.git"),
    ("{url 43}", "Authorization: Bearer $"),
    ("{base64 38}==", "Authorization: Basic $"),
    ("{plain 40}", "Authorization: token $"),
    ("{plain 40}", "X-Api-Key: $"),
    ("{base64 60}", "'Authorization': 'ApiKey $'"),
    ("{plain 20}", "run --password $ --epochs 3"),
    ("{plain 32}", "run --api-key $ --epochs 3"),
    ("{hex 40}", "wandb login $"),
    ("{hex 40}", "machine api.wandb.ai login user password $"),
    ("{hex 64}", "https://b.s3.amazonaws.com/k?X-Amz-Signature=$"),
    ("{base64 43}=", "https://a.blob.core.windows.net/c?sv=2024&sig=$"),
    ("eyJ{plain 33}.eyJ{plain 60}.{url 43}", "jwt $ expired"),
    ("M{plain 25}.{url 6}.{url 38}", "bot $ failed"),
    ("{plain 64}", "unknown value $ in line 3"),
    ("{base64 64}", "unknown value $ in line 3"),
];

const COLOUR: &str = "\u{1b}[1;31m";

/// A secret in the forms that hide a part of it, with the name of the form.
fn split(secret: &str, random: &mut Random) -> Vec<(&'static str, String)> {
    // The first quarter of a token is hardly more than its prefix.
    let at = secret.len() / 4 + random.below(secret.len() / 2 + 1);
    let (one, two) = secret.split_at(at);
    vec![
        ("colour-split", format!("{one}{COLOUR}{two}\u{1b}[0m")),
        ("colour-split", format!("{one}\u{1b}[0m\u{1b}[38;5;9m{two}")),
        ("colour-split", format!("{one}^[[31m{two}^[[0m")),
        ("backspaced", format!("{one}x\u{8}{two}")),
        ("backspaced", secret.chars().map(|c| format!("{c}\u{8}{c}")).collect()),
        ("backspaced", format!("{secret}{}", "\u{8}".repeat(secret.len()))),
    ]
}

/// A secret in two lines.
fn broken(secret: &str, random: &mut Random) -> Vec<(&'static str, String)> {
    let at = (secret.len() * 2 / 5 + random.below(secret.len() / 5 + 1)).max(4);
    let (one, two) = secret.split_at(at);
    ["\n", "\\\n", "\r\n", "\n    "].map(|between| ("wrapped", format!("{one}{between}{two}"))).into()
}

fn encoded(secret: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.~".contains(c);
    let encode = |c: char| if plain(c) { c.to_string() } else { format!("%{:02X}", u32::from(c)) };
    secret.chars().map(encode).collect()
}

/// All texts with a secret, each with the name of its form.
fn texts(secret: &str, name: Option<&str>, random: &mut Random) -> Vec<(&'static str, String)> {
    let forms = if name.is_some() { NAMED } else { SHAPED };
    let fill = |form: &str, secret: &str| form.replace("@N", name.unwrap_or_default()).replace('$', secret);
    let mut out: Vec<(&str, String)> = forms.iter().map(|(kind, form)| (*kind, fill(form, secret))).collect();
    let query = name.unwrap_or("k");
    let once = encoded(secret);
    out.push(("URL-encoded", format!("GET https://x.io/a?{query}={once}&b=1")));
    out.push(("URL-encoded", format!("next=https%3A%2F%2Fx.io%2Fa%3F{query}%3D{}%26b%3D1", once.replace('%', "%25"))));
    let (plain, quoted) = if name.is_some() { ("@N=$", "@N=\"$\"") } else { ("with $ now", "x = '$'") };
    for (kind, split) in split(secret, random).into_iter().chain(broken(secret, random)) {
        for form in [plain, quoted] {
            out.push((kind, fill(form, &split)));
        }
    }
    out
}

/// What of a secret's random characters a text still has: so many in a row that it helps to guess the rest.
fn leaks(secret: &str, longest: &str, out: &str) -> bool {
    let window = (longest.len() / 2).clamp(4, 8);
    let readable = |text: &str| text.replace(['\n', '\r', '\\', ' '], "");
    let mut shown = vec![readable(out), readable(&out.replace('\u{8}', ""))];
    let mut cuts = Vec::new();
    views::find(out, &mut cuts, |view, _, _| shown.push(readable(view)));
    let parts = longest.as_bytes().windows(window);
    // Where the random part occurs in the word that replaces it, it says nothing.
    let kept =
        parts.filter_map(|part| std::str::from_utf8(part).ok()).any(|part| shown.iter().any(|s| s.contains(part)));
    kept || out.contains(secret)
}

fn longest(shape: &Shape, secret: &str) -> String {
    let literals =
        shape.parts().iter().filter_map(|part| if let Part::Literal(text) = part { Some(*text) } else { None });
    let rest = literals.fold(secret.to_owned(), |rest, literal| rest.replacen(literal, "\0", 1));
    rest.split('\0').max_by_key(|run| run.len()).unwrap_or_default().to_owned()
}

/// How many of how many texts leak, by form, and examples.
#[derive(Default)]
struct Measure {
    forms: std::collections::BTreeMap<&'static str, (usize, usize)>,
    examples: Vec<String>,
    kinds: usize,
    /// How many texts a second redaction changes.
    unstable: Vec<String>,
    checks_twice: bool,
}

impl Measure {
    fn add(&mut self, kind: &str, form: &'static str, text: &str, secret: &str, longest: &str) {
        let out = redacted(text);
        let leaks = leaks(secret, longest, &out);
        if self.checks_twice && redacted(&out) != out {
            self.unstable.push(format!("{text:?}\n    {out:?}\n    {:?}", redacted(&out)));
        }
        let entry = self.forms.entry(form).or_default();
        entry.0 += usize::from(leaks);
        entry.1 += 1;
        if leaks {
            self.examples.push(format!("{kind}, {form}: {text:?}\n    {out:?}"));
        }
    }
}

fn measure(samples: usize) -> Measure {
    let known = wording::secrets();
    let mut random = Random(7);
    let mut measure = Measure { checks_twice: samples > 1, ..Measure::default() };
    for token in &known.token {
        measure.kinds += 1;
        for notation in &token.shapes {
            let shape = Shape::read(notation).unwrap_or_else(|| panic!("{notation} is no shape"));
            for _ in 0..samples.div_ceil(token.shapes.len()) {
                let secret = random.secret(&shape);
                let longest = longest(&shape, &secret);
                for (form, text) in texts(&secret, None, &mut random) {
                    measure.add(token.what, form, &text, &secret, &longest);
                }
            }
        }
    }
    for kind in &known.named {
        measure.kinds += 1;
        let shape = Shape::read(kind.shape).unwrap_or_else(|| panic!("{} is no shape", kind.shape));
        for name in &kind.names {
            for _ in 0..samples.div_ceil(kind.names.len()) {
                let secret = random.secret(&shape);
                let longest = longest(&shape, &secret);
                for (form, text) in texts(&secret, Some(name), &mut random) {
                    measure.add(kind.what, form, &text, &secret, &longest);
                }
            }
        }
    }
    for (notation, line) in SURROUNDED {
        measure.kinds += 1;
        let shape = Shape::read(notation).unwrap_or_else(|| panic!("{notation} is no shape"));
        for _ in 0..samples {
            let secret = random.secret(&shape);
            let longest = longest(&shape, &secret);
            measure.add(line, "surrounded", &line.replace('$', &secret), &secret, &longest);
            for (form, split) in split(&secret, &mut random) {
                measure.add(line, form, &line.replace('$', &split), &secret, &longest);
            }
        }
    }
    measure
}

#[test]
fn no_generated_secret_survives() {
    let measure = measure(1);
    assert!(measure.kinds >= 150, "{}", measure.kinds);
    assert!(measure.examples.is_empty(), "{:?}\n{}", measure.forms, measure.examples.join("\n"));
}

/// `cargo test --lib redact::generated -- --ignored --nocapture`: the figures of docs/robustness.md.
#[test]
#[ignore = "takes minutes: every kind in every form, 100 samples each"]
#[expect(clippy::print_stdout, reason = "the figures are for people")]
fn no_generated_secret_survives_in_a_hundred_samples() {
    let measure = measure(100);
    let tried: usize = measure.forms.values().map(|(_, tried)| tried).sum();
    let (kinds, leaks, unstable) = (measure.kinds, measure.examples.len(), measure.unstable.len());
    println!("{kinds} kinds, {tried} texts, {leaks} leak, {unstable} change in a second redaction");
    for (form, (leaks, tried)) in &measure.forms {
        println!("{form}: {leaks} of {tried}");
    }
    let mut kinds = std::collections::BTreeSet::new();
    let of_kind = |example: &&String| kinds.insert(example.split(':').next().unwrap_or_default().to_owned());
    let shown: Vec<&str> = measure.examples.iter().filter(of_kind).map(String::as_str).collect();
    assert!(shown.is_empty(), "{}", shown.join("\n"));
    assert!(measure.unstable.is_empty(), "{}", measure.unstable[..unstable.min(20)].join("\n"));
}

//! Host names, where the context shows that a word is one: NCCL and torchrun lines, addresses with ports, kernel
//! logs, cluster variables, internal domains. Well-known public hosts (github.com) are kept.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;

use super::learned::Learned;
use super::{Cut, Kind, Word, lines};
use crate::wording;

/// Every group is the name of a machine. Lines are looked at one by one, so `^` is the line's start.
static SAID: LazyLock<Regex> = LazyLock::new(|| {
    let name = r"([A-Za-z0-9][A-Za-z0-9_.\-]*)";
    let forms = [
        format!(r"^\s*(?:\[[^\]]*\]:?\s*)?(?:host\s+:|Host(?:name)?\s*:)\s+{name}\s*$"),
        format!(r"\bsrun: error: {name}: task|\b(?:STEP|JOB) \S+ ON {name} CANCELLED|\b[Nn]ode failure on {name}"),
        format!(r"(?:^|[\s\]]){name}:\d{{1,8}}:\d{{1,8}} \[\d+\] "),
        format!(r"\[{name}\]:\d{{2,5}}\b"),
        format!(r"(?:connect|connecting|connected|bind|reach|listen|peer|endpoint) (?:to |on )?\(?{name}(?:, |:)\d{{4,5}}\b"),
        // "on cifar, 10000 images" and "from checkpoint:12000" are not hosts.
        format!(r"\b(?:on|to|from) (?:\({name}, |([A-Za-z0-9]+[.\-\d][A-Za-z0-9_.\-]*):)\d{{4,5}}\b"),
        format!(
            r#"\b(?i:master_addr|hostname|host_name|nodename|node_name|slurmd_nodename|slurm_(?:job_)?nodelist|slurm_submit_host|computername|userdomain|logonserver|rdzv_endpoint|rdzv-endpoint|master-addr|head_node_ip|ray_address|dmlc_ps_root_uri|server_address|node_ip|node_ip_address)(?:["']?\s*[=:]\s*|["']\s*,\s*)["']?{name}(?::\d{{2,5}})?"#
        ),
        format!(r"--(?:master[_-]addr|rdzv[_-]endpoint|host|hostname|address|node-ip-address|nodes|nodelist) {name}"),
        format!(r"^(?:\[?\s*[A-Z][a-z]{{2}} [ \d]\d \d\d:\d\d:\d\d\]?|\d{{4}}-\d\d-\d\dT[\d:.,+Z\-]+) {name} [\w./\-]+(?:\[\d+\])?: "),
        format!(r"^Linux {name} \d+\.\d+\.\d"),
        r"\b(ip-\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}(?:\.[A-Za-z0-9.\-]+)?)".to_owned(),
        r"\b([a-z0-9][a-z0-9\-]*(?:\.[a-z0-9\-]+)*\.(?:internal|lan|corp|intra|intranet|localdomain|cluster\.local|svc|home\.arpa))\b"
            .to_owned(),
        format!(r"[a-z][a-z0-9+.\-]{{1,14}}://(?:[^\s/@]*@)?{name}"),
    ];
    Regex::new(&forms.join("|")).expect("a valid pattern")
});

/// Words of the forms above that have any; see also [`shows_one`].
static HINTS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    lines::words(&[
        "host",
        "://",
        "ip-",
        "addr",
        "node",
        ".internal",
        ".lan",
        ".corp",
        ".intra",
        ".local",
        ".svc",
        ".home.arpa",
        "srun: ",
        "cancelled",
        "userdomain",
        "computername",
        "endpoint",
        "linux ",
        "--",
    ])
});

/// Adds the hosts that a text names as such, and learns them.
pub(super) fn find(text: &str, cuts: &mut Vec<Cut>, learned: &mut Learned) {
    for (start, line) in lines::all(text) {
        full_names(line, start, cuts, learned);
        if line.len() > 100_000 || !(shows_one(line) || HINTS.is_match(line)) {
            continue;
        }
        for found in SAID.captures_iter(line) {
            let Some(name) = found.iter().skip(1).flatten().next() else { continue };
            let word = name.as_str().trim_end_matches(['.', '-', '_', ':']);
            if learned.host(word) {
                cuts.push(host(start + name.start()..start + name.start() + word.len()));
            }
        }
    }
}

/// Whether a line has the marks of a form without words: a port, `name:1:2 [0]`, the date of a kernel log.
fn shows_one(line: &str) -> bool {
    let bytes = line.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let port = |at: usize| (at..at + 4).all(digit);
    let marked = |at: usize| match bytes.get(at) {
        Some(b':') => port(at + 1) || at > 0 && bytes.get(at - 1) == Some(&b']') && digit(at + 1),
        Some(b',') => bytes.get(at + 1) == Some(&b' ') && port(at + 2),
        _ => bytes.get(at + 1) == Some(&b'[') && at > 0 && digit(at - 1),
    };
    let clear = line.trim_start_matches(['[', ' ']).as_bytes();
    let dated = match clear.first() {
        Some(first) if first.is_ascii_uppercase() => clear.get(3) == Some(&b' ') && clear.get(6) == Some(&b' '),
        Some(first) if first.is_ascii_digit() => clear.get(10) == Some(&b'T'),
        _ => false,
    };
    dated || memchr::memchr3_iter(b':', b',', b' ', bytes).any(marked)
}

/// Top-level domains under which machines of companies and universities have their names. Those that are endings of
/// files (`.py`, `.sh`, `.so`) or names of attributes (`.in`, `.it`) too are left out.
const DOMAINS: [&str; 36] = [
    "com", "net", "org", "edu", "gov", "mil", "int", "cloud", "dev", "ai", "io", "tech", "local", "au", "br", "ca",
    "ch", "cn", "cz", "de", "dk", "es", "eu", "fi", "fr", "hk", "il", "jp", "kr", "nl", "nz", "pl", "ru", "sg", "tw",
    "uk",
];

/// Whole names such as `gpu-node-17.cluster.company.com`: three labels or more, a known domain at the end, and a digit
/// or a dash in the first label, which no Python module has in this place.
fn full_names(line: &str, start: usize, cuts: &mut Vec<Cut>, learned: &mut Learned) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if memchr::memchr_iter(b'.', line.as_bytes()).nth(1).is_none() {
        return;
    }
    let mut at = 0;
    for piece in line.split_inclusive(|c| !is_part(c)) {
        let begin = at;
        at += piece.len();
        let word = piece.trim_end_matches(|c| !is_part(c) || matches!(c, '.' | '-' | '_'));
        let mut labels = word.split('.');
        let telling = |first: &str| first.bytes().any(|b| b == b'-' || b.is_ascii_digit());
        let ends = word.rsplit('.').next().map(str::to_ascii_lowercase).unwrap_or_default();
        if labels.next().is_some_and(telling)
            && labels.count() >= 2
            && DOMAINS.contains(&ends.as_str())
            && learned.host(word)
        {
            cuts.push(host(start + begin..start + begin + word.len()));
        }
    }
}

pub(super) fn host(range: std::ops::Range<usize>) -> Cut {
    Cut { range, kind: Kind::Host, what: "a host name", word: Word::Host, exact: false }
}

/// Whether a word in a host's position names a private machine.
pub(super) fn is_somebodys(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let known = wording::redaction();
    let is_of = |host: &&str| lower.strip_suffix(host).is_some_and(|sub| sub.is_empty() || sub.ends_with('.'));
    let public = known.public_hosts.iter().any(is_of);
    let number = lower.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    !public
        && !number
        && lower.len() >= 2
        && !lower.starts_with("redacted_")
        && !lower.split('.').any(|label| label == "example")
        && !known.not_hosts.contains(&lower.as_str())
        && lower.bytes().any(|b| b.is_ascii_alphabetic())
        // "rank3", "cuda:0", files and symbols are not hosts.
        && !is_other(&lower)
}

fn is_other(lower: &str) -> bool {
    let stem = lower.trim_end_matches(|c: char| c.is_ascii_digit());
    // gpu0 is a device, gpu17 a host.
    let device = matches!(stem, "gpu" | "cpu") && lower.len() <= 4;
    // torch.internal is a module.
    let module = lower.ends_with(".internal") && !lower.bytes().any(|b| b.is_ascii_digit() || b == b'-');
    device
        || module
        || wording::redaction().numbered.contains(&stem)
        || [".py", ".cpp", ".cc", ".cu", ".so", ".h", ".c", ".rs", ".log", ".json", ".yaml", ".yml", ".txt", ".sh"]
            .iter()
            .any(|ending| lower.ends_with(ending))
}

//! The machine as a page: what a browser sees of a fake driver, and what the causes of an answer do.
#![cfg(all(feature = "web", feature = "machine", target_os = "linux"))]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use super::server::Server;
use crate::probe::machine::{Machine, fake};

const NO_ENGINE: &str = "Traceback (most recent call last):\n  File \"/home/user/project/train.py\", line 40, in main\n    \
                         loss.backward()\nRuntimeError: FIND was unable to find an engine to execute this computation\n";

fn scenario(name: &str) -> String {
    format!("{}/tests/fake-driver/scenarios/{name}.txt", env!("CARGO_MANIFEST_DIR"))
}

fn among(name: &str, args: &[&str]) -> Server {
    at(&scenario(name), args)
}

fn at(path: &str, args: &[&str]) -> Server {
    let libraries = fake().display().to_string();
    let variables =
        [("LD_LIBRARY_PATH", libraries.as_str()), ("FAULTBOOK_FAKE", path), ("VIRTUAL_ENV", "/nonexistent")];
    Server::prepared(args, &variables, |_| {})
}

/// A stream of events that was read as far as a word.
struct Events {
    stream: TcpStream,
    read: String,
}

impl Events {
    fn of(server: &Server) -> Self {
        let mut stream = TcpStream::connect(server.address).expect("connects");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
        let request = format!("GET /machine/events HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.address);
        stream.write_all(request.as_bytes()).expect("sent");
        Self { stream, read: String::new() }
    }

    /// Reads until it has come; false if the stream ended before.
    fn until(&mut self, word: &str) -> bool {
        let mut part = [0; 4096];
        while !self.read.contains(word) {
            match self.stream.read(&mut part).expect("answers in time") {
                0 => return false,
                length => self.read.push_str(&String::from_utf8_lossy(&part[..length])),
            }
        }
        true
    }
}

/// The machine's page once the machine has answered.
fn machine(server: &Server) -> String {
    loop {
        let page = server.get("/machine");
        assert_eq!(page.status, 200);
        if !page.body.contains("is being read") {
            return page.body;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// How likely the page says each cause is, by the causes' ids.
fn shares(page: &str) -> Vec<(String, String)> {
    let causes = page.split("data-cause=\"").skip(1);
    let one = |cause: &str| {
        let share = cause.split("<span class=\"share\">").nth(1)?.split(['<', '\n']).next()?;
        Some((cause.split('"').next()?.to_owned(), share.trim().to_owned()))
    };
    causes.filter_map(one).collect()
}

#[test]
fn the_page_shows_a_gpu_and_who_uses_its_memory() {
    let server = among("consumer-nearly-full", &[]);
    let page = machine(&server);
    for words in [
        "NVIDIA GeForce RTX 3060",
        "pid 4312",
        "uses 10.9 GiB",
        "410.0 MiB free",
        "class=\"of-0\"",
        "Refresh",
        "machine/checks",
    ] {
        assert!(page.contains(words), "{words}:\n{page}");
    }
    assert!(!page.contains("style=") && !page.contains("<script>"), "the page's policy forbids both");
}

#[test]
fn a_driver_that_hangs_does_not_hold_up_the_page() {
    let server = among("nvml-hang", &[]);
    let page = server.get("/machine");
    assert!(
        page.status == 200 && page.body.contains("is being read") && page.body.contains("Refresh"),
        "{}",
        page.body
    );
}

#[test]
fn events_come_and_end_with_the_server() {
    let mut server = among("two-cards", &[]);
    let mut events = Events::of(&server);
    assert!(events.until("event: gpus") && events.until("event: details") && events.until("GPU 1"), "{}", events.read);
    assert!(events.read.to_ascii_lowercase().contains("content-type: text/event-stream"));
    assert_eq!(server.post("/machine/checks", &[]).status, 303);
    assert!(events.until("event: checks"), "{}", events.read);
    server.end();
    assert!(!events.until("a word that never comes"));
}

#[test]
fn the_checks_run_and_say_what_they_found() {
    let server = among("gemm-wrong", &[]);
    let mut events = Events::of(&server);
    assert_eq!(server.post("/machine/checks", &[]).status, 303);
    assert!(events.until("peer"), "{}", events.read);
    // Another run is started only when this one is over; the last check and its outcome are two events.
    let mut page = machine(&server);
    while page.contains("disabled") {
        std::thread::sleep(Duration::from_millis(50));
        page = machine(&server);
    }
    assert!(page.contains("<caption>GPU 0</caption>") && page.contains(">context</th>"), "{page}");
}

#[test]
fn no_more_than_16_listen() {
    let server = among("healthy-h100", &[]);
    let mut listeners: Vec<Events> = (0..16).map(|_| Events::of(&server)).collect();
    assert!(listeners.iter_mut().all(|events| events.until("event: gpus")));
    assert_eq!(server.get("/machine/events").status, 503);
}

#[test]
fn the_machine_moves_the_causes_of_an_answer() {
    let server = among("consumer-nearly-full", &[]);
    let answer = server.paste(NO_ENGINE);
    let before = server.get(&answer).body;
    let verified = server.post(&format!("{answer}/0/verify"), &[("level", "quick")]);
    assert_eq!((verified.status, verified.header("location")), (303, Some(format!("{answer}#answer").as_str())));
    let after = server.get(&answer).body;
    let (was, is) = (shares(&before), shares(&after));
    assert!(was.len() > 2 && was[0].0 == "memory-exhausted" && was != is, "{was:?}\n{is:?}");
    let (_, share) = was.iter().find(|(id, _)| id == "memory-held").expect("a cause");
    assert!(after.contains(&format!("was {share}</small>")) && after.contains("supported"), "{after}");
    assert!(after.contains("This machine, asked just now") && after.contains("410.0 MiB"), "{after}");
    assert_eq!(server.post(&format!("{answer}/0/verify"), &[("level", "none")]).status, 303);
    assert_eq!(shares(&server.get(&answer).body), was);
    assert_eq!(server.post(&format!("{answer}/0/verify"), &[("level", "stress")]).status, 400);
    assert_eq!(server.post("/d/00000000000000000000/0/verify", &[("level", "quick")]).status, 404);
}

#[test]
fn a_draft_asks_the_machine_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("scenario.txt");
    std::fs::copy(scenario("consumer-nearly-full"), &path).expect("copies");
    let server = at(&path.display().to_string(), &[]);
    let draft = format!("{}/0/draft", server.paste(NO_ENGINE));
    let first = server.get(&draft).body;
    assert!(first.contains("RTX 3060"), "{first}");
    std::fs::copy(scenario("healthy-h100"), &path).expect("copies");
    let preview = server.post(&draft, &[("title", "Another title")]).body;
    assert!(preview.contains("Another title") && preview.contains("RTX 3060"), "{preview}");
    assert!(server.get(&draft).body.contains("H100"), "a new form asks anew");
}

#[test]
fn recorded_facts_count_like_this_machine() {
    let machine = Machine::with("consumer-nearly-full").torch_28().file("proc/4312/cmdline", "python\0train.py\0");
    let recorded = faultbook::machine::to_json(&machine.probe(faultbook::machine::Level::Functional));
    let server = Server::start(&["--no-probe"]);
    let pasted =
        server.upload("/diagnose", &[("text", "", NO_ENGINE.as_bytes()), ("facts", "facts.json", recorded.as_bytes())]);
    let address = pasted.header("location").expect("an answer").to_owned();
    let page = server.get(&address).body;
    assert!(page.contains("from recorded facts") && page.contains("status confirmed"), "{page}");
    // The same from the answer's page, for one that has none.
    let other = server.paste(&format!("epoch 1\n{NO_ENGINE}"));
    assert!(!server.get(&other).body.contains("status confirmed"));
    assert_eq!(server.upload(&format!("{other}/0/facts"), &[("facts", "facts.json", recorded.as_bytes())]).status, 303);
    assert!(server.get(&other).body.contains("status confirmed"));
    for wrong in [&b"{}"[..], b"\xff\xfe", b"{\"schema\": \"faultbook/facts/9\"}"] {
        let refused = server.upload(&format!("{other}/0/facts"), &[("facts", "facts.json", wrong)]);
        assert_eq!(refused.status, 422);
        assert!(
            refused.body.contains("faultbook probe --save FILE") || refused.body.contains("faultbook/facts/9"),
            "{}",
            refused.body
        );
        let refused = server.upload("/diagnose", &[("text", "", b"x"), ("facts", "facts.json", wrong)]);
        assert_eq!(refused.status, 422);
    }
}

#[test]
fn no_probe_asks_nothing() {
    let server = among("healthy-h100", &["--no-probe"]);
    let answer = server.paste(NO_ENGINE);
    for path in ["/machine", "/machine/events"] {
        assert_eq!(server.get(path).status, 403, "{path}");
    }
    assert_eq!(server.post("/machine/checks", &[]).status, 403);
    assert_eq!(server.post(&format!("{answer}/0/verify"), &[("level", "quick")]).status, 403);
    let page = server.get(&answer).body;
    assert!(!page.contains("Check on this machine") && page.contains("Use these facts"), "{page}");
}

#[test]
fn a_machine_without_a_driver_says_so() {
    if faultbook::machine::driver_here(&faultbook::machine::Options::default()) {
        return crate::support::left_out::note("the page of a machine without a driver", "this machine has one");
    }
    let page = machine(&Server::prepared(&[], &[("LD_LIBRARY_PATH", "")], |_: &Path| {}));
    assert!(page.contains("No GPU to show") && page.contains("Looked in"), "{page}");
}

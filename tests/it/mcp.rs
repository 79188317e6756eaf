//! `faultbook mcp` as an agent uses it: one JSON message a line over the standard streams.
#![cfg(feature = "mcp")]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

const LOG: &str = "Traceback (most recent call last):\n  File \"train.py\", line 88, in <module>\n\
                   RuntimeError: GET was unable to find an engine to execute this computation\n";

const REPORT: &str = "---\ntitle: \"Lateral layer finds no engine\"\ndate: \"2026-01-01\"\ntype: bug_report\nstatus: resolved\n\
                      bug_id: BUG-20260101-007\nseverity: high\n---\n# Bug Report: lateral layer finds no engine\n\n## Summary\n\
                      It stops.\n\n## Logs\n```\nRuntimeError: GET was unable to find an engine to execute this computation\n```\n";

pub(crate) struct Agent {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    last: i64,
    pub(crate) folder: tempfile::TempDir,
}

impl Agent {
    fn new() -> Self {
        Self::with(&["--no-probe"])
    }

    /// An agent in a project with these files, given by path and text.
    pub(crate) fn among(files: &[(String, String)]) -> Self {
        Self::of(&["--no-probe"], files)
    }

    fn with(options: &[&str]) -> Self {
        Self::of(options, &[])
    }

    fn of(options: &[&str], files: &[(String, String)]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let reports = folder.path().join("docs/bug_reports");
        fs::create_dir_all(folder.path().join(".git")).expect("a folder");
        fs::create_dir_all(&reports).expect("folders");
        fs::write(reports.join("BUG-20260101-007.md"), REPORT).expect("a file");
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            fs::write(path, text).expect("a file");
        }
        let mut child = Command::new(env!("CARGO_BIN_EXE_faultbook"))
            .arg("mcp")
            .args(options)
            .current_dir(&folder)
            .env("XDG_CACHE_HOME", folder.path().join(".git/cache"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("runs");
        let (to, from) = (child.stdin.take(), BufReader::new(child.stdout.take().expect("a pipe")));
        let mut agent = Self { child, to, from, last: 0, folder };
        let client = json!({ "name": "test", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        let answer = agent.ask("initialize", hello);
        assert_eq!(answer["serverInfo"]["name"], "faultbook");
        agent.raw(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        agent
    }

    fn raw(&mut self, line: &str) {
        let to = self.to.as_mut().expect("a pipe");
        writeln!(to, "{line}").and_then(|()| to.flush()).expect("written");
    }

    /// The whole answer to a request.
    fn answer(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.raw(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).expect("a line") > 0, "the server is gone");
            let message: Value = serde_json::from_str(&line).expect("JSON");
            if message["id"] == id {
                return message;
            }
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answer(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// Closes the stream; the exit code.
    fn leave(mut self) -> Option<i32> {
        drop(self.to.take());
        self.child.wait().expect("ends").code()
    }
}

pub(crate) fn text(result: &Value) -> String {
    let parts = result["content"].as_array().expect("content").iter();
    parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn tools_have_schemas_and_say_that_they_only_read() {
    let mut agent = Agent::new();
    let tools = agent.ask("tools/list", json!({}))["tools"].as_array().expect("a list").clone();
    let mut names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    names.sort_unstable();
    let all = ["check", "diagnose", "draft_report", "probe", "search", "show"];
    assert_eq!(names, all.into_iter().filter(|name| cfg!(feature = "machine") || *name != "probe").collect::<Vec<_>>());
    for tool in &tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        jsonschema::validator_for(&tool["inputSchema"]).expect("a schema");
    }
    assert_eq!(agent.leave(), Some(0));
}

#[test]
fn a_log_is_diagnosed_from_words_or_a_file() {
    let mut agent = Agent::new();
    let result = agent.call("diagnose", json!({ "text": LOG, "detail": "full" }));
    let data = &result["structuredContent"];
    assert_eq!((&data["schema"], &data["fault"]["id"]), (&json!("faultbook/diagnosis/2"), &json!("cudnn-no-engine")));
    assert_eq!(data["reports"][0]["id"], "BUG-20260101-007");
    assert!(text(&result).starts_with("# "));
    let brief = agent.call("diagnose", json!({ "text": LOG }));
    assert!(text(&brief).starts_with("cudnn-no-engine: ") && text(&brief).len() <= 2000, "{brief}");
    assert!(text(&brief).contains("BUG-20260101-007") && brief["structuredContent"].is_null(), "{brief}");
    fs::write(agent.folder.path().join("run.log"), LOG).expect("a file");
    let result = agent.call("diagnose", json!({ "path": "run.log", "detail": "full" }));
    assert_eq!(result["structuredContent"]["fault"]["id"], "cudnn-no-engine");
    for (arguments, says) in
        [(json!({ "path": "absent.log" }), "cannot read"), (json!({ "path": "." }), "is not a file")]
    {
        let result = agent.call("diagnose", arguments);
        assert!(result["isError"] == true && text(&result).contains(says), "{result}");
    }
}

#[test]
fn a_log_in_an_archive_is_named_by_its_path() {
    let mut agent = Agent::new();
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory")
    };
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in [("node3/rank0.log", LOG), ("node3/rank1.log", "epoch 1 loss 0.4\n")] {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        builder.append_data(&mut header, name, bytes.as_bytes()).expect("memory");
    }
    let noise: String = (0..9000).map(|step| format!("step {step}: loss {}\n", step * 7919 % 1000)).collect();
    let long = gzip(format!("{LOG}{noise}").as_bytes());
    for (name, bytes) in [
        ("logs.tgz", gzip(&builder.into_inner().expect("memory"))),
        ("run.log.gz", gzip(LOG.as_bytes())),
        ("cut.log.gz", long[..long.len() / 2].to_vec()),
        ("gone.log.gz", long[..12].to_vec()),
        ("shot.png", b"\x89PNG\r\n\x1a\n".to_vec()),
    ] {
        fs::write(agent.folder.path().join(name), bytes).expect("a file");
    }
    for path in ["logs.tgz/node3/rank0.log", "run.log.gz", "cut.log.gz"] {
        let result = agent.call("diagnose", json!({ "path": path, "detail": "full" }));
        assert_eq!(result["structuredContent"]["fault"]["id"], "cudnn-no-engine", "{path}: {result}");
        assert_eq!(text(&result).contains("the gzip data ends early: only what comes before"), path == "cut.log.gz");
    }
    let drafted = agent.call("draft_report", json!({ "path": "logs.tgz/node3/rank0.log" }));
    assert!(text(&drafted).contains("unable to find an engine"), "{drafted}");
    for (path, says) in [
        ("logs.tgz", "has several logs: pass"),
        ("logs.tgz", "node3/rank0.log, node3/rank1.log"),
        ("logs.tgz/absent.log", "has no readable text"),
        ("gone.log.gz", "nothing could be read"),
        ("shot.png", "is a picture, not a text"),
    ] {
        let result = agent.call("diagnose", json!({ "path": path }));
        assert!(result["isError"] == true && text(&result).contains(says), "{path}: {result}");
    }
}

#[test]
fn pages_reports_and_codes_are_found_and_shown() {
    let mut agent = Agent::new();
    let hits = agent.call("search", json!({ "words": "lateral engine" }))["structuredContent"]["hits"].clone();
    assert_eq!((&hits[0]["kind"], &hits[0]["id"]), (&json!("report"), &json!("BUG-20260101-007")));
    assert!(text(&agent.call("search", json!({ "words": "zzzzqqqq" }))).contains("Nothing found"));
    for (id, part) in [
        ("cudnn-no-engine", "## Meaning"),
        ("bug_20260101_007", "It stops."),
        ("Xid 79", "Fault page"),
        ("CUDNN_STATUS_EXECUTION_FAILED", "cudnn"),
        ("reduce-batch", "# "),
    ] {
        let shown = agent.call("show", json!({ "id": id }));
        assert!(text(&shown).contains(part), "{id}: {shown}");
    }
    assert_eq!(agent.call("show", json!({ "id": "no-such-thing" }))["isError"], true);
}

#[test]
fn reports_are_checked() {
    let mut agent = Agent::new();
    let path = "docs/bug_reports/BUG-20260101-007.md";
    assert!(!text(&agent.call("check", json!({ "path": path }))).is_empty());
    let text_with_mistake = REPORT.replace("status: resolved", "statsu: resolved");
    let result = agent.call("check", json!({ "path": path, "text": text_with_mistake }));
    assert!(text(&result).contains("missing-key"), "{result}");
}

/// All files below the project's reports.
fn reports(agent: &Agent) -> Vec<String> {
    let folder = fs::read_dir(agent.folder.path().join("docs/bug_reports")).expect("a folder");
    let mut names: Vec<String> = folder.flatten().map(|one| one.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_report_is_only_text_unless_the_server_may_write() {
    let mut agent = Agent::new();
    let before = reports(&agent);
    let log = format!("export HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyzABCDEFGH\n{LOG}");
    let asked = json!({ "text": log, "title": "Lateral layer again", "severity": "low", "command": "python t.py" });
    let result = agent.call("draft_report", asked);
    let data = &result["structuredContent"];
    assert_eq!((&data["written"], &data["looks_like"]), (&json!(false), &json!("BUG-20260101-007")));
    let words = data["text"].as_str().expect("the text");
    for part in ["Lateral layer again", "severity: \"low\"", "python t.py", "unable to find an engine"] {
        assert!(words.contains(part), "{part} is missing in {words}");
    }
    assert!(text(&result).starts_with("NOT WRITTEN") && text(&result).contains("--allow-write"), "{result}");
    assert!(!result.to_string().contains("hf_abcdefghij"));
    assert_eq!(reports(&agent), before);
    let tools = agent.ask("tools/list", json!({}));
    let tool = tools["tools"].as_array().expect("a list").iter().find(|tool| tool["name"] == "draft_report");
    let schema = &tool.expect("the tool")["outputSchema"];
    assert!(jsonschema::validator_for(schema).expect("a schema").is_valid(data), "{data}");
    for wrong in [json!({}), json!({ "text": "a", "path": "b" }), json!({ "text": LOG, "severity": "awful" })] {
        let answer = agent.answer("tools/call", json!({ "name": "draft_report", "arguments": wrong }));
        assert!(answer["error"]["code"].is_i64() || answer["result"]["isError"] == true, "{wrong}: {answer}");
    }
    assert_eq!(agent.leave(), Some(0));
}

#[test]
fn a_server_that_may_write_writes_new_reports_and_nothing_else() {
    let mut agent = Agent::with(&["--no-probe", "--allow-write"]);
    let tools = agent.ask("tools/list", json!({}))["tools"].as_array().expect("a list").clone();
    for tool in &tools {
        let reads = tool["name"] != "draft_report";
        assert_eq!(tool["annotations"]["readOnlyHint"], reads, "{tool}");
        assert!(reads || tool["annotations"]["destructiveHint"] == false, "{tool}");
    }
    let before = reports(&agent);
    fs::write(agent.folder.path().join("run.log"), LOG).expect("a file");
    let mut paths = Vec::new();
    for _ in 0..2 {
        let result = agent.call("draft_report", json!({ "path": "run.log" }));
        let data = &result["structuredContent"];
        assert!(data["written"] == true && text(&result).starts_with("Written: "), "{result}");
        let path = data["path"].as_str().expect("a path").to_owned();
        assert!(fs::read_to_string(&path).is_ok_and(|text| text.contains("unable to find an engine")), "{path}");
        paths.push(path);
    }
    assert_ne!(paths[0], paths[1]);
    let after = reports(&agent);
    assert!(after.len() == before.len() + 2 && before.iter().all(|name| after.contains(name)), "{after:?}");
    assert_eq!(
        fs::read_to_string(agent.folder.path().join("docs/bug_reports").join(&before[0])).expect("kept"),
        REPORT
    );
    let absent = agent.call("draft_report", json!({ "path": "absent.log" }));
    assert!(absent["isError"] == true, "{absent}");
    assert_eq!(agent.leave(), Some(0));
}

#[cfg(feature = "machine")]
#[test]
fn the_machine_is_probed_unless_somebody_forbade_it() {
    let mut agent = Agent::with(&[]);
    for arguments in [json!({}), json!({ "level": "quick" })] {
        let result = agent.call("probe", arguments);
        assert_eq!(result["structuredContent"]["schema"], "faultbook/facts/1", "{result}");
        assert!(text(&result).starts_with("## Probe (quick)"), "{result}");
    }
    let answer = agent.answer("tools/call", json!({ "name": "probe", "arguments": { "level": "total" } }));
    assert!(answer["error"]["code"].is_i64() || answer["result"]["isError"] == true, "{answer}");
    assert_eq!(agent.leave(), Some(0));
    assert_eq!(Agent::new().call("probe", json!({}))["isError"], true);
}

#[test]
fn pages_and_reports_are_resources() {
    let mut agent = Agent::new();
    let all = agent.ask("resources/list", json!({}))["resources"].as_array().expect("a list").clone();
    let uris: Vec<&str> = all.iter().filter_map(|one| one["uri"].as_str()).collect();
    assert_eq!(uris.first(), Some(&"faultbook://report/BUG-20260101-007"));
    assert!(uris.contains(&"faultbook://page/cudnn-no-engine"));
    let read = agent.ask("resources/read", json!({ "uri": uris[0] }));
    assert_eq!(read["contents"][0]["text"], REPORT);
    let absent = agent.answer("resources/read", json!({ "uri": "faultbook://report/BUG-1" }));
    assert!(absent["error"]["code"].is_i64(), "{absent}");
}

#[test]
fn the_prompt_asks_for_an_explanation() {
    let mut agent = Agent::new();
    let prompts = agent.ask("prompts/list", json!({}));
    assert_eq!(prompts["prompts"][0]["name"], "explain-my-crash");
    let arguments = json!({ "name": "explain-my-crash", "arguments": { "log": "run.log" } });
    let prompt = agent.ask("prompts/get", arguments);
    let words = prompt["messages"][0]["content"]["text"].as_str().unwrap_or_default();
    assert!(words.contains("diagnose") && words.contains("run.log"), "{prompt}");
}

#[test]
fn arguments_lead_out_of_no_folder() {
    let mut agent = Agent::with(&["--no-probe", "--allow-write"]);
    let outside = tempfile::tempdir().expect("a folder");
    let secret = outside.path().join("secret.md");
    fs::write(&secret, "---\nbug_id: BUG-20260101-099\n---\nSECRET words\n").expect("a file");
    let up = format!("../../../../../../../..{}", secret.display());
    let absolute = secret.display().to_string();
    // Ids and addresses name what the project has, and nothing by its path.
    for id in [up.as_str(), up.trim_end_matches(".md"), &absolute, "../BUG-20260101-007", "file:///etc/passwd"] {
        let answer = agent.call("show", json!({ "id": id }));
        assert_eq!(answer["isError"], true, "{id}: {answer}");
        for uri in [format!("faultbook://report/{id}"), format!("faultbook://page/{id}"), format!("file://{id}")] {
            let answer = agent.answer("resources/read", json!({ "uri": uri }));
            assert!(answer.get("error").is_some(), "{uri}: {answer}");
        }
    }
    // A log may lie anywhere that the user who started the server can read: on a cluster's scratch, in /tmp. What is no
    // file, or has no end, is an error that costs no time.
    for path in ["/dev/zero", "/dev/stdin", "/", "../..", "", "/proc/self/fd/0"] {
        for tool in ["diagnose", "draft_report", "check"] {
            let answer = agent.call(tool, json!({ "path": path }));
            assert_eq!(answer["isError"], true, "{tool} {path}: {answer}");
        }
    }
    // What is written lies in the folder of reports, whatever the title says.
    let drafted = agent.call("draft_report", json!({ "text": LOG, "title": "../../../../outside/../x\u{0}/y" }));
    let path = drafted["structuredContent"]["path"].as_str().expect("a path").to_owned();
    assert_eq!(drafted["structuredContent"]["written"], true, "{drafted}");
    let reports = agent.folder.path().join("docs/bug_reports").canonicalize().expect("a folder");
    let path = agent.folder.path().join(path).canonicalize().expect("it is there");
    assert_eq!(path.parent(), Some(reports.as_path()));
    assert!(fs::read_to_string(&secret).is_ok_and(|text| text.ends_with("SECRET words\n")));
    assert_eq!(fs::read_dir(outside.path()).expect("a folder").count(), 1);
}

#[test]
fn settings_lead_no_report_out_of_the_project() {
    let settings = ("faultbook.toml".to_owned(), "[reports]\nfolder = \"../elsewhere\"\n".to_owned());
    let mut agent = Agent::of(&["--no-probe", "--allow-write"], &[settings]);
    let answer = agent.call("draft_report", json!({ "text": LOG }));
    assert_eq!(answer["isError"], true, "{answer}");
    assert!(text(&answer).contains("is outside the project"), "{answer}");
}

#[test]
fn garbage_costs_one_answer() {
    let mut agent = Agent::new();
    for (method, params) in [
        ("tools/call", json!({ "name": "no-such-tool", "arguments": {} })),
        ("tools/call", json!({ "name": "diagnose", "arguments": { "text": 7 } })),
        ("tools/call", json!({ "name": "diagnose", "arguments": { "text": "a", "path": "b" } })),
        ("tools/call", json!({ "name": "search" })),
        ("tools/call", json!([])),
        ("no/such/method", json!({})),
    ] {
        let answer = agent.answer(method, params.clone());
        assert!(answer["error"]["code"].is_i64() || answer["result"]["isError"] == true, "{method} {params}: {answer}");
    }
    for line in ["{", "[]", "null", "nonsense", "", "{\"jsonrpc\":\"2.0\",\"id\":{}}", "\u{0}"] {
        agent.raw(line);
    }
    assert_eq!(
        agent.call("diagnose", json!({ "text": LOG, "detail": "full" }))["structuredContent"]["fault"]["id"],
        "cudnn-no-engine"
    );
    assert_eq!(agent.leave(), Some(0));
}

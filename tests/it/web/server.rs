//! `faultbook serve` in a project of its own, and the simplest client that can send anything to it.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A running server; it ends with this value.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    /// The project, with the caches beside it.
    pub(crate) folder: tempfile::TempDir,
}

/// What a server answered.
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: String,
    pub(crate) body: String,
}

impl Answer {
    /// A header's value, by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }
}

impl Server {
    /// A server of an empty project.
    pub(crate) fn start(args: &[&str]) -> Self {
        Self::prepared(args, &[], |_| {})
    }

    /// A server of a project that `prepare` filled, with variables of its environment.
    pub(crate) fn prepared(args: &[&str], variables: &[(&str, &str)], prepare: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let project = folder.path().join("project");
        std::fs::create_dir_all(project.join(".git")).expect("a project");
        prepare(&project);
        let mut child = Command::new(env!("CARGO_BIN_EXE_faultbook"))
            .arg("serve")
            .args(args)
            .args(if args.contains(&"--bind") { &[][..] } else { &["--bind", "127.0.0.1:0"] })
            .current_dir(&project)
            .env("XDG_CACHE_HOME", folder.path().join("cache"))
            .env("HOME", folder.path())
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("prints its address");
        let address = line.trim().trim_start_matches("http://").split('/').next().unwrap_or_default();
        let address: SocketAddr = address.parse().unwrap_or_else(|_| panic!("no address in {line:?}"));
        let address = if address.ip().is_unspecified() {
            SocketAddr::new([127, 0, 0, 1].into(), address.port())
        } else {
            address
        };
        Self { child, address, folder }
    }

    /// Tells the server to end, as Ctrl-C does, and waits until it has.
    #[cfg(unix)]
    pub(crate) fn end(&mut self) {
        use rustix::process::{Pid, Signal, kill_process};
        kill_process(Pid::from_child(&self.child), Signal::INT).expect("it runs");
        assert!(self.child.wait().expect("it ends").success());
    }

    /// The project's folder.
    pub(crate) fn project(&self) -> std::path::PathBuf {
        self.folder.path().join("project")
    }

    /// Sends bytes as they are, and reads until the server closes the connection.
    pub(crate) fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.address).expect("connects");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
        // A server that refuses may close before everything was sent.
        let _ = stream.write_all(request);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let (status, headers) = head.split_once("\r\n").unwrap_or((head, ""));
        let status = status.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let body = if headers.to_ascii_lowercase().contains("transfer-encoding: chunked") {
            joined(body)
        } else {
            body.to_owned()
        };
        Answer { status, headers: headers.to_owned(), body }
    }

    /// A request with additional header lines.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            let _ = write!(head, "Host: {}\r\n", self.address);
        }
        for (name, value) in headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        head.push_str("\r\n");
        self.raw(&[head.as_bytes(), body].concat())
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], b"")
    }

    /// A form as browsers send one without files.
    pub(crate) fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let pairs: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        self.send("POST", path, &[("Content-Type", "application/x-www-form-urlencoded")], pairs.join("&").as_bytes())
    }

    /// A form with files: the field's name, the file's name (empty for none), the content.
    pub(crate) fn upload(&self, path: &str, parts: &[(&str, &str, &[u8])]) -> Answer {
        const BOUNDARY: &str = "----faultbook-test-boundary";
        let mut body = Vec::new();
        for (name, file, content) in parts {
            let file = if file.is_empty() { String::new() } else { format!("; filename=\"{file}\"") };
            body.extend(
                format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n").bytes(),
            );
            body.extend_from_slice(content);
            body.extend(b"\r\n");
        }
        body.extend(format!("--{BOUNDARY}--\r\n").bytes());
        self.send("POST", path, &[("Content-Type", &format!("multipart/form-data; boundary={BOUNDARY}"))], &body)
    }

    /// Pastes a text, and gives the address of its answer.
    pub(crate) fn paste(&self, text: &str) -> String {
        let answer = self.upload("/diagnose", &[("text", "", text.as_bytes())]);
        assert_eq!(answer.status, 303, "{}", answer.body);
        answer.header("location").expect("an address").to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn encoded(value: &str) -> String {
    value.bytes().fold(String::new(), |mut out, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
        out
    })
}

/// The parts of a chunked body.
fn joined(body: &str) -> String {
    let mut out = String::new();
    let mut rest = body;
    while let Some((size, tail)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 || size > tail.len() {
            break;
        }
        out.push_str(tail.get(..size).unwrap_or_default());
        rest = tail.get(size + 2..).unwrap_or_default();
    }
    out
}

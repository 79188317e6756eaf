//! How much the page does at a time.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use super::server::Server;

const FORM: &str = "Content-Type: multipart/form-data; boundary=x\r\n";
const START: &str = "--x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nCUDA out of memory\r\n";
const END: &str = "--x--\r\n";

fn connected(server: &Server, head: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).expect("connects");
    let head = format!("POST /diagnose HTTP/1.1\r\nHost: {}\r\n{FORM}{head}Connection: close\r\n\r\n", server.address);
    stream.write_all(format!("{head}{body}").as_bytes()).expect("sends");
    stream
}

/// The first bytes that come back within so many milliseconds.
fn first(stream: &mut TcpStream, milliseconds: u64) -> Option<String> {
    stream.set_read_timeout(Some(Duration::from_millis(milliseconds))).expect("a limit");
    let mut bytes = [0_u8; 12];
    match stream.read_exact(&mut bytes) {
        Ok(()) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => None,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn four_long_bodies_are_read_at_a_time_and_short_ones_need_no_turn() {
    let server = Server::start(&[]);
    let length = format!("Content-Length: {}\r\n", 2 << 20);
    let mut unfinished: Vec<TcpStream> = (0..4).map(|_| connected(&server, &length, START)).collect();
    // Once this one is answered, those before it were accepted.
    assert!(server.paste("RuntimeError: CUDA out of memory").starts_with("/d/"), "a short body");
    let parts = format!("{:x}\r\n{START}\r\n{:x}\r\n{END}\r\n0\r\n\r\n", START.len(), END.len());
    let mut unknown = connected(&server, "Transfer-Encoding: chunked\r\n", &parts);
    assert_eq!(first(&mut unknown, 300), None, "it waits");
    drop(unfinished.pop());
    assert_eq!(first(&mut unknown, 60_000).as_deref(), Some("HTTP/1.1 303"));
}

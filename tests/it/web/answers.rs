//! What comes back for what people paste.

use std::io::Write as _;

use super::server::Server;

const OOM: &str = "Traceback (most recent call last):\n  File \"train.py\", line 3, in <module>\n    main()\n\
    torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.65 GiB of which \
    1.10 GiB is free. Process 4242 has 22.50 GiB memory in use.\n";

#[test]
fn a_paste_becomes_an_answer_beside_its_text() {
    let server = Server::start(&[]);
    let address = server.paste(OOM);
    let answer = server.get(&address);
    assert_eq!(answer.status, 200);
    for words in
        ["href=\"../book/oom.html\"", "Do this first", "id=\"cause-1\"", "id=\"L4\" class=\"failure\"", "href=\"#L4\""]
    {
        assert!(answer.body.contains(words), "{words} in {}", answer.body);
    }
    assert_eq!(server.paste(OOM), address, "the same text has the same address");
    assert_eq!(server.get("/d/ffffffffffffffffffff").status, 404);
}

#[test]
fn codes_lead_to_their_meaning() {
    let server = Server::start(&[]);
    let log = "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\nepoch 1\n\
        RuntimeError: CUDA error: an illegal memory access was encountered\n";
    let answer = server.get(&server.paste(log)).body;
    let link = "<a href=\"../book/codes/xid.html#Xid-79\">Xid 79</a>";
    assert!(answer.contains(&format!("<p class=\"where\">Code {link}</p>")), "{answer}");
    let line = answer.split("id=\"L1\"").nth(1).and_then(|rest| rest.split("</p>").next()).unwrap_or_default();
    assert!(line.contains("#answer\">the failure</a>") && line.contains(link), "{line}");
}

#[test]
fn several_files_and_archives_are_shown_side_by_side() {
    let server = Server::start(&[]);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(OOM.as_bytes()).expect("packs");
    let packed = packed.finish().expect("packs");
    let parts: [(&str, &str, &[u8]); 3] = [
        ("file", "rank0.log.gz", &packed),
        ("file", "../../rank1.log", b"epoch 1 done\nepoch 2 done\n"),
        ("text", "", b"   \n"),
    ];
    let sent = server.upload("/diagnose", &parts);
    let address = sent.header("location").expect("an address").to_owned();
    let first = server.get(&address).body;
    assert!(
        first.contains("<b>rank0.log.gz</b>") && first.contains("<b>rank1.log</b>") && !first.contains("<b>../"),
        "{first}"
    );
    let second = server.get(&format!("{address}/1"));
    assert!(second.body.contains("No failure found in 2 lines"), "{}", second.body);
    assert_eq!(server.get(&format!("{address}/2")).status, 404);
}

#[test]
fn what_cannot_be_diagnosed_is_said() {
    let server = Server::start(&[]);
    let said = |parts: &[(&str, &str, &[u8])]| {
        let answer = server.upload("/diagnose", parts);
        (answer.status, answer.body)
    };
    let (status, body) = said(&[("text", "", b"  ")]);
    assert!(status == 422 && body.contains("nothing to diagnose"), "{status} {body}");
    let picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0";
    let (status, body) = said(&[("file", "<b>shot.png", picture)]);
    assert!(status == 422 && body.contains("&#60;b&#62;shot.png") && !body.contains("<b>shot"), "{status} {body}");
    let long = vec![b'x'; (64 << 20) + 1];
    let (status, body) = said(&[("file", "long.log", &long)]);
    // The connection may be closed before the answer is read.
    assert!(status == 413 && body.contains("64 MiB") || status == 0, "{status} {body}");
    assert_eq!(server.send("POST", "/diagnose", &[("Content-Type", "text/plain")], b"x").status, 400);
    assert_eq!(server.get("/").status, 200, "and it goes on");
}

#[test]
fn hostile_text_stays_text() {
    let server = Server::start(&[]);
    let hostile = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>\n\
        RuntimeError: CUDA error: <svg onload=alert(1)> `</code><b>x` [a](javascript:alert(1)) \u{1b}]52;c;aGk=\u{7} \u{202e}gnp\n";
    let parts: [(&str, &str, &[u8]); 2] =
        [("file", "<i>a</i>&.log", hostile.as_bytes()), ("file", "b.log", hostile.as_bytes())];
    let address = server.upload("/diagnose", &parts).header("location").expect("an address").to_owned();
    for path in [address.clone(), format!("{address}/1"), format!("{address}?from=1")] {
        let body = server.get(&path).body;
        for tag in
            ["<script>", "<img", "<svg onload", "<i>a", "href=\"javascript", "\u{1b}", "\u{7}", "\u{202e}", "<b>x"]
        {
            assert!(!body.contains(tag), "{path}: {tag}");
        }
    }
}

#[test]
fn of_a_long_text_the_marked_lines_are_shown_and_the_rest_has_an_address() {
    let server = Server::start(&[]);
    let mut long: String = (1..=20_000).map(|step| format!("step {step} loss 0.1\n")).collect();
    long.push_str(OOM);
    long.push_str(&"WARNING: shutting down\n".repeat(500));
    let address = server.paste(&long);
    let body = server.get(&address).body;
    assert!(body.contains("id=\"L20004\" class=\"failure\"") && body.contains("lines 61 to"), "{}", body.len());
    assert!(body.len() < 200_000 && !body.contains("id=\"L5000\""), "{}", body.len());
    let first = server.get(&format!("{address}/0?from=5000"));
    assert_eq!(
        (first.status, first.header("location")),
        (303, Some(format!("..{}?from=5000", &address[2..]).as_str()))
    );
    let stretch = server.get(&format!("{address}?from=5000")).body;
    assert!(
        stretch.contains("id=\"L5000\"") && stretch.contains("step 9000 loss") && !stretch.contains("id=\"L20004\"")
    );
}

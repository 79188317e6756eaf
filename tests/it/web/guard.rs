//! Whom the page answers.

use super::server::Server;

#[test]
fn only_its_own_address_is_answered() {
    let server = Server::start(&[]);
    let port = server.address.port();
    for host in
        [format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}"), format!("LOCALHOST:{port}")]
    {
        assert_eq!(server.send("GET", "/", &[("Host", &host)], b"").status, 200, "{host}");
    }
    for host in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{}", port ^ 1),
        format!("10.0.0.1:{port}"),
        format!("0.0.0.0:{port}"),
        String::new(),
    ] {
        let answer = server.send("GET", "/", &[("Host", &host)], b"");
        assert_eq!(answer.status, 403, "{host}");
        assert!(answer.body.contains("faultbook serve") && !answer.body.contains("<form"), "{host}: {}", answer.body);
    }
    assert_eq!(server.raw(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n").status, 400);
    let twice = format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
    assert_eq!(server.raw(twice.as_bytes()).status, 400);
}

#[test]
fn other_sites_cannot_send_anything() {
    let server = Server::start(&[]);
    let own = format!("http://{}", server.address);
    let form = ("Content-Type", "multipart/form-data; boundary=x");
    let body = b"--x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nCUDA out of memory\r\n--x--\r\n";
    let sent = |headers: &[(&str, &str)]| server.send("POST", "/diagnose", &[&[form], headers].concat(), body).status;
    assert_eq!(sent(&[]), 303);
    assert_eq!(sent(&[("Origin", &own), ("Sec-Fetch-Site", "same-origin")]), 303);
    for headers in [
        &[("Origin", "http://evil.example")][..],
        &[("Origin", "null")],
        &[("Origin", "http://127.0.0.1:1")],
        &[("Sec-Fetch-Site", "cross-site")],
        &[("Sec-Fetch-Site", "same-site")],
        &[("Origin", &own), ("Sec-Fetch-Site", "cross-site")],
    ] {
        assert_eq!(sent(headers), 403, "{headers:?}");
    }
}

#[test]
fn every_answer_is_strict_with_the_browser() {
    let server = Server::start(&[]);
    for path in
        ["/", "/nothing", "/assets/page.js", "/d/00000000000000000000", "/d/..%2f..%2fetc", "/assets/..%2fmod.rs"]
    {
        let answer = server.get(path);
        let policy = answer.header("content-security-policy").unwrap_or_default();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{path}");
        assert_eq!(answer.header("referrer-policy"), Some("same-origin"), "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), None, "{path}");
        assert!(answer.status == 200 || answer.status == 404, "{path}: {}", answer.status);
    }
    assert_eq!(server.send("DELETE", "/", &[], b"").status, 405);
}

#[test]
fn what_is_no_address_gets_a_page_that_says_so() {
    let server = Server::start(&[]);
    for path in
        ["/d/%ff", "/d/x/minus", "/d/x/-1", "/d/x/99999999999999999999999", "/d/..%2f..%2fx/0", "/%00", "/book/%ff"]
    {
        let answer = server.get(path);
        match answer.header("location") {
            Some(to) => assert!(!to.contains(['%', '\\']) && to.matches('/').count() == 1, "{path}: {to}"),
            None => {
                assert_eq!(answer.status, 404, "{path}: {}", answer.body);
                assert!(answer.body.contains("<main") && answer.body.contains("href=\"/\""), "{path}: {}", answer.body);
            }
        }
    }
}

#[test]
fn beyond_this_machine_everything_needs_the_token() {
    let token = "0123456789abcdef-secret";
    let server = Server::prepared(&["--bind", "0.0.0.0:0"], &[("FAULTBOOK_TOKEN", token)], |_| {});
    assert_eq!(server.get("/").status, 401);
    assert_eq!(server.get("/assets/page.js").status, 401);
    assert_eq!(server.get("/?token=0123456789abcdef-secreT").status, 401);
    assert_eq!(server.send("GET", "/", &[("Cookie", "faultbook-token=")], b"").status, 401);
    let first = server.get(&format!("//evil.example?token={token}"));
    assert_eq!((first.status, first.header("location")), (303, Some("/evil.example")));
    let cookie = first.header("set-cookie").expect("a cookie").to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().expect("a value");
    assert_eq!(server.send("GET", "/", &[("Cookie", cookie)], b"").status, 200);
    let named = format!("gpu-box.example:{}", server.address.port());
    assert_eq!(server.send("GET", "/", &[("Cookie", cookie), ("Host", &named)], b"").status, 403);
}

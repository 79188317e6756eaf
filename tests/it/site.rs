//! `faultbook site`: whole, safe, the same every time, and careful with the folder that it writes into.

pub(crate) mod links;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What ends up in every field of a report; as text it harms nobody.
pub(crate) const HOSTILE: &str = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&amp;{{7*7}}</title>";

/// A project with reports that relate to each other, one of them hostile.
pub(crate) fn fill(project: &Path) {
    let folder = project.join("docs/bugs");
    fs::create_dir_all(&folder).expect("a folder");
    let quoted = HOSTILE.replace('\'', "''");
    let files = [
        (
            "hostile.md",
            format!(
                "---\nbug_id: BUG-20260101-001\ntitle: 'T {quoted}'\nstatus: 'open {quoted}'\nseverity: 'high {quoted}'\n\
                 date: 2026-01-05\ntags: ['{quoted}', ok]\n'{quoted}': '{quoted}'\n---\n# BUG-20260101-001: T {HOSTILE}\n\n\
                 See BUG-20260101-002, [it](BUG-20260101-002.md), `oom`, [a](javascript:alert(1)), [b](#nowhere), [c](#root-cause).\n\n\
                 ## Summary\n\nText {HOSTILE}\n\n- [x] done\n\n| a | b |\n|:-:|--:|\n| 1 | 2 |\n\n```\nTraceback (most recent call last):\n  \
                 File \"train.py\", line 3, in <module>\ntorch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB {HOSTILE}\n```\n\n\
                 ## Root Cause\n\n## Root Cause\n\n## Occurrences\n\n- 2026-02-01: GPU RTX 3060 {HOSTILE}\n"
            ),
        ),
        (
            "BUG-20260101-002.md",
            "---\nbug_id: BUG-20260101-002\ntitle: The loss became NaN\nstatus: resolved\nseverity: low\ndate: 2025-12-20\n---\n\
             # The loss became NaN\n\nFollowed by BUG-20260101-001.\n"
                .to_owned(),
        ),
        (
            "called-index.md",
            "---\nbug_id: index\ntitle: A report that is called index\nstatus: open\n---\n# Index\n\nWords.\n".to_owned(),
        ),
        (
            "same.md",
            "---\nbug_id: BUG-20260101-002\ntitle: Another one with this id\nstatus: open\ndate: 2025-10-01\n---\n# Another\n\n\
             The NCCL watchdog ended rank 3.\n"
                .to_owned(),
        ),
        ("a b & <i>.md", format!("# {HOSTILE}\n\nWords of a report without an id, near BUG-20260101-001.\n")),
    ];
    for (name, text) in files {
        // Windows takes no such names.
        if !cfg!(windows) || !name.contains(['<', '&']) {
            fs::write(folder.join(name), text).expect("it is written");
        }
    }
}

/// A filled project, and where its site goes.
struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder.path().join("project/.git")).expect("a project");
        fill(&folder.path().join("project"));
        Self { folder }
    }

    fn reports(&self) -> PathBuf {
        self.folder.path().join("project/docs/bugs")
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    fn site(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_faultbook"))
            .arg("site")
            .arg(self.out())
            .args(args)
            .current_dir(self.folder.path().join("project"))
            .env("XDG_CACHE_HOME", self.folder.path().join("cache"))
            .env("HOME", self.folder.path())
            .output()
            .expect("runs")
    }

    /// Writes the site, and gives what was said.
    fn written(&self, args: &[&str]) -> String {
        let output = self.site(args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.out().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }
}

#[test]
fn a_whole_site_has_no_broken_link_and_runs_nothing() {
    let project = Project::new();
    project.written(&["--url", "https://team.example/runs"]);
    let files = links::files(&project.out());
    assert!(files.len() > 200, "{}", files.len());
    assert_eq!(links::broken(&files, "/runs/"), Vec::<String>::new());
    for (name, text) in files.iter().filter(|(name, _)| name.ends_with(".html")) {
        links::harmless(name, text);
    }
    for name in ["feed.xml", "sitemap.xml", "reports/chart.svg"] {
        let text = project.read(name);
        roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let feed = project.read("feed.xml");
    assert!(feed.contains("<id>tag:team.example,2025:/runs/reports/BUG-20260101-001.html</id>"), "{feed}");
    assert!(feed.contains(
        "<link rel=\"alternate\" type=\"text/html\" href=\"https://team.example/runs/reports/BUG-20260101-001.html\"/>"
    ));
    assert!(feed.contains("<updated>2026-02-01T00:00:00Z</updated>"), "the last occurrence: {feed}");
    assert!(project.read("sitemap.xml").contains("<loc>https://team.example/runs/book/oom.html</loc>"));
    assert!(project.read("404.html").contains("href=\"/runs/assets/style.css?"));
    let page = project.read("book/oom.html");
    assert!(page.contains("<meta property=\"og:url\" content=\"https://team.example/runs/book/oom.html\">"));
    let picture = "https://team.example/runs/assets/preview.png";
    for name in ["book/oom.html", "index.html", "book/fixes/reduce-batch.html"] {
        let page = project.read(name);
        assert!(page.contains(&format!("<meta property=\"og:image\" content=\"{picture}\">")), "{name}");
    }
    let picture = fs::read(project.out().join("assets/preview.png")).expect("it is written");
    assert_eq!(picture[16..24], [0, 0, 4, 176, 0, 0, 2, 118], "1200 by 630");
    assert!(page.contains("<meta property=\"og:description\"") && page.contains("Your team met it"), "{page:.3000}");
    let index: serde_json::Value = serde_json::from_str(&project.read("search.json")).expect("JSON");
    assert!(
        index
            .as_array()
            .is_some_and(|all| all.iter().any(|entry| entry["i"] == "oom" && entry["a"] == "book/oom.html"))
    );
    let again = project.written(&["--url", "https://team.example/runs"]);
    assert!(again.contains(", 0 new or changed\n"), "the same input gives the same bytes: {again}");
}

#[test]
fn reports_alone_and_what_is_said_of_them() {
    let project = Project::new();
    project.written(&["--reports-only"]);
    let files = links::files(&project.out());
    assert_eq!(links::broken(&files, "/"), Vec::<String>::new());
    assert!(
        !files
            .keys()
            .any(|name| name.starts_with("book/") || ["sitemap.xml", "assets/preview.png"].contains(&name.as_str())),
        "{:?}",
        files.keys()
    );
    assert!(project.read("404.html").contains("href=\"/assets/style.css?"), "the root of the host");
    let page = project.read("reports/BUG-20260101-001.html");
    for part in ["Is followed by", "Follows from"] {
        assert_eq!(page.contains(part), part == "Follows from", "{part}");
    }
    assert!(project.read("reports/BUG-20260101-002.html").contains("Is followed by"));
    for file in ["BUG-20260101-002.html", "BUG-20260101-002~2.html"] {
        let page = project.read(&format!("reports/{file}"));
        let links = page.matches("<h3>Is ").count() + page.matches("<h3>Has the same id").count();
        assert!(links < 2 || page.contains("<svg class=\"relations\""), "{file}: {links}");
    }
    assert!(project.read("reports/BUG-20260101-002~2.html").contains("Has the same id"));
    assert!(page.contains("<a href=\"../reports/BUG-20260101-002.html\">it</a>"), "links to files are links to pages");
    assert!(page.contains("<a href=\"#root-cause\">c</a>") && page.contains(" b, "), "{page}");
    let list = project.read("reports/index.html");
    assert!(list.contains("A report that is called index") && list.contains("<b>2 times</b>"), "{list}");
}

#[test]
fn only_its_own_files_are_replaced_and_removed() {
    let project = Project::new();
    fs::create_dir_all(project.out()).expect("a folder");
    fs::write(project.out().join("mine.txt"), "mine").expect("it is written");
    let refused = project.site(&["--reports-only"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("has files that Faultbook did not write") && said.contains("--force"), "{said}");
    project.written(&["--reports-only", "--force"]);
    fs::remove_file(project.reports().join("BUG-20260101-002.md")).expect("it was there");
    fs::remove_file(project.reports().join("called-index.md")).expect("it was there");
    let kept = project.out().join("reports/BUG-20260101-002~2.html");
    fs::write(&kept, "changed by hand").expect("it is written");
    let said = project.written(&["--reports-only"]);
    assert!(said.contains(", 1 removed"), "{said}");
    assert!(kept.exists() && project.out().join("mine.txt").exists());
    assert!(project.read("reports/BUG-20260101-002.html").contains("Another one with this id"));
    for wrong in ["team.example", "javascript:alert(1)", "https://a.example/?q"] {
        let output = project.site(&["--url", wrong]);
        assert_eq!(output.status.code(), Some(2), "{wrong}");
    }
}

//! Fixes that ask for some releases only.

use crate::support::diagnose;

const LIBUV: &str = "torch.distributed.DistStoreError: use_libuv was requested but PyTorch was built without libuv support\n  File \"C:\\\\env\\\\Lib\\\\site-packages\\\\torch\\\\distributed\\\\rendezvous.py\", line 189, in _create_c10d_store\nRuntimeError: use_libuv was requested but PyTorch was built without libuv support, run with USE_LIBUV=0 to disable it.\n";

#[test]
fn a_command_respects_the_bound_of_its_title() {
    let fixes = |text: &str| {
        let diagnosis = diagnose(text.as_bytes());
        let fixes = diagnosis.causes.iter().flat_map(|cause| cause.fixes.clone());
        diagnosis
            .actions
            .iter()
            .cloned()
            .chain(fixes)
            .filter(|fix| fix.title.contains("before 2.4"))
            .collect::<Vec<_>>()
    };
    let bounded = fixes(&format!("GPU 0: NVIDIA GeForce RTX 4090\n{LIBUV}"));
    assert!(!bounded.is_empty());
    for fix in &bounded {
        let commands = fix.commands.join("\n");
        assert!(
            commands
                .contains("pip install \"torch<2.4\" torchvision --index-url https://download.pytorch.org/whl/cu118"),
            "{commands}"
        );
    }
    // No release before 2.4 has code for Blackwell, and none exists for Python 3.13.
    for text in [
        format!("GPU 0: NVIDIA GeForce RTX 5090\n{LIBUV}"),
        format!("GPU 0: NVIDIA GeForce RTX 4090\nPython version: 3.13.1\n{LIBUV}"),
        LIBUV.to_owned(),
    ] {
        for fix in fixes(&text) {
            assert!(fix.commands.is_empty(), "{text}{:?}", fix.commands);
        }
    }
}

/// A title that names releases needs the bound for its command.
#[test]
fn titles_with_a_bound_have_it_for_the_command() {
    let title = r"(?m)^\d+\. \[[^\]]*((before|at most|older than|up to) \d|\d or (newer|later))[^\]]*\]";
    let recipe = r"\(\.\./\.\./fixes/(other-version|matching-build|older-framework-build|gpu-build)\.md\).*$";
    let bounded = regex::Regex::new(&format!("{title}{recipe}")).expect("a regex");
    let (mut without, mut seen) = (Vec::new(), 0);
    for page in walk("kb/faults") {
        let text = std::fs::read_to_string(&page).expect("a page");
        for found in bounded.find_iter(&text).map(|found| found.as_str()) {
            seen += 1;
            without.extend((!found.contains("<!-- version: ")).then(|| format!("{page}: {found}")));
        }
    }
    assert!(seen >= 2 && without.is_empty(), "{seen}: {without:#?}");
}

fn walk(folder: &str) -> Vec<String> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path().display().to_string();
        match entry.path().is_dir() {
            true => out.extend(walk(&path)),
            false => out.push(path),
        }
    }
    out
}

//! Over all labelled and recomposed texts: whatever fails, no command of the answer can be missing on the platform that
//! the text shows. Each text is put on a platform; a usual run takes one platform for each text, the long one all.

use std::collections::BTreeMap;
use std::fs;

use faultbook::diagnosis::Diagnosis;
use regex::Regex;

use super::list::PLATFORMS;
use crate::support;

/// The text as it would have been printed there; `None` where the text is of another world.
fn moved(text: &str, platform: &str, lines: &str) -> Option<String> {
    // The last line of the platform's text is an error of its own.
    let shows = lines.trim_end().rsplit_once('\n').map(|(before, _)| before)?;
    let own = match platform {
        "HIP" => of_amd(text)?,
        "Windows" => text
            .replace("/home/", "C:\\Users\\")
            .replace("/usr/local/", "C:\\Tools\\")
            .replace("/usr/lib/", "C:\\Lib\\")
            .replace("/opt/", "C:\\Programs\\"),
        "macOS" => text.replace("/home/", "/Users/"),
        _ => text.to_owned(),
    };
    Some(format!("{shows}\n{own}"))
}

/// A failure of CUDA in the words of HIP.
fn of_amd(text: &str) -> Option<String> {
    let hip = text.replace("CUDA error:", "HIP error:").replace("CUDA out of memory", "HIP out of memory");
    let nvidia =
        Regex::new(r"(?i)nvidia|geforce|tesla|\brtx|\bgtx|cuda|cublas|cudnn|\bxid\b|nvrm|nvcc|ptxas|tensorrt|nvml");
    let nvidia = nvidia.expect("a regex");
    let kept: Vec<&str> = hip.lines().filter(|line| !nvidia.is_match(line)).collect();
    kept.iter().any(|line| line.contains("HIP ")).then(|| kept.join("\n") + "\n")
}

/// Whether the answer knows where the run is.
fn is_there(diagnosis: &Diagnosis, platform: &str) -> bool {
    let fact = |name: &str| diagnosis.environment.text(name).unwrap_or_default();
    match platform {
        "HIP" => fact("gpu.vendor") == "amd",
        "WSL 1" => fact("run.platform") == "wsl1",
        "WSL 2" => fact("run.platform") == "wsl2",
        "macOS" => fact("run.platform") == "macos" && fact("gpu.vendor") == "apple",
        other => fact("run.platform") == other.to_ascii_lowercase(),
    }
}

fn texts() -> Vec<(String, String)> {
    let corpus = support::texts().into_iter().filter_map(|path| {
        let text = String::from_utf8_lossy(&fs::read(&path).ok()?).into_owned();
        Some((path.display().to_string(), text))
    });
    let threads = fs::read_to_string("kb/threads/open.jsonl").expect("the open threads");
    let threads = threads.lines().enumerate().filter_map(|(number, line)| {
        let thread: serde_json::Value = serde_json::from_str(line).ok()?;
        Some((format!("open.jsonl:{}", number + 1), thread.get("input")?.as_str()?.to_owned()))
    });
    // A platform counts only where the text shows no other one.
    let other = r"(?i)slurm|\bsrun|sbatch|kube|gpu.operator|\bpods?\b|\bdrain|docker|podman|runpod|jetson|jetpack|\bwsl|colab|kaggle|ipykernel|jupyter|notebook|ipynb|cell in\[|microsoft";
    let other = Regex::new(other).expect("a regex");
    corpus.chain(threads).filter(|(_, text)| text.len() < 20_000 && !other.is_match(text)).collect()
}

/// The wrong lines, and how many texts each platform answered.
fn wrong(
    texts: &[(String, String)],
    takes: impl Fn(&str, usize) -> bool + Sync,
) -> (Vec<String>, BTreeMap<&'static str, usize>) {
    let missing: Vec<Regex> = PLATFORMS.iter().map(|(.., missing)| Regex::new(missing).expect("a regex")).collect();
    let one = |index: usize| {
        let (name, text) = &texts[index];
        let mut found = Vec::new();
        let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
        for (place, (platform, lines, _)) in PLATFORMS.iter().enumerate().filter(|(place, _)| takes(text, *place)) {
            let Some(text) = moved(text, platform, lines) else { continue };
            let mut diagnosis = support::diagnose(text.as_bytes());
            // What a scheduler says shows that there is a scheduler, and so do words that fit its page best.
            let page = diagnosis.fault.as_ref().map(|fault| fault.page.as_str()).unwrap_or_default();
            let may_have_one = ["Docker", "Linux"].contains(platform);
            if !is_there(&diagnosis, platform) || may_have_one && page.contains("/cluster/") {
                continue;
            }
            diagnosis.actions.retain(|action| !may_have_one || !action.id.starts_with("scheduler-refused#"));
            *counts.entry(platform).or_default() += 1;
            let commands = super::commands(&diagnosis);
            let lines = commands.lines().map(|line| line.split("   #").next().unwrap_or(line));
            let lines = lines.filter(|line| !line.trim_start().starts_with('#') && missing[place].is_match(line));
            found.extend(lines.map(|line| format!("{platform}: {name}: {line}")));
        }
        (found, counts)
    };
    let workers = std::thread::available_parallelism().map_or(2, usize::from).min(8);
    let parts: Vec<(Vec<String>, BTreeMap<&'static str, usize>)> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|worker| {
                let one = &one;
                scope.spawn(move || (worker..texts.len()).step_by(workers).map(one).collect::<Vec<_>>())
            })
            .collect();
        handles.into_iter().flat_map(|handle| handle.join().expect("no panic")).collect()
    });
    let mut lines = Vec::new();
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for (found, counted) in parts {
        lines.extend(found);
        counted.into_iter().for_each(|(platform, count)| *counts.entry(platform).or_default() += count);
    }
    lines.sort();
    lines.dedup();
    (lines, counts)
}

#[test]
fn no_answer_has_a_command_that_cannot_exist_there() {
    // Every sixth text, each on two platforms: all of them and all platforms are in the long run.
    let mut texts: Vec<_> = texts();
    texts.retain(|(_, text)| support::number_of(text).is_multiple_of(6));
    let (wrong, counts) = wrong(&texts, |text, place| (support::number_of(text) / 6 + place) % PLATFORMS.len() < 2);
    assert_eq!(wrong, [""; 0], "{} lines; {counts:?}", wrong.len());
    assert!(counts.values().sum::<usize>() > 100, "{counts:?}");
}

/// All texts on all platforms: `cargo test --test it platforms::everywhere -- --ignored`.
#[test]
#[ignore = "minutes"]
fn no_answer_has_a_command_that_cannot_exist_anywhere() {
    let (wrong, counts) = wrong(&texts(), |_, _| true);
    assert_eq!(wrong, [""; 0], "{} lines; {counts:?}", wrong.len());
    for (platform, ..) in PLATFORMS {
        assert!(counts.get(platform).is_some_and(|count| *count >= 40), "{platform}: {counts:?}");
    }
}

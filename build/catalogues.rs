//! The tables beside the pages, and the wordings.

use std::fs;
use std::path::Path;

use crate::description::Vendor;
use crate::files::{files, pack, write, write_file};
use crate::mentions::Mentions;
use crate::metrics::Metrics;
use crate::places::PlatformWords;
use crate::rows::{Advice, Commands, Failures, Headings, Recall, Redaction, States, Variables, Writing};
use crate::secrets::Secrets;
use crate::systems::Translations;
use crate::titles::Titles;
use crate::trigger_words::{self, Triggers};
use crate::{packages, removed, truth, wording};

/// Packs the catalogue of packages, the table of removed names and the wordings separately: most runs need few of them.
pub(crate) fn write_catalogues(kb: &Path, vendors: &[Vendor], failed: &mut Vec<String>) {
    let text = |name: &str| fs::read_to_string(kb.join(name)).unwrap_or_default();
    let (packages, broken) = packages::read(&text("packages.csv"));
    failed.extend(broken.iter().map(|(line, reason)| format!("kb/packages.csv:{line}: {reason}")));
    write("packages", &pack(&packages));
    let (imports, broken) = packages::read_imports(&text("imports.csv"));
    failed.extend(broken.iter().map(|(line, reason)| format!("kb/imports.csv:{line}: {reason}")));
    write("imports", &pack(&imports));
    let (removed, broken) = removed::read(&text("removed.csv"));
    failed.extend(broken.iter().map(|(line, reason)| format!("kb/removed.csv:{line}: {reason}")));
    write("removed", &pack(&removed));
    let (lifetimes, broken) = removed::read_lifetimes(&text("lifetimes.csv"));
    failed.extend(broken.iter().map(|(line, reason)| format!("kb/lifetimes.csv:{line}: {reason}")));
    write_file("lifetimes.txt", removed::sorted_lines(&lifetimes).as_bytes());
    let (truth, broken) = truth::read(&text("truth.csv"));
    failed.extend(broken.iter().map(|(line, reason)| format!("kb/truth.csv:{line}: {reason}")));
    write("truth", &pack(&truth));
    let wording = |name: &str| text(&format!("wording/{name}.toml"));
    let mut languages = |folder: &str| {
        let files = files(&kb.join("wording").join(folder), "toml", failed);
        files.into_iter().map(|file| (file.stem, file.text))
    };
    let alarms = wording::alarms(&wording("alarms"), packages::marks(&packages), packages::traces(&packages));
    if let Ok(alarms) = &alarms {
        let literals = alarms.literals.iter().map(|(literal, topics)| (literal.as_str(), *topics));
        write("triggers", &pack(&Triggers::new(literals.chain(vendors.iter().flat_map(trigger_words::of_vendor)))));
    }
    let platforms = wording::platforms(&wording("platforms"));
    if let Ok(platforms) = &platforms {
        write("platform_words", &pack(&PlatformWords::of(platforms)));
    }
    let (statements, symptoms) = (languages("statements"), languages("symptoms"));
    let packed = [
        ("alarms", alarms.map(|read| pack(&read))),
        ("advice", wording::read::<Advice<String>>(&wording("advice")).map(|read| pack(&read))),
        ("statements", wording::statements(&wording("statements"), statements).map(|read| pack(&read))),
        ("symptoms", wording::symptoms(&wording("symptoms"), symptoms).map(|read| pack(&read))),
        ("failures", wording::read::<Failures<String>>(&wording("failures")).map(|read| pack(&read))),
        ("mentions", wording::read::<Mentions<String>>(&wording("mentions")).map(|read| pack(&read))),
        ("metrics", wording::read::<Metrics<String>>(&wording("metrics")).map(|read| pack(&read))),
        ("headings", wording::read::<Headings<String>>(&wording("headings")).map(|read| pack(&read))),
        ("states", wording::read::<States<String>>(&wording("states")).map(|read| pack(&read))),
        ("translations", wording::read::<Translations<String>>(&wording("translations")).map(|read| pack(&read))),
        ("titles", wording::read_joined::<Titles<String>>(&wording("titles")).map(|read| pack(&read))),
        ("recall", wording::read::<Recall<String>>(&wording("recall")).map(|read| pack(&read))),
        ("concepts", wording::concepts(&wording("concepts")).map(|read| pack(&read))),
        ("platforms", platforms.map(|read| pack(&read))),
        ("writing", wording::read::<Writing<String>>(&wording("writing")).map(|read| pack(&read))),
        ("commands", wording::read::<Commands<String>>(&wording("commands")).map(|read| pack(&read))),
        ("variables", wording::read::<Variables<String>>(&wording("variables")).map(|read| pack(&read))),
        ("redaction", wording::read::<Redaction<String>>(&wording("redaction")).map(|read| pack(&read))),
        ("secrets", wording::read::<Secrets<String>>(&wording("secrets")).map(|read| pack(&read))),
    ];
    for (name, packed) in packed {
        match packed {
            Ok(bytes) => write(name, &bytes),
            Err(reason) => failed.push(format!("kb/wording/{name}.toml: {reason}")),
        }
    }
}

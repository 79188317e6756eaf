//! The same claim has one value in the whole book: version floors, limits, drivers and CUDA, indexes of wheels, which fix
//! comes before which. What a table knows (`kb/hardware`) is compared with the table; the rest is `claims/claims.csv`,
//! where a claim has one value and one source, and a pattern for each way in which the book words it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use faultbook::book::Book;
use regex::Regex;

/// A line of the book: file, number, text.
type Line = (String, usize, String);

/// What people read: pages, recipes, notices, entries, documents. Patterns of evidence are not among them.
fn lines() -> Vec<Line> {
    let mut files = Vec::new();
    for folder in ["kb/faults", "kb/fixes", "kb/notices", "kb/errors", "kb/vendors", "docs"] {
        walk(Path::new(folder), &mut files);
    }
    files.push("README.md".to_owned());
    files.sort();
    let of = |file: &String| -> Vec<Line> {
        let text = fs::read_to_string(file).expect("a file of the book");
        let numbered = text.lines().enumerate().map(|(number, line)| (file.clone(), number + 1, line.to_owned()));
        let pattern = |line: &str| {
            line.trim_start().trim_start_matches("- ").starts_with(['t', 'm', 'r']) && line.contains(": '(?")
        };
        numbered.filter(|(.., line)| !pattern(line)).collect()
    };
    files.iter().flat_map(of).collect()
}

fn walk(folder: &Path, files: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder of the book").flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "md" || extension == "toml") {
            files.push(path.display().to_string());
        }
    }
}

/// The mentions of claims whose value is another one, and the patterns that nothing matches.
fn other_values(lines: &[Line]) -> Vec<String> {
    let mut reader = csv::Reader::from_path("tests/it/claims/claims.csv").expect("the claims");
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a claim")).collect();
    let values: BTreeSet<(&str, &str)> = rows.iter().map(|row| (&row[0], &row[1])).collect();
    let claims: BTreeSet<&str> = rows.iter().map(|row| &row[0]).collect();
    assert_eq!(values.len(), claims.len(), "a claim has two values in claims.csv");
    let mut wrong = Vec::new();
    for row in &rows {
        let pattern = Regex::new(&row[2]).expect("a pattern");
        let mut used = false;
        for (file, number, line) in lines {
            for found in pattern.captures_iter(line) {
                used = true;
                if found[1].replace(',', "") != row[1] {
                    wrong.push(format!("{file}:{number}: {}: {}, elsewhere {}", &row[0], &found[1], &row[1]));
                }
            }
        }
        if !used {
            wrong.push(format!("claims.csv: nothing in the book has the words of {} ({})", &row[0], &row[2]));
        }
    }
    wrong
}

fn table(path: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).expect("a table");
    reader.deserialize().map(|row| row.expect("a row")).collect()
}

fn branch(driver: &str) -> u32 {
    driver.split('.').next().and_then(|branch| branch.parse().ok()).unwrap_or_default()
}

/// The oldest drivers that may be named with a CUDA: that of its family, and the first with that very release.
fn drivers_of(cuda: &str) -> BTreeSet<u32> {
    let major = cuda.split('.').next().unwrap_or_default();
    let floors = table("kb/hardware/cuda-floors.csv");
    let floors =
        floors.iter().filter(|row| row["family"] == major || row["family"] == cuda).map(|row| branch(&row["linux"]));
    let releases = table("kb/hardware/cuda-drivers.csv");
    let minor = |row: &BTreeMap<String, String>| row["cuda"].split('.').take(2).collect::<Vec<_>>().join(".");
    let releases = releases.iter().filter(|row| minor(row) == cuda).map(|row| branch(&row["linux"]));
    floors.chain(releases).collect()
}

/// Sentences and comments that name a CUDA and the driver it needs.
fn other_drivers(lines: &[Line]) -> Vec<String> {
    let cuda = Regex::new(r"CUDA (\d{2}(?:\.\d+)?)(?:\.x)?(?: builds| PTX)?(?: need| needs| at least| driver){1,3}[^.;0-9]{0,20}(\d{3})\b").expect("a regex");
    let index = Regex::new(r"whl/(cu\d{3}).*?driver (\d{3})").expect("a regex");
    let wheels = table("kb/hardware/wheels.csv");
    let mut wrong = Vec::new();
    for (file, number, line) in lines {
        for found in cuda.captures_iter(line) {
            let named: u32 = found[2].parse().unwrap_or_default();
            if !drivers_of(&found[1]).contains(&named) {
                wrong.push(format!(
                    "{file}:{number}: CUDA {} and driver {named}; the tables say {:?}",
                    &found[1],
                    drivers_of(&found[1])
                ));
            }
        }
        if let Some(found) = index.captures(line) {
            let named: u32 = found[2].parse().unwrap_or_default();
            let cuda =
                wheels.iter().find(|row| row["index"] == found[1]).map(|row| row["cuda"].clone()).unwrap_or_default();
            if !drivers_of(&cuda).contains(&named) {
                wrong.push(format!(
                    "{file}:{number}: {} and driver {named}; the tables say {:?}",
                    &found[1],
                    drivers_of(&cuda)
                ));
            }
        }
    }
    wrong
}

/// Wheel indexes of PyTorch that the table does not have, that are not the newest though nothing says which GPU or driver
/// they are for, and versions of torch that are not where the index ends.
fn other_indexes(lines: &[Line]) -> Vec<String> {
    let index = Regex::new(r"download\.pytorch\.org/whl/((?:cu|rocm)[\d.]+\d)").expect("a regex");
    let limit = Regex::new(r#""torch<(\d+)\.(\d+)""#).expect("a regex");
    let wheels: Vec<_> =
        table("kb/hardware/wheels.csv").into_iter().filter(|row| row["framework"] == "pytorch").collect();
    let newest = |kind: &str| wheels.iter().find(|row| row["index"].starts_with(kind)).map(|row| row["index"].clone());
    let newest = [newest("cu"), newest("rocm")];
    let mut wrong = Vec::new();
    for (file, number, line) in lines {
        for found in index.captures_iter(line) {
            let name = &found[1];
            let Some(row) = wheels.iter().find(|row| row["index"] == *name) else {
                wrong.push(format!("{file}:{number}: {name} is not in wheels.csv"));
                continue;
            };
            let says = line.split_once("   # ").is_some() || line.contains("==");
            if !newest.iter().flatten().any(|newest| newest == name) && !says {
                wrong.push(format!("{file}:{number}: {name} is not the newest, and nothing says what it is for"));
            }
            let mut parts = row["version"].split('.').filter_map(|part| part.parse::<u32>().ok());
            if let (Some(limit), Some(major), Some(minor)) = (limit.captures(line), parts.next(), parts.next())
                && limit[0] != format!("\"torch<{major}.{}\"", minor + 1)
            {
                wrong.push(format!("{file}:{number}: {} with {name}, which ends with {}", &limit[0], row["version"]));
            }
        }
    }
    wrong
}

/// Causes for which one recipe must come before another, wherever both are.
const ORDER: [(&str, &str, &str, &str); 4] = [
    (
        "collective-mismatch",
        "same-collectives",
        "nccl-timeout",
        "a longer timeout only waits longer for a rank that never comes",
    ),
    (
        "collective-mismatch",
        "join-uneven",
        "nccl-timeout",
        "a longer timeout only waits longer for a rank that never comes",
    ),
    ("driver-old", "upgrade-driver", "reinstall-driver", "the newer driver is installed over the old one"),
    ("memory-exhausted", "reduce-batch", "shard-model", "the cheaper one first"),
];

fn other_orders(of_page: impl Iterator<Item = (String, String, Vec<String>)>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (page, cause, recipes) in of_page {
        for (of, before, after, why) in ORDER {
            let place = |recipe: &str| recipes.iter().position(|known| known == recipe);
            if cause == of && matches!((place(before), place(after)), (Some(one), Some(other)) if one > other) {
                wrong.push(format!("{page} {cause}: {before} comes before {after} elsewhere: {why}"));
            }
        }
    }
    wrong
}

#[test]
fn every_claim_has_one_value() {
    let lines = lines();
    assert_eq!(other_values(&lines), [""; 0]);
    assert_eq!(other_drivers(&lines), [""; 0]);
    assert_eq!(other_indexes(&lines), [""; 0]);
}

#[test]
fn fixes_of_a_cause_come_in_one_order() {
    let book = Book::new(true);
    let pages = (0..book.faults.len()).map(|index| book.fault(index));
    let orders = pages.flat_map(|page| {
        page.causes.iter().map(|cause| {
            // A fix that only some texts ask for is first where they do.
            let always = cause.fixes.iter().filter(|fix| fix.scope.text.is_empty() && fix.scope.when.is_empty());
            let recipes = always.filter_map(|fix| fix.recipe.clone()).collect();
            (page.id.clone(), cause.id.clone(), recipes)
        })
    });
    assert_eq!(other_orders(orders), [""; 0]);
}

#[test]
fn a_second_value_is_found() {
    let mut book = lines();
    let mut with = |text: &str| {
        book.push(("new.md".to_owned(), 1, text.to_owned()));
        let found = [other_values(&book), other_drivers(&book), other_indexes(&book)].concat();
        book.pop();
        found
    };
    for (text, begins) in [
        ("a container gets 128 MiB there by default", "new.md:1: Where /dev/shm is small: 128, elsewhere 64"),
        ("the watchdog (30 minutes with NCCL) ends it", "new.md:1: Time limit of a collective"),
        ("TensorFlow 2.17 and later come with Keras 3.", "new.md:1: First TensorFlow with Keras 3: 2.17"),
        ("CUDA 13 needs driver 570 or newer.", "new.md:1: CUDA 13 and driver 570"),
        (
            "pip install torch --index-url https://download.pytorch.org/whl/cu126   # driver 550 or newer",
            "new.md:1: cu126",
        ),
        ("pip install torch --index-url https://download.pytorch.org/whl/cu128", "new.md:1: cu128 is not the newest"),
        (
            "pip install torch --index-url https://download.pytorch.org/whl/cu999",
            "new.md:1: cu999 is not in wheels.csv",
        ),
        (
            "pip install \"torch<2.9\" --index-url https://download.pytorch.org/whl/cu118   # old",
            "new.md:1: \"torch<2.9\"",
        ),
    ] {
        let found = with(text);
        assert!(found.len() == 1 && found[0].starts_with(begins), "{text}: {found:?}");
    }
    let page = (
        "page".to_owned(),
        "collective-mismatch".to_owned(),
        ["nccl-timeout", "join-uneven"].map(str::to_owned).to_vec(),
    );
    assert_eq!(other_orders([page].into_iter()).len(), 1);
}

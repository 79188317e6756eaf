//! Reads kb/ at build time, so that the binary never parses YAML at start-up: validated front matter and bodies become
//! one postcard file, which `src/book/builtin.rs` includes.
//!
//! A page with invalid front matter fails the build with its file and line. Bodies are checked by the tests, because
//! compiling the markdown reader twice is not worth it. Missing or empty folders are fine: the book is smaller then.
#![expect(unreachable_pub, reason = "the shared modules are public in the library")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use cases::{Case, PackedCases};
use catalogues::write_catalogues;
use definition::{FactType, Registry};
use description::Vendor;
use descriptions::Post;
use errors::{ErrorEntry, PackedErrors, PackedWords};
use files::{File, files, folders, pack, page, parsed, write, write_file};
use lessons::{write_advice, write_lessons};
use literals::Literals;
use pack_signatures::write_signatures;
use packed::{CodeRow, Packed, PackedFault, PackedFile, PackedPage, PackedTable, Summary};
use schema::{FixMatter, FrontMatter, NoticeMatter, PageStatus, SignatureRole, SignatureSpec};
use serde::Deserialize;
use serde::de::DeserializeOwned;

#[path = "build/advice.rs"]
mod advice;
#[path = "src/book/cases.rs"]
mod cases;
#[path = "build/catalogues.rs"]
mod catalogues;
#[path = "src/book/code_rows.rs"]
mod code_rows;
#[path = "src/descriptions/concepts.rs"]
mod concepts;
#[path = "src/descriptions/courtesies.rs"]
mod courtesies;
#[path = "src/facts/definition.rs"]
mod definition;
#[path = "src/vendors/description.rs"]
mod description;
#[path = "src/descriptions/source.rs"]
mod descriptions;
#[path = "src/book/errors.rs"]
mod errors;
#[path = "build/files.rs"]
mod files;
#[path = "build/lessons.rs"]
mod lessons;
#[path = "src/descriptions/letters.rs"]
mod letters;
#[expect(dead_code, reason = "shared with the library; a build packs what the library finds")]
#[path = "src/literals.rs"]
mod literals;
#[path = "src/book/matter.rs"]
mod matter;
#[path = "src/wording/mentions.rs"]
mod mentions;
#[path = "src/wording/metrics.rs"]
mod metrics;
#[path = "src/descriptions/model.rs"]
mod model;
#[path = "src/descriptions/nearest_advice.rs"]
mod nearest_advice;
#[path = "src/numbers.rs"]
mod numbers;
#[path = "build/pack_signatures.rs"]
mod pack_signatures;
#[path = "src/packages/source.rs"]
mod packages;
#[path = "src/book/packed.rs"]
mod packed;
#[path = "src/wording/places.rs"]
mod places;
#[path = "src/removed/source.rs"]
mod removed;
#[path = "src/wording/rows.rs"]
mod rows;
#[expect(dead_code, reason = "shared with the library; a build needs the types alone")]
#[path = "src/book/schema.rs"]
mod schema;
#[path = "src/wording/secrets.rs"]
mod secrets;
#[path = "src/matching/table.rs"]
mod signatures;
#[path = "src/wording/systems.rs"]
mod systems;
#[path = "src/table.rs"]
mod table;
#[allow(dead_code, reason = "the library uses the rest")]
#[path = "src/wording/titles.rs"]
mod titles;
#[path = "src/wording/topics.rs"]
mod topics;
#[path = "src/incident/triggers/trigger_words.rs"]
mod trigger_words;
#[path = "src/truth/source.rs"]
mod truth;
#[path = "src/wording/source.rs"]
mod wording;
#[path = "src/descriptions/words.rs"]
mod words;

/// A file of cases.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFile<'a> {
    #[serde(borrow)]
    case: Vec<Case<'a>>,
}

fn main() {
    for path in [
        "build",
        "build.rs",
        "kb",
        "src/book/schema.rs",
        "src/book/packed.rs",
        "src/book/matter.rs",
        "src/book/code_rows.rs",
        "src/book/cases.rs",
        "src/book/errors.rs",
        "src/descriptions/concepts.rs",
        "src/descriptions/courtesies.rs",
        "src/descriptions/letters.rs",
        "src/descriptions/model.rs",
        "src/descriptions/nearest_advice.rs",
        "src/descriptions/source.rs",
        "src/descriptions/words.rs",
        "src/packages/source.rs",
        "src/table.rs",
        "src/removed/source.rs",
        "src/truth/source.rs",
        "src/wording/mentions.rs",
        "src/wording/metrics.rs",
        "src/wording/places.rs",
        "src/wording/rows.rs",
        "src/wording/secrets.rs",
        "src/wording/source.rs",
        "src/wording/systems.rs",
        "src/wording/titles.rs",
        "src/wording/topics.rs",
        "src/vendors/description.rs",
        "src/facts/definition.rs",
        "src/literals.rs",
        "src/incident/triggers/trigger_words.rs",
        "src/matching/table.rs",
        "src/numbers.rs",
    ] {
        println!("cargo::rerun-if-changed={path}");
    }
    let kb = Path::new("kb");
    let mut failed = Vec::new();

    let areas: Vec<(String, Vec<File>)> = folders(&kb.join("faults"))
        .into_iter()
        .map(|folder| {
            let area = folder.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            (area, files(&folder, "md", &mut failed))
        })
        .collect();
    let fixes = files(&kb.join("fixes"), "md", &mut failed);
    let notices = files(&kb.join("notices"), "md", &mut failed);
    let codes = files(&kb.join("codes"), "csv", &mut failed);
    for file in files(&kb.join("hardware"), "csv", &mut failed) {
        match table::packed(&file.text) {
            Ok(table) => write_file(&format!("{}.table", file.stem), table.as_bytes()),
            Err((line, reason)) => failed.push(format!("{}:{line}: {reason}", file.path)),
        }
    }
    let reports = files(&kb.join("reports"), "md", &mut failed);

    let mut faults: Vec<(&str, &File, FrontMatter, &str)> = Vec::new();
    for (area, files) in &areas {
        for file in files {
            faults.extend(page(file, &mut failed).map(|(matter, body)| (area.as_str(), file, matter, body)));
        }
    }
    faults.sort_by(|(_, a, ..), (_, b, ..)| a.stem.cmp(&b.stem));
    for pair in faults.windows(2) {
        if let [(_, a, ..), (_, b, ..)] = pair
            && a.stem == b.stem
        {
            failed.push(format!("{}: the id {} is taken by {}", b.path, b.stem, a.path));
        }
    }
    let recipes: Vec<(&File, FixMatter, &str)> = pages(&fixes, &mut failed);
    let harmless: Vec<(&File, NoticeMatter, &str)> = pages(&notices, &mut failed);
    let tables: Vec<PackedTable<'_>> =
        codes.iter().map(|file| PackedTable { library: &file.stem, rows: rows(file, &mut failed) }).collect();

    let matters: Vec<(Vec<u8>, String, String)> = faults
        .iter()
        .map(|(_, _, matter, _)| {
            let affected: Vec<&str> = matter.affects.iter().map(|affected| affected.package.as_str()).collect();
            (pack(matter), matter.aliases.join(" "), affected.join(" "))
        })
        .collect();
    let packed_fixes: Vec<Vec<u8>> = recipes.iter().map(|(_, matter, _)| pack(matter)).collect();
    let packed_notices: Vec<Vec<u8>> = harmless.iter().map(|(_, matter, _)| pack(matter)).collect();
    let packed_tables: Vec<Vec<u8>> = tables.iter().map(pack).collect();
    let book = Packed {
        faults: faults
            .iter()
            .zip(&matters)
            .map(|((area, file, matter, body), (packed, aliases, affected))| PackedFault {
                area,
                path: &file.path,
                page: packed_page(file, packed, body),
                summary: Summary {
                    withdrawn: matter.status == PageStatus::Withdrawn,
                    silent: (!matter.operations.is_empty()).then_some(affected),
                    conflicting: matter.conflict.is_some(),
                    aliases,
                },
            })
            .collect(),
        fixes: recipes
            .iter()
            .zip(&packed_fixes)
            .map(|((file, _, body), packed)| packed_page(file, packed, body))
            .collect(),
        notices: harmless
            .iter()
            .zip(&packed_notices)
            .map(|((file, _, body), packed)| packed_page(file, packed, body))
            .collect(),
        codes: packed_tables.iter().map(Vec::as_slice).collect(),
        reports: reports.iter().map(plain).collect(),
    };

    let vendors = vendors(&kb.join("vendors"), &tables, &mut failed);
    write_signatures(&faults, &harmless, &tables, &vendors);
    let facts = fact_registry(&kb.join("facts.toml"), &mut failed);
    write("book", &pack(&book));
    let posts = lessons::posts(kb, &mut failed);
    write("cases", &casebook(&kb.join("cases"), &posts, &book, &mut failed));
    let entries = errors(&kb.join("errors"), &mut failed);
    for entry in
        entries.iter().filter(|entry| entry.fault.iter().any(|id| !faults.iter().any(|(_, page, ..)| page.stem == *id)))
    {
        failed.push(format!(
            "kb/errors: {}: there is no page {}",
            entry.id,
            entry.fault.as_deref().unwrap_or_default()
        ));
    }
    let is_page = |name: &str| book.faults.iter().any(|fault| fault.page.id == name);
    write_lessons(kb, &posts, &entries, is_page, &mut failed);
    let of_pages = faults.iter().flat_map(|(_, file, _, body)| advice::of_page(&file.stem, body));
    let of_recipes = recipes.iter().map(|(file, matter, body)| advice::of_recipe(&file.stem, &matter.title, body));
    write_advice(of_pages.chain(of_recipes).chain(advice::of_entries(&entries)).collect(), &posts);
    write_errors(&entries);
    write("facts", &facts);
    write("vendors", &pack(&vendors));
    write("code_words", &pack(&Literals::new(vendors.iter().flat_map(Vendor::code_words))));
    write_catalogues(kb, &vendors, &mut failed);
    for message in &failed {
        println!("cargo::error={message}");
    }
}

/// The file of the cases whose fault has no page.
const UNLISTED: &str = "unlisted";

/// Packs the cases by fault. A fault without a page, a recipe that does not exist or a thread given twice fails the build.
fn casebook(folder: &Path, posts: &[Post], book: &Packed<'_>, failed: &mut Vec<String>) -> Vec<u8> {
    let known = |id: &str| book.faults.iter().any(|fault| fault.page.id == id);
    let is_recipe = |id: &str| book.fixes.iter().any(|fix| fix.id == id);
    let mut counts: BTreeMap<&str, BTreeMap<&str, u16>> = BTreeMap::new();
    for post in posts.iter().filter(|post| known(&post.fault) && !post.is_composed()) {
        *counts.entry(&post.fault).or_default().entry(&post.cause).or_default() += 1;
    }
    let mut cases: BTreeMap<String, Vec<u8>> =
        counts.keys().map(|fault| ((*fault).to_owned(), pack::<Vec<Case<'_>>>(&Vec::new()))).collect();
    for file in files(folder, "toml", failed) {
        let Some(read) = parsed::<CaseFile<'_>>(&file.path, &file.text, failed) else { continue };
        let mut addresses = BTreeSet::new();
        for case in &read.case {
            if !addresses.insert(&case.at) {
                failed.push(format!("{}: {} is there twice", file.path, case.at));
            }
            for id in case.solved.iter().filter(|id| !id.contains('#') && !is_recipe(id)) {
                failed.push(format!("{}: {}: there is no recipe {id}", file.path, case.at));
            }
        }
        if known(&file.stem) || file.stem == UNLISTED {
            cases.insert(file.stem, pack(&read.case));
        } else {
            failed.push(format!("{}: no fault page is called {}", file.path, file.stem));
        }
    }
    let packed = |(fault, cases): (String, Vec<u8>)| {
        let posts = counts.remove(fault.as_str()).unwrap_or_default().into_iter();
        let posts = posts.map(|(cause, count)| (cause.to_owned(), count)).collect();
        PackedCases { fault, cases, posts }
    };
    pack(&cases.into_iter().map(packed).collect::<Vec<_>>())
}

/// A file of errors without a page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ErrorFile {
    error: Vec<ErrorEntry<String>>,
}

/// The errors without a page, of all files. An id given twice fails the build.
fn errors(folder: &Path, failed: &mut Vec<String>) -> Vec<ErrorEntry<String>> {
    let mut entries: Vec<ErrorEntry<String>> = Vec::new();
    for file in files(folder, "toml", failed) {
        let Some(read) = parsed::<ErrorFile>(&file.path, &file.text, failed) else { continue };
        for mut entry in read.error {
            // A message keeps its backquotes in one text, and loses them in another.
            entry.words.iter_mut().for_each(|words| words.retain(|c| c != '`'));
            let twice = entries.iter().any(|other| other.id == entry.id);
            let wrong = if twice { Some("the id is there twice".to_owned()) } else { errors::mistake(&entry) };
            failed.extend(wrong.map(|wrong| format!("{}: {}: {wrong}", file.path, entry.id)));
            entries.push(entry);
        }
    }
    entries
}

/// Packs the entries one by one, and what finds them.
fn write_errors(entries: &[ErrorEntry<String>]) {
    let packed: Vec<Vec<u8>> = entries.iter().map(pack).collect();
    let numbered = || (0_u16..).zip(entries);
    let alternatives: Vec<(u16, &str)> =
        numbered().flat_map(|(number, entry)| entry.words.iter().map(move |words| (number, words.as_str()))).collect();
    let mut groups: BTreeMap<&str, Vec<u16>> = BTreeMap::new();
    for (number, entry) in numbered() {
        let wordless = entry.words.is_empty().then_some("");
        for name in wordless.into_iter().chain(entry.fault.as_deref()) {
            groups.entry(name).or_default().push(number);
        }
    }
    let entries = packed.iter().map(Vec::as_slice).collect();
    write("errors", &pack(&PackedErrors { entries, groups: groups.into_iter().collect() }));
    write("error_words", &pack(&PackedWords::new(&alternatives)));
}

/// Packs the descriptions of vendors together with their tables of codes.
fn vendors(folder: &Path, codes: &[PackedTable<'_>], failed: &mut Vec<String>) -> Vec<Vendor> {
    let mut vendors: Vec<Vendor> = Vec::new();
    for file in files(folder, "toml", failed) {
        let Some(mut vendor) = parsed::<Vendor>(&file.path, &file.text, failed) else { continue };
        vendor.id.clone_from(&file.stem);
        vendor.resolve(|table| {
            let rows = codes.iter().filter(|known| known.library == table).flat_map(|known| &known.rows);
            rows.map(|row| (row.name.to_string(), row.message.to_string())).collect()
        });
        vendors.push(vendor);
    }
    vendors.sort_by_key(|vendor| vendor.order);
    vendors
}

/// Packs the registry of facts. A duplicate name, or a unit on a fact that is not a number, fails the build.
fn fact_registry(path: &Path, failed: &mut Vec<String>) -> Vec<u8> {
    let shown = path.display();
    let text = fs::read_to_string(path).unwrap_or_default();
    let Some(registry) = parsed::<Registry<'_>>(&shown.to_string(), &text, failed) else { return Vec::new() };
    let mut names = BTreeSet::new();
    for fact in registry.groups.iter().flat_map(|group| &group.facts) {
        if !names.insert(&fact.name) {
            failed.push(format!("{shown}: the fact {} is there twice", fact.name));
        }
        if fact.unit.is_some() && fact.fact_type != FactType::Number {
            failed.push(format!("{shown}: {} has a unit and is no number", fact.name));
        }
        if fact.label.is_empty() || fact.meaning.is_empty() || fact.origin.is_empty() {
            failed.push(format!("{shown}: {} lacks a label, a meaning or an origin", fact.name));
        }
    }
    pack(&registry)
}

fn rows(file: &File, failed: &mut Vec<String>) -> Vec<CodeRow<'static>> {
    let (rows, broken) = code_rows::read(&file.text);
    failed.extend(broken.iter().map(|(line, reason)| format!("{}:{line}: {reason}", file.path)));
    rows
}

fn plain(file: &File) -> PackedFile<'_> {
    PackedFile { path: &file.path, text: file.text.as_bytes() }
}

/// Pages with their front matter and their bodies.
fn pages<'f, T: DeserializeOwned>(files: &'f [File], failed: &mut Vec<String>) -> Vec<(&'f File, T, &'f str)> {
    let read = |file: &'f File| page(file, failed).map(|(matter, body)| (file, matter, body));
    files.iter().filter_map(read).collect()
}

fn packed_page<'f>(file: &'f File, matter: &'f [u8], body: &'f str) -> PackedPage<'f> {
    PackedPage { id: &file.stem, matter, body: body.as_bytes() }
}

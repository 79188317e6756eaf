//! Checks the links of a folder of pages.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use regex::Regex;

/// All files below a folder by name, as text; of a picture, what is text in it.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("it is below").to_string_lossy().replace('\\', "/");
                let text = text(&name, fs::read(&path).expect("a file"));
                found.insert(name, text);
            }
        }
    }
    found
}

fn text(name: &str, bytes: Vec<u8>) -> String {
    match name.ends_with(".png") {
        true => String::from_utf8_lossy(&bytes).into_owned(),
        false => String::from_utf8(bytes).unwrap_or_else(|error| panic!("{name}: {error}")),
    }
}

/// Links that lead nowhere: to a file or a place of a page that is not there. Addresses from the root of the host begin
/// with `root`.
pub(crate) fn broken(files: &BTreeMap<String, String>, root: &str) -> Vec<String> {
    let link = Regex::new(r#" (?:href|src|action)="([^"]*)""#).expect("a pattern");
    let id = Regex::new(r#" id="([^"]*)""#).expect("a pattern");
    let pages = || files.iter().filter(|(name, _)| name.ends_with(".html"));
    let ids: BTreeMap<&String, BTreeSet<String>> = pages()
        .map(|(name, text)| {
            let all: Vec<String> = id.captures_iter(text).map(|found| plain(&found[1])).collect();
            let ids: BTreeSet<String> = all.iter().cloned().collect();
            assert_eq!(all.len(), ids.len(), "{name} has an id twice: {all:?}");
            (name, ids)
        })
        .collect();
    let mut broken = Vec::new();
    for (name, text) in pages() {
        for target in link.captures_iter(text).map(|found| plain(&found[1])) {
            if target.starts_with("https://") || target.starts_with("http://") {
                continue;
            }
            let (address, place) = target.split_once('#').unwrap_or((&target, ""));
            let address = address.split('?').next().unwrap_or_default();
            let file = match address.strip_prefix(root) {
                _ if address.is_empty() => name.clone(),
                Some(below) if address.starts_with('/') => below.to_owned(),
                _ => joined(name, address),
            };
            let place = decoded(place);
            let is_there = files.contains_key(&file)
                && (place.is_empty() || ids.get(&file).is_some_and(|ids| ids.contains(&place)));
            if !is_there {
                broken.push(format!("{name}: {target}"));
            }
        }
    }
    broken
}

/// Fails if a page could run something that is not ours.
pub(crate) fn harmless(name: &str, text: &str) {
    let tag = Regex::new("<[a-zA-Z!/][^>]*>").expect("a pattern");
    let handler = Regex::new(r"\s(?:on\w+|style)\s*=").expect("a pattern");
    for tag in tag.find_iter(text).map(|found| found.as_str()) {
        let is_ours = !tag.starts_with("<script") || tag.contains(" src=\"") && tag.contains("assets/");
        let no_handler = !handler.is_match(&unquoted(tag));
        assert!(is_ours && no_handler && !tag.contains("javascript:"), "{name}: {tag}");
    }
    assert!(!text.contains("<img src=x"), "{name}");
}

/// A tag without the values of its attributes.
fn unquoted(tag: &str) -> String {
    tag.split('"').step_by(2).collect::<Vec<_>>().join("\"\"")
}

fn plain(value: &str) -> String {
    ["&amp;", "&#38;"]
        .into_iter()
        .fold(value.to_owned(), |value, entity| value.replace(entity, "&"))
        .replace("&#x27;", "'")
}

fn decoded(value: &str) -> String {
    percent_encoding::percent_decode_str(value).decode_utf8_lossy().into_owned()
}

/// A relative address from a page.
fn joined(page: &str, address: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in address.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    decoded(&parts.join("/"))
}

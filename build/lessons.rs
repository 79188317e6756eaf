//! What is learned from texts: descriptions and posts.

use std::fs;
use std::path::Path;

use crate::descriptions::{self, Kind, Post};
use crate::errors::ErrorEntry;
use crate::files::{files, folders, pack, write};
use crate::nearest_advice::{self, Place};
use crate::rows::Writing;
use crate::wording;

/// The posts of `kb/threads`: those that people wrote, then those that were composed.
pub(crate) fn posts(kb: &Path, failed: &mut Vec<String>) -> Vec<Post> {
    let mut posts = Vec::new();
    for file in ["open", "composed"] {
        let text = fs::read_to_string(kb.join(format!("threads/{file}.jsonl"))).unwrap_or_default();
        match text.lines().map(serde_json::from_str).collect::<Result<Vec<Post>, _>>() {
            Ok(read) => posts.extend(read),
            Err(error) => failed.push(format!("kb/threads/{file}.jsonl: {error}")),
        }
    }
    posts
}

/// Packs which of these pieces of advice helps with which words.
pub(crate) fn write_advice(pieces: Vec<(Place<String>, String)>, posts: &[Post]) {
    let solved: Vec<(&str, &str)> = posts.iter().filter_map(Post::solved).collect();
    write("nearest_advice", &pack(&nearest_advice::learn(pieces, &solved)));
}

/// Packs what is learned from the descriptions, and from posts.
pub(crate) fn write_lessons(
    kb: &Path,
    posts: &[Post],
    entries: &[ErrorEntry<String>],
    is_page: impl Fn(&str) -> bool + Copy,
    failed: &mut Vec<String>,
) {
    let folder = kb.join("descriptions");
    let whole = files(&folder, "txt", failed).into_iter();
    let mut kinds: Vec<Kind> = whole.map(|file| Kind { name: file.stem, situation: None, text: file.text }).collect();
    for folder in folders(&folder) {
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let situations = files(&folder, "txt", failed).into_iter();
        kinds.extend(situations.map(|file| Kind { name: name.clone(), situation: Some(file.stem), text: file.text }));
    }
    let entries: Vec<&str> = entries.iter().filter(|entry| entry.described).map(|entry| entry.id.as_str()).collect();
    let writing = fs::read_to_string(kb.join("wording/writing.toml")).unwrap_or_default();
    // What is wrong with the file is reported where it is packed.
    let courtesies = wording::read::<Writing<String>>(&writing).map(|it| it.courtesies).unwrap_or_default();
    write("posts", &pack(&descriptions::learned_by_posts(posts, &kinds, &courtesies)));
    write("pages", &pack(&descriptions::pages_by_posts(posts, &kinds, is_page)));
    write("letters", &pack(&descriptions::learned_by_letters(&kinds, posts, &courtesies)));
    // The models above have the posts as posts; for those below they are further descriptions.
    descriptions::add_posts(&mut kinds, posts);
    let concepts = fs::read_to_string(kb.join("wording/concepts.toml")).unwrap_or_default();
    match descriptions::learned(&concepts, &kinds, &entries, is_page) {
        Ok(lessons) => {
            write("situations", &pack(&lessons.situations));
            write("descriptions", &pack(&lessons.kinds));
        }
        Err(reason) => failed.push(reason),
    }
}

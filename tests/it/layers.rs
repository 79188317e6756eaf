//! The layers of ARCHITECTURE.md, read off the syntax tree: a module may use modules listed before it, none after it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

/// Modules from the ground up.
const LAYERS: &[&str] = &[
    // The core: text in, answer out.
    "hint",
    "span",
    "amounts",
    "facts",
    "numbers",
    "literals",
    "pattern",
    "fingerprint",
    "table",
    "compatibility",
    "condition",
    "vendors",
    "packages",
    "removed",
    "truth",
    "wording",
    "descriptions",
    "text",
    "incident",
    "book",
    "matching",
    "diagnosis",
    "scan",
    "render",
    // What needs an operating system.
    "parallel",
    "files",
    "unpack",
    "logs",
    "machine",
    "reports",
    "check",
    "runner",
    // What people and programs talk to.
    "interfaces",
];

/// The last module of the core.
const TOP_OF_CORE: &str = "render";

/// What the core must not name: files, processes, sockets, the environment, threads of its own, standard streams.
const NOT_IN_CORE: [&str; 5] = ["fs", "process", "net", "env", "io"];

#[test]
fn modules_use_only_earlier_modules() {
    let mut wrong = Vec::new();
    for file in sources(Path::new("src")) {
        let Some(own) = layer_of(&file) else { continue };
        for used in uses(&file) {
            if rank(&used[0]).is_some_and(|rank| rank > own) {
                wrong.push(format!("{}: `{}` uses `{}`", file.display(), LAYERS[own], used.join("::")));
            }
        }
    }
    assert!(wrong.is_empty(), "upward use:\n{}", wrong.join("\n"));
}

#[test]
fn the_core_asks_nothing_of_the_operating_system() {
    let top = rank(TOP_OF_CORE).expect("a layer");
    let of_core =
        |file: &PathBuf| layer_of(file).is_some_and(|own| own <= top) && !file.iter().any(|part| part == "tests");
    for file in sources(Path::new("src")).into_iter().filter(of_core) {
        let mut paths = Paths::of(&file);
        paths.visit_file(&parse(&file));
        for path in &paths.found {
            let outside = path.len() > 1 && path[0] == "std" && NOT_IN_CORE.contains(&path[1].as_str());
            assert!(!outside, "{} uses {}", file.display(), path.join("::"));
        }
    }
}

#[test]
fn every_module_has_its_layer() {
    let root = parse(Path::new("src/lib.rs"));
    for item in root.items {
        if let syn::Item::Mod(module) = item {
            assert!(rank(&module.ident.to_string()).is_some(), "`{}` has no layer in tests/it/layers.rs", module.ident);
        }
    }
}

#[test]
fn servers_use_neither_each_other_nor_the_command_line() {
    for own in ["lsp", "mcp", "web"] {
        for file in sources(&Path::new("src/interfaces").join(own)) {
            for used in uses(&file).iter().filter(|used| used.len() > 1 && used[0] == "interfaces") {
                let other = ["cli", "lsp", "mcp", "web"].contains(&used[1].as_str()) && used[1] != own;
                assert!(!other, "{} uses {}", file.display(), used.join("::"));
            }
        }
    }
}

#[test]
fn every_file_says_what_it_is_for_and_is_short() {
    /// Longer files need a reason, which is given here.
    const LONG: &[(&str, &str)] = &[];
    const LONGEST: usize = 400;
    for file in sources(Path::new("src")) {
        let text = fs::read_to_string(&file).expect("a source file reads");
        assert!(text.starts_with("//!"), "{} does not begin with //!", file.display());
        let lines = text.lines().count();
        let excused = LONG.iter().any(|(path, _)| Path::new(path) == file);
        assert!(lines <= LONGEST || excused, "{} has {lines} lines", file.display());
    }
}

#[test]
fn the_reader_of_uses_sees_what_a_search_for_words_does_not() {
    let text = "
        use crate::{
            book::{self, page::Cause},
            reports::Error as Other,
        };
        #[cfg(test)]
        use crate::interfaces::cli;
        #[cfg(test)]
        mod tests { use crate::check; }
        fn after() -> super::super::machine::Outcome { macro_of!(crate::runner::run()); crate::text::read(b\"\") }
        const WORDS: &str = \"use crate::lsp;\"; // use crate::mcp;
    ";
    let mut paths = Paths { module: vec!["diagnosis".into(), "primary".into()], found: BTreeSet::new() };
    paths.visit_file(&syn::parse_file(text).expect("Rust"));
    let found: Vec<String> = in_crate(&paths.found).iter().map(|path| path.join("::")).collect();
    let wanted = ["book", "book::page::Cause", "machine::Outcome", "reports::Error", "runner::run", "text::read"];
    assert_eq!(found, wanted);
}

/// The layer of a source file of the library.
fn layer_of(file: &Path) -> Option<usize> {
    rank(module_of(file).first()?)
}

fn rank(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| *layer == module)
}

/// What a file uses of this crate, as paths from the crate's root; what is compiled for tests only may use anything.
fn uses(file: &Path) -> Vec<Vec<String>> {
    let mut paths = Paths::of(file);
    paths.visit_file(&parse(file));
    in_crate(&paths.found)
}

fn in_crate(found: &BTreeSet<Vec<String>>) -> Vec<Vec<String>> {
    found.iter().filter(|path| path.len() > 1 && path[0] == "crate").map(|path| path[1..].to_vec()).collect()
}

/// Collects every path that a file names, `super` and `self` resolved.
struct Paths {
    module: Vec<String>,
    found: BTreeSet<Vec<String>>,
}

impl Paths {
    fn of(file: &Path) -> Self {
        Self { module: module_of(file), found: BTreeSet::new() }
    }

    fn add(&mut self, path: Vec<String>) {
        let leading = path.iter().take_while(|part| matches!(part.as_str(), "super" | "self")).count();
        if leading == 0 {
            self.found.insert(path);
            return;
        }
        let up = path[..leading].iter().filter(|part| *part == "super").count();
        let kept = self.module.len().saturating_sub(up);
        let mut whole = vec!["crate".to_owned()];
        whole.extend(self.module[..kept].iter().cloned());
        whole.extend(path[leading..].iter().cloned());
        self.found.insert(whole);
    }

    fn tree(&mut self, before: &[String], tree: &syn::UseTree) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.tree(&with(&path.ident), &path.tree),
            syn::UseTree::Name(name) if name.ident == "self" => self.add(before.to_vec()),
            syn::UseTree::Name(name) => self.add(with(&name.ident)),
            syn::UseTree::Rename(name) => self.add(with(&name.ident)),
            syn::UseTree::Glob(_) => self.add(before.to_vec()),
            syn::UseTree::Group(group) => group.items.iter().for_each(|item| self.tree(before, item)),
        }
    }

    /// Paths in the arguments of a macro, which the parser leaves as tokens.
    fn tokens(&mut self, tokens: proc_macro2::TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                proc_macro2::TokenTree::Ident(name) if path.is_empty() || colons == 2 => path.push(name.to_string()),
                proc_macro2::TokenTree::Punct(mark) if mark.as_char() == ':' && !path.is_empty() => {
                    colons += 1;
                    continue;
                }
                other => {
                    self.end(&mut path);
                    match other {
                        proc_macro2::TokenTree::Group(group) => self.tokens(group.stream()),
                        proc_macro2::TokenTree::Ident(name) => path.push(name.to_string()),
                        _ => {}
                    }
                }
            }
            colons = 0;
        }
        self.end(&mut path);
    }

    fn end(&mut self, path: &mut Vec<String>) {
        let path = std::mem::take(path);
        if path.len() > 1 {
            self.add(path);
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !is_for_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.tree(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.add(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.visit_path(&called.path);
        self.tokens(called.tokens.clone());
    }
}

pub(super) fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Whether something is compiled for tests only: exactly `#[cfg(test)]`.
pub(super) fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Ident>().is_ok_and(|name| name == "test")
    })
}

/// The module that a file holds, as a path from the crate's root.
fn module_of(file: &Path) -> Vec<String> {
    let parts = file.strip_prefix("src").unwrap_or(file).with_extension("");
    let mut module: Vec<String> = parts.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
        module.pop();
    }
    module
}

pub(super) fn parse(file: &Path) -> syn::File {
    let text = fs::read_to_string(file).expect("a source file reads");
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

pub(super) fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a source folder reads").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

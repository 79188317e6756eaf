//! The vendor seam: outside of the vendors' folders no text of the program names a vendor's product. Words are in
//! kb/vendors, formats in `src/incident/vendors/<vendor>`, calls in `src/machine/<vendor>`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use syn::visit::{self, Visit};

use super::layers::{attributes, is_for_tests, parse, sources};

/// Files that name one anyway, and why.
const ALLOWED: &[(&str, &str)] = &[
    ("condition.rs", "a function of the pages' language: cuda_knows"),
    ("diagnosis/budget.rs", "says which library was measured"),
    ("diagnosis/capacity.rs", "units of the hardware catalogue"),
    ("diagnosis/enrich.rs", "whose wheels and drivers the catalogue lists"),
    ("diagnosis/explanations.rs", "what PyTorch calls the device of every vendor"),
    ("diagnosis/terms.rs", "whose words the titles of pages have"),
    ("diagnosis/wheels/driver.rs", "whose wheels and drivers the catalogue lists"),
    ("diagnosis/wheels/jetson.rs", "whose wheels and drivers the catalogue lists"),
    ("diagnosis/wheels/machine.rs", "whose wheels and drivers the catalogue lists"),
    ("diagnosis/wheels/mod.rs", "whose wheels and drivers the catalogue lists"),
    ("diagnosis/wheels/why.rs", "whose wheels and drivers the catalogue lists"),
    ("incident/position.rs", "PyTorch's method for every vendor: module.cuda()"),
    ("incident/python/message.rs", "sentences of PyTorch, Triton and XLA that continue a message"),
    ("incident/writing.rs", "markup of documentation"),
    ("interfaces/cli/fit.rs", "examples of names"),
    ("interfaces/cli/mod.rs", "an example of a page"),
    ("machine/packages.rs", "names of JAX's plugins"),
    ("machine/view/device.rs", "the labels of the facts nvlink.*"),
    ("machine/wheel.rs", "files and settings in the wheels of frameworks"),
    ("reports/draft/environment.rs", "an expression of PyTorch: torch.version.cuda"),
    ("reports/reading/errors.rs", "a language of code fences"),
    ("text/redact/harmless.rs", "build flags that are no secrets"),
];

/// Words that the descriptions of vendors do not list under one key.
const FURTHER: [&str; 5] = ["nvcc", "ptxas", "nvlink", "rocm", "hsa"];

/// Words of a description that are nobody's own: NCCL's log format is that of RCCL too.
const SHARED: [&str; 3] = ["nccl", "nccl-net", "nccl-tuner"];

#[test]
fn vendors_are_named_in_their_folders_and_in_data() {
    let words = vendors_words();
    assert!(["nvidia", "xid", "nvrm", "cudnn", "amd"].iter().all(|word| words.contains(*word)), "{words:?}");
    let facts = facts();
    let mut named = BTreeSet::new();
    let mut wrong = Vec::new();
    for file in sources(Path::new("src")).into_iter().filter(|file| !is_of_vendor(file)) {
        let path = file.strip_prefix("src").expect("a source").to_string_lossy().replace('\\', "/");
        let mut literals = Literals::default();
        literals.visit_file(&parse(&file));
        for text in literals.found {
            let is_data =
                text.starts_with("../kb/") || text.ends_with(".table") || facts.iter().any(|fact| fits(&text, fact));
            let Some(word) = words.iter().find(|word| !is_data && names(&text, word)) else { continue };
            if !ALLOWED.iter().any(|(allowed, _)| *allowed == path) {
                wrong.push(format!("{path} names {word}: {text:?}"));
            }
            named.insert(path.clone());
        }
    }
    assert!(wrong.is_empty(), "a vendor's word outside of its folder:\n{}", wrong.join("\n"));
    for (path, _) in ALLOWED {
        assert!(named.contains(*path), "{path} names no vendor any more");
    }
}

#[test]
fn a_vendors_word_is_seen() {
    assert!(names("via nvidia-smi", "nvidia") && names("CUDNN_STATUS", "cudnn") && names("libtorch_cuda.so", "cuda"));
    assert!(!names("relationship", "hip"));
    assert!(fits("driver.cuda", "driver.cuda") && fits("kernel.xid.{part}", "kernel.xid.first"));
    assert!(!fits("{text}", "driver.cuda") && !fits("cuda", "driver.cuda"));
    let text = "
        /// Of NVIDIA.
        fn f() { let a = \"one\"; print!(\"{}\", g(\"two\")); }
        #[cfg(test)]
        mod tests { const X: &str = \"three\"; }
    ";
    let mut literals = Literals::default();
    literals.visit_file(&syn::parse_file(text).expect("Rust"));
    assert_eq!(literals.found, ["one", "{}", "two"]);
}

/// Lower-case names of vendors, their interfaces, libraries and logs, from kb/vendors.
fn vendors_words() -> BTreeSet<String> {
    let mut words: BTreeSet<String> = FURTHER.map(str::to_owned).into();
    for entry in fs::read_dir("kb/vendors").expect("the folder reads").flatten() {
        let text = fs::read_to_string(entry.path()).expect("a description reads");
        let vendor: toml::Table = toml::from_str(&text).expect("a description");
        let at = |path: &[&str]| {
            let (last, tables) = path.split_last()?;
            let table = tables.iter().try_fold(&vendor, |table, key| table.get(*key)?.as_table())?;
            Some(table.get(*last)?.clone())
        };
        let lists = [at(&["brands"]), at(&["libraries"])];
        let single = [&["name"][..], &["runtime", "name"], &["management", "name"], &["kernel_log", "event"]];
        let mut found: Vec<toml::Value> =
            single.into_iter().chain([&["kernel_log", "prefix"][..]]).filter_map(at).collect();
        found.extend(lists.into_iter().flatten().flat_map(|list| list.as_array().cloned().unwrap_or_default()));
        words.extend(found.iter().filter_map(|value| {
            let word = value.as_str().or_else(|| value.get("stem")?.as_str())?;
            Some(word.trim_end_matches([':', ' ']).to_lowercase())
        }));
    }
    words.retain(|word| !SHARED.contains(&word.as_str()));
    words
}

/// The names of all facts, which are neutral whatever they are called after.
fn facts() -> Vec<String> {
    let text = fs::read_to_string("kb/facts.toml").expect("the registry reads");
    let names = text.lines().filter_map(|line| line.trim().strip_prefix("{ name = \"")?.split('"').next());
    names.map(str::to_owned).collect()
}

/// Whether a literal, with `{...}` for any words, is a fact's name.
fn fits(text: &str, fact: &str) -> bool {
    let Some((head, rest)) = text.split_once('{') else { return text == fact };
    let tail = rest.split_once('}').map_or("", |(_, tail)| tail);
    let is_name = text.contains('.') && !text.contains(' ');
    is_name && fact.starts_with(head) && (tail.contains('{') || fact.ends_with(tail))
}

/// Whether a text has a word at the beginning of one of its words.
fn names(text: &str, word: &str) -> bool {
    let text = text.to_lowercase();
    text.match_indices(word).any(|(at, _)| !text[..at].ends_with(|c: char| c.is_alphanumeric()))
}

/// Whether a file is a vendor's own or for tests.
fn is_of_vendor(file: &Path) -> bool {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let folder = |part: &std::ffi::OsStr| Path::new("kb/vendors").join(part).with_extension("toml").is_file();
    let for_tests = stem.ends_with("_tests") || file.iter().any(|part| part == "tests" || part == "tests.rs");
    for_tests || file.iter().any(folder)
}

/// Collects the string literals of a file, those of macros included, those of attributes and tests not.
#[derive(Default)]
struct Literals {
    found: Vec<String>,
}

impl Literals {
    fn tokens(&mut self, tokens: proc_macro2::TokenStream) {
        for token in tokens {
            match token {
                proc_macro2::TokenTree::Group(group) => self.tokens(group.stream()),
                proc_macro2::TokenTree::Literal(literal) => {
                    let text = syn::parse_str::<syn::LitStr>(&literal.to_string());
                    self.found.extend(text.map(|text| text.value()));
                }
                _ => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Literals {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !is_for_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.found.push(text.value());
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.tokens(called.tokens.clone());
    }
}

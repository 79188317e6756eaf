//! Libraries that could not be loaded and symbols that were not found. Facts `lib.*`, `symbol.name`.
//!
//! `lib.cuda` is the major version of CUDA whose toolkit ships the missing library, `lib.present` the major version of
//! the same library in a listing of files. The library may be named by file, by path or in quotes. NCCL's optional
//! plugins are ignored: healthy runs lack them too.

use super::super::words::{after, is_word};
use crate::facts::Facts;
use crate::vendors;

/// Words that a library's name follows.
const BEFORE: &[&str] = &[
    "error while loading shared libraries: ",
    "Could not load dynamic library ",
    "Could not load library ",
    "could not load library ",
    "Unable to load dynamic library ",
    "Unable to load library ",
    "DynamicLibNotFoundError: Failure finding ",
    "Failure finding ",
    "Unable to load any of {",
    "Failed to load library ",
    "Error loading ",
    "Required library version not found: ",
    "cannot load library ",
    "failed to load library ",
    "Could not locate ",
    "Could not load ",
];

/// Reads a line or a message.
pub(super) fn read(text: &str, line: u32, facts: &mut Facts) {
    if let Some(rest) = after(text, "undefined symbol: ") {
        let name = rest.split(|c: char| !(is_word(c) || matches!(c, '$' | '.' | '@'))).next().unwrap_or("");
        if !name.is_empty() {
            facts.words_in_text("symbol.name", name.trim_end_matches('.'), line);
        }
    }
    let mut plugins = vendors::all().iter().flat_map(|vendor| &vendor.libraries).filter(|library| library.optional);
    if plugins.any(|library| text.contains(&format!("lib{}", library.stem))) {
        return;
    }
    let named = text
        .find(": cannot open shared object file")
        .and_then(|at| text.get(..at))
        .map(|head| head.rsplit([' ', '\'', '"', '/']).next().unwrap_or(head))
        .or_else(|| {
            BEFORE.iter().find_map(|before| after(text, before)).map(|rest| {
                rest.trim_start_matches(['\'', '"', '`', '{', ' '])
                    .split(['\'', '"', '`', ',', ';', ' ', '}'])
                    .next()
                    .unwrap_or("")
            })
        });
    let Some(named) = named else { return };
    let file = named.rsplit(['/', '\\']).next().unwrap_or(named).trim_end_matches([':', '.', ',']);
    if !(file.contains(".so") || file.ends_with(".dll") || file.ends_with(".dylib")) {
        return;
    }
    facts.words_in_text("lib.missing", file, line);
    let (stem, tail) = file.split_once(".so").or_else(|| file.split_once(".dll")).unwrap_or((file, ""));
    facts.words_in_text("lib.stem", stem, line);
    let (stem, major) = match tail.trim_start_matches('.').split('.').next().unwrap_or("").parse::<u32>() {
        Ok(major) => (stem, Some(major)),
        Err(_) => windows(stem),
    };
    if let Some(major) = major {
        facts.number_in_text("lib.major", f64::from(major), line);
        let library = vendors::library(stem.trim_start_matches("lib"));
        if let Some(toolkit) = library.and_then(|library| library.toolkit_of(major)) {
            facts.number_in_text("lib.cuda", f64::from(toolkit), line);
        }
    }
}

/// On Windows the name holds the version: `cudart64_110.dll` is CUDA 11, `cudart64_80.dll` CUDA 8, `cudnn64_8.dll`
/// cuDNN 8, `nvrtc64_112_0.dll` CUDA 11.
fn windows(stem: &str) -> (&str, Option<u32>) {
    let Some((name, digits)) = stem.split_once("64_") else { return (stem, None) };
    let digits = digits.split('_').next().unwrap_or("");
    let number = digits.parse::<u32>().ok();
    // 70, 80, 90, 92, 100, 101, 102, 110 carry the minor version too.
    let major =
        number.map(|number| if digits.len() == 3 || (50..100).contains(&number) { number / 10 } else { number });
    (name, major)
}

/// Libraries that listings of files, the linker's cache and package managers show, until it is known which one is missing.
#[derive(Debug, Default)]
pub(super) struct Present(Vec<(String, u32, u32)>);

impl Present {
    /// Reads a line that lists files: `ls`, `find`, `ldconfig -p`.
    pub(super) fn read(&mut self, words: &str, line: u32) {
        let failures = ["cannot open", "not found", "ould not", "No such file", "rror", "ailed"];
        if !words.contains(".so.") || self.0.len() > 200 || failures.iter().any(|mark| words.contains(mark)) {
            return;
        }
        for word in words.split([' ', '\t', '\'', '"', ',']) {
            let file = word.rsplit('/').next().unwrap_or(word);
            if let Some((stem, tail)) = file.split_once(".so.")
                && stem.starts_with("lib")
                && let Ok(major) = tail.split('.').next().unwrap_or("").parse::<u32>()
            {
                self.0.push((stem.to_owned(), major, line));
            }
        }
    }

    /// Adds what is there of the library that is missing.
    pub(super) fn finish(self, facts: &mut Facts) {
        let Some(stem) = facts.text("lib.stem") else { return };
        let missing = facts.number("lib.major");
        // The missing library itself counts more than another.
        let mut same = self.0.iter().filter(|(name, ..)| name == stem);
        let found = same.clone().find(|(_, major, _)| Some(f64::from(*major)) == missing).or_else(|| same.next());
        if let Some((_, major, line)) = found {
            facts.number_in_text("lib.present", f64::from(*major), *line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::facts;

    #[test]
    fn versions_of_libraries() {
        for (text, name, value) in [
            ("ImportError: libcudart.so.11.0: cannot open shared object file: No such file", "lib.cuda", Some(11.0)),
            ("ImportError: libcufft.so.11: cannot open shared object file: No such file", "lib.cuda", Some(12.0)),
            ("ImportError: libcufft.so.10: cannot open shared object file: No such file", "lib.cuda", None),
            ("ImportError: libcurand.so.10: cannot open shared object file: No such file", "lib.cuda", None),
            ("ImportError: libcudnn.so.9: cannot open shared object file: No such file", "lib.cuda", None),
            (
                "Could not load dynamic library 'cudart64_101.dll'; dlerror: cudart64_101.dll not found",
                "lib.cuda",
                Some(10.0),
            ),
            ("Could not load \"nvrtc64_70.dll\": The specified module could not be found.", "lib.cuda", Some(7.0)),
            ("Could not locate cublas64_12.dll. Please make sure it is in your library path!", "lib.cuda", Some(12.0)),
            ("Could not load library cudnn_ops_infer64_8.dll. Error code 126", "lib.major", Some(8.0)),
            (
                "libcublasLt.so.12: cannot open shared object file\n$ ls /usr/local/cuda/lib64/libcublasLt.so*\n/usr/local/cuda/lib64/libcublasLt.so  /usr/local/cuda/lib64/libcublasLt.so.13",
                "lib.present",
                Some(13.0),
            ),
            (
                "libcudnn.so.8: cannot open shared object file\n\tlibcudnn.so.9 (libc6,x86-64) => /lib/x/libcudnn.so.9\n\tlibcudnn.so.8 (libc6,x86-64) => /opt/libcudnn.so.8",
                "lib.present",
                Some(8.0),
            ),
            ("libcudnn.so.8: cannot open shared object file\nsee libcublas.so.12", "lib.present", None),
        ] {
            assert_eq!(facts(text).number(name), value, "{name} in {text}");
        }
    }
}

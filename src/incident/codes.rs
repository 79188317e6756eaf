//! Status codes of the vendors' libraries in every spelling, and the error-check macros of C++ programs.
//!
//! Codes are named here, not explained. A bare number counts only after a vendor's words, because other libraries have
//! an error 35 too. Families, sentences and words are in kb/vendors.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::context::ParserContext;
use super::numbers;
use super::words::{after, contains_folded, is_word, parse_uint};
use super::{Code, ErrorEvent, Frame, Kind, Role};
use crate::literals::Literals;
use crate::text::Level;
use crate::vendors::{self, CodeFamily, CodeForm, Vendor};

/// All status codes on one line or in one message, each once, in the order found.
pub(super) fn codes(text: &str) -> Vec<Cow<'static, str>> {
    static WORDS: LazyLock<CodeWords<'static>> =
        LazyLock::new(|| CodeWords { vendors: vendors::all(), literals: vendors::code_words() });
    WORDS.codes(text)
}

/// What shows status codes in texts: the names and the sentences of all vendors.
struct CodeWords<'v> {
    vendors: &'v [Vendor],
    /// Of each vendor in turn the prefixes of its families, then its sentences.
    literals: Literals<'static>,
}

impl<'v> CodeWords<'v> {
    #[cfg(test)]
    fn of(vendors: &'v [Vendor]) -> Self {
        Self { vendors, literals: Literals::new(vendors.iter().flat_map(Vendor::code_words)) }
    }

    fn codes(&self, text: &str) -> Vec<Cow<'v, str>> {
        let present = self.literals.present(text);
        if present.is_empty() && !text.bytes().any(|byte| byte.is_ascii_digit()) {
            return Vec::new();
        }
        let mut found: Vec<(usize, Cow<'v, str>)> = Vec::new();
        // The sentences on the line with the vendors they belong to.
        let mut sentences: Vec<(&'v Vendor, &'v Sentence)> = Vec::new();
        let mut first = 0;
        for vendor in self.vendors {
            let (families, all) = (&vendor.codes.families, &vendor.sentences.all);
            let own = present.iter().filter_map(|number| number.checked_sub(first));
            for number in own.take_while(|number| *number < families.len() + all.len()) {
                match families.get(number) {
                    Some(family) => names(family, text, &mut found),
                    None => sentences.push((vendor, &all[number - families.len()])),
                }
            }
            first += families.len() + all.len();
        }
        // Vendors print the same sentences; a call on the line shows whose it is.
        let shows_call = |vendor: &&Vendor| !sentences.is_empty() && shows_call(vendor, text);
        let speaker = self.vendors.iter().find(shows_call);
        sentences.retain(|(vendor, _)| speaker.is_none_or(|speaker| std::ptr::eq(speaker, *vendor)));
        for (vendor, sentence) in sentences.iter().filter(|(_, (.., general))| !general) {
            mean(vendor, sentence, text, &mut found);
        }
        if found.is_empty() && speaker.is_some() {
            for (vendor, sentence) in sentences.iter().filter(|(_, (.., general))| *general) {
                mean(vendor, sentence, text, &mut found);
            }
        }
        if found.is_empty() {
            let number = self.vendors.iter().find_map(|vendor| numbers::bare(vendor, text));
            found.extend(number.map(|(at, number)| (at, Cow::Owned(number))));
        }
        found.sort();
        let mut names: Vec<Cow<'v, str>> = Vec::new();
        for (_, name) in found {
            let repeats = || self.vendors.iter().any(|vendor| sentence_repeats(vendor, &names, &name));
            if !names.contains(&name) && !repeats() {
                names.push(name);
            }
        }
        names
    }
}

/// A sentence, its code and whether other software prints it as well.
type Sentence = (String, String, bool);

/// The names of a family on a line.
fn names(family: &CodeFamily, text: &str, found: &mut Vec<(usize, Cow<'_, str>)>) {
    for (at, _) in text.match_indices(family.prefix.as_str()) {
        if text.get(..at).and_then(|head| head.chars().next_back()).is_some_and(is_word) {
            continue;
        }
        let name = text.get(at..).map_or("", |rest| rest.split(|c: char| !is_word(c)).next().unwrap_or(""));
        if let Some(name) = accept(family, name) {
            found.push((at, Cow::Owned(name)));
        }
    }
}

/// The code that a sentence means; of two that begin at the same place the longer one.
fn mean<'v>(vendor: &Vendor, sentence: &'v Sentence, text: &str, found: &mut Vec<(usize, Cow<'v, str>)>) {
    let (sentence, name, general) = sentence;
    let Some(at) = text.find(sentence.as_str()) else { return };
    // "CUDA out of memory" is the allocator's message, not a status.
    let allocator = || {
        let head = text.get(..at).and_then(|head| head.strip_suffix(' '));
        head.is_some_and(|head| head.ends_with(&vendor.runtime.name))
    };
    let taken = found.iter().any(|(place, _)| *place == at);
    if !taken && (!general || !allocator()) {
        found.push((at, Cow::Borrowed(name)));
    }
}

/// A sentence next to its own driver-API name adds nothing: `CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected`.
fn sentence_repeats(vendor: &Vendor, names: &[Cow<'_, str>], name: &str) -> bool {
    let shared = |old: &Cow<'_, str>| {
        let mut families = vendor.codes.families.iter().filter(|family| family.shares_sentences);
        families.any(|family| old.starts_with(family.prefix.as_str()))
    };
    names.iter().any(shared) && vendor.sentences.all.iter().any(|(_, other, _)| other == name)
}

/// The name of the code that a family's word means.
fn accept(family: &CodeFamily, name: &str) -> Option<String> {
    let rest = name.strip_prefix(family.prefix.as_str())?;
    let refused = family.except.iter().any(|word| word == rest) || rest.to_ascii_uppercase().starts_with("SUCCESS");
    if refused || rest.len() <= 2 {
        return None;
    }
    let letters = |also: fn(&char) -> bool| {
        let digits = |c: &char| !family.letters_only && c.is_ascii_digit();
        rest.chars().all(|c| also(&c) || c == '_' || digits(&c))
    };
    let fits = match family.form {
        CodeForm::Capitals => letters(char::is_ascii_uppercase),
        CodeForm::Small => letters(char::is_ascii_lowercase),
        CodeForm::Camel => rest.len() > 3 && rest.starts_with(|c: char| c.is_ascii_uppercase()),
        CodeForm::Listed => family.names.iter().any(|known| known == name),
        CodeForm::Class => {
            // pynvml makes a class of every code: NVMLError_DriverNotLoaded is NVML_ERROR_DRIVER_NOT_LOADED.
            let mut snake = family.becomes.clone();
            for c in rest.chars() {
                if c.is_ascii_uppercase() {
                    snake.push('_');
                }
                snake.push(c.to_ascii_uppercase());
            }
            return Some(snake);
        }
    };
    fits.then(|| name.to_owned())
}

/// Whether a line shows a call of a vendor's runtime, so that general sentences can be believed.
fn shows_call(vendor: &Vendor, text: &str) -> bool {
    vendor.codes.calls.iter().any(|word| contains_folded(text, word))
}

/// Fills in an error's codes from its message.
pub(super) fn fill(event: &mut ErrorEvent) {
    for text in [event.type_name.as_str(), event.message.as_str()] {
        let names = codes(text);
        // Not the four for which a list has room when it grows: a log may have hundreds of thousands of errors.
        event.codes.reserve_exact(names.len());
        for name in names {
            if !event.codes.iter().any(|old| old.name == name) {
                event.codes.push(Code { name, library: None, at: event.headline });
            }
        }
    }
    // A number is only searched where no name was found.
    let named = event.codes.iter().any(|code| code.name.parse::<u32>().is_err());
    if let Some(number) = numbers::read(&event.message).filter(|_| !named) {
        let name = number.value.to_string().into();
        event.codes = vec![Code { name, library: Some(number.library), at: event.headline }];
    }
}

/// Reads a line on which a program's own check reports a code: `CUDA error at saxpy.cu:12 code=46(...)`.
pub(super) fn report(r: &mut ParserContext<'_>, at: usize) -> Option<usize> {
    let text = r.text(at);
    let level = r.prefix(at).and_then(|prefix| prefix.level);
    if level.is_some_and(|level| level < Level::Warning)
        || text.contains("NCCL INFO")
        || text.trim_start().starts_with('#')
    {
        return None;
    }
    let names = codes(text);
    let mut reports = vendors::all().iter().flat_map(|vendor| &vendor.codes.reports);
    if names.is_empty() && !reports.any(|report| contains_folded(text, report)) && numbers::read(text).is_none() {
        return None;
    }
    let words = text.trim();
    let mut event = r.event(Kind::Status, "", &super::advice::without(words), at);
    event.fatal = level.is_none_or(|level| level >= Level::Fatal) && !super::writing::is_prose(words);
    if let Some(frame) = place(words) {
        event.frames = vec![Frame { at: r.index(at), ..frame }];
    }
    // ggml: "CUDA error: <sentence>", then "  current device: 0, in function f at file:line", then the call.
    let mut end = at + 1;
    if let Some(rest) = after(r.text(at + 1), "current device: ") {
        if let Some((function, place)) = after(rest, "in function ").and_then(|rest| rest.split_once(" at ")) {
            let (file, line) = place.trim().rsplit_once(':').unwrap_or((place.trim(), ""));
            event.frames.push(Frame {
                file: file.to_owned(),
                line: parse_uint(line).and_then(|(line, _)| u32::try_from(line).ok()).unwrap_or(0),
                function: function.trim().to_owned(),
                at: r.index(at + 1),
            });
        }
        event.kind = Kind::Native;
        r.set(at + 1, Role::Frame);
        end = at + 2;
        if r.indent(end) >= 2 && r.text(end).contains('(') {
            r.set(end, Role::Code);
            end += 1;
        }
    }
    // The same report a second time: an earlier bare "x.cu:88: CUDA error" or the very same words.
    let headline = r.index(at);
    if let Some(last) = r.errors.last_mut()
        && last.kind == Kind::Status
        && last.lines.end + 2 > headline
        && last.codes.is_empty()
        && vendors::all()
            .iter()
            .flat_map(|vendor| &vendor.codes.reports)
            .any(|report| ends_folded(&last.message, report))
    {
        event.lines.start = last.lines.start;
        r.errors.pop();
    }
    r.set(at, Role::Error);
    let (start, close) = (event.lines.start, r.index(end - 1) + 1);
    event.lines = start..close;
    let again = r.lately(|old| old.kind == event.kind && old.message == event.message);
    if !again {
        r.push(event);
    }
    Some(end)
}

fn ends_folded(text: &str, end: &str) -> bool {
    let start = text.len().checked_sub(end.len());
    start.and_then(|start| text.get(start..)).is_some_and(|tail| tail.eq_ignore_ascii_case(end))
}

/// The source position that an error-check macro prints: `at x.cu:12`, `x.cu(12)`, `x.cu 12`.
fn place(words: &str) -> Option<Frame> {
    for ending in [".cu", ".cuh", ".cpp", ".cc", ".cxx", ".hpp", ".h", ".c"] {
        for (at, _) in words.match_indices(ending) {
            let end = at + ending.len();
            let rest = words.get(end..)?;
            let Some(separator) = rest.chars().next().filter(|c| matches!(c, ':' | '(' | ' ' | ',' | '@')) else {
                continue;
            };
            let rest = rest.get(separator.len_utf8()..)?;
            let rest = rest.trim_start_matches([' ', ':', '"']).trim_start_matches("line ");
            let Some((line, _)) = parse_uint(rest) else { continue };
            let head = words.get(..end)?;
            let file = head.rsplit([' ', '"', '\'', '[', '(']).next().unwrap_or(head);
            return Some(Frame {
                file: file.to_owned(),
                line: u32::try_from(line).unwrap_or(0),
                function: String::new(),
                at: 0,
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_in_every_spelling() {
        let table: &[(&str, &[&str])] = &[
            ("CUDA error: an illegal memory access was encountered", &["cudaErrorIllegalAddress"]),
            ("CUDA error: out of memory", &["cudaErrorMemoryAllocation"]),
            ("CUDA out of memory. Tried to allocate 2 MiB", &[]),
            (
                "failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected",
                &["CUDA_ERROR_NO_DEVICE"],
            ),
            (
                "CUDA error at saxpy.cu:12 code=46(cudaErrorDevicesUnavailable) \"cudaMalloc(&x)\"",
                &["cudaErrorDevicesUnavailable"],
            ),
            (
                "x.cu(12): CUDA Runtime API error 700: an illegal memory access was encountered.",
                &["cudaErrorIllegalAddress"],
            ),
            ("[hf] CUDA error 700 in kernel", &["700"]),
            ("cuda runtime error (59) : x", &["59"]),
            ("Cuda failure x.cu:88 'invalid argument'", &["cudaErrorInvalidValue"]),
            ("GPUassert: misaligned address k.cu 34", &["cudaErrorMisalignedAddress"]),
            ("cuDNN error: CUDNN_STATUS_EXECUTION_FAILED", &["CUDNN_STATUS_EXECUTION_FAILED"]),
            ("CUDNN failure 4: CUDNN_STATUS_INTERNAL_ERROR ; GPU=0", &["CUDNN_STATUS_INTERNAL_ERROR"]),
            ("CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", &["CUBLAS_STATUS_ALLOC_FAILED"]),
            ("ncclUnhandledCudaError: Call to CUDA function failed.", &["ncclUnhandledCudaError"]),
            ("ncclCommInitRank failed", &[]),
            (
                "[<CUresult.CUDA_ERROR_LAUNCH_FAILED: 719>] Call to cuMemcpyHtoD results in CUDA_ERROR_LAUNCH_FAILED",
                &["CUDA_ERROR_LAUNCH_FAILED"],
            ),
            ("[700] Call to cuMemcpyDtoH results in UNKNOWN_CUDA_ERROR", &["700"]),
            ("NVMLError_DriverNotLoaded", &["NVML_ERROR_DRIVER_NOT_LOADED"]),
            ("failed call to cuInit: UNKNOWN ERROR (303)", &["303"]),
            ("ioctl failed: invalid argument", &[]),
            ("RuntimeError: HIP error: an illegal memory access was encountered", &["hipErrorIllegalAddress"]),
            ("HIP error: out of memory", &["hipErrorOutOfMemory"]),
            ("HIP out of memory. Tried to allocate 2 MiB", &[]),
            ("HIP error: the operation cannot be performed in the present state", &["hipErrorIllegalState"]),
            ("miopenStatusUnknownError", &["miopenStatusUnknownError"]),
            ("rocblas_status_internal_error, status 6", &["rocblas_status_internal_error"]),
            ("CUDA error: HIPBLAS_STATUS_ALLOC_FAILED when calling `f()`", &["HIPBLAS_STATUS_ALLOC_FAILED"]),
            ("exit code 137", &[]),
        ];
        for (text, expected) in table {
            assert_eq!(&codes(text), expected, "{text}");
        }
    }

    /// A new error prefix is data only.
    #[test]
    fn a_family_of_codes_is_a_row_of_data() {
        let mut vendor: Vendor = toml::from_str(
            "name = \"Ours\"\n[codes]\nfamilies = [{ prefix = \"OURLIB_STATUS_\" }]\n[sentences]\ntable = \"ours\"\n",
        )
        .expect("a description");
        let text = "OURLIB_STATUS_OUT_OF_LUCK: the die shows one";
        assert_eq!(CodeWords::of(std::slice::from_ref(&vendor)).codes(text), ["OURLIB_STATUS_OUT_OF_LUCK"]);
        vendor.resolve(|_| vec![("OURLIB_STATUS_ONE".to_owned(), "the die shows one".to_owned())]);
        assert_eq!(CodeWords::of(&[vendor]).codes("f(): the die shows one"), ["OURLIB_STATUS_ONE"]);
        assert!(codes(text).is_empty());
    }

    #[test]
    fn places() {
        let at = |words| place(words).map(|f| (f.file, f.line));
        assert_eq!(at("CUDA error at saxpy.cu:12 code=46"), Some(("saxpy.cu".into(), 12)));
        assert_eq!(at("src/k.cu(33): CUDA Runtime API error 1"), Some(("src/k.cu".into(), 33)));
        assert_eq!(at("GPUassert: misaligned address k.cu 34"), Some(("k.cu".into(), 34)));
        assert_eq!(at("x.cuda: no"), None);
    }
}

//! Lines about failures that people wrote and no program printed: source code, templates of alert rules, change logs,
//! commit lists, questions in documents.
//!
//! Each line is judged without its neighbours, so that a failure pasted between such lines is still found. Plain
//! sentences have a check of their own ([`is_conditional`]), because programs print those as well.

use super::words::{find, split_once};
use crate::wording;

/// Whether a person rather than a program wrote this line.
pub(crate) fn is_written(text: &str) -> bool {
    let line = text.trim();
    !line.is_empty()
        && (is_template(line)
            || is_code(changed(line))
            || is_documentation(line, text.starts_with([' ', '\t']))
            || is_change(line)
            || is_question(line)
            || is_mention(line))
}

/// A line of a patch without its mark.
fn changed(line: &str) -> &str {
    let code = line.strip_prefix(['+', '-']).filter(|rest| rest.starts_with([' ', '\t']));
    code.map_or(line, str::trim_start)
}

/// Whether a line describes a possible failure, as advice in a README does: "if you get CUDA out of memory".
pub(crate) fn is_conditional(text: &str) -> bool {
    let lower = text.to_lowercase();
    wording::writing().conditional.iter().any(|word| lower.contains(word))
}

/// Whether a line reads like a person writing about a code rather than like a program printing it.
pub(super) fn is_prose(words: &str) -> bool {
    words.starts_with("I ") || words.starts_with("#") || words.starts_with("- ") || words.starts_with("* ")
}

/// `{{ $labels.gpu }}`, `{{ .Values.x }}`, `${{ env.X }}`: filled later, by Prometheus, Helm, GitHub.
fn is_template(line: &str) -> bool {
    let filled = || ["{{ $", "{{$", "{{ .", "{{.", "${{"].iter().any(|open| line.contains(open));
    line.contains("}}") && filled() || is_query(line)
}

/// A query over time of a monitoring system: `increase(kernel_log_lines{pattern="..."}[5m]) > 0`.
fn is_query(line: &str) -> bool {
    const FUNCTIONS: [&str; 6] = ["increase(", "rate(", "count_over_time(", "sum(", ".rollup(", "sum by"];
    line.trim_start_matches("- ").starts_with("alert: ")
        || FUNCTIONS.iter().any(|name| line.contains(name))
            && ["m]", "s]", "h]", "d]", ".last("].iter().any(|range| line.contains(range))
}

/// Statements of C, C++ and Python that hold the words of a failure. One whose only string is the name of a device asks the
/// machine: `print(tf.config.list_physical_devices('GPU'))`.
fn is_code(line: &str) -> bool {
    if line.starts_with(|c: char| c.is_ascii_alphabetic()) && names_only_devices(line) {
        return false;
    }
    const C: [&str; 16] = [
        "return ",
        "throw ",
        "#define ",
        "static ",
        "const ",
        "constexpr ",
        "printf(",
        "fprintf(",
        "std::",
        "if (",
        "} else",
        "else if (",
        "TORCH_CHECK(",
        "LOG(",
        "assert(",
        "auto ",
    ];
    const PYTHON: [&str; 16] = [
        "expect(",
        "return ",
        "raise ",
        "assert ",
        "elif ",
        "if ",
        "super().",
        "self.",
        "print(",
        "logger.",
        "logging.",
        "log.",
        "warnings.warn(",
        "with pytest.raises(",
        "and ",
        "or ",
    ];
    let begins = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    if line.starts_with("case ") && line.contains(':') && (line.ends_with(';') || line.ends_with(':')) {
        return true;
    }
    if line.ends_with([';', '{', '}', '\\']) && begins(&C) && line.contains(['"', '(', '=']) {
        return true;
    }
    if (line.starts_with("except ") && line.contains(':'))
        || (line.starts_with("return ") && line.ends_with(';'))
        || is_entry(line)
        || is_assignment(line)
        || is_statement(line)
        // What a shell script would print.
        || ["echo \"", "echo '"].iter().any(|start| line.starts_with(start))
        // A string that continues: `"Expected b to be on ", device, "!"`.
        || (line.starts_with('"') && (line.contains("\", ") || line.contains("\" <<")))
        || ["f\"", "f'", "rf\"", "fr\""].iter().any(|start| line.starts_with(start))
    {
        return true;
    }
    // `if not torch.isfinite(weight).all():`
    let calls = || line.match_indices('(').any(|(at, _)| line[..at].ends_with(|c: char| c.is_ascii_alphanumeric()));
    if line.ends_with(':') && begins(&["if ", "elif ", "for ", "while ", "with "]) && calls() {
        return true;
    }
    // A literal, and the brackets or operators around it that only code has.
    if !begins(&PYTHON) || !line.contains(['"', '\'']) {
        return false;
    }
    let has = |signs: &[&str]| signs.iter().any(|sign| line.contains(sign));
    has(&[" in ", "(\"", "('", "(f\"", "(f'", "= \"", "= '", "=\"", "='", " == "])
        && (line.ends_with([')', ':', ',', '(', '"', '\'']) || has(&[" in ", " == "]))
}

/// Whether a line has strings, and all of them name devices.
fn names_only_devices(line: &str) -> bool {
    const DEVICES: [&str; 6] = ["gpu", "cpu", "tpu", "cuda", "mps", "xpu"];
    let Some(mark) = line.chars().find(|c| matches!(c, '"' | '\'')) else { return false };
    let is_device = |name: &str| {
        let (kind, number) = name.split_once(':').unwrap_or((name, ""));
        DEVICES.iter().any(|device| device.eq_ignore_ascii_case(kind)) && number.bytes().all(|b| b.is_ascii_digit())
    };
    line.split(mark).skip(1).step_by(2).all(is_device)
}

/// An entry of a list or table in code: `"CUDA_ERROR_INVALID_VALUE",`, `driver.CUresult.CUDA_ERROR_INVALID_VALUE,`, or a
/// code with what it means: `"CUDA_ERROR_NO_DEVICE": "no GPU",`.
fn is_entry(line: &str) -> bool {
    let Some(entry) = line.strip_suffix(',') else { return false };
    let is_code = |name: &str| {
        name.contains('_') && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
    };
    if let Some((code, _)) = entry.strip_prefix('"').and_then(|entry| entry.split_once("\":"))
        && is_code(code)
    {
        return true;
    }
    let name = entry.trim_matches(['"', '\'']);
    name.len() > 3 && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':'))
}

/// `message = "CUDA driver library cannot be found"`: a literal gets a name.
fn is_assignment(line: &str) -> bool {
    let Some((name, value)) = split_once(line, " = ") else { return false };
    // Formatters align the signs of several assignments.
    let (name, value) = (name.trim_end(), value.trim_start());
    let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.'));
    let literal = value.starts_with(['"', '\'']) && value.ends_with(['"', '\'', ',', ';', '\\']);
    let call = value.contains('(') && value.contains(['"', '\'']) && value.ends_with([')', ';']);
    // `LAUNCH_FAILED = 719,  # unspecified launch failure`
    let number = value.split([',', '#', '/', ';']).next().unwrap_or(value).trim();
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    let commented = value.contains('#') || value.contains("//");
    let constant = commented && !name.bytes().any(|b| b.is_ascii_lowercase());
    let code = (constant || name.contains("ERROR_")) && is_number;
    let table = value.starts_with(['{', '[', '(']) && !name.bytes().any(|b| b.is_ascii_lowercase());
    is_name && (literal || call || code || table)
}

/// `class OutOfMemory(RuntimeError):`, `from a.b import OutOfMemoryError`, `raise exc.InvalidCxxCompiler(`.
fn is_statement(line: &str) -> bool {
    let is_name =
        |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.'));
    if line.starts_with("class ") {
        return line.ends_with(':');
    }
    if let Some((module, names)) = line.strip_prefix("from ").and_then(|rest| rest.split_once(" import ")) {
        // "from vllm import LLM -> ImportError: ..." is what somebody writes about it.
        return is_name(module) && !names.contains(": ");
    }
    let raised = line.strip_prefix("raise ").map(|what| what.split_once('(').unwrap_or((what, ")")));
    raised.is_some_and(|(name, rest)| is_name(name) && (rest.is_empty() || rest.ends_with([')', ','])))
}

/// Comments and documentation in code: `// returns cudaErrorInvalidValue`, or, indented below "Raises:", `ValueError: If the
/// library cannot be found.`
fn is_documentation(line: &str, is_indented: bool) -> bool {
    const OPEN: [&str; 5] = ["//", "/*", "* ::", "* \\", "* @"];
    const ROLES: [&str; 6] = [":class:`", ":exc:`", ":func:`", ":meth:`", "``cuda", "``CUDA"];
    if OPEN.iter().any(|open| line.starts_with(open))
        || line.contains('`') && ROLES.iter().any(|role| line.contains(role))
    {
        return true;
    }
    // A heading may be the title of an error report.
    if line.starts_with("# ") && !line.contains("rror") {
        return true;
    }
    // "Raises:" lists what is raised when. Programs print such sentences too, from the first column.
    let Some((name, when)) = split_once(line, ": ") else { return false };
    is_indented
        && name.ends_with("Error")
        && ["If ", "When ", "if ", "when ", "Raised ", "In case "].iter().any(|word| when.starts_with(word))
}

/// An entry of a change log ("* Fix ... (#1204)") or of a list of commits ("9f31c02 tests: cover ...").
pub(super) fn is_change(line: &str) -> bool {
    let entry = ["* ", "- ", "• ", "+ "].iter().find_map(|bullet| line.strip_prefix(bullet));
    if let Some(entry) = entry {
        let lower = entry.trim_start_matches(['*', '`', '[', '_']).to_ascii_lowercase();
        let verb = wording::writing()
            .changes
            .iter()
            .any(|verb| lower.strip_prefix(verb).is_some_and(|rest| rest.starts_with([' ', ':', '(', ']'])));
        return verb || refers_to_a_change(entry);
    }
    let Some((hash, rest)) = line.strip_prefix("commit ").unwrap_or(line).split_once(' ') else { return false };
    let is_hash = matches!(hash.len(), 7..=12 | 40)
        && hash.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        && hash.bytes().any(|b| b.is_ascii_digit())
        && hash.bytes().any(|b| b.is_ascii_alphabetic());
    let subject = match rest.strip_prefix('(') {
        Some(refs) => refs.split_once(") ").map_or("", |(_, subject)| subject),
        None => rest,
    };
    // An address of a stack or a device is followed by a symbol or a number.
    is_hash && subject.split(' ').count() >= 3 && subject.starts_with(|c: char| c.is_alphabetic())
}

/// "... (#1204)", "... (GH-1204)" at the end.
fn refers_to_a_change(entry: &str) -> bool {
    let Some((_, number)) = entry.trim_end_matches(['.', ' ']).rsplit_once('(') else { return false };
    let number =
        number.strip_prefix('#').or_else(|| number.strip_prefix("GH-")).and_then(|rest| rest.strip_suffix(')'));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// A question of a document: "**What does `CUDA out of memory` mean?**".
fn is_question(line: &str) -> bool {
    let set_off =
        || line.starts_with("**") || line.starts_with('#') || line.starts_with("Q:") || line.contains(['«', '“']);
    // "Next time: should we catch ...?", but not "I get ... What should I do?".
    let asks = |before: &str| before.is_empty() || before.ends_with(": ") && !before.contains("rror");
    let offers = || {
        let questions = ["should we ", "should I ", "should it ", "shall we "];
        questions.iter().any(|ask| line.split_once(ask).is_some_and(|(before, _)| asks(before)))
    };
    line.trim_end_matches(['*', '_', ' ']).ends_with(['?', '？']) && (set_off() || offers())
}

/// A message in quotes after a verb that people use: "it avoids `CUDA out of memory`", "grep for 'NVRM: Xid'". Options of
/// `grep` may come between.
fn is_mention(line: &str) -> bool {
    const QUOTES: [char; 5] = ['"', '`', '\'', '“', '«'];
    let quotes = memchr::memchr3(b'"', b'`', b'\'', line.as_bytes()).is_some() || !line.is_ascii();
    let searches = |(at, command): (usize, &str)| {
        let mut words = line[at + command.len()..].split(' ');
        words.find(|word| !word.starts_with('-')).is_some_and(|word| word.starts_with(QUOTES))
    };
    let quoted_after = |verb: &str| {
        find(line, verb).is_some()
            && line.match_indices(verb).any(|(at, _)| line[at + verb.len()..].starts_with(QUOTES))
    };
    quotes
        && (line.match_indices("grep ").any(searches)
            || wording::writing().mentions.iter().any(|verb| quoted_after(verb)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write() {
        for line in [
            "    case CUFFT_ALLOC_FAILED: return \"CUFFT_ALLOC_FAILED\";",
            "+    case CUFFT_ALLOC_FAILED: return \"CUFFT_ALLOC_FAILED\";",
            "  if (err != cudaSuccess) { fprintf(stderr, \"CUDA error: %s\\n\", cudaGetErrorString(err)); return 1; }",
            "#define CHECK(x) do { if (x) throw std::runtime_error(\"NCCL error\"); } while (0) \\",
            "    return \"CUDA out of memory\" in str(error)",
            "        raise RuntimeError(\"GPU has fallen off the bus\")",
            "except torch.cuda.OutOfMemoryError:",
            "except TypeError:  # CUDA error on old cards",
            "    return cudaErrorInvalidValue;",
            "    \"CUDA_ERROR_INVALID_VALUE\",",
            "  driver.CUresult.CUDA_ERROR_INVALID_VALUE,",
            "message = \"CUDA driver library cannot be found\"",
            "class OutOfMemory(RuntimeError):",
            "from numba.cuda import OutOfMemoryError, x",
            "raise exc.InvalidCxxCompiler(",
            "raise CudaAPIError(999, 'CUDA_ERROR_UNKNOWN')",
            "NVRTC_ERROR_OUT_OF_MEMORY = 1",
            "and \"CUDNN_STATUS_NOT_SUPPORTED\" in exception.args[0]",
            "name = ERRORS.get(code, \"cudaErrorUnknown\")",
            "\"Expected b to be on device \", a.device(),",
            "# There are no valid Triton configs",
            "//! returns ``cudaErrorInvalidValue`` when the type has 128 bits",
            " * ::CUDA_ERROR_NOT_INITIALIZED,",
            "    RuntimeError: If CUDA is out of memory.",
            "    summary: 'Xid {{ $value }} on {{ $labels.node }}'",
            "- Fix `an illegal memory access was encountered` in the sampler",
            "* Handled CUBLAS_STATUS_ALLOC_FAILED at start-up (#77)",
            "- `CUDA error: invalid argument` for empty batches (#81)",
            "0a1b2c3 loader: retry on Bus error in workers",
            "0a1b2c3d4 (HEAD -> main, tag: v2) handle device-side assert triggered in tests",
            "**¿Qué significa «no kernel image is available»?**",
            "## Why do I get CUDA out of memory?",
            "Next time: should we catch \"CUBLAS_STATUS_ALLOC_FAILED\" too?",
            "I was told that a smaller cache avoids `CUDA out of memory` here.",
            "Then grep 'NVRM: Xid' in the kernel log.",
        ] {
            assert!(is_written(line), "{line}");
        }
    }

    #[test]
    fn what_programs_print() {
        for line in [
            "RuntimeError: CUDA error: an illegal memory access was encountered",
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
            "AttributeError: module 'torch' has no attribute 'xpu'. Did you mean: 'cpu'?",
            "- CUDA out of memory on rank 3",
            "return code: -9",
            "if you get CUDA out of memory, halve the batch",
            "case 3 failed: CUDA error: invalid argument",
            "assertion failed: CUDA error 700",
            "deadbeef01 CUDA error",
            "{\"level\": \"error\", \"msg\": \"CUDA out of memory\"}",
            "log.cu:12: CUDA error: misaligned address",
            "from trainer: CUDA error: unspecified launch failure",
            "* rank 0: ncclSystemError: unhandled system error",
            "Error: CUDA driver version is insufficient for CUDA runtime version;",
            "CUDNN_STATUS_INTERNAL_ERROR?",
            "Why do I get CUDA out of memory here?",
            "I see `CUDA error: unspecified launch failure` after an hour",
            "\"RuntimeError: CUDA out of memory\",",
            "# RuntimeError: CUDA out of memory",
            "raise from worker: CUDA out of memory",
            "status = CUDNN_STATUS_INTERNAL_ERROR",
            "error=\"CUDA out of memory\"",
            "level=error msg=\"CUDA out of memory\"",
            "print(tf.config.list_physical_devices('GPU'))",
            "gpus = tf.config.list_physical_devices(\"GPU\")",
        ] {
            assert!(!is_written(line), "{line}");
        }
    }
}

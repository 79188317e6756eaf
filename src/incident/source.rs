//! Texts that are source code or configuration from the first line to the last: a script, a manifest, a test. Nothing ran,
//! so the words of failures in their strings and comments report none.
//!
//! The first line tells the language, and every other line must be of it: an error pasted below a script is still found.

use super::words::names_an_exception;
use crate::text::Transcript;

/// Shorter pieces are quoted beside what they did.
const FEWEST_LINES: usize = 4;
/// Longer texts are logs, or nobody reads them.
const MOST_LINES: usize = 2000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Shell,
    Python,
    C,
    Yaml,
    Dockerfile,
}

/// Whether the text is one file of source code or configuration.
pub(super) fn is_source(transcript: &Transcript) -> bool {
    if transcript.len() > MOST_LINES {
        return false;
    }
    let mut lines = transcript.lines().map(|line| line.text.trim_end()).filter(|text| !text.is_empty());
    let Some(language) = lines.next().and_then(language) else { return false };
    let mut count = 1;
    // Statements of the language, which no log has.
    let mut statements = 0;
    for line in lines {
        if !belongs(language, line) || tells_what_happened(line) {
            return false;
        }
        count += 1;
        statements += usize::from(is_statement(language, line));
    }
    count >= FEWEST_LINES && statements > 0
}

/// The language that a file's first line shows.
fn language(first: &str) -> Option<Language> {
    let begins = |starts: &[&str]| starts.iter().any(|start| first.starts_with(start));
    if first.starts_with("#!") {
        return Some(if first.contains("python") { Language::Python } else { Language::Shell });
    }
    // A comment that names the file.
    let named = first.trim_start_matches(['#', '/', ' ']).split_whitespace().next().unwrap_or_default();
    let commented = first.starts_with(['#', '/']);
    let ends = |endings: &[&str]| commented && endings.iter().any(|ending| named.ends_with(ending));
    if ends(&[".py"]) || begins(&["import ", "from ", "def ", "class ", "@", "\"\"\""]) {
        return Some(Language::Python);
    }
    if ends(&[".cu", ".cuh", ".cpp", ".cc", ".c", ".h", ".hpp"])
        || begins(&[
            "#include ",
            "#pragma ",
            "// ",
            "/* ",
            "/**",
            "template <",
            "template<",
            "namespace ",
            "__global__ ",
        ])
    {
        return Some(Language::C);
    }
    if ends(&[".sh", ".sbatch", ".slurm"]) {
        return Some(Language::Shell);
    }
    if ends(&[".yaml", ".yml"]) || begins(&["apiVersion: ", "services:", "version: ", "name: ", "on:", "---"]) {
        return Some(Language::Yaml);
    }
    (ends(&["Dockerfile"]) || begins(&["FROM ", "# syntax=docker"])).then_some(Language::Dockerfile)
}

/// Whether a file of this language may have such a line.
fn belongs(language: Language, line: &str) -> bool {
    let begins = |starts: &[&str]| starts.iter().any(|start| line.starts_with(start));
    let indented = line.starts_with([' ', '\t']);
    match language {
        Language::Shell => line.starts_with('#') || indented || is_shell(line),
        Language::Python => indented || line.starts_with(['#', '@', ')', ']', '}', '"', '\'']) || is_python(line),
        Language::C => {
            indented
                || begins(&["#", "//", "/*", "*", "public:", "private:", "protected:"])
                || line
                    .split("//")
                    .next()
                    .is_some_and(|code| code.trim_end().ends_with([';', '{', '}', ',', ')', '>', '\\']))
        }
        // Below `status:` is what a cluster says of an object.
        Language::Yaml => line != "status:" && (indented || line.starts_with(['#', '-']) || is_key(line)),
        Language::Dockerfile => indented || line.starts_with('#') || is_instruction(line),
    }
}

/// Whether only a file of this language has such a line.
fn is_statement(language: Language, line: &str) -> bool {
    let line = line.trim_start();
    match language {
        Language::Shell => is_shell(line),
        Language::Python => is_python(line),
        Language::C => line.ends_with([';', '{', '}']),
        Language::Yaml => is_key(line.trim_start_matches("- ")),
        Language::Dockerfile => is_instruction(line),
    }
}

/// A command, an assignment or a word of control: nothing that a program prints begins in lower case and has such signs.
fn is_shell(line: &str) -> bool {
    const WORDS: [&str; 14] = [
        "if ", "then", "else", "elif ", "fi", "for ", "while ", "do", "done", "case ", "esac", "export ", "set ",
        "echo ",
    ];
    let word = |word: &&str| match word.strip_suffix(' ') {
        Some(_) => line.starts_with(*word),
        None => line == *word || line.strip_prefix(*word).is_some_and(|rest| rest.starts_with([' ', ';'])),
    };
    let first = line.split_whitespace().next().unwrap_or_default();
    let assigns = first.split_once('=').is_some_and(|(name, _)| is_name(name));
    let defines = first.ends_with("()");
    let runs = ["source ", "module ", "srun ", "torchrun ", "python", "exit", "cd ", "conda ", "[ ", "[[ ", "{", "}"];
    let optioned = line.split_whitespace().nth(1).is_some_and(|word| word.starts_with('-'));
    let piped = line.contains(" || ") || line.contains(" && ") || line.contains(" | ");
    let plain = first.starts_with(|c: char| c.is_ascii_lowercase()) && !first.ends_with(':');
    WORDS.iter().any(word)
        || assigns
        || defines
        || runs.iter().any(|run| line.starts_with(run))
        || (piped || optioned) && plain
}

/// A statement of Python by its first word, an assignment or a call.
fn is_python(line: &str) -> bool {
    const WORDS: [&str; 20] = [
        "import ", "from ", "def ", "class ", "async ", "if ", "elif ", "else:", "for ", "while ", "with ", "try:",
        "except", "finally:", "return", "raise ", "assert ", "global ", "del ", "pass",
    ];
    if WORDS.iter().any(|word| line.starts_with(word)) {
        return true;
    }
    let end =
        line.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '.' | '[' | ']')).unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    let assigns = [" = ", " += ", ": ", ", "].iter().any(|sign| rest.starts_with(sign)) && rest.contains('=');
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && (assigns || rest.starts_with('('))
        && !names_an_exception(name)
}

/// `image: x` or `services:`.
fn is_key(line: &str) -> bool {
    let Some((key, value)) = line.split_once(':') else { return false };
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/' | b'"' | b'\'');
    !key.is_empty()
        && key.bytes().all(is_plain)
        && (value.is_empty() || value.starts_with(' '))
        && !names_an_exception(key)
}

fn is_instruction(line: &str) -> bool {
    const WORDS: [&str; 15] = [
        "FROM",
        "RUN",
        "COPY",
        "ADD",
        "ENV",
        "ARG",
        "WORKDIR",
        "USER",
        "CMD",
        "ENTRYPOINT",
        "EXPOSE",
        "LABEL",
        "SHELL",
        "VOLUME",
        "HEALTHCHECK",
    ];
    line.split_once(' ').is_some_and(|(word, _)| WORDS.contains(&word))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Whether a line is the beginning of a traceback, a frame, or an exception, also in a comment: what the code did.
fn tells_what_happened(line: &str) -> bool {
    let said = line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '#' | '/' | '>' | '-' | '=' | '*'));
    let raised = said
        .split_once(": ")
        .is_some_and(|(name, _)| !name.contains(['"', '\'', ' ', '(']) && names_an_exception(name));
    let frame = said.starts_with("File \"") && said.contains("\", line ");
    let indented = line.starts_with([' ', '\t']);
    let commented = said.len() < line.trim_start().len();
    raised && (commented || !indented) || frame || said.starts_with("Traceback (")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(text: &str) -> bool {
        is_source(&crate::text::read(text.as_bytes()))
    }

    #[test]
    fn files_of_each_language() {
        for text in [
            "#!/bin/bash\nset -u\nfail() { echo \"$1\"; exit 1; }\nnvidia-smi -L || fail \"No devices were found\"",
            "import torch\n\ndef step(x):\n    try:\n        return f(x)\n    except RuntimeError as e:\n        if \"CUDA out of memory\" in str(e):\n            raise",
            "// tests/pool.cu\nTEST(Pool, Throws) {\n  noop<<<1, 4096>>>();\n  EXPECT_EQ(x, y);  // \"invalid configuration argument\"\n}",
            "# values.yaml\nimage:\n  tag: v1\nresources:\n  memory: 96Gi  # 64Gi was OOMKilled (exit 137)",
            "name: smoke\non: [push]\njobs:\n  a:\n    steps:\n      - run: nvidia-smi || echo \"Found no NVIDIA driver\"",
            "FROM nvidia/cuda:12.4.1-base\nRUN apt-get update\n# else: libcudnn.so.9: cannot open shared object file\nRUN pip install torch",
        ] {
            assert!(is(text), "{text}");
        }
    }

    #[test]
    fn what_is_said_beside_code_is_no_code() {
        let code = "import torch\nx = torch.ones(3)\ny = x.cuda()\nprint(y)";
        assert!(is(code));
        for below in [
            "RuntimeError: CUDA error: out of memory",
            "# RuntimeError: CUDA error: out of memory",
            "Traceback (most recent call last):",
            "it says CUDA error: out of memory",
            "Killed",
            "Segmentation fault (core dumped)",
            "CUDA error: out of memory",
        ] {
            assert!(!is(&format!("{code}\n{below}")), "{below}");
        }
        assert!(!is("apiVersion: v1\nkind: Pod\nspec:\n  a: b\nstatus:\n  reason: OOMKilled"));
        assert!(!is("name: x\nerror: y\nOutOfMemoryError: CUDA out of memory\nstep: 3"));
        assert!(!is("#!/bin/bash\nsrun python train.py\nexit 1\nslurmstepd: error: Detected 1 oom-kill event(s)"));
        assert!(!is("from vllm import LLM\nI get CUDA out of memory"));
    }
}

//! What the files of framework wheels contain: CUDA version, compiled architectures, pins. Nothing is imported:
//! importing torch is slow and crashes in exactly the cases that matter.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::note::Notes;

/// Records `torch.*`, `tensorflow.*`, `onnxruntime.*` from a folder of installed packages.
pub(super) fn read(site: &Path, notes: &mut Notes) {
    torch(site, notes);
    tensorflow(site, notes);
    onnxruntime(site, notes);
}

fn torch(site: &Path, notes: &mut Notes) {
    let folder = site.join("torch");
    let Ok(text) = std::fs::read_to_string(folder.join("version.py")) else { return };
    if let Some(version) = assigned(&text, "__version__") {
        notes.text("torch.version", version);
    }
    match assigned(&text, "cuda") {
        Some(cuda) => {
            notes.text("torch.cuda", cuda);
            notes.flag("torch.cpu_only", false);
            match arch_list(&folder.join("lib")) {
                Some(archs) => notes.list("torch.arch_list", archs),
                None => notes.set_unknown("torch.arch_list", "this torch's libraries contain no list of architectures"),
            }
        }
        None if assigned(&text, "hip").is_some() => {
            notes.set_unknown("torch.cuda", "this torch is built for ROCm, not for CUDA");
            notes.flag("torch.rocm", true);
            if let Some(hip) = assigned(&text, "hip") {
                notes.text("torch.hip", hip);
            }
            match targets(&folder.join("lib/rocblas/library")) {
                Some(targets) => notes.list("torch.arch_list", targets),
                None => {
                    notes.set_unknown("torch.arch_list", "this torch brings no rocBLAS whose files name the targets")
                }
            }
        }
        None => {
            notes.set_unknown("torch.cuda", "this torch is a CPU-only build");
            notes.set_unknown("torch.arch_list", "this torch is a CPU-only build");
            notes.flag("torch.cpu_only", true);
        }
    }
}

/// The value of `name = 'value'` or `name: Optional[str] = 'value'`; `None` where it is `None`.
fn assigned(text: &str, name: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let rest = line.strip_prefix(name)?;
        let rest = rest.trim_start();
        let value = match rest.strip_prefix(':') {
            Some(annotated) => annotated.split_once('=')?.1,
            None => rest.strip_prefix('=')?,
        };
        let value = value.trim();
        let quote = value.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
        value.get(1..)?.split(quote).next().filter(|value| !value.is_empty()).map(str::to_owned)
    })
}

/// The architectures that `torch.cuda.get_arch_list()` would return, from the read-only data of its libraries.
fn arch_list(lib: &Path) -> Option<Vec<String>> {
    let names = ["libtorch_python.so", "libtorch_cuda.so", "libtorch.so", "torch_python.dll", "torch_cuda.dll"];
    names.iter().find_map(|name| archs_in_file(&lib.join(name)))
}

/// The targets that the rocBLAS of a ROCm wheel has kernels for; wheels bring those that PyTorch is built for.
/// `TensileLibrary_lazy_gfx1100.dat` is one file per target.
fn targets(folder: &Path) -> Option<Vec<String>> {
    let entries = std::fs::read_dir(folder).ok()?;
    let mut targets: Vec<String> = entries
        .filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            let target = name.strip_prefix("TensileLibrary_lazy_")?.strip_suffix(".dat")?;
            target.starts_with("gfx").then(|| target.to_owned())
        })
        .collect();
    targets.sort();
    (!targets.is_empty()).then_some(targets)
}

/// The number of bytes of read-only data that are searched in one library.
const MOST: u64 = 256 << 20;

fn archs_in_file(path: &Path) -> Option<Vec<String>> {
    let mut file = File::open(path).ok()?;
    let (start, length) = read_only_data(&mut file).unwrap_or((0, MOST));
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut bytes = Vec::new();
    file.take(length.min(MOST)).read_to_end(&mut bytes).ok()?;
    archs_in(&bytes)
}

/// The first string that ends in two or more architecture names: `sm_70 sm_75 compute_90`. The bytes before it may
/// belong to another constant, because compilers pack short ones without a zero byte between them.
fn archs_in(bytes: &[u8]) -> Option<Vec<String>> {
    memchr::memmem::find_iter(bytes, b"sm_").find_map(|at| {
        let rest = bytes.get(at..)?;
        let end = memchr::memchr(0, rest.get(..4096.min(rest.len()))?)?;
        let text = std::str::from_utf8(rest.get(..end)?).ok()?;
        let archs: Vec<String> = text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
        let all_archs = archs.iter().all(|word| {
            let number = word.strip_prefix("sm_").or_else(|| word.strip_prefix("compute_"));
            number.is_some_and(|number| {
                let digits = number.trim_end_matches(['a', 'f']);
                (2..=3).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
            })
        });
        (archs.len() >= 2 && all_archs).then_some(archs)
    })
}

/// The offset and size of `.rodata` in a 64-bit ELF file.
fn read_only_data(file: &mut File) -> Option<(u64, u64)> {
    let mut header = [0_u8; 64];
    file.seek(SeekFrom::Start(0)).ok()?;
    file.read_exact(&mut header).ok()?;
    if !header.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let long =
        |bytes: &[u8], at: usize| -> Option<u64> { Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?)) };
    let short = |bytes: &[u8], at: usize| -> Option<u64> {
        Some(u64::from(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?)))
    };
    let table = long(&header, 40)?;
    let (size, count, names) = (short(&header, 58)?, short(&header, 60)?, short(&header, 62)?);
    if size < 64 {
        return None;
    }
    let mut sections = vec![0; usize::try_from(size * count).ok()?];
    file.seek(SeekFrom::Start(table)).ok()?;
    file.read_exact(&mut sections).ok()?;
    let section = |index: u64| -> Option<&[u8]> {
        let at = usize::try_from(index * size).ok()?;
        sections.get(at..at + 64)
    };
    let (names_at, names_length) = (long(section(names)?, 24)?, long(section(names)?, 32)?);
    let mut strings = vec![0; usize::try_from(names_length.min(1 << 20)).ok()?];
    file.seek(SeekFrom::Start(names_at)).ok()?;
    file.read_exact(&mut strings).ok()?;
    (0..count).find_map(|index| {
        let section = section(index)?;
        let name = usize::try_from(u32::from_le_bytes(section.get(..4)?.try_into().ok()?)).ok()?;
        strings.get(name..)?.starts_with(b".rodata\0").then_some(())?;
        Some((long(section, 24)?, long(section, 32)?))
    })
}

/// TensorFlow writes a dictionary of its build settings.
fn tensorflow(site: &Path, notes: &mut Notes) {
    let path = site.join("tensorflow/python/platform/build_info.py");
    let Ok(text) = std::fs::read_to_string(path) else { return };
    let value = |key: &str| -> Option<String> {
        let rest = text.split_once(&format!("\"{key}\":")).or_else(|| text.split_once(&format!("'{key}':")))?.1;
        let rest = rest.trim_start();
        let quote = rest.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
        rest.get(1..)?.split(quote).next().map(str::to_owned)
    };
    if let Some(cuda) = value("cuda_version") {
        notes.text("tensorflow.cuda", cuda);
    } else if text.contains("is_cuda_build") {
        notes.set_unknown("tensorflow.cuda", "this TensorFlow is a CPU-only build");
        notes.flag("tensorflow.cpu_only", true);
    }
    if let Some(cudnn) = value("cudnn_version") {
        notes.text("tensorflow.cudnn", cudnn);
    }
    if let Some((_, rest)) = text.split_once("cuda_compute_capabilities")
        && let Some((_, rest)) = rest.split_once('[')
        && let Some((list, _)) = rest.split_once(']')
    {
        let archs = list.split(',').map(|item| item.trim().trim_matches(['"', '\'']).to_owned());
        notes.list("tensorflow.arch_list", archs.filter(|arch| !arch.is_empty()).collect());
    }
}

/// ONNX Runtime's GPU package records its CUDA version.
fn onnxruntime(site: &Path, notes: &mut Notes) {
    let path = site.join("onnxruntime/capi/build_and_package_info.py");
    let Ok(text) = std::fs::read_to_string(path) else { return };
    if let Some(cuda) = assigned(&text, "cuda_version") {
        notes.text("onnxruntime.cuda", cuda);
    }
    if let Some(package) = assigned(&text, "package_name") {
        notes.text("onnxruntime.package", package);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::files::facts_of;

    fn site(files: &[(&str, &[u8])]) -> crate::facts::Facts {
        facts_of(files, read)
    }

    #[test]
    fn torch_by_its_files() {
        let version = b"from typing import Optional\n\n__version__ = '2.8.0+cu128'\ndebug = False\n\
            cuda: Optional[str] = '12.8'\ngit_version = 'a1cb3cc'\nhip: Optional[str] = None\n";
        let library = b"\0sm_\0see sm_80 notes\0std::string ipc_hsm_70 sm_75 sm_80 sm_86 sm_90 sm_100 sm_120\0tail";
        let facts = site(&[("torch/version.py", version), ("torch/lib/libtorch_python.so", library)]);
        assert_eq!(facts.text("torch.version"), Some("2.8.0+cu128"));
        assert_eq!(facts.text("torch.cuda"), Some("12.8"));
        let Some(crate::facts::Value::List(archs)) = facts.get("torch.arch_list").map(|fact| &fact.value) else {
            panic!("no list");
        };
        assert_eq!(archs.len(), 7);
    }

    #[test]
    fn a_cpu_build_says_so() {
        let facts = site(&[("torch/version.py", b"__version__ = '2.8.0+cpu'\ncuda: Optional[str] = None\n")]);
        assert_eq!(facts.why_unknown("torch.cuda"), Some("this torch is a CPU-only build"));
    }

    #[test]
    fn tensorflow_by_its_build_info() {
        let text = br#"build_info = collections.OrderedDict([("cpu_compiler", "/usr/lib/llvm-18/bin/clang"), ("is_cuda_build", True)])
build_info = {"cuda_compute_capabilities": ["sm_60", "sm_70", "compute_90"], "cuda_version": "12.5.1", "cudnn_version": "9"}"#;
        let facts = site(&[("tensorflow/python/platform/build_info.py", text)]);
        assert_eq!(facts.text("tensorflow.cuda"), Some("12.5.1"));
        assert!(facts.get("tensorflow.arch_list").is_some());
    }

    #[test]
    fn damaged_libraries_are_no_list() {
        assert_eq!(archs_in(b"sm_"), None);
        assert_eq!(archs_in(b"\0sm_80 sm_90"), None);
        assert_eq!(archs_in(b"\0sm_80\0"), None);
        let facts = site(&[
            ("torch/version.py", b"__version__ = '2.8.0'\ncuda = '12.8'\n"),
            ("torch/lib/libtorch_python.so", b"\x7fELF\x02\x01\x01"),
        ]);
        assert!(facts.why_unknown("torch.arch_list").is_some());
    }
}

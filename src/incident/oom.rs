//! The numbers in out-of-memory messages: what was requested, what was free, who used the rest. Facts `oom.*` in bytes.
//!
//! Without the driver's help PyTorch prints nonsense sizes for other processes, so a number larger than the GPU's
//! memory is dropped. Which cause the numbers support is not decided here.

use std::borrow::Cow;

use super::words::{after, contains_folded, number, parse_uint, size, size_before};
use crate::facts::Facts;
use crate::text::{Line, Transcript};

/// How the sentences of PyTorch's message begin after the first one.
const SENTENCES: [&str; 5] =
    ["GPU ", "Process ", "Including non-PyTorch memory", "Of the allocated memory", "this process has "];

/// A line, with the next ones where somebody posted each sentence of the message in a line of its own.
pub(super) fn whole<'t>(transcript: &'t Transcript, line: &Line<'t>) -> Cow<'t, str> {
    if !line.text.contains("Tried to allocate") || line.text.contains("total cap") {
        return Cow::Borrowed(line.text);
    }
    let next = (line.index + 1..transcript.len()).map(|index| transcript.line(index).text.trim());
    let next = next.take_while(|text| SENTENCES.iter().any(|beginning| text.starts_with(beginning)));
    Cow::Owned(next.take(SENTENCES.len()).fold(line.text.to_owned(), |whole, text| format!("{whole} {text}")))
}

/// Reads the numbers about memory in a message or a line.
pub(super) fn read(text: &str, line: u32, facts: &mut Facts) {
    let mut put = |name: &str, value: Option<f64>| {
        if let Some(value) = value {
            facts.number_in_text(name, value, line);
        }
    };
    if let Some(rest) = after(text, "Required: ")
        && let Some(limit) = after(rest, "Hardware limit: ")
    {
        put("smem.required", number(rest).map(|n| n.0));
        put("smem.limit", number(limit).map(|n| n.0));
    }
    if let Some(rest) = after(text, "uses too much shared data (") {
        // ptxas: "uses too much shared data (0x12000 bytes, 0xc000 max)".
        let mut hex =
            rest.split("0x").skip(1).map(|part| part.split(|c: char| !c.is_ascii_hexdigit()).next().unwrap_or(""));
        put("smem.required", hex.next().and_then(|digits| u32::from_str_radix(digits, 16).ok()).map(f64::from));
        put("smem.limit", hex.next().and_then(|digits| u32::from_str_radix(digits, 16).ok()).map(f64::from));
    }
    if text.contains("Tried to allocate") {
        torch(text, line, facts);
        return;
    }
    others(text, &mut put);
}

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

/// What a process's CUDA context and its libraries' kernels take beside the framework's memory, at most: 200 to 700 MiB were seen.
const CONTEXT: f64 = 0.75 * GIB;

/// PyTorch, both wordings.
fn torch(text: &str, line: u32, facts: &mut Facts) {
    let requested = after(text, "Tried to allocate ").and_then(size).map(|s| s.0);
    // Some releases around PyTorch 2.1 misspell the word.
    let total = after(text, "total capacity of ")
        .or_else(|| after(text, "total capacty of "))
        .and_then(size)
        .map(|s| s.0)
        .or_else(|| size_before(text, " total capacity"));
    let free = after(text, "of which ").and_then(size).map(|s| s.0).or_else(|| size_before(text, " free"));
    let allocated = after(text, "allocated memory ")
        .and_then(size)
        .map(|s| s.0)
        .or_else(|| size_before(text, " already allocated"));
    let unallocated = after(text, "allocated by PyTorch, and ")
        .and_then(size)
        .map(|s| s.0)
        .or_else(|| size_before(text, " is reserved by PyTorch but unallocated"));
    // Before 1.4 PyTorch printed what it cached in addition to the live tensors: "6.81 GiB cached".
    let cached = size_before(text, " cached");
    let old_reserved = size_before(text, " reserved in total by PyTorch").or_else(|| Some(allocated? + cached?));
    let reserved = old_reserved.or_else(|| Some(allocated? + unallocated?));
    let process = after(text, "this process has ").and_then(size).map(|s| s.0);
    let limit = size_before(text, " allowed").or_else(|| after(text, "allowed memory ").and_then(size).map(|s| s.0));
    let sane = |bytes: f64| total.is_none_or(|total| bytes <= total * 1.05);
    let mut listed: Vec<f64> = Vec::new();
    let mut rest = text;
    while let Some(next) = after(rest, "Process ") {
        if let Some((_, after_pid)) = parse_uint(next)
            && let Some(held) = after_pid.trim_start().strip_prefix("has ").and_then(size).map(|s| s.0)
            && sane(held)
        {
            listed.push(held);
        }
        rest = next;
    }
    // In a container the process does not know its own number on the host, and is listed like the others.
    let process = process.or_else(|| own(&listed, reserved).map(|own| listed.swap_remove(own)));
    let others = if !listed.is_empty() {
        Some(listed.iter().sum())
    } else {
        // Old wording: what is neither free nor ours belongs to others, or is the context.
        let held = process.filter(|p| sane(*p)).or(old_reserved);
        match (total, free, held) {
            (Some(total), Some(free), Some(held)) => {
                let rest = total - free - held;
                Some(if rest > CONTEXT { rest } else { 0.0 })
            }
            _ => None,
        }
    };
    let unallocated = unallocated.or_else(|| Some((old_reserved? - allocated?).max(0.0)));
    let table = [
        ("oom.requested", requested),
        ("oom.total", total),
        ("oom.free", free),
        ("oom.allocated", allocated),
        ("oom.reserved", reserved),
        ("oom.reserved_unallocated", unallocated),
        ("oom.process", process.filter(|p| sane(*p))),
        ("oom.limit", limit),
        ("oom.others", others),
    ];
    for (name, value) in table {
        if let Some(value) = value {
            facts.number_in_text(name, value, line);
        }
    }
}

/// Which of the listed processes is this one, where the message does not say so: the one nearest to what its allocator has reserved.
fn own(listed: &[f64], reserved: Option<f64>) -> Option<usize> {
    let own = (0..listed.len()).min_by(|&a, &b| match reserved {
        Some(reserved) => (listed[a] - reserved).abs().total_cmp(&(listed[b] - reserved).abs()),
        None => listed[b].total_cmp(&listed[a]),
    });
    // Kernels and libraries take a few GiB beside the allocator, and not more.
    own.filter(|&own| reserved.is_none_or(|reserved| listed[own] < 1.5 * reserved + 3.0 * GIB))
}

/// TensorFlow, JAX, vLLM, ggml, CuPy, ONNX Runtime.
fn others(text: &str, put: &mut impl FnMut(&str, Option<f64>)) {
    let sized = |needle: &str| after(text, needle).and_then(size).map(|s| s.0);
    let counted = |needle: &str| after(text, needle).and_then(number).map(|n| n.0);
    // vLLM: "Free memory on device cuda:0 (6.71/8.0 GiB) on startup is less than desired ... (0.9, 7.2 GiB)".
    if let Some(pair) = after(text, "Free memory on device").and_then(|rest| after(rest, "(")) {
        if let Some((free, rest)) = number(pair)
            && let Some((total, _)) = rest.trim_start().strip_prefix('/').and_then(size)
        {
            let unit = rest.trim_start_matches(|c: char| c == '/' || c == '.' || c.is_ascii_digit() || c == ' ');
            let scale = size(&format!("1 {}", unit.split(')').next().unwrap_or(""))).map_or(1.0, |s| s.0);
            put("oom.free", Some(free * scale));
            put("gpu.memory.free_at_start", Some(free * scale));
            put("oom.total", Some(total));
        }
        put(
            "oom.requested",
            after(text, "utilization (").and_then(|rest| after(rest, ", ")).and_then(size).map(|s| s.0),
        );
        return;
    }
    // TensorFlow 1, on finding a device: "totalMemory: 5.93GiB freeMemory: 141.25MiB".
    if let Some(free) = after(text, "freeMemory: ").and_then(size) {
        put("gpu.memory.free", Some(free.0));
        put("gpu.memory.free_at_start", Some(free.0));
        put("gpu.memory.total", after(text, "totalMemory: ").and_then(size).map(|total| total.0));
        return;
    }
    // TensorFlow reserves what is free at start-up: "Created device /job:localhost/.../device:GPU:0 with 41 MB memory".
    if let Some(taken) = after(text, "device:GPU:").and_then(|rest| after(rest, " with ")).and_then(number)
        && taken.1.starts_with(" MB memory")
    {
        put("gpu.memory.free_at_start", Some(taken.0 * 1_048_576.0));
        return;
    }
    if let Some(rest) = after(text, "Memory usage: ") {
        let free = number(rest).filter(|(_, tail)| tail.starts_with(" bytes free"));
        if free.is_some() {
            put("oom.free", free.map(|n| n.0));
            put("oom.total", after(rest, "free, ").and_then(number).map(|n| n.0));
            return;
        }
    }
    for needle in [
        "while trying to allocate ",
        "trying to allocate ",
        "ailed to allocate request for ",
        "ailed to allocate ",
        "Attempting to reserve ",
        "Attempting to allocate ",
        "Out of memory allocating ",
        "Unable to allocate ",
        "requested buffer of size ",
        "requested bytes of ",
        "ailed to alloc ",
    ] {
        if !text.contains(needle) {
            continue;
        }
        put("oom.requested", sized(needle).or_else(|| counted(needle)));
        break;
    }
    if text.contains("Malloc failed") || text.contains("alloc_buffer") {
        put("oom.requested", sized("allocating "));
    }
    // JAX on TPU: "There are 5.47G free, 0B reserved, and 5.47G reservable."
    if text.contains("That was not possible") {
        put("oom.free", sized("There are "));
    }
    // CuPy: "(allocated so far: 1,024 bytes, limit set to: 4,096 bytes)"
    put("oom.allocated", sized("allocated so far: "));
    put("oom.limit", sized("limit set to: "));
    put("oom.free", sized("Available memory of "));
    if text.contains("OOM when allocating") {
        put("oom.requested", tensor(text));
    }
    // TensorFlow's BFC statistics, one figure a line.
    let words = text.trim_start();
    for (needle, name) in [("Limit: ", "oom.limit"), ("InUse: ", "oom.allocated")] {
        if let Some(rest) =
            words.strip_prefix(needle).or_else(|| after(words, "] ").and_then(|rest| rest.strip_prefix(needle)))
            && let Some((value, tail)) = number(rest)
            && tail.trim().is_empty()
        {
            put(name, Some(value));
        }
    }
}

/// The bytes of `OOM when allocating tensor with shape[128,512] and type float`.
fn tensor(text: &str) -> Option<f64> {
    let dims = after(text, "shape[")?.split(']').next()?;
    let mut bytes = 1.0;
    for dim in dims.split(',') {
        bytes *= number(dim)?.0;
    }
    let kind = after(text, "type ")?.split_whitespace().next()?;
    let width = match kind {
        "double" | "int64" | "uint64" | "complex64" => 8.0,
        "half" | "bfloat16" | "int16" | "uint16" => 2.0,
        "int8" | "uint8" | "bool" => 1.0,
        _ if contains_folded(kind, "complex128") => 16.0,
        _ => 4.0,
    };
    Some(bytes * width)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: f64 = 1048576.0;

    fn facts(text: &str) -> Facts {
        let mut facts = Facts::default();
        read(text, 1, &mut facts);
        facts
    }

    fn check(text: &str, expected: &[(&str, f64)]) {
        let facts = facts(text);
        for (name, value) in expected {
            let found = facts.number(name).unwrap_or(-1.0);
            assert!((found - value).abs() < 1.0, "{name}: {found} is not {value} in {text}");
        }
    }

    #[test]
    fn a_sentence_in_each_line() {
        let text = "torch.OutOfMemoryError: CUDA out of memory.\nTried to allocate 1.36 GiB.\nGPU 0 has a total capacity of \
            23.65 GiB of which 1.36 GiB is free.\nProcess 17 has 22.29 GiB memory in use.\nOf the allocated memory 21.73 GiB \
            is allocated by PyTorch.\n";
        let transcript = crate::text::read(text.as_bytes());
        let facts = crate::incident::read(&transcript).facts;
        let gib = |name: &str| facts.number(name).map(|bytes| (bytes / GIB * 100.0).round() / 100.0);
        assert_eq!(
            (gib("oom.requested"), gib("oom.total"), gib("oom.allocated")),
            (Some(1.36), Some(23.65), Some(21.73))
        );
    }

    #[test]
    fn old_wording() {
        check(
            "CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 11.91 GiB total capacity; 10.12 GiB already allocated; 3.06 MiB free; 10.30 GiB reserved in total by PyTorch)",
            &[
                ("oom.requested", 20.0 * MIB),
                ("oom.total", 11.91 * GIB),
                ("oom.allocated", 10.12 * GIB),
                ("oom.free", 3.06 * MIB),
                ("oom.reserved", 10.30 * GIB),
                ("oom.others", 11.91 * GIB - 3.06 * MIB - 10.30 * GIB),
            ],
        );
    }

    #[test]
    fn oldest_wording() {
        // The cached amount excludes the live tensors.
        check(
            "CUDA out of memory. Tried to allocate 5.12 GiB (GPU 0; 11.92 GiB total capacity; 1.00 GiB already allocated; 4.35 GiB free; 6.00 GiB cached)",
            &[
                ("oom.reserved", 7.0 * GIB),
                ("oom.reserved_unallocated", 6.0 * GIB),
                // What is left is no more than a context.
                ("oom.others", 0.0),
            ],
        );
    }

    #[test]
    fn new_wording() {
        check(
            "CUDA out of memory. Tried to allocate 1.50 GiB. GPU 0 has a total capacity of 23.65 GiB of which 15.06 MiB is free. Process 123 has 10.00 GiB memory in use. Including non-PyTorch memory, this process has 13.60 GiB memory in use. 12.00 GiB allowed; Of the allocated memory 12.30 GiB is allocated by PyTorch, and 400.00 MiB is reserved by PyTorch but unallocated.",
            &[
                ("oom.requested", 1.5 * GIB),
                ("oom.total", 23.65 * GIB),
                ("oom.free", 15.06 * MIB),
                ("oom.others", 10.0 * GIB),
                ("oom.process", 13.6 * GIB),
                ("oom.allocated", 12.3 * GIB),
                ("oom.reserved_unallocated", 400.0 * MIB),
                ("oom.limit", 12.0 * GIB),
            ],
        );
        check(
            "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacty of 14.75 GiB of which 1.06 GiB is free.",
            &[("oom.requested", 2.0 * GIB), ("oom.total", 14.75 * GIB), ("oom.free", 1.06 * GIB)],
        );
        // In a container the process is listed like the others.
        let listed = "Tried to allocate 3.50 GiB. GPU 0 has a total capacity of 23.64 GiB of which 1.42 GiB is free. Process 27 has 22.22 GiB memory in use.";
        check(listed, &[("oom.process", 22.22 * GIB), ("oom.others", 0.0)]);
        let two = format!(
            "{listed} Process 31 has 4.00 GiB memory in use. Of the allocated memory 3.40 GiB is allocated by PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated."
        );
        check(&two, &[("oom.process", 4.0 * GIB), ("oom.others", 22.22 * GIB)]);
        let held = format!(
            "{listed} Of the allocated memory 0.40 GiB is allocated by PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated."
        );
        check(&held, &[("oom.others", 22.22 * GIB)]);
        let f = facts(
            "Tried to allocate 2.00 MiB. GPU 0 has a total capacity of 8.00 GiB of which 1.00 GiB is free. Process 7 has 17179869184.00 GiB memory in use. ",
        );
        assert_eq!(f.number("oom.others"), None);
    }

    #[test]
    fn other_frameworks() {
        check(
            "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 5012301824 bytes.",
            &[("oom.requested", 5012301824.0)],
        );
        check(
            "failed to allocate 3.20GiB (3435973836 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY",
            &[("oom.requested", 3.2 * GIB)],
        );
        check("OOM when allocating tensor with shape[128,512] and type half on /job:x", &[("oom.requested", 131072.0)]);
        check(
            "Memory usage: 40112226304 bytes free, 42405855232 bytes total.",
            &[("oom.free", 40112226304.0), ("oom.total", 42405855232.0)],
        );
        check(
            "Free memory on device (6.71/8.0 GiB) on startup is less than desired GPU memory utilization (0.9, 7.2 GiB).",
            &[("oom.free", 6.71 * GIB), ("oom.total", 8.0 * GIB), ("oom.requested", 7.2 * GIB)],
        );
        check(
            "x_alloc_buffer: allocating 1024.00 MiB on device 0: cudaMalloc failed: out of memory",
            &[("oom.requested", GIB)],
        );
        check(
            "Out of memory allocating 8,000,000,000 bytes (allocated so far: 1,024 bytes, limit set to: 4,096 bytes).",
            &[("oom.requested", 8e9), ("oom.allocated", 1024.0), ("oom.limit", 4096.0)],
        );
        check(
            "out of resource: shared memory, Required: 73728, Hardware limit: 65536. Reducing",
            &[("smem.required", 73728.0), ("smem.limit", 65536.0)],
        );
        check("Limit:                      100", &[]);
    }
}

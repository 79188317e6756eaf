//! Facts from our own tables about what the text names: a GPU's memory and capability, a wheel's CUDA and
//! architectures.
//!
//! These are the weakest facts: the text, a report and the probe override them.

use crate::amounts::size;
use crate::book::Book;
use crate::compatibility;
use crate::facts::{Fact, Facts, Source, Value};

/// Where PyPI's wheels of PyTorch are built without CUDA.
const NO_CUDA_ON_PYPI: [&str; 2] = ["windows", "macos"];

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

/// Adds what the catalogue knows. What it knows of wheels and drivers is about NVIDIA's: a ROCm wheel has no CUDA version.
pub(super) fn from_catalogue(facts: &mut Facts, book: &Book) {
    gpu(facts, book);
    if facts.text("gpu.vendor").is_some_and(|vendor| vendor != "nvidia") {
        memory_in_words(facts);
        return;
    }
    wheel(facts, book);
    let capability = facts.text("gpu.compute_capability").map(str::to_owned);
    if let Some(capability) = capability {
        let arch = format!("sm_{}", capability.replace('.', ""));
        facts.add("gpu.arch", Value::Text(arch), Source::Catalogue, None);
    }
    framework_builds(facts, book);
    driver(facts);
    age_of_build(facts, book);
    memory_in_words(facts);
}

/// The CUDA that the driver supports, where the text does not give it.
fn driver(facts: &mut Facts) {
    let cuda = facts.get("driver.version").and_then(|fact| match &fact.value {
        Value::Text(version) => Some((compatibility::cuda_of_driver(version)?, fact.line)),
        _ => None,
    });
    if let Some((cuda, line)) = cuda {
        facts.add("driver.cuda", Value::Text(cuda.to_owned()), Source::Catalogue, line);
    }
}

/// "410.0 MiB of 12.0 GiB free; pid 4312 python train.py uses 10.9 GiB": one sentence for every page.
fn memory_in_words(facts: &mut Facts) {
    let Some(free) = facts.get("gpu.memory.free").cloned() else { return };
    let Value::Number(bytes) = free.value else { return };
    let mut says = match facts.number("gpu.memory.total") {
        Some(total) => format!("{} of {} free", size(bytes), size(total)),
        None => format!("{} free", size(bytes)),
    };
    let holder = facts.get("gpu.largest_process").filter(|fact| fact.source == free.source);
    if let Some(Value::Text(process)) = holder.map(|fact| &fact.value) {
        says.push_str(&format!("; {process}"));
    }
    facts.add("gpu.memory.says", Value::Text(says), free.source, free.line);
}

fn gpu(facts: &mut Facts, book: &Book) {
    let Some(name) = facts.text("gpu.name") else { return };
    // "V100" does not say which board, so neither how much memory.
    let (gpu, memory) = match book.hardware.gpu(name) {
        Some(gpu) => (Some(gpu), gpu.memory_gib),
        None => (book.hardware.of_generation(name), None),
    };
    let Some(gpu) = gpu else { return };
    let capability = gpu.compute_capability.clone();
    if !capability.is_empty() {
        facts.add("gpu.compute_capability", Value::Text(capability), Source::Catalogue, None);
    }
    if let Some(memory) = memory {
        facts.add("gpu.memory.total", Value::Number(memory * GIB), Source::Catalogue, None);
    }
}

/// The arch list of the wheel that PyPI serves for this torch version and CUDA; other builds differ, so a local
/// version that names another CUDA gets nothing.
fn wheel(facts: &mut Facts, book: &Book) {
    let Some(version) = facts.text("torch.version").map(str::to_owned) else { return };
    let local_cuda = version.split_once("+cu").map(|(_, cuda)| cuda.to_owned());
    if let Some(cuda) = &local_cuda
        && cuda.len() >= 3
        && cuda.bytes().all(|byte| byte.is_ascii_digit())
    {
        let (major, minor) = cuda.split_at(cuda.len() - 1);
        facts.add("torch.cuda", Value::Text(format!("{major}.{minor}")), Source::Catalogue, None);
    }
    let Some(wheel) = book.hardware.torch_wheel(&version) else { return };
    let elsewhere = facts.text("run.platform").is_some_and(|platform| NO_CUDA_ON_PYPI.contains(&platform));
    let same_cuda = match (version.split_once('+'), local_cuda) {
        (Some(_), Some(cuda)) => cuda == wheel.cuda.replace('.', ""),
        (Some(_), None) => false,
        (None, _) => !elsewhere,
    };
    if same_cuda {
        // The version that a running cuDNN reports has three parts, its package's version has four.
        let cudnn: Vec<&str> = wheel.cudnn.split('.').take(3).collect();
        facts.add("torch.cudnn", Value::Text(cudnn.join(".")), Source::Catalogue, None);
        let archs = wheel.archs.clone();
        facts.add("torch.arch_list", Value::List(archs), Source::Catalogue, None);
        facts.add("torch.cuda", Value::Text(wheel.cuda.clone()), Source::Catalogue, None);
    }
}

/// The CUDA and cuDNN of the official builds of frameworks that do not bring their own.
fn framework_builds(facts: &mut Facts, book: &Book) {
    for framework in ["onnxruntime", "tensorflow"] {
        let Some(version) = facts.text(&format!("{framework}.version")) else { continue };
        let Some(build) = book.framework_builds.of(framework, version) else { continue };
        for (part, value) in [("cuda", &build.cuda), ("cudnn", &build.cudnn)] {
            facts.add(format!("{framework}.{part}"), Value::Text(value.clone()), Source::Catalogue, None);
        }
    }
}

/// Whether the GPU came after the CUDA that the software is built with, and whether no code of such a build runs on it. Where
/// the text does not give that CUDA, it is the newest with which the release was ever built.
fn age_of_build(facts: &mut Facts, book: &Book) {
    let of_build = ["torch.cuda", "cuda.version", "tensorflow.cuda"];
    let stated = of_build.iter().find_map(|name| facts.get(name)).cloned();
    if let Some(cuda) = &stated {
        facts.add("build.cuda", cuda.value.clone(), cuda.source, cuda.line);
    }
    let Some(cuda) = stated.or_else(|| newest_cuda(facts, book)) else { return };
    let Value::Text(version) = &cuda.value else { return };
    let Some(capability) = facts.text("gpu.compute_capability") else { return };
    let newer = !compatibility::cuda_knows(version, capability);
    let beyond = !compatibility::cuda_reaches(version, capability);
    facts.add("gpu.newer_than_build", Value::Bool(newer), cuda.source, cuda.line);
    facts.add("gpu.beyond_build", Value::Bool(beyond), cuda.source, cuda.line);
}

/// The newest CUDA with which the framework's release was ever built.
fn newest_cuda(facts: &Facts, book: &Book) -> Option<Fact> {
    ["torch", "tensorflow"].into_iter().find_map(|framework| {
        let fact = facts.get(&format!("{framework}.version"))?;
        let Value::Text(version) = &fact.value else { return None };
        let build = book.framework_builds.of(framework, version)?;
        Some(Fact { value: Value::Text(build.cuda.clone()), source: Source::Catalogue, line: fact.line })
    })
}

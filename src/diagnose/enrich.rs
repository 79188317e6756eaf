//! What our own tables know about things the text names: a GPU's memory and capability, a wheel's CUDA and archs.
//!
//! These are the weakest facts of all: the text, a report and the probe overrule them.

use crate::book::Book;
use crate::facts::{Facts, Source, Value};

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

/// Adds what the catalogue knows.
pub(super) fn from_catalogue(facts: &mut Facts, book: &Book) {
    gpu(facts, book);
    wheel(facts, book);
    let capability = facts.text("gpu.compute_capability").map(str::to_owned);
    if let Some(capability) = capability {
        let arch = format!("sm_{}", capability.replace('.', ""));
        facts.add("gpu.arch", Value::Text(arch), Source::Catalogue, None);
    }
    others_share_of_memory(facts);
}

fn gpu(facts: &mut Facts, book: &Book) {
    let Some(gpu) = facts.text("gpu.name").and_then(|name| book.hardware.gpu(name)) else { return };
    let (capability, memory) = (gpu.compute_capability.clone(), gpu.memory_gib);
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
    let same_cuda = local_cuda.is_none_or(|cuda| cuda == wheel.cuda.replace('.', ""));
    if same_cuda {
        let archs = wheel.archs.clone();
        facts.add("torch.arch_list", Value::List(archs), Source::Catalogue, None);
        facts.add("torch.cuda", Value::Text(wheel.cuda.clone()), Source::Catalogue, None);
    }
}

/// What neither this process nor the free list accounts for is held by others.
fn others_share_of_memory(facts: &mut Facts) {
    let number = |name| facts.number(name);
    let (Some(total), Some(free), Some(process)) = (number("oom.total"), number("oom.free"), number("oom.process"))
    else {
        return;
    };
    let others = (total - free - process).max(0.0);
    facts.add("oom.others", Value::Number(others), Source::Text, facts.get("oom.total").and_then(|fact| fact.line));
}

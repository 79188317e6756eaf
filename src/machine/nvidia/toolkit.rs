//! The CUDA toolkit of the system. Facts `toolkit.*`, `cuda.version`.

use std::path::Path;

use crate::machine::note::Notes;

pub(super) fn read(root: &Path, conda: Option<&Path>, notes: &mut Notes) {
    let text = std::fs::read_to_string(root.join("usr/local/cuda/version.json")).unwrap_or_default();
    let version = serde_json::from_str::<serde_json::Value>(&text)
        .ok()
        .and_then(|value| value.pointer("/cuda/version").and_then(|version| Some(version.as_str()?.to_owned())));
    let compilers = [root.join("usr/local/cuda/bin/nvcc"), root.join("usr/bin/nvcc")];
    let conda = conda.map(|prefix| prefix.join("bin/nvcc"));
    let compiler = compilers.into_iter().chain(conda).any(|path| path.exists());
    notes.flag("toolkit.present", compiler || version.is_some());
    match version {
        Some(version) => notes.text("toolkit.version", version),
        None => notes.set_unknown("toolkit.version", "no toolkit under /usr/local/cuda"),
    }
    if let Some(cuda) = notes.facts.text("torch.cuda").or(notes.facts.text("toolkit.version")).map(str::to_owned) {
        notes.text("cuda.version", cuda);
    }
}

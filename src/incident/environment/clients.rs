//! Which frameworks used the GPU in one text: each keeps its own memory pool. Fact `gpu.clients`.
//!
//! Frames and the frameworks' own log lines count (`traces` in kb/packages.csv); an installed package does not. XLA's source paths contain
//! "org_tensorflow" even in JAX's logs, so they are no evidence of TensorFlow.

use crate::facts::{Facts, Source, Value};
use crate::packages::Packages;

/// Records the framework that printed a line.
pub(super) fn read(words: &str, line: u32, packages: &Packages, facts: &mut Facts) {
    let Some(package) = packages.iter().find(|row| row.traces().any(|trace| words.contains(trace))) else { return };
    let name = package.group();
    let mut clients = match facts.get("gpu.clients").map(|fact| &fact.value) {
        Some(Value::List(clients)) => clients.clone(),
        _ => Vec::new(),
    };
    if clients.iter().any(|client| client == name) {
        return;
    }
    clients.push(name.to_owned());
    if clients.len() == 1 {
        facts.add("gpu.clients", Value::List(clients), Source::Text, Some(line));
    } else {
        facts.replace_in_text("gpu.clients", Value::List(clients), line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frameworks_at_work() {
        let mut facts = Facts::default();
        for (line, words) in (1..).zip([
            "[pip3] torch==2.1.0",
            "tensorflow 2.15.0",
            "external/org_tensorflow/tensorflow/compiler/xla/stream_executor/cuda/cuda_driver.cc:668] failed",
            "Created device /job:localhost/replica:0/task:0/device:GPU:0 with 22271 MB memory",
            "  File \"/venv/lib/python3.10/site-packages/jax/_src/random.py\", line 132, in PRNGKey",
            "  File \"/venv/lib/python3.10/site-packages/jax/_src/prng.py\", line 13, in seed",
        ]) {
            read(words, line, crate::packages::builtin(), &mut facts);
        }
        let clients = facts.get("gpu.clients").map(|fact| (fact.value.clone(), fact.line));
        assert_eq!(clients, Some((Value::List(vec!["tensorflow".to_owned(), "jax".to_owned()]), Some(5))));
    }
}

//! Settings that distinguish causes, from commands, YAML, dumps and bullets. Facts `run.*`.
//!
//! Trainers use a dozen names for the same setting, so only the last part of a dotted key counts. Settings of
//! validation and test are ignored.

use super::super::words::{contains_folded, number};
use crate::facts::Facts;

/// Settings outside commands: YAML, dumps of dictionaries, bullets, a trainer's summary.
pub(super) fn read(words: &str, line: u32, facts: &mut Facts) {
    if words.len() > 2000 {
        return;
    }
    for separator in [": ", "=", " = "] {
        for (at, _) in words.match_indices(separator) {
            let head = words.get(..at).unwrap_or("").trim_end_matches(['*', '"', '\'', ' ', '`']);
            let key_start = head.rfind(['{', ',', '(', '|', '[']).map_or(0, |at| at + 1);
            let key =
                head.get(key_start..).unwrap_or("").trim().trim_start_matches(['-', '*', '"', '\'', ' ', '`', '#']);
            let key = if separator == "=" { key.rsplit(' ').next().unwrap_or(key) } else { key };
            if key.is_empty() || key.len() > 48 {
                continue;
            }
            let value =
                words.get(at + separator.len()..).unwrap_or("").trim().trim_start_matches(['*', '"', '\'', ' ', '`']);
            let end = value.find([',', ' ', '"', '\'', '}', ')', ']', '`', ';', '(']).unwrap_or(value.len());
            fact(key, value.get(..end).unwrap_or("").trim_end_matches('.'), line, facts);
        }
    }
}

/// Records what a setting says about the run, when its key distinguishes causes.
pub(super) fn fact(key: &str, value: &str, line: u32, facts: &mut Facts) {
    let value = value.trim_matches(['"', '\'']);
    let lower = key.to_ascii_lowercase().replace(['-', ' '], "_");
    let last = lower.rsplit(['.', '/']).next().unwrap_or(&lower);
    let other_split = ["val", "eval", "test", "predict", "infer"].iter().any(|word| contains_folded(&lower, word));
    let name = match last {
        "batch_size"
        | "batchsize"
        | "per_device_train_batch_size"
        | "train_batch_size"
        | "train_micro_batch_size_per_gpu"
        | "micro_batch_size"
        | "batch_size_per_gpu"
        | "bs"
        | "batch"
        | "micro_batch_size_per_gpu"
        | "instantaneous_batch_size_per_device"
        | "per_gpu_train_batch_size"
        | "batch_size_per_device"
        | "samples_per_gpu"
        | "max_batch_size" => {
            if other_split {
                return;
            }
            "run.batch_size"
        }
        "num_workers" | "dataloader_num_workers" | "workers" | "workers_per_gpu" | "nw" | "n_workers" => {
            if other_split {
                return;
            }
            "run.num_workers"
        }
        "accumulate_grad_batches"
        | "gradient_accumulation_steps"
        | "grad_accum"
        | "accum_iter"
        | "accumulate"
        | "grad_accum_steps"
        | "accumulation_steps" => "run.accumulate",
        "devices"
        | "gpus"
        | "num_gpus"
        | "nproc_per_node"
        | "n_gpus"
        | "tensor_parallel_size"
        | "num_processes"
        | "ngpu"
        | "n_gpu" => "run.devices",
        "strategy" => "run.strategy",
        "precision" | "mixed_precision" | "dtype" | "torch_dtype" | "trainer_precision" => "run.precision",
        "fp16" | "bf16" | "amp" | "half" | "use_amp" => {
            if matches!(value, "true" | "True" | "1" | "yes" | "on") {
                facts.words_in_text(
                    "run.precision",
                    match last {
                        "bf16" => "bf16",
                        _ => "fp16",
                    },
                    line,
                );
            }
            return;
        }
        _ => return,
    };
    match (name, number(value)) {
        ("run.strategy", _) if !value.is_empty() => facts.words_in_text(name, value, line),
        ("run.precision", _) => {
            let value = value.trim_start_matches("torch.").to_ascii_lowercase();
            let known = ["16", "32", "64", "8", "half", "float", "auto"].iter().any(|part| value.contains(part));
            if known {
                facts.words_in_text(name, value, line);
            }
        }
        ("run.devices", Some((count, rest))) if rest.is_empty() && count > 0.0 => {
            facts.number_in_text(name, count, line)
        }
        ("run.devices", _) | ("run.strategy", _) => {}
        (_, Some((count, rest))) if rest.is_empty() && (count > 0.0 || name == "run.num_workers" && count == 0.0) => {
            facts.number_in_text(name, count, line)
        }
        _ => {}
    }
}

//! Settings of a run out of its command line: hydra overrides (`trainer.devices=1`), flags (`--batch_size 2`) and
//! environment variables (`CUDA_VISIBLE_DEVICES=0`). The first value stands; those of validation are not the run's.

use crate::facts::{Facts, Source, Value};

/// Collects settings from a text with commands in it.
pub(super) fn read(text: &str, facts: &mut Facts) {
    if !text.contains('=') && !text.contains("--") {
        return;
    }
    let mut tokens = text.split_whitespace().peekable();
    while let Some(token) = tokens.next() {
        let token = token.trim_matches(['`', '"', '\'', ',', ';', '\\', '(', ')', '+']);
        if let Some((key, value)) = token.split_once('=') {
            set(key.trim_start_matches('-'), value, facts);
        } else if let Some(flag) = token.strip_prefix("--")
            && let Some(value) = tokens.peek().filter(|v| !v.starts_with('-'))
        {
            set(flag, value.trim_matches(['`', '"', '\'', ',']), facts);
        }
    }
}

fn set(key: &str, value: &str, facts: &mut Facts) {
    let value = value.trim_matches(['`', '"', '\'', ',', ')', '.']);
    if value.is_empty() || key.is_empty() {
        return;
    }
    let is_variable = key.len() > 3
        && key.contains('_')
        && key.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    if is_variable {
        facts.add(format!("env.{key}"), Value::Text(value.to_owned()), Source::Report, None);
        return;
    }
    let lower = key.to_lowercase().replace('-', "_");
    if ["val_", "valid", "test_", "eval", "predict"].iter().any(|w| lower.contains(w)) {
        return;
    }
    let number = || value.parse::<f64>().ok().map(Value::Number);
    let (name, value) = match lower.rsplit('.').next().unwrap_or_default() {
        "batch_size" | "train_batch_size" | "per_device_train_batch_size" | "micro_batch_size" | "bs" => {
            ("run.batch_size", number())
        }
        "num_workers" | "dataloader_num_workers" => ("run.num_workers", number()),
        "devices" | "nproc_per_node" | "num_processes" => ("run.devices", number()),
        "accumulate_grad_batches" | "gradient_accumulation_steps" => ("run.accumulate", number()),
        "precision" | "mixed_precision" => ("run.precision", Some(Value::Text(value.to_lowercase()))),
        "strategy" => ("run.strategy", Some(Value::Text(value.to_owned()))),
        _ => return,
    };
    if let Some(value) = value {
        facts.add(name, value, Source::Report, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_command_lines() {
        let mut facts = Facts::default();
        read(
            "`CUDA_VISIBLE_DEVICES=0 python train.py model.name=x dataloaders.val_dataloader.batch_size=9 dataloaders.train_dataloader.batch_size=2 trainer.devices=1 trainer.strategy=auto --precision bf16-mixed --num-workers=4`",
            &mut facts,
        );
        assert_eq!(facts.number("run.batch_size"), Some(2.0));
        assert_eq!(facts.number("run.devices"), Some(1.0));
        assert_eq!(facts.number("run.num_workers"), Some(4.0));
        assert_eq!(facts.text("run.strategy"), Some("auto"));
        assert_eq!(facts.text("run.precision"), Some("bf16-mixed"));
        assert_eq!(facts.text("env.CUDA_VISIBLE_DEVICES"), Some("0"));
    }
}

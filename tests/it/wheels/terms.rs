//! Titles in the vendor's words.

use super::HIP;
use crate::support::diagnose;

#[test]
fn titles_on_an_amd_gpu_have_its_words() {
    for text in [
        format!("AMD GPU, gfx1100\n{HIP}"),
        "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.98 GiB of which 1.00 GiB is free.\n".to_owned(),
        "  File \"/v/lib/python3.11/site-packages/torch/cuda/__init__.py\", line 412, in _lazy_init\nRuntimeError: No HIP GPUs are available\n".to_owned(),
        "RuntimeError: HIP error: invalid argument\n".to_owned(),
    ] {
        let diagnosis = diagnose(text.as_bytes());
        let fault = diagnosis.fault.as_ref().expect("a page");
        let titles = diagnosis.causes.iter().map(|cause| cause.title.as_str()).chain([fault.title.as_str()]);
        for title in titles {
            let other = ["CUDA", "NVIDIA", "cuDNN", "NCCL"].iter().find(|word| title.contains(**word));
            assert!(other.is_none() || title.contains("ROCm"), "{text}{title}");
        }
    }
}

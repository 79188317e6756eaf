//! NVIDIA: NVML, the CUDA driver, cuBLAS, cuDNN and NVRTC, asked in child processes.

mod arithmetic;
pub(super) mod checks;
pub(super) mod devices;
pub(super) mod native;
pub(super) mod nvml;
mod nvml_modes;
mod nvml_words;
mod reference;

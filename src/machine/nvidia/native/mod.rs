//! Calls of NVIDIA's libraries: the driver, cuBLAS, cuDNN, NVRTC and what nvml-wrapper leaves out of NVML.
#![expect(unsafe_code, reason = "foreign functions; every block says why it is sound")]

pub(in crate::machine) mod cublas;
pub(in crate::machine) mod cudnn;
pub(in crate::machine) mod driver;
pub(in crate::machine) mod nvml_raw;
pub(in crate::machine) mod nvrtc;

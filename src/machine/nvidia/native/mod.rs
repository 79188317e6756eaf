//! Calls into NVIDIA's libraries: the driver, cuBLAS, cuDNN, NVRTC, and the NVML functions that nvml-wrapper lacks.
#![expect(unsafe_code, reason = "foreign functions; every block says why it is sound")]

pub(in crate::machine) mod cublas;
pub(in crate::machine) mod cudnn;
pub(in crate::machine) mod driver;
pub(in crate::machine) mod nvml_raw;
pub(in crate::machine) mod nvrtc;

//! NVML's errors in words: a short name for conditions, a sentence for people.

use nvml_wrapper::error::NvmlError;

/// A short name of the error, for conditions.
pub(super) fn word(error: &NvmlError) -> String {
    match error {
        NvmlError::DriverNotLoaded => "driver not loaded".to_owned(),
        NvmlError::LibRmVersionMismatch => "driver/library version mismatch".to_owned(),
        NvmlError::GpuLost => "gpu lost".to_owned(),
        NvmlError::ResetRequired => "reset required".to_owned(),
        NvmlError::NoPermission => "no permission".to_owned(),
        NvmlError::LibloadingError(_) | NvmlError::LibraryNotFound => "cannot load library".to_owned(),
        NvmlError::OperatingSystem => "blocked by the operating system".to_owned(),
        NvmlError::Timeout => "timeout".to_owned(),
        NvmlError::UnexpectedVariant(code) => format!("unknown code {code}"),
        NvmlError::Unknown => "unknown error".to_owned(),
        other => other.to_string(),
    }
}

pub(super) fn why(error: &NvmlError) -> String {
    match error {
        NvmlError::NotSupported => "this device does not support it".to_owned(),
        NvmlError::FailedToLoadSymbol(_) | NvmlError::FunctionNotFound => "this driver does not offer it".to_owned(),
        NvmlError::DriverNotLoaded => "the NVIDIA kernel module is not loaded".to_owned(),
        NvmlError::LibRmVersionMismatch => {
            "the loaded kernel module and the driver's libraries are of different versions".to_owned()
        }
        NvmlError::GpuLost => "the GPU has fallen off the bus".to_owned(),
        NvmlError::ResetRequired => "the GPU must be reset before it can be used".to_owned(),
        NvmlError::NoPermission => "this user has no permission".to_owned(),
        NvmlError::OperatingSystem => "the operating system or a device control group blocks it".to_owned(),
        NvmlError::UnexpectedVariant(code) => format!("the driver returned the unknown code {code}"),
        other => other.to_string(),
    }
}

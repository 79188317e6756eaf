//! The calls of NVML that nvml-wrapper does not wrap.

use nvml_wrapper::error::{NvmlError, nvml_try};
use nvml_wrapper::{Device, Nvml};

/// Rows of memory that were replaced by spare ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine) struct RemappedRows {
    /// After correctable errors.
    pub(in crate::machine) correctable: u32,
    /// After uncorrectable errors.
    pub(in crate::machine) uncorrectable: u32,
    /// A row waits for the next reset.
    pub(in crate::machine) pending: bool,
    /// No spare row was left.
    pub(in crate::machine) failed: bool,
}

/// Asks for remapped rows (Ampere and newer data-centre boards).
pub(in crate::machine) fn remapped_rows(nvml: &Nvml, device: &Device<'_>) -> Result<RemappedRows, NvmlError> {
    let call = nvml.lib().nvmlDeviceGetRemappedRows.as_ref().map_err(missing)?;
    let (mut correctable, mut uncorrectable, mut pending, mut failed) = (0, 0, 0, 0);
    // SAFETY: the handle belongs to this library and lives as long as `device`; the four places outlive the call.
    let code = unsafe { call(device.handle(), &mut correctable, &mut uncorrectable, &mut pending, &mut failed) };
    nvml_try(code)?;
    Ok(RemappedRows { correctable, uncorrectable, pending: pending != 0, failed: failed != 0 })
}

/// How far the board has joined its NVLink fabric, and NVML's status of having joined; a number that the header does not
/// name stays a number.
pub(in crate::machine) fn fabric_state(nvml: &Nvml, device: &Device<'_>) -> Result<(u32, u32), NvmlError> {
    let call = nvml.lib().nvmlDeviceGetGpuFabricInfo.as_ref().map_err(missing)?;
    // SAFETY: a C struct of integers, for which all zeroes is a value.
    let mut info = unsafe { std::mem::zeroed() };
    // SAFETY: the handle belongs to this library and lives as long as `device`; `info` outlives the call.
    let code = unsafe { call(device.handle(), &mut info) };
    nvml_try(code)?;
    Ok((u32::from(info.state), info.status))
}

/// Total, free and used bytes by the call that drivers older than 510 have.
pub(in crate::machine) fn old_memory_info(nvml: &Nvml, device: &Device<'_>) -> Result<(u64, u64, u64), NvmlError> {
    let call = nvml.lib().nvmlDeviceGetMemoryInfo.as_ref().map_err(missing)?;
    // SAFETY: a C struct of three integers, for which all zeroes is a value.
    let mut memory = unsafe { std::mem::zeroed() };
    // SAFETY: the handle belongs to this library and lives as long as `device`; `memory` outlives the call.
    let code = unsafe { call(device.handle(), &mut memory) };
    nvml_try(code)?;
    Ok((memory.total, memory.free, memory.used))
}

fn missing(error: &impl std::fmt::Display) -> NvmlError {
    NvmlError::FailedToLoadSymbol(error.to_string())
}

//! libnvidia-ml: devices, memory, errors, processes, fabric.

use super::*;

const NOT_SUPPORTED: c_int = 3;
const NOT_FOUND: c_int = 6;
const INSUFFICIENT_SIZE: c_int = 7;

#[repr(C)]
pub struct PciInfo {
    legacy: [c_char; 16],
    domain: c_uint,
    bus: c_uint,
    device: c_uint,
    id: c_uint,
    subsystem: c_uint,
    bus_id: [c_char; 32],
}

#[repr(C)]
pub struct MemoryInfo {
    version: c_uint,
    total: u64,
    reserved: u64,
    free: u64,
    used: u64,
}

#[repr(C)]
pub struct OldMemoryInfo {
    total: u64,
    free: u64,
    used: u64,
}

#[repr(C)]
pub struct ProcessInfo {
    pid: c_uint,
    used: u64,
    gpu_instance: c_uint,
    compute_instance: c_uint,
}

#[repr(C)]
pub struct FieldValue {
    field: c_uint,
    scope: c_uint,
    timestamp: i64,
    latency: i64,
    kind: c_uint,
    status: c_int,
    value: u64,
}

#[repr(C)]
pub struct FabricInfo {
    cluster: [u8; 16],
    status: c_int,
    clique: c_uint,
    state: u8,
}

/// Handles are numbers from 1; those of slices (MIG) carry the slice above the device.
const SLICE: usize = 1000;

fn device_of(handle: *mut c_void) -> usize {
    (handle as usize % SLICE).wrapping_sub(1)
}

/// The slice of a handle, from 1; 0 for a whole device.
fn slice_of(handle: *mut c_void) -> usize {
    handle as usize / SLICE
}

/// `gpu.processes=4312:10900,77:?` in MiB; `?` is a hidden size.
fn processes(device: usize) -> Vec<(u32, u64)> {
    let scenario = scenario();
    let text = scenario.text(&format!("gpu.{device}.processes"), &scenario.text("gpu.processes", ""));
    let pairs = text.split(',').filter_map(|entry| entry.split_once(':'));
    pairs.filter_map(|(pid, held)| Some((pid.parse().ok()?, held.parse().map_or(u64::MAX, mib)))).collect()
}

macro_rules! device_number {
    ($($name:ident, $type:ty, $key:literal, $otherwise:expr;)*) => {api! {$(
        fn $name(device: *mut c_void, value: *mut $type) {
            *value = scenario().of(device_of(device), $key, $otherwise) as $type;
        }
    )*}};
}

device_number! {
    nvmlDeviceGetCurrPcieLinkGeneration, c_uint, "pcie.gen", 5;
    nvmlDeviceGetMaxPcieLinkGeneration, c_uint, "pcie.max_gen", 5;
    nvmlDeviceGetCurrPcieLinkWidth, c_uint, "pcie.width", 16;
    nvmlDeviceGetMaxPcieLinkWidth, c_uint, "pcie.max_width", 16;
    nvmlDeviceGetPcieReplayCounter, c_uint, "pcie.replays", 0;
    nvmlDeviceGetComputeMode, c_uint, "compute_mode", 0;
    nvmlDeviceGetPersistenceMode, c_uint, "persistence", 1;
    nvmlDeviceGetPowerUsage, c_uint, "power", 120_000;
    nvmlDeviceGetEnforcedPowerLimit, c_uint, "power_limit", 700_000;
    nvmlDeviceGetCurrentClocksThrottleReasons, u64, "clock_events", 1;
    nvmlDeviceGetRetiredPagesPendingStatus, c_uint, "retired.pending", 0;
    nvmlDeviceGetMaxMigDeviceCount, c_uint, "mig.slices", 0;
}

api! {
    fn nvmlInit_v2() {}
    fn nvmlShutdown() {}
    fn nvmlSystemGetDriverVersion(version: *mut c_char, length: c_uint) {
        put_text(version, length as usize, &scenario().text("driver", "580.95.05"));
    }
    fn nvmlSystemGetCudaDriverVersion(version: *mut c_int) { *version = cuda_version(); }
    fn nvmlSystemGetCudaDriverVersion_v2(version: *mut c_int) { *version = cuda_version(); }
    fn nvmlDeviceGetCount_v2(count: *mut c_uint) {
        *count = scenario().number("nvmlDeviceGetCount_v2.count", devices()) as c_uint;
    }
    fn nvmlDeviceGetHandleByIndex_v2(index: c_uint, device: *mut *mut c_void) {
        if u64::from(index) >= devices() { return 2; }
        if scenario().is(&format!("gpu.{index}.lost")) { return 15; }
        std::thread::sleep(std::time::Duration::from_secs(scenario().number(&format!("gpu.{index}.sleep"), 0)));
        *device = (index as usize + 1) as *mut c_void;
    }
    fn nvmlDeviceGetName(device: *mut c_void, name: *mut c_char, length: c_uint) {
        put_text(name, length as usize, &name_of(device_of(device)));
    }
    fn nvmlDeviceGetUUID(device: *mut c_void, uuid: *mut c_char, length: c_uint) {
        let kind = if slice_of(device) > 0 { "MIG" } else { "GPU" };
        let text = format!("{kind}-0000000{}-fake-4000-8000-00000000000{}", device_of(device), slice_of(device));
        put_text(uuid, length as usize, &text);
    }
    fn nvmlDeviceGetPciInfo_v3(device: *mut c_void, pci: *mut PciInfo) {
        let bus = 0x65 + device_of(device) as c_uint;
        (*pci).domain = 0;
        (*pci).bus = bus;
        (*pci).device = 0;
        (*pci).id = 0x2330_10de;
        (*pci).subsystem = 0;
        put_text((*pci).legacy.as_mut_ptr(), 16, &format!("0000:{bus:02X}:00.0"));
        put_text((*pci).bus_id.as_mut_ptr(), 32, &format!("00000000:{bus:02X}:00.0"));
    }
    fn nvmlDeviceGetCudaComputeCapability(device: *mut c_void, major: *mut c_int, minor: *mut c_int) {
        (*major, *minor) = capability(device_of(device));
    }
    fn nvmlDeviceGetMemoryInfo_v2(device: *mut c_void, memory: *mut MemoryInfo) {
        let parts = if slice_of(device) > 0 { scenario().number("gpu.mig.slices", 1) } else { 1 };
        let of = |key, otherwise| mib(scenario().of(device_of(device), key, otherwise)) / parts;
        (*memory).total = of("total", 81559);
        (*memory).free = of("free", 80000);
        (*memory).reserved = 0;
        (*memory).used = (*memory).total - (*memory).free;
    }
    fn nvmlDeviceGetMemoryInfo(device: *mut c_void, memory: *mut OldMemoryInfo) {
        let of = |key, otherwise| mib(scenario().of(device_of(device), key, otherwise));
        (*memory).total = of("total", 81559);
        (*memory).free = of("free", 80000);
        (*memory).used = (*memory).total - (*memory).free;
    }
    fn nvmlDeviceGetUtilizationRates(device: *mut c_void, rates: *mut [c_uint; 2]) {
        *rates = [scenario().of(device_of(device), "utilization", 0) as c_uint, 0];
    }
    fn nvmlDeviceGetComputeRunningProcesses_v3(device: *mut c_void, count: *mut c_uint, infos: *mut ProcessInfo) {
        let list = processes(device_of(device));
        if infos.is_null() || (*count as usize) < list.len() {
            *count = list.len() as c_uint;
            return if list.is_empty() { 0 } else { INSUFFICIENT_SIZE };
        }
        *count = list.len() as c_uint;
        for (index, (pid, used)) in list.into_iter().enumerate() {
            infos.add(index).write(ProcessInfo { pid, used, gpu_instance: u32::MAX, compute_instance: u32::MAX });
        }
    }
    /// `gpu.mps=77`: one client of the MPS server that uses 1 GiB.
    fn nvmlDeviceGetMPSComputeRunningProcesses_v3(device: *mut c_void, count: *mut c_uint, infos: *mut ProcessInfo) {
        let pid = scenario().of(device_of(device), "mps", 0) as c_uint;
        let room = *count;
        *count = (pid != 0) as c_uint;
        if pid == 0 { return 0; }
        if infos.is_null() || room == 0 { return INSUFFICIENT_SIZE; }
        infos.write(ProcessInfo { pid, used: mib(1024), gpu_instance: u32::MAX, compute_instance: u32::MAX });
    }
    fn nvmlDeviceGetGraphicsRunningProcesses_v3(device: *mut c_void, count: *mut c_uint, infos: *mut ProcessInfo) {
        *count = 0;
    }
    fn nvmlDeviceGetEccMode(device: *mut c_void, current: *mut c_uint, pending: *mut c_uint) {
        match scenario().of(device_of(device), "ecc", 1) {
            2 => return NOT_SUPPORTED,
            state => (*current, *pending) = (state as c_uint, state as c_uint),
        }
    }
    fn nvmlDeviceGetTotalEccErrors(device: *mut c_void, kind: c_uint, counter: c_uint, count: *mut u64) {
        let key = match (kind, counter) {
            (1, 0) => "ecc.uncorrected",
            (1, _) => "ecc.uncorrected_ever",
            (_, 0) => "ecc.corrected",
            _ => "ecc.corrected_ever",
        };
        *count = scenario().of(device_of(device), key, 0);
    }
    fn nvmlDeviceGetRetiredPages(device: *mut c_void, cause: c_uint, count: *mut c_uint, addresses: *mut u64) { *count = 0; }
    fn nvmlDeviceGetRetiredPages_v2(
        device: *mut c_void, cause: c_uint, count: *mut c_uint, addresses: *mut u64, times: *mut u64,
    ) { *count = 0; }
    fn nvmlDeviceGetRemappedRows(
        device: *mut c_void, correctable: *mut c_uint, uncorrectable: *mut c_uint, pending: *mut c_uint,
        failed: *mut c_uint,
    ) {
        let of = |key| scenario().of(device_of(device), key, 0) as c_uint;
        *correctable = of("remapped.correctable");
        *uncorrectable = of("remapped.uncorrectable");
        *pending = of("remapped.pending");
        *failed = of("remapped.failed");
    }
    fn nvmlDeviceGetFieldValues(device: *mut c_void, count: c_int, values: *mut FieldValue) {
        for index in 0..count as usize {
            let value = &mut *values.add(index);
            value.kind = 1;
            value.status = if value.field == 230 { 0 } else { NOT_SUPPORTED };
            value.value = scenario().of(device_of(device), "recovery_action", 0);
        }
    }
    fn nvmlDeviceGetTemperature(device: *mut c_void, sensor: c_uint, value: *mut c_uint) {
        *value = scenario().of(device_of(device), "temperature", 45) as c_uint;
    }
    fn nvmlDeviceGetTemperatureThreshold(device: *mut c_void, kind: c_uint, value: *mut c_uint) { *value = 92; }
    fn nvmlDeviceGetClockInfo(device: *mut c_void, kind: c_uint, value: *mut c_uint) { *value = 1980; }
    fn nvmlDeviceGetMaxClockInfo(device: *mut c_void, kind: c_uint, value: *mut c_uint) { *value = 1980; }
    fn nvmlDeviceGetNvLinkState(device: *mut c_void, link: c_uint, state: *mut c_uint) {
        let links = scenario().of(device_of(device), "nvlinks", 0);
        if u64::from(link) >= links { return NOT_SUPPORTED; }
        *state = (u64::from(link) >= scenario().of(device_of(device), "nvlinks_down", 0)) as c_uint;
    }
    /// `gpu.fabric`: 0 none, 1 not started, 2 in progress, 3 completed.
    fn nvmlDeviceGetGpuFabricInfo(device: *mut c_void, info: *mut FabricInfo) {
        let state = scenario().of(device_of(device), "fabric", 0);
        let status = scenario().of(device_of(device), "fabric_status", 0);
        *info = FabricInfo { cluster: [0; 16], status: status as c_int, clique: 0, state: state as u8 };
    }
    fn nvmlDeviceGetNvLinkErrorCounter(device: *mut c_void, link: c_uint, kind: c_uint, count: *mut u64) { *count = 0; }
    fn nvmlDeviceGetMigMode(device: *mut c_void, current: *mut c_uint, pending: *mut c_uint) {
        let mode = scenario().of(device_of(device), "mig", 0);
        (*current, *pending) = (mode as c_uint, mode as c_uint);
    }
    fn nvmlDeviceGetMigDeviceHandleByIndex(device: *mut c_void, index: c_uint, slice: *mut *mut c_void) {
        if u64::from(index) >= scenario().of(device_of(device), "mig.slices", 0) { return NOT_FOUND; }
        *slice = (device as usize + SLICE * (index as usize + 1)) as *mut c_void;
    }
    fn nvmlDeviceGetGspFirmwareMode(device: *mut c_void, enabled: *mut c_uint, default: *mut c_uint) {
        (*enabled, *default) = (1, 1);
    }
}

//! A fake of NVIDIA's libraries for tests: libcuda, libnvidia-ml, libcublas, libcudnn and libnvrtc in one file, compiled
//! by the tests with `rustc`, found by the product only through the LD_LIBRARY_PATH that a test sets.
//!
//! A scenario file, named by FAULTBOOK_FAKE, holds `key=value` lines. Every function first looks up its own name:
//! `cuInit=803` returns that status, `cuInit.sleep=30` hangs, `cuInit.abort=1` dies. Device memory is host memory, so
//! that copies, the kernel, products and convolutions are computed for real and can be made wrong on purpose.
//! FAULTBOOK_FAKE_TRACE names a file that gets the name of every call.
#![allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)]

use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_uint, c_void, CStr};
use std::io::Write;
use std::sync::{Mutex, OnceLock};

// ---------------------------------------------------------------------------------------------------- the scenario

struct Scenario(HashMap<String, String>);

fn scenario() -> &'static Scenario {
    static SCENARIO: OnceLock<Scenario> = OnceLock::new();
    SCENARIO.get_or_init(|| {
        let text = std::env::var("FAULTBOOK_FAKE").ok().and_then(|path| std::fs::read_to_string(path).ok());
        let text = text.unwrap_or_default();
        let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        let pairs = lines.filter_map(|line| line.split_once('='));
        Scenario(pairs.map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned())).collect())
    })
}

impl Scenario {
    fn text(&self, key: &str, otherwise: &str) -> String {
        self.0.get(key).cloned().unwrap_or_else(|| otherwise.to_owned())
    }

    fn number(&self, key: &str, otherwise: u64) -> u64 {
        self.0.get(key).and_then(|value| value.parse().ok()).unwrap_or(otherwise)
    }

    fn is(&self, key: &str) -> bool {
        self.number(key, 0) != 0
    }

    /// A key of one device (`gpu.1.free`), else of all (`gpu.free`).
    fn of(&self, device: usize, key: &str, otherwise: u64) -> u64 {
        self.number(&format!("gpu.{device}.{key}"), self.number(&format!("gpu.{key}"), otherwise))
    }
}

/// What happens at the door of every function.
fn gate(name: &str) -> c_int {
    if let Ok(path) = std::env::var("FAULTBOOK_FAKE_TRACE") {
        if let Ok(mut file) = std::fs::OpenOptions::new().append(true).create(true).open(path) {
            let _ = writeln!(file, "{name}");
        }
    }
    let scenario = scenario();
    let seconds = scenario.number(&format!("{name}.sleep"), 0);
    if seconds > 0 {
        std::thread::sleep(std::time::Duration::from_secs(seconds));
    }
    if scenario.is(&format!("{name}.abort")) {
        std::process::abort();
    }
    scenario.number(name, 0) as c_int
}

/// What the library does when it is closed or its process ends: `exit.sleep=60` hangs there, as broken drivers do.
#[used]
#[link_section = ".fini_array"]
static AT_EXIT: extern "C" fn() = at_exit;

extern "C" fn at_exit() {
    std::thread::sleep(std::time::Duration::from_secs(scenario().number("exit.sleep", 0)));
}

macro_rules! api {
    ($($(#[$about:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) $body:block)*) => {$(
        $(#[$about])*
        #[no_mangle]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> c_int {
            $(let _ = &$arg;)*
            let code = gate(stringify!($name));
            if code != 0 {
                return code;
            }
            #[allow(unreachable_code)]
            {
                $body
                0
            }
        }
    )*};
}

unsafe fn put_text(place: *mut c_char, length: usize, text: &str) {
    let bytes = text.as_bytes();
    let count = bytes.len().min(length.saturating_sub(1));
    std::ptr::copy_nonoverlapping(bytes.as_ptr(), place.cast(), count);
    *place.add(count) = 0;
}

fn mib(count: u64) -> u64 {
    count << 20
}

fn capability(device: usize) -> (i32, i32) {
    let scenario = scenario();
    let text = scenario.text(&format!("gpu.{device}.cc"), &scenario.text("gpu.cc", "9.0"));
    let (major, minor) = text.split_once('.').unwrap_or(("9", "0"));
    (major.parse().unwrap_or(9), minor.parse().unwrap_or(0))
}

fn name_of(device: usize) -> String {
    let scenario = scenario();
    scenario.text(&format!("gpu.{device}.name"), &scenario.text("gpu.name", "NVIDIA H100 80GB HBM3"))
}

fn cuda_version() -> c_int {
    let text = scenario().text("cuda", "13.0");
    let (major, minor) = text.split_once('.').unwrap_or(("13", "0"));
    major.parse::<c_int>().unwrap_or(13) * 1000 + minor.parse::<c_int>().unwrap_or(0) * 10
}

fn devices() -> u64 {
    scenario().number("gpu.count", 1)
}

/// The devices that CUDA counts: those of CUDA_VISIBLE_DEVICES up to the first entry that is none; UUIDs are not read.
fn visible() -> Vec<u64> {
    let Ok(value) = std::env::var("CUDA_VISIBLE_DEVICES") else { return (0..devices()).collect() };
    if value.contains("GPU-") || value.contains("MIG-") {
        return (0..devices()).collect();
    }
    let numbers = value.split(',').map(|entry| entry.trim().parse().ok().filter(|number| *number < devices()));
    numbers.take_while(Option::is_some).flatten().collect()
}

// -------------------------------------------------------------------------------------------------- libcuda

static MEMORY: Mutex<Option<HashMap<u64, u64>>> = Mutex::new(None);

fn used() -> u64 {
    MEMORY.lock().map_or(0, |memory| memory.as_ref().map_or(0, |memory| memory.values().sum()))
}

const INVALID_VALUE: c_int = 1;
const OUT_OF_MEMORY: c_int = 2;
/// Larger pieces are handed out as addresses without memory behind them: nothing writes to them.
const LARGEST_REAL: u64 = 1 << 30;

api! {
    fn cuInit(flags: c_uint) {}
    /// NVRTC asks for private tables and goes on without them.
    fn cuGetExportTable(table: *mut *const c_void, id: *const c_void) { return 500; }
    fn cuDriverGetVersion(version: *mut c_int) { *version = cuda_version(); }
    fn cuDeviceGetCount(count: *mut c_int) {
        *count = visible().len() as c_int;
    }
    fn cuDeviceGet(device: *mut c_int, ordinal: c_int) {
        let Some(index) = visible().get(ordinal as usize).copied() else { return 101 };
        *device = index as c_int;
    }
    fn cuDeviceGetName(name: *mut c_char, length: c_int, device: c_int) {
        put_text(name, length as usize, &name_of(device as usize));
    }
    fn cuDeviceGetPCIBusId(name: *mut c_char, length: c_int, device: c_int) {
        put_text(name, length as usize, &format!("0000:{:02x}:00.0", 0x65 + device));
    }
    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) {
        *bytes = mib(scenario().of(device as usize, "total", 81559)) as usize;
    }
    fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int) {
        let (major, minor) = capability(device as usize);
        *value = match attribute {
            75 => major,
            76 => minor,
            97 => 232_448,
            17 => scenario().is("gpu.display") as c_int,
            _ => 0,
        };
    }
    fn cuDeviceCanAccessPeer(can: *mut c_int, device: c_int, other: c_int) {
        *can = scenario().number("peer", 1) as c_int;
    }
    fn cuCtxEnablePeerAccess(context: *mut c_void, flags: c_uint) {}
    fn cuDevicePrimaryCtxRetain(context: *mut *mut c_void, device: c_int) { *context = (device as usize + 1) as *mut c_void; }
    fn cuDevicePrimaryCtxRelease_v2(device: c_int) {}
    fn cuCtxSetCurrent(context: *mut c_void) {}
    fn cuCtxSynchronize() {}
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) {
        *total = mib(scenario().of(0, "total", 81559)) as usize;
        *free = mib(scenario().of(0, "free", 80000)).saturating_sub(used()) as usize;
    }
    fn cuMemAlloc_v2(address: *mut u64, bytes: usize) {
        let bytes = bytes as u64;
        let free = mib(scenario().of(0, "free", 80000)).saturating_sub(used());
        let largest = mib(scenario().number("gpu.largest", u64::MAX >> 20));
        if bytes == 0 { return INVALID_VALUE; }
        if bytes > free || bytes > largest { return OUT_OF_MEMORY; }
        let place = if bytes <= LARGEST_REAL {
            let layout = std::alloc::Layout::from_size_align(bytes as usize, 256).unwrap();
            std::alloc::alloc_zeroed(layout) as u64
        } else {
            0x7f00_0000_0000_0000 + used()
        };
        MEMORY.lock().unwrap().get_or_insert_with(HashMap::new).insert(place, bytes);
        *address = place;
    }
    fn cuMemFree_v2(address: u64) {
        let bytes = MEMORY.lock().unwrap().get_or_insert_with(HashMap::new).remove(&address);
        let Some(bytes) = bytes else { return INVALID_VALUE };
        if bytes <= LARGEST_REAL {
            std::alloc::dealloc(address as *mut u8, std::alloc::Layout::from_size_align(bytes as usize, 256).unwrap());
        }
    }
    fn cuMemsetD8_v2(address: u64, byte: u8, bytes: usize) { std::ptr::write_bytes(address as *mut u8, byte, bytes); }
    fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) {
        std::ptr::copy_nonoverlapping(from.cast::<u8>(), to as *mut u8, bytes);
    }
    fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) {
        std::ptr::copy_nonoverlapping(from as *const u8, to.cast::<u8>(), bytes);
        if scenario().is("corrupt.copy") && bytes > 4096 { *to.cast::<u8>().add(4096) ^= 0x10; }
    }
    fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) {
        std::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, bytes);
    }
    fn cuModuleLoadData(module: *mut *mut c_void, image: *const c_void) {
        // NVRTC writes PTX of its own version, which an older driver does not read.
        let of_nvrtc = (0..8).all(|at| unsafe { *image.cast::<u8>().add(at) == PTX[at] });
        if scenario().is("nvrtc.newer") && of_nvrtc { return 222; }
        *module = 1 as *mut c_void;
    }
    fn cuModuleUnload(module: *mut c_void) {}
    fn cuModuleGetFunction(function: *mut *mut c_void, module: *mut c_void, name: *const c_char) {
        if CStr::from_ptr(name).to_bytes() != b"faultbook_mix" { return 500; }
        *function = 1 as *mut c_void;
    }
    fn cuLaunchKernel(
        function: *mut c_void, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint, shared: c_uint,
        stream: *mut c_void, arguments: *mut *mut c_void, extra: *mut *mut c_void,
    ) {
        let (input, output) = (*(*arguments).cast::<u64>(), *(*arguments.add(1)).cast::<u64>());
        let count = *(*arguments.add(2)).cast::<u32>();
        let wrong = scenario().is("kernel.wrong");
        for i in 0..count {
            let x = *(input as *const u32).add(i as usize);
            let mut y = x.wrapping_mul(2_654_435_761).wrapping_add(i);
            if wrong && i == 1000 { y ^= 1; }
            *(output as *mut u32).add(i as usize) = y;
        }
    }
}

/// The statuses that tests use, with NVIDIA's names.
const STATUSES: &[(c_int, &CStr, &CStr)] = &[
    (1, c"CUDA_ERROR_INVALID_VALUE", c"invalid argument"),
    (2, c"CUDA_ERROR_OUT_OF_MEMORY", c"out of memory"),
    (3, c"CUDA_ERROR_NOT_INITIALIZED", c"initialization error"),
    (34, c"CUDA_ERROR_STUB_LIBRARY", c"CUDA driver is a stub library"),
    (46, c"CUDA_ERROR_DEVICE_UNAVAILABLE", c"CUDA-capable device(s) is/are busy or unavailable"),
    (100, c"CUDA_ERROR_NO_DEVICE", c"no CUDA-capable device is detected"),
    (101, c"CUDA_ERROR_INVALID_DEVICE", c"invalid device ordinal"),
    (209, c"CUDA_ERROR_NO_BINARY_FOR_GPU", c"no kernel image is available for execution on the device"),
    (214, c"CUDA_ERROR_ECC_UNCORRECTABLE", c"uncorrectable ECC error encountered"),
    (222, c"CUDA_ERROR_UNSUPPORTED_PTX_VERSION", c"the provided PTX was compiled with an unsupported toolchain."),
    (700, c"CUDA_ERROR_ILLEGAL_ADDRESS", c"an illegal memory access was encountered"),
    (802, c"CUDA_ERROR_SYSTEM_NOT_READY", c"system not yet initialized"),
    (803, c"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", c"system has unsupported display driver / cuda driver combination"),
    (804, c"CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", c"forward compatibility was attempted on non supported HW"),
    (999, c"CUDA_ERROR_UNKNOWN", c"unknown error"),
];

#[no_mangle]
pub unsafe extern "C" fn cuGetErrorName(code: c_int, name: *mut *const c_char) -> c_int {
    let found = STATUSES.iter().find(|status| status.0 == code);
    *name = found.map_or(std::ptr::null(), |status| status.1.as_ptr());
    if found.is_some() { 0 } else { INVALID_VALUE }
}

#[no_mangle]
pub unsafe extern "C" fn cuGetErrorString(code: c_int, says: *mut *const c_char) -> c_int {
    let found = STATUSES.iter().find(|status| status.0 == code);
    *says = found.map_or(std::ptr::null(), |status| status.2.as_ptr());
    if found.is_some() { 0 } else { INVALID_VALUE }
}

// -------------------------------------------------------------------------------------------- libnvidia-ml

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
    fn nvmlDeviceGetCount_v2(count: *mut c_uint) { *count = devices() as c_uint; }
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

// ---------------------------------------------------------------------------------------------- libnvrtc

/// The architectures of NVRTC 12.8.
fn compiled_for() -> &'static [c_int] {
    &[50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 120]
}

static PTX: &[u8] = b"// compiled by the fake\n\0";

api! {
    fn nvrtcVersion(major: *mut c_int, minor: *mut c_int) { (*major, *minor) = (12, 8); }
    fn nvrtcCreateProgram(
        program: *mut *mut c_void, source: *const c_char, name: *const c_char, headers: c_int,
        texts: *const *const c_char, names: *const *const c_char,
    ) { *program = 1 as *mut c_void; }
    fn nvrtcCompileProgram(program: *mut c_void, count: c_int, options: *const *const c_char) {
        let option = CStr::from_ptr(*options).to_string_lossy();
        let arch = option.rsplit_once('_').and_then(|(_, arch)| arch.parse::<c_int>().ok());
        if !arch.is_some_and(|arch| compiled_for().contains(&arch)) { return 5; }
    }
    fn nvrtcGetNumSupportedArchs(count: *mut c_int) { *count = compiled_for().len() as c_int; }
    fn nvrtcGetSupportedArchs(archs: *mut c_int) {
        std::ptr::copy_nonoverlapping(compiled_for().as_ptr(), archs, compiled_for().len());
    }
    fn nvrtcGetCUBINSize(program: *mut c_void, size: *mut usize) { *size = 64; }
    fn nvrtcGetCUBIN(program: *mut c_void, cubin: *mut c_char) { std::ptr::write_bytes(cubin, 0x7f, 64); }
    fn nvrtcGetPTXSize(program: *mut c_void, size: *mut usize) { *size = PTX.len(); }
    fn nvrtcGetPTX(program: *mut c_void, ptx: *mut c_char) {
        std::ptr::copy_nonoverlapping(PTX.as_ptr(), ptx.cast(), PTX.len());
    }
    fn nvrtcGetProgramLogSize(program: *mut c_void, size: *mut usize) { *size = 1; }
    fn nvrtcGetProgramLog(program: *mut c_void, log: *mut c_char) { *log = 0; }
}

#[no_mangle]
pub unsafe extern "C" fn nvrtcGetErrorString(code: c_int) -> *const c_char {
    match code {
        5 => c"NVRTC_ERROR_INVALID_OPTION".as_ptr(),
        6 => c"NVRTC_ERROR_COMPILATION".as_ptr(),
        _ => c"NVRTC_ERROR unknown".as_ptr(),
    }
}

// ---------------------------------------------------------------------------------------------- libcublas

/// One element of a matrix in one of the formats of `cudaDataType_t`.
unsafe fn element(matrix: *const c_void, kind: c_int, index: usize) -> f32 {
    match kind {
        0 => *matrix.cast::<f32>().add(index),
        14 => f32::from_bits(u32::from(*matrix.cast::<u16>().add(index)) << 16),
        _ => {
            // Normal half floats only: the ladder sends small whole numbers.
            let bits = *matrix.cast::<u16>().add(index);
            let (sign, exponent, mantissa) = (bits >> 15, (bits >> 10) & 31, bits & 1023);
            if exponent == 0 {
                return 0.0;
            }
            let value = (1.0 + f32::from(mantissa) / 1024.0) * 2.0_f32.powi(i32::from(exponent) - 15);
            if sign == 1 { -value } else { value }
        }
    }
}

api! {
    fn cublasCreate_v2(handle: *mut *mut c_void) { *handle = 1 as *mut c_void; }
    fn cublasDestroy_v2(handle: *mut c_void) {}
    fn cublasGetVersion_v2(handle: *mut c_void, version: *mut c_int) {
        *version = scenario().number("cublas.version", 120_903) as c_int;
    }
    fn cublasGemmEx(
        handle: *mut c_void, ta: c_int, tb: c_int, m: c_int, n: c_int, k: c_int, alpha: *const c_void,
        a: *const c_void, a_kind: c_int, lda: c_int, b: *const c_void, b_kind: c_int, ldb: c_int, beta: *const c_void,
        c: *mut c_void, c_kind: c_int, ldc: c_int, compute: c_int, algorithm: c_int,
    ) {
        let (m, n, k) = (m as usize, n as usize, k as usize);
        let code = scenario().number(&format!("cublasGemmEx.{a_kind}.{compute}"), 0);
        if code != 0 { return code as c_int; }
        // CUDA 10 takes the number of a data type there and knows no others.
        let of_cuda_10 = scenario().number("cublas.version", 120_903) < 11_000;
        if of_cuda_10 != (compute == 0) { return 15; }
        let column_of = |matrix: *const c_void, kind, column: usize, rows: usize| -> Vec<f32> {
            (0..rows).map(|row| unsafe { element(matrix, kind, column * rows + row) }).collect()
        };
        let columns: Vec<Vec<f32>> = (0..k).map(|column| column_of(a, a_kind, column, m)).collect();
        for column in 0..n {
            let mut sums = vec![0.0_f32; m];
            for (factor, values) in column_of(b, b_kind, column, k).into_iter().zip(&columns) {
                for (sum, value) in sums.iter_mut().zip(values) {
                    *sum += factor * value;
                }
            }
            if column == 3 && scenario().is(&format!("gemm.wrong.{a_kind}")) { sums[17] += 1.0; }
            std::ptr::copy_nonoverlapping(sums.as_ptr(), c.cast::<f32>().add(column * m), m);
        }
    }
}

#[no_mangle]
pub unsafe extern "C" fn cublasGetStatusName(code: c_int) -> *const c_char {
    match code {
        1 => c"CUBLAS_STATUS_NOT_INITIALIZED".as_ptr(),
        3 => c"CUBLAS_STATUS_ALLOC_FAILED".as_ptr(),
        13 => c"CUBLAS_STATUS_EXECUTION_FAILED".as_ptr(),
        15 => c"CUBLAS_STATUS_NOT_SUPPORTED".as_ptr(),
        _ => c"CUBLAS_UNKNOWN_STATUS".as_ptr(),
    }
}

// ---------------------------------------------------------------------------------------------- libcudnn

/// A tensor (n, c, h, w) or a filter (k, c, r, s).
#[derive(Clone, Copy)]
struct Sizes([usize; 4]);

#[repr(C)]
pub struct Performance {
    algorithm: c_int,
    status: c_int,
    time: f32,
    memory: usize,
    determinism: c_int,
    math: c_int,
    reserved: [c_int; 3],
}

unsafe fn new_descriptor(place: *mut *mut c_void) {
    *place = Box::into_raw(Box::new(Sizes([0; 4]))).cast();
}

unsafe fn sizes(descriptor: *mut c_void) -> [usize; 4] {
    (*descriptor.cast::<Sizes>()).0
}

/// Two algorithms: a fast one that wants `conv.workspace` MiB, and one that wants none, unless `conv.bare=0`.
unsafe fn propose(wanted: c_int, count: *mut c_int, list: *mut Performance) {
    let workspace = mib(scenario().number("conv.workspace", 8)) as usize;
    let mut all = vec![(1, workspace)];
    if scenario().number("conv.bare", 1) != 0 {
        all.push((0, 0));
    }
    *count = all.len().min(wanted as usize) as c_int;
    for (index, (algorithm, memory)) in all.into_iter().take(wanted as usize).enumerate() {
        let one = Performance { algorithm, status: 0, time: -1.0, memory, determinism: 1, math: 0, reserved: [0; 3] };
        list.add(index).write(one);
    }
}

/// Refuses an algorithm whose workspace is missing, as the library does.
fn refuses(algorithm: c_int, bytes: usize) -> bool {
    algorithm == 1 && (bytes as u64) < mib(scenario().number("conv.workspace", 8))
}

/// Calls `each(x index, w index, y index)` for every term of a 3x3 convolution with padding 1 that `keep` wants.
fn terms(x: [usize; 4], w: [usize; 4], keep: &dyn Fn(usize) -> bool, each: &mut dyn FnMut(usize, usize, usize)) {
    let [batch, channels, rows, columns] = x;
    let filters = w[0];
    for k in 0..filters {
        for c in 0..channels {
            for r in 0..3 {
                for s in 0..3 {
                    let tap = ((k * channels + c) * 3 + r) * 3 + s;
                    if !keep(tap) {
                        continue;
                    }
                    for n in 0..batch {
                        for i in 0..rows {
                            let Some(v) = (i + r).checked_sub(1).filter(|v| *v < rows) else { continue };
                            for j in 0..columns {
                                let Some(u) = (j + s).checked_sub(1).filter(|u| *u < columns) else { continue };
                                each(
                                    ((n * channels + c) * rows + v) * columns + u,
                                    tap,
                                    ((n * filters + k) * rows + i) * columns + j,
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}

fn length(sizes: [usize; 4]) -> usize {
    sizes.iter().product()
}

api! {
    fn cudnnCreate(handle: *mut *mut c_void) { *handle = 1 as *mut c_void; }
    fn cudnnDestroy(handle: *mut c_void) {}
    fn cudnnCreateTensorDescriptor(place: *mut *mut c_void) { new_descriptor(place); }
    fn cudnnCreateFilterDescriptor(place: *mut *mut c_void) { new_descriptor(place); }
    fn cudnnCreateConvolutionDescriptor(place: *mut *mut c_void) { new_descriptor(place); }
    fn cudnnSetTensor4dDescriptor(
        tensor: *mut c_void, format: c_int, kind: c_int, n: c_int, c: c_int, h: c_int, w: c_int,
    ) { (*tensor.cast::<Sizes>()).0 = [n as usize, c as usize, h as usize, w as usize]; }
    fn cudnnSetFilter4dDescriptor(
        filter: *mut c_void, kind: c_int, format: c_int, k: c_int, c: c_int, h: c_int, w: c_int,
    ) { (*filter.cast::<Sizes>()).0 = [k as usize, c as usize, h as usize, w as usize]; }
    fn cudnnSetConvolution2dDescriptor(
        convolution: *mut c_void, ph: c_int, pw: c_int, u: c_int, v: c_int, dh: c_int, dw: c_int, mode: c_int,
        kind: c_int,
    ) {}
    fn cudnnGetConvolutionForwardAlgorithm_v7(
        handle: *mut c_void, x: *mut c_void, w: *mut c_void, conv: *mut c_void, y: *mut c_void, wanted: c_int,
        count: *mut c_int, list: *mut Performance,
    ) { propose(wanted, count, list); }
    fn cudnnGetConvolutionBackwardDataAlgorithm_v7(
        handle: *mut c_void, w: *mut c_void, dy: *mut c_void, conv: *mut c_void, dx: *mut c_void, wanted: c_int,
        count: *mut c_int, list: *mut Performance,
    ) { propose(wanted, count, list); }
    fn cudnnGetConvolutionBackwardFilterAlgorithm_v7(
        handle: *mut c_void, x: *mut c_void, dy: *mut c_void, conv: *mut c_void, dw: *mut c_void, wanted: c_int,
        count: *mut c_int, list: *mut Performance,
    ) { propose(wanted, count, list); }
    fn cudnnConvolutionForward(
        handle: *mut c_void, alpha: *const c_void, xd: *mut c_void, x: *const c_void, wd: *mut c_void,
        w: *const c_void, conv: *mut c_void, algorithm: c_int, space: *mut c_void, bytes: usize, beta: *const c_void,
        yd: *mut c_void, y: *mut c_void,
    ) {
        if refuses(algorithm, bytes) { return 3000; }
        let (x, w, y) = (x.cast::<f32>(), w.cast::<f32>(), y.cast::<f32>());
        std::ptr::write_bytes(y, 0, length(sizes(yd)));
        terms(sizes(xd), sizes(wd), &|tap| unsafe { *w.add(tap) != 0.0 }, &mut |at, tap, out| unsafe {
            *y.add(out) += *x.add(at) * *w.add(tap);
        });
    }
    fn cudnnConvolutionBackwardData(
        handle: *mut c_void, alpha: *const c_void, wd: *mut c_void, w: *const c_void, dyd: *mut c_void,
        dy: *const c_void, conv: *mut c_void, algorithm: c_int, space: *mut c_void, bytes: usize, beta: *const c_void,
        dxd: *mut c_void, dx: *mut c_void,
    ) {
        if refuses(algorithm, bytes) { return 3000; }
        let (w, dy, dx) = (w.cast::<f32>(), dy.cast::<f32>(), dx.cast::<f32>());
        std::ptr::write_bytes(dx, 0, length(sizes(dxd)));
        terms(sizes(dxd), sizes(wd), &|tap| unsafe { *w.add(tap) != 0.0 }, &mut |at, tap, out| unsafe {
            *dx.add(at) += *dy.add(out) * *w.add(tap);
        });
    }
    fn cudnnConvolutionBackwardFilter(
        handle: *mut c_void, alpha: *const c_void, xd: *mut c_void, x: *const c_void, dyd: *mut c_void,
        dy: *const c_void, conv: *mut c_void, algorithm: c_int, space: *mut c_void, bytes: usize, beta: *const c_void,
        dwd: *mut c_void, dw: *mut c_void,
    ) {
        if refuses(algorithm, bytes) { return 3000; }
        let (x, dy, dw) = (x.cast::<f32>(), dy.cast::<f32>(), dw.cast::<f32>());
        std::ptr::write_bytes(dw, 0, length(sizes(dwd)));
        let ([batch, channels, rows, columns], filters) = (sizes(xd), sizes(dwd)[0]);
        for (out, gradient) in (0..length(sizes(dyd))).map(|out| (out, *dy.add(out))).filter(|(_, value)| *value != 0.0) {
            let (j, i) = (out % columns, out / columns % rows);
            let (k, n) = (out / columns / rows % filters, out / columns / rows / filters);
            debug_assert!(n < batch);
            for (c, r, s) in (0..channels).flat_map(|c| (0..9).map(move |tap| (c, tap / 3, tap % 3))) {
                let Some(v) = (i + r).checked_sub(1).filter(|v| *v < rows) else { continue };
                let Some(u) = (j + s).checked_sub(1).filter(|u| *u < columns) else { continue };
                let tap = ((k * channels + c) * 3 + r) * 3 + s;
                *dw.add(tap) += gradient * *x.add(((n * channels + c) * rows + v) * columns + u);
            }
        }
        if scenario().is("conv.wrong") { *dw.add(5) += 1.0; }
    }
}

#[no_mangle]
pub extern "C" fn cudnnGetVersion() -> usize {
    91_002
}

#[no_mangle]
pub unsafe extern "C" fn cudnnGetErrorString(code: c_int) -> *const c_char {
    match code {
        1001 => c"CUDNN_STATUS_NOT_INITIALIZED".as_ptr(),
        3000 => c"CUDNN_STATUS_NOT_SUPPORTED".as_ptr(),
        5000 => c"CUDNN_STATUS_EXECUTION_FAILED".as_ptr(),
        _ => c"CUDNN_UNKNOWN_STATUS".as_ptr(),
    }
}

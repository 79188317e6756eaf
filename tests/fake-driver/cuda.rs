//! libcuda: contexts, memory, modules and the kernel of the fake.

use super::*;

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
        *count = scenario().text("cuDeviceGetCount.count", "").parse().unwrap_or(visible().len() as c_int);
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
        let of_nvrtc = (0..8).all(|at| unsafe { *image.cast::<u8>().add(at) == nvrtc::PTX[at] });
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

//! AMD SMI, ROCm SMI and HIP: GPUs at the PCI addresses `gpu.<n>.pci` (bus numbers), with `gpu.<n>.name`.
//!
//! `lies=1`: counts beyond any machine, names without an end, more memory used than there is.

use super::*;

const LIES: u32 = 4_000_000_000;

fn lies() -> bool {
    scenario().is("lies")
}

fn amd_name(device: usize) -> String {
    scenario().text(&format!("gpu.{device}.name"), "AMD Radeon RX 7900 XTX")
}

/// Domain 0, device 0, function 0.
fn place(device: usize) -> u64 {
    scenario().of(device, "bus", 3 + device as u64) << 8
}

fn handle(device: usize) -> *mut c_void {
    (device + 1) as *mut c_void
}

fn device_of(handle: *mut c_void) -> usize {
    (handle as usize).saturating_sub(1)
}

unsafe fn put_name(name: *mut c_char, length: usize, device: usize) {
    if lies() {
        std::ptr::write_bytes(name.cast::<u8>(), b'x', length);
    } else {
        put_text(name, length, &amd_name(device));
    }
}

unsafe fn put_memory(device: usize, total: *mut u64, used: *mut u64) {
    let free = scenario().of(device, "free", 20_000);
    let all = scenario().of(device, "total", 24_000);
    if !total.is_null() {
        *total = mib(all);
    }
    if !used.is_null() {
        *used = if lies() { u64::MAX } else { mib(all - free) };
    }
}

api! {
    fn amdsmi_init(flags: u64) {
        assert_eq!(flags, 2, "only GPUs are asked for");
    }

    fn amdsmi_get_socket_handles(count: *mut u32, places: *mut *mut c_void) {
        if lies() {
            *count = LIES;
            return 0;
        }
        if !places.is_null() {
            *places = handle(0);
        }
        *count = 1;
    }

    fn amdsmi_get_processor_handles(socket: *mut c_void, count: *mut u32, places: *mut *mut c_void) {
        if !places.is_null() {
            for device in 0..(*count as usize).min(devices() as usize) {
                *places.add(device) = handle(device);
            }
        }
        *count = devices() as u32;
    }

    fn amdsmi_get_gpu_bdf_id(device: *mut c_void, address: *mut u64) {
        *address = place(device_of(device));
    }

    fn amdsmi_get_gpu_asic_info(device: *mut c_void, info: *mut c_void) {
        // 256 bytes of name, vendor and device numbers, four more texts and numbers: 1,212 bytes and some.
        std::ptr::write_bytes(info.cast::<u8>(), 0x5a, 1212);
        put_name(info.cast(), 256, device_of(device));
    }

    fn amdsmi_get_gpu_memory_total(device: *mut c_void, kind: c_int, bytes: *mut u64) {
        put_memory(device_of(device), bytes, std::ptr::null_mut());
    }

    fn amdsmi_get_gpu_memory_usage(device: *mut c_void, kind: c_int, bytes: *mut u64) {
        put_memory(device_of(device), std::ptr::null_mut(), bytes);
    }

    fn rsmi_init(flags: u64) {}

    fn rsmi_num_monitor_devices(count: *mut u32) {
        *count = if lies() { LIES } else { devices() as u32 };
    }

    fn rsmi_dev_pci_id_get(device: u32, address: *mut u64) {
        *address = place(device as usize);
    }

    fn rsmi_dev_name_get(device: u32, name: *mut c_char, length: usize) {
        put_name(name, length, device as usize);
    }

    fn rsmi_dev_memory_total_get(device: u32, kind: c_int, bytes: *mut u64) {
        put_memory(device as usize, bytes, std::ptr::null_mut());
    }

    fn rsmi_dev_memory_usage_get(device: u32, kind: c_int, bytes: *mut u64) {
        put_memory(device as usize, std::ptr::null_mut(), bytes);
    }

    fn hipInit(flags: c_uint) {}

    fn hipRuntimeGetVersion(version: *mut c_int) {
        *version = 60_443_484;
    }

    fn hipGetDeviceCount(count: *mut c_int) {
        *count = if lies() { c_int::MAX } else { scenario().number("hip.count", devices()) as c_int };
    }

    fn hipDeviceGetPCIBusId(name: *mut c_char, length: c_int, device: c_int) {
        if lies() {
            std::ptr::write_bytes(name.cast::<u8>(), b'x', length as usize);
            return 0;
        }
        let address = place(device as usize);
        put_text(name, length as usize, &format!("0000:{:02x}:00.0", address >> 8));
    }
}

#[no_mangle]
pub unsafe extern "C" fn amdsmi_status_code_to_string(code: c_int, text: *mut *const c_char) -> c_int {
    *text = match code {
        10 => c"AMDSMI_STATUS_NO_PERM: Permission Denied".as_ptr(),
        34 => c"AMDSMI_STATUS_DRIVER_NOT_LOADED: Processor driver not loaded".as_ptr(),
        _ => c"An unknown error occurred".as_ptr(),
    };
    0
}

#[no_mangle]
pub unsafe extern "C" fn rsmi_status_string(code: c_int, text: *mut *const c_char) -> c_int {
    *text = match code {
        8 => c"RSMI_STATUS_INIT_ERROR: An error occurred during initialization".as_ptr(),
        _ => c"RSMI_STATUS_UNKNOWN_ERROR: An unknown error prevented the call".as_ptr(),
    };
    0
}

#[no_mangle]
pub unsafe extern "C" fn hipGetErrorName(code: c_int) -> *const c_char {
    match code {
        100 => c"hipErrorNoDevice".as_ptr(),
        _ => c"hipErrorUnknown".as_ptr(),
    }
}

#[no_mangle]
pub unsafe extern "C" fn hipGetErrorString(code: c_int) -> *const c_char {
    match code {
        100 => c"no ROCm-capable device is detected".as_ptr(),
        _ => c"unknown error".as_ptr(),
    }
}

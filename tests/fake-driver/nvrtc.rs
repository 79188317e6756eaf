//! libnvrtc: a compiler that knows one kernel.

use super::*;

/// The architectures of NVRTC 12.8.
fn compiled_for() -> &'static [c_int] {
    &[50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 120]
}

pub static PTX: &[u8] = b"// compiled by the fake\n\0";

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

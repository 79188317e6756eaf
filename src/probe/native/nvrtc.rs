//! NVRTC: the compiler that frameworks call at run time.

use std::ffi::{OsStr, c_char, c_int, c_void};
use std::ptr;

use libloading::Library;

use super::{Trouble, function, named, open};

/// The compiler library.
pub(in crate::probe) struct Nvrtc {
    library: &'static Library,
}

macro_rules! call {
    ($nvrtc:expr, $name:literal, ($($type:ty),*), ($($value:expr),*)) => {{
        // SAFETY: the types are those of the function in nvrtc.h.
        let found = unsafe {
            function::<unsafe extern "C" fn($($type),*) -> c_int>($nvrtc.library, concat!($name, "\0"))
        };
        match found {
            Ok(call) => {
                // SAFETY: pointers are null where null is allowed or outlive the call; handles are this library's.
                let code = unsafe { call($($value),*) };
                named($nvrtc.library, "nvrtcGetErrorString\0", $name, code)
            }
            Err(trouble) => Err(trouble),
        }
    }};
}

impl Nvrtc {
    /// Opens the library.
    pub(in crate::probe) fn open(library: &OsStr) -> Result<Self, Trouble> {
        Ok(Self { library: open(library)? })
    }

    /// Major and minor version.
    pub(in crate::probe) fn version(&self) -> Result<(i32, i32), Trouble> {
        let (mut major, mut minor) = (0, 0);
        call!(self, "nvrtcVersion", (*mut c_int, *mut c_int), (&mut major, &mut minor))?;
        Ok((major, minor))
    }

    /// The newest virtual architecture that this compiler knows and a device of that capability runs, as one number: 90
    /// for 9.0. `None` for compilers older than CUDA 11.2, which do not tell.
    pub(in crate::probe) fn newest_for(&self, major: i32, minor: i32) -> Option<i32> {
        let mut count = 0;
        call!(self, "nvrtcGetNumSupportedArchs", (*mut c_int), (&mut count)).ok()?;
        let mut archs = vec![0; usize::try_from(count).ok().filter(|count| (1..1000).contains(count))?];
        call!(self, "nvrtcGetSupportedArchs", (*mut c_int), (archs.as_mut_ptr())).ok()?;
        archs.into_iter().filter(|arch| *arch <= major * 10 + minor).max()
    }

    /// Compiles C++ for a virtual architecture; the PTX text, or the trouble with the compiler's log.
    pub(in crate::probe) fn compile(&self, source: &str, arch: i32) -> Result<Vec<u8>, (Trouble, String)> {
        let plain = |trouble| (trouble, String::new());
        let mut source = source.as_bytes().to_vec();
        source.push(0);
        let mut program: *mut c_void = ptr::null_mut();
        call!(
            self,
            "nvrtcCreateProgram",
            (*mut *mut c_void, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char),
            (&mut program, source.as_ptr().cast(), c"faultbook.cu".as_ptr(), 0, ptr::null(), ptr::null())
        )
        .map_err(plain)?;
        let option = format!("--gpu-architecture=compute_{arch}\0");
        let options = [option.as_ptr().cast::<c_char>()];
        call!(self, "nvrtcCompileProgram", (*mut c_void, c_int, *const *const c_char), (program, 1, options.as_ptr()))
            .map_err(|trouble| (trouble, self.log(program)))?;
        let mut size = 0;
        call!(self, "nvrtcGetPTXSize", (*mut c_void, *mut usize), (program, &mut size)).map_err(plain)?;
        let mut ptx = vec![0_u8; size];
        call!(self, "nvrtcGetPTX", (*mut c_void, *mut c_char), (program, ptx.as_mut_ptr().cast())).map_err(plain)?;
        while ptx.last() == Some(&0) {
            ptx.pop();
        }
        // The program is left to the end of the process.
        Ok(ptx)
    }

    fn log(&self, program: *mut c_void) -> String {
        let mut size = 0;
        if call!(self, "nvrtcGetProgramLogSize", (*mut c_void, *mut usize), (program, &mut size)).is_err() {
            return String::new();
        }
        let mut log = vec![0_u8; size.min(1 << 20)];
        if size > log.len()
            || call!(self, "nvrtcGetProgramLog", (*mut c_void, *mut c_char), (program, log.as_mut_ptr().cast()))
                .is_err()
        {
            return String::new();
        }
        String::from_utf8_lossy(&log).trim_end_matches('\0').trim().to_owned()
    }
}

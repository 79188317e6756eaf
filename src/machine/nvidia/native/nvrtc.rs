//! NVRTC: the compiler that frameworks call at run time.

use std::ffi::{OsStr, c_char, c_int, c_void};
use std::ptr;

use libloading::Library;

use crate::machine::native::{Trouble, function, named, open};

/// The compiler library.
pub(in crate::machine) struct Nvrtc {
    library: &'static Library,
}

/// What is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine) enum Target {
    /// Code of that very device.
    Device(i32),
    /// PTX text, which the driver compiles.
    Virtual(i32),
}

impl std::fmt::Display for Target {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Target::Device(arch) => write!(out, "sm_{arch}"),
            Target::Virtual(arch) => write!(out, "compute_{arch}"),
        }
    }
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
    pub(in crate::machine) fn open(library: &OsStr) -> Result<Self, Trouble> {
        Ok(Self { library: open(library)? })
    }

    /// Major and minor version.
    pub(in crate::machine) fn version(&self) -> Result<(i32, i32), Trouble> {
        let (mut major, mut minor) = (0, 0);
        call!(self, "nvrtcVersion", (*mut c_int, *mut c_int), (&mut major, &mut minor))?;
        Ok((major, minor))
    }

    /// What frameworks compile for on a device of that capability: code of its own where the compiler knows it, which
    /// drivers older than the compiler load too, else the newest PTX that the device runs.
    pub(in crate::machine) fn target(&self, major: i32, minor: i32) -> Target {
        let own = major * 10 + minor;
        let archs = self.architectures().unwrap_or_default();
        match archs.into_iter().filter(|arch| *arch <= own).max() {
            Some(arch) if arch == own => Target::Device(own),
            newest => Target::Virtual(newest.unwrap_or(own)),
        }
    }

    /// The architectures that it compiles for, 90 for 9.0; compilers older than CUDA 11.2 do not tell.
    fn architectures(&self) -> Option<Vec<c_int>> {
        let mut count = 0;
        call!(self, "nvrtcGetNumSupportedArchs", (*mut c_int), (&mut count)).ok()?;
        let mut archs = vec![0; usize::try_from(count).ok().filter(|count| (1..1000).contains(count))?];
        call!(self, "nvrtcGetSupportedArchs", (*mut c_int), (archs.as_mut_ptr())).ok()?;
        Some(archs)
    }

    /// Compiles C++ for a target; its image, or the trouble with the compiler's log.
    pub(in crate::machine) fn compile(&self, source: &str, target: Target) -> Result<Vec<u8>, (Trouble, String)> {
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
        let option = format!("--gpu-architecture={target}\0");
        let options = [option.as_ptr().cast::<c_char>()];
        call!(self, "nvrtcCompileProgram", (*mut c_void, c_int, *const *const c_char), (program, 1, options.as_ptr()))
            .map_err(|trouble| (trouble, self.log(program)))?;
        // The program is left to the end of the process.
        self.image(program, target).map_err(plain)
    }

    fn image(&self, program: *mut c_void, target: Target) -> Result<Vec<u8>, Trouble> {
        let mut size = 0;
        if let Target::Device(_) = target {
            call!(self, "nvrtcGetCUBINSize", (*mut c_void, *mut usize), (program, &mut size))?;
            let mut cubin = vec![0_u8; size];
            call!(self, "nvrtcGetCUBIN", (*mut c_void, *mut c_char), (program, cubin.as_mut_ptr().cast()))?;
            return Ok(cubin);
        }
        call!(self, "nvrtcGetPTXSize", (*mut c_void, *mut usize), (program, &mut size))?;
        let mut ptx = vec![0_u8; size];
        call!(self, "nvrtcGetPTX", (*mut c_void, *mut c_char), (program, ptx.as_mut_ptr().cast()))?;
        while ptx.last() == Some(&0) {
            ptx.pop();
        }
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

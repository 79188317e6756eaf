//! Opens the vendors' libraries and calls their functions. This file and the vendors' `native` folders are the only
//! places in the program with `unsafe`.
//!
//! Runs only inside a child process (see `super::child`), because these libraries hang and crash in the very cases that
//! we diagnose. Status codes stay integers: a driver may return one that no binding knows, and converting that into a
//! Rust enum would be undefined behaviour. The functions exported to the rest of the probe are safe to call.
#![expect(unsafe_code, reason = "foreign functions; every block says why it is sound")]

/// Calls a library function with the types of its header, where status codes are named; enums are ints there.
macro_rules! status_call {
    ($names:literal, $library:expr, $name:literal, ($($type:ty),*), ($($value:expr),*)) => {{
        // SAFETY: the types are those of the function in the library's header.
        let found = unsafe {
            function::<unsafe extern "C" fn($($type),*) -> c_int>($library, concat!($name, "\0"))
        };
        match found {
            Ok(call) => {
                // SAFETY: pointers outlive the call; sizes were checked by the caller; handles are this library's.
                let code = unsafe { call($($value),*) };
                named($library, concat!($names, "\0"), $name, code)
            }
            Err(trouble) => Err(trouble),
        }
    }};
}

use std::ffi::{CStr, OsStr, c_char, c_int};

use libloading::{Library, Symbol};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CallError {
    /// The library could not be opened.
    NotLoaded(String),
    /// The library has no such function.
    Missing(&'static str),
    Status {
        call: &'static str,
        code: i32,
        /// The library's name for the status.
        name: Option<String>,
        /// The library's message for the status.
        says: Option<String>,
    },
}

impl CallError {
    pub(super) fn code(&self) -> Option<i32> {
        match self {
            CallError::Status { code, .. } => Some(*code),
            _ => None,
        }
    }

    /// A word for conditions: the name of the status, if it has one.
    pub(super) fn word(&self) -> String {
        match self {
            CallError::NotLoaded(_) => "cannot load library".to_owned(),
            CallError::Missing(name) => format!("no {name}"),
            CallError::Status { name: Some(name), .. } => name.clone(),
            CallError::Status { code, name: None, .. } => format!("unknown code {code}"),
        }
    }

    pub(super) fn says(&self) -> String {
        match self {
            CallError::NotLoaded(why) => format!("the library cannot be loaded: {why}"),
            CallError::Missing(name) => format!("the library has no function {name}"),
            CallError::Status { call, code, name, says } => {
                let name = name.as_deref().unwrap_or("a code for which the library has no name");
                match says {
                    Some(says) => format!("{call} returned {code} ({name}): {says}"),
                    None => format!("{call} returned {code} ({name})"),
                }
            }
        }
    }
}

/// Opens a library by path or name and never closes it: threads that it started may still run in it, and frameworks do
/// not close it either.
pub(super) fn open(library: &OsStr) -> Result<&'static Library, CallError> {
    // SAFETY: loading runs the initialisers of a library that the user's framework loads too, in a process that does
    // nothing else and may crash.
    let library = unsafe { Library::new(library) }.map_err(|error| CallError::NotLoaded(error.to_string()))?;
    Ok(Box::leak(Box::new(library)))
}

/// Ends the process immediately, without destructors or exit handlers of libraries: those of a broken driver hang or
/// crash, and all results have been written.
pub(crate) fn leave(code: u8) -> ! {
    unsafe extern "C" {
        fn _exit(code: c_int) -> !;
    }
    // SAFETY: `void _exit(int)` of every C library; takes any number.
    unsafe { _exit(c_int::from(code)) }
}

/// Looks up a function; `name` ends with a NUL.
///
/// # Safety
/// `F` must be the type of that function in the library's C header.
pub(super) unsafe fn function<'l, F>(library: &'l Library, name: &'static str) -> Result<Symbol<'l, F>, CallError> {
    // SAFETY: the caller vouches for the type.
    unsafe { library.get::<F>(name.as_bytes()) }.map_err(|_| CallError::Missing(name.trim_end_matches('\0')))
}

/// A C string of the library as text; `None` for a null pointer.
///
/// # Safety
/// `text` must be null or point to a NUL-terminated string that lives during the call.
pub(super) unsafe fn text_at(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: as the caller promises.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// The status of a call of cuBLAS, cuDNN or NVRTC, named by a function of the library that takes the status.
pub(super) fn named(library: &Library, namer: &'static str, call: &'static str, code: c_int) -> Result<(), CallError> {
    if code == 0 {
        return Ok(());
    }
    // SAFETY: `const char* f(status)` in cublas_api.h, cudnn.h and nvrtc.h alike.
    let name = unsafe { function::<unsafe extern "C" fn(c_int) -> *const c_char>(library, namer) }.ok().and_then(|f| {
        // SAFETY: these functions take any integer and return a static string.
        unsafe { text_at(f(code)) }
    });
    // CUBLAS_UNKNOWN_STATUS, CUDNN_UNKNOWN_STATUS, "NVRTC_ERROR unknown": no names.
    let name = name.filter(|name| !name.contains("UNKNOWN_STATUS") && !name.ends_with(" unknown"));
    Err(CallError::Status { call, code, name, says: None })
}

//! Opening the vendors' libraries and calling their functions. With the vendors' own `native` folders this is the one
//! place of the program with `unsafe`.
//!
//! Runs only inside a child process (see `super::child`): these libraries hang and crash in the cases we are asked
//! about. Status codes stay integers, because a driver may return one that no binding knows, and turning that into a
//! Rust enum would be undefined behaviour. What is exported to the rest of the probe is safe to call.
#![expect(unsafe_code, reason = "foreign functions; every block says why it is sound")]

/// Calls a function of a library whose status codes have names, by the types of its header; enums are ints there.
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

/// Why a call gave no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The library could not be opened.
    NotLoaded(String),
    /// The library has no such function.
    Missing(&'static str),
    /// The function returned that status.
    Status {
        /// The function.
        call: &'static str,
        /// The status as returned.
        code: i32,
        /// The library's own name for it.
        name: Option<String>,
        /// The library's own sentence for it.
        says: Option<String>,
    },
}

impl Trouble {
    /// The status code, where there is one.
    pub(super) fn code(&self) -> Option<i32> {
        match self {
            Trouble::Status { code, .. } => Some(*code),
            _ => None,
        }
    }

    /// As one word for conditions: the name of the status where it has one.
    pub(super) fn word(&self) -> String {
        match self {
            Trouble::NotLoaded(_) => "library not loadable".to_owned(),
            Trouble::Missing(name) => format!("no {name}"),
            Trouble::Status { name: Some(name), .. } => name.clone(),
            Trouble::Status { code, name: None, .. } => format!("unknown code {code}"),
        }
    }

    /// In words.
    pub(super) fn says(&self) -> String {
        match self {
            Trouble::NotLoaded(why) => format!("the library cannot be loaded: {why}"),
            Trouble::Missing(name) => format!("the library has no function {name}"),
            Trouble::Status { call, code, name, says } => {
                let name = name.as_deref().unwrap_or("a code that the library itself does not name");
                match says {
                    Some(says) => format!("{call} returned {code} ({name}): {says}"),
                    None => format!("{call} returned {code} ({name})"),
                }
            }
        }
    }
}

/// Opens a library by path or by name, for the rest of the process: threads that it started may still run in it, and
/// frameworks never close it either.
pub(super) fn open(library: &OsStr) -> Result<&'static Library, Trouble> {
    // SAFETY: loading runs the initialisers of a library that the user's own framework loads, in a process that does
    // nothing else and may die of it.
    let library = unsafe { Library::new(library) }.map_err(|error| Trouble::NotLoaded(error.to_string()))?;
    Ok(Box::leak(Box::new(library)))
}

/// Ends the process on the spot: no destructor and no exit handler of a library runs, since those of a broken driver
/// hang or crash, and everything was said.
pub fn leave(code: u8) -> ! {
    unsafe extern "C" {
        fn _exit(code: c_int) -> !;
    }
    // SAFETY: `void _exit(int)` of every C library; takes any number.
    unsafe { _exit(c_int::from(code)) }
}

/// Looks a function up; `name` ends with a NUL.
///
/// # Safety
/// `F` must be the type of that function in the library's C header.
pub(super) unsafe fn function<'l, F>(library: &'l Library, name: &'static str) -> Result<Symbol<'l, F>, Trouble> {
    // SAFETY: the caller vouches for the type.
    unsafe { library.get::<F>(name.as_bytes()) }.map_err(|_| Trouble::Missing(name.trim_end_matches('\0')))
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
pub(super) fn named(library: &Library, namer: &'static str, call: &'static str, code: c_int) -> Result<(), Trouble> {
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
    Err(Trouble::Status { call, code, name, says: None })
}

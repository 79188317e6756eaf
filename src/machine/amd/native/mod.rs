//! Calls into AMD's libraries: AMD SMI, its predecessor ROCm SMI, and HIP's initialisation. Only functions whose
//! arguments are numbers, pointers to numbers and buffers of characters are called, or whose structs begin with the text
//! that is read: AMD changes the rest of them between releases.
#![expect(unsafe_code, reason = "foreign functions; every block says why it is sound")]

/// Looks a function up and calls it; a status other than 0 becomes an error, named by the given closure.
macro_rules! call {
    ($namer:expr, $library:expr, $name:literal, ($($type:ty),*), ($($value:expr),*)) => {{
        // SAFETY: the types are those of the function in the library's header.
        let found = unsafe {
            function::<unsafe extern "C" fn($($type),*) -> c_int>($library, concat!($name, "\0"))
        };
        match found {
            Ok(call) => {
                // SAFETY: pointers outlive the call; sizes are those of the buffers; handles are this library's.
                let code = unsafe { call($($value),*) };
                if code == 0 { Ok(()) } else { Err($namer($library, $name, code)) }
            }
            Err(trouble) => Err(trouble),
        }
    }};
}

pub(in crate::machine) mod amd_smi;
pub(in crate::machine) mod hip;
pub(in crate::machine) mod rocm_smi;

use std::ffi::{c_char, c_int};

use libloading::Library;

use crate::machine::native::{CallError, function, text_at};

/// More devices than a machine has: a library that counts more is not believed.
pub(super) const MOST: usize = 256;

/// What a management library knows of the machine's GPUs.
pub(in crate::machine) trait Smi {
    /// The number of devices.
    fn count(&self) -> u32;
    /// Domain in the upper half; bus, device and function in the low 16 bits.
    fn address(&self, device: u32) -> Result<u64, CallError>;
    fn name(&self, device: u32) -> Result<String, CallError>;
    /// Total and used bytes.
    fn memory(&self, device: u32) -> Result<(u64, u64), CallError>;
}

/// A status with the sentence of a function `status f(status, const char**)`.
fn described(library: &Library, teller: &'static str, call: &'static str, code: c_int) -> CallError {
    type Teller = unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int;
    let mut text = std::ptr::null();
    // SAFETY: both libraries' headers declare the function so.
    let says = unsafe { function::<Teller>(library, teller) }.ok().and_then(|tell| {
        // SAFETY: takes any number; `text` outlives the call and then points to a static string, or stays null.
        let status = unsafe { tell(code, &mut text) };
        // SAFETY: as above.
        if status == 0 { unsafe { text_at(text) } } else { None }
    });
    // "AMDSMI_STATUS_NO_PERM - Permission Denied" has both parts.
    let name = says.as_deref().and_then(|says| says.split_once(':').or_else(|| says.split_once(" - ")));
    let name = name.map(|(name, _)| name.trim().to_owned()).filter(|name| name.contains("STATUS"));
    CallError::Status { call, code, name, says }
}

/// The text at the beginning of a buffer that a library filled; it may have forgotten the final NUL.
fn text_in(buffer: &[u8]) -> String {
    let text = buffer.split(|byte| *byte == 0).next().unwrap_or_default();
    let text: String = String::from_utf8_lossy(text).chars().filter(|c| !c.is_control()).take(120).collect();
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::text_in;

    #[test]
    fn texts_without_an_end_or_a_letter() {
        assert_eq!(text_in(b"AMD Radeon\0garbage"), "AMD Radeon");
        assert_eq!(text_in(&[b'x'; 400]).len(), 120);
        assert_eq!(text_in(b" \x1b[2J\xff\0"), "[2J\u{fffd}");
        assert_eq!(text_in(b""), "");
    }
}

//! A fake of the vendors' libraries for tests, in one file: libcuda, libnvidia-ml, libcublas, libcudnn and libnvrtc;
//! libamd_smi, librocm_smi64 and libamdhip64. Compiled by the tests with `rustc`, found by the product only through the
//! LD_LIBRARY_PATH that a test sets.
//!
//! A scenario file, named by FAULTBOOK_FAKE, holds `key=value` lines. Every function first looks up its own name:
//! `cuInit=803` returns that status, `cuInit.sleep=30` hangs, `cuInit.abort=1` dies, `cuInit.do=daemon` does what `hostile` knows. Device memory is host memory, so
//! that copies, the kernel, products and convolutions are computed for real and can be made wrong on purpose.
//! FAULTBOOK_FAKE_TRACE names a file that gets the name of every call.
#![allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)]

use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_uint, c_void, CStr};
use std::io::Write;
use std::sync::{Mutex, OnceLock};


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
    if let Some(word) = scenario.0.get(&format!("{name}.do")) {
        hostile::act(word);
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
    let unterminated = ["cuDeviceGetName", "nvmlSystemGetDriverVersion"];
    if unterminated.iter().any(|name| scenario().is(&format!("{name}.unterminated"))) {
        std::ptr::write_bytes(place.cast::<u8>(), b'A', length);
        return;
    }
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

// After the macro that they use.
mod amd;
mod cublas;
mod cuda;
mod cudnn;
mod hostile;
mod nvml;
mod nvrtc;

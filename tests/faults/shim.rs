//! A library that makes system calls fail, loaded before the C library (LD_PRELOAD). Compiled by the tests with `rustc`.
//!
//! Counts the calls that change files below FAULTS_UNDER. FAULTS_AT is the number of the call, from 1, at which
//! FAULTS_HOW happens: `kill` ends the process before the call, `cut` after half of a write, `full` lets this and every later
//! write or creation fail for want of space, `quota` likewise, `error` lets only this call fail. FAULTS_COUNT names a
//! file that gets a letter for each call.
#![allow(clippy::missing_safety_doc)]

use std::ffi::{c_char, c_int, c_uint, c_void, CStr, OsStr};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::OnceLock;

extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn __errno_location() -> *mut c_int;
    fn kill(pid: c_int, signal: c_int) -> c_int;
    fn getpid() -> c_int;
    fn readlink(path: *const c_char, to: *mut c_char, size: usize) -> isize;
}

const NEXT: *mut c_void = -1_isize as *mut c_void;
const O_ACCMODE: c_int = 3;
const O_CREAT: c_int = 0o100;
const O_TRUNC: c_int = 0o1000;
const AT_FDCWD: c_int = -100;
const EIO: c_int = 5;
const ENOSPC: c_int = 28;
const EDQUOT: c_int = 122;
const SIGKILL: c_int = 9;

struct Plan {
    under: Option<PathBuf>,
    at: usize,
    how: String,
    count: Option<*const c_char>,
}

unsafe impl Send for Plan {}
unsafe impl Sync for Plan {}

static CALLS: AtomicUsize = AtomicUsize::new(0);

fn plan() -> &'static Plan {
    static PLAN: OnceLock<Plan> = OnceLock::new();
    PLAN.get_or_init(|| {
        let text = |name: &str| std::env::var(name).unwrap_or_default();
        let count = std::env::var_os("FAULTS_COUNT").map(|name| {
            let mut bytes = name.into_vec();
            bytes.push(0);
            &*bytes.leak() as *const [u8] as *const c_char
        });
        Plan {
            under: std::env::var_os("FAULTS_UNDER").map(PathBuf::from),
            at: text("FAULTS_AT").parse().unwrap_or(0),
            how: text("FAULTS_HOW"),
            count,
        }
    })
}

/// Whether a path is below the folder in question.
fn concerns(path: &Path) -> bool {
    let Some(under) = &plan().under else { return false };
    let mut whole = if path.is_absolute() { PathBuf::new() } else { std::env::current_dir().unwrap_or_default() };
    for part in path.components() {
        match part {
            Component::ParentDir => {
                whole.pop();
            }
            Component::CurDir => {}
            other => whole.push(other),
        }
    }
    whole.starts_with(under)
}

unsafe fn concerns_at(folder: c_int, path: *const c_char) -> bool {
    let path = Path::new(OsStr::from_bytes(CStr::from_ptr(path).to_bytes()));
    if path.is_absolute() || folder == AT_FDCWD {
        return concerns(path);
    }
    name_of(folder).is_some_and(|folder| concerns(&folder.join(path)))
}

unsafe fn name_of(fd: c_int) -> Option<PathBuf> {
    let link = format!("/proc/self/fd/{fd}\0");
    let mut to = [0_u8; 4096];
    let length = readlink(link.as_ptr().cast(), to.as_mut_ptr().cast(), to.len());
    let bytes = to.get(..usize::try_from(length).ok()?)?;
    bytes.starts_with(b"/").then(|| PathBuf::from(OsStr::from_bytes(bytes)))
}

unsafe fn concerns_fd(fd: c_int) -> bool {
    fd > 2 && name_of(fd).is_some_and(|path| concerns(&path))
}

/// What happens to a call.
enum Fate {
    Runs,
    Fails(c_int),
    /// Half of a write, then death.
    Half,
}

/// `grows`: whether the call needs space.
unsafe fn fate(letter: u8, grows: bool) -> Fate {
    let plan = plan();
    let number = CALLS.fetch_add(1, Ordering::SeqCst) + 1;
    if let Some(file) = plan.count {
        let fd = real::open(file, 1 | 0o2000 | O_CREAT, 0o644);
        real::write(fd, [letter].as_ptr().cast(), 1);
        real::close(fd);
    }
    if plan.at == 0 || number < plan.at {
        return Fate::Runs;
    }
    match (plan.how.as_str(), number == plan.at) {
        ("kill", true) => die(),
        ("cut", true) if letter == b'w' => Fate::Half,
        ("cut", true) => die(),
        ("full", _) if grows => Fate::Fails(ENOSPC),
        ("quota", _) if grows => Fate::Fails(EDQUOT),
        ("error", true) => Fate::Fails(EIO),
        _ => Fate::Runs,
    }
}

unsafe fn die() -> Fate {
    kill(getpid(), SIGKILL);
    loop {
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
}

/// The functions of the C library.
mod real {
    use super::*;
    macro_rules! real {
        ($($symbol:literal fn $name:ident($($arg:ident: $type:ty),*) -> $out:ty;)*) => {$(
            pub(super) unsafe fn $name($($arg: $type),*) -> $out {
                static ADDRESS: OnceLock<usize> = OnceLock::new();
                let address = *ADDRESS.get_or_init(|| dlsym(NEXT, concat!($symbol, "\0").as_ptr().cast()) as usize);
                let function: unsafe extern "C" fn($($type),*) -> $out = std::mem::transmute(address);
                function($($arg),*)
            }
        )*};
    }
    real! {
        "open64" fn open(path: *const c_char, flags: c_int, mode: c_uint) -> c_int;
        "openat64" fn openat(folder: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> c_int;
        "write" fn write(fd: c_int, bytes: *const c_void, count: usize) -> isize;
        "writev" fn writev(fd: c_int, parts: *const c_void, count: c_int) -> isize;
        "close" fn close(fd: c_int) -> c_int;
        "fsync" fn fsync(fd: c_int) -> c_int;
        "fdatasync" fn fdatasync(fd: c_int) -> c_int;
        "ftruncate64" fn ftruncate(fd: c_int, length: i64) -> c_int;
        "rename" fn rename(from: *const c_char, to: *const c_char) -> c_int;
        "linkat" fn linkat(a: c_int, from: *const c_char, b: c_int, to: *const c_char, flags: c_int) -> c_int;
        "link" fn link(from: *const c_char, to: *const c_char) -> c_int;
        "unlink" fn unlink(path: *const c_char) -> c_int;
        "unlinkat" fn unlinkat(folder: c_int, path: *const c_char, flags: c_int) -> c_int;
        "mkdir" fn mkdir(path: *const c_char, mode: c_uint) -> c_int;
        "fchmod" fn fchmod(fd: c_int, mode: c_uint) -> c_int;
    }
}

unsafe fn failed(code: c_int) -> c_int {
    *__errno_location() = code;
    -1
}

macro_rules! shim {
    ($($letter:literal $grows:literal fn $name:ident($($arg:ident: $type:ty),*) as $real:ident if $concerns:expr;)*) => {$(
        #[no_mangle]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> c_int {
            if $concerns {
                if let Fate::Fails(code) = fate($letter, $grows) {
                    return failed(code);
                }
            }
            real::$real($($arg),*)
        }
    )*};
}

/// Whether an opening changes the file.
fn changes(flags: c_int) -> bool {
    flags & O_ACCMODE != 0 && flags & (O_CREAT | O_TRUNC) != 0
}

shim! {
    b'o' true fn open(path: *const c_char, flags: c_int, mode: c_uint) as open if changes(flags) && concerns_at(AT_FDCWD, path);
    b'o' true fn open64(path: *const c_char, flags: c_int, mode: c_uint) as open if changes(flags) && concerns_at(AT_FDCWD, path);
    b'o' true fn openat(folder: c_int, path: *const c_char, flags: c_int, mode: c_uint) as openat if changes(flags) && concerns_at(folder, path);
    b'o' true fn openat64(folder: c_int, path: *const c_char, flags: c_int, mode: c_uint) as openat if changes(flags) && concerns_at(folder, path);
    b's' false fn fsync(fd: c_int) as fsync if concerns_fd(fd);
    b's' false fn fdatasync(fd: c_int) as fdatasync if concerns_fd(fd);
    b't' true fn ftruncate(fd: c_int, length: i64) as ftruncate if concerns_fd(fd);
    b't' true fn ftruncate64(fd: c_int, length: i64) as ftruncate if concerns_fd(fd);
    b'c' false fn fchmod(fd: c_int, mode: c_uint) as fchmod if concerns_fd(fd);
    b'r' false fn rename(from: *const c_char, to: *const c_char) as rename if concerns_at(AT_FDCWD, to);
    b'l' true fn linkat(a: c_int, from: *const c_char, b: c_int, to: *const c_char, flags: c_int) as linkat if concerns_at(b, to);
    b'l' true fn link(from: *const c_char, to: *const c_char) as link if concerns_at(AT_FDCWD, to);
    b'u' false fn unlink(path: *const c_char) as unlink if concerns_at(AT_FDCWD, path);
    b'u' false fn unlinkat(folder: c_int, path: *const c_char, flags: c_int) as unlinkat if concerns_at(folder, path);
    b'm' true fn mkdir(path: *const c_char, mode: c_uint) as mkdir if concerns_at(AT_FDCWD, path);
}

#[no_mangle]
pub unsafe extern "C" fn write(fd: c_int, bytes: *const c_void, count: usize) -> isize {
    if concerns_fd(fd) {
        match fate(b'w', true) {
            Fate::Fails(code) => return failed(code) as isize,
            Fate::Half => {
                real::write(fd, bytes, count / 2);
                die();
            }
            Fate::Runs => {}
        }
    }
    real::write(fd, bytes, count)
}

#[no_mangle]
pub unsafe extern "C" fn writev(fd: c_int, parts: *const c_void, count: c_int) -> isize {
    if concerns_fd(fd) {
        if let Fate::Fails(code) = fate(b'w', true) {
            return failed(code) as isize;
        }
    }
    real::writev(fd, parts, count)
}

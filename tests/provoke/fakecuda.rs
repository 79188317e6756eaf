//! A pretend GPU for provoking failures without one: std only, built in a blink:
//!
//!     rustc --edition 2021 -O --crate-type cdylib -C panic=abort fakecuda.rs -o libfakecuda.so
//!
//! Preloaded (LD_PRELOAD), it answers the CUDA runtime, cuBLAS, cuDNN and NCCL calls of an unmodified PyTorch;
//! linked as libcuda.so.1 it answers the driver calls of Numba (and cuInit for every static CUDA runtime).
//! Device memory is lazily mapped host memory with a limit, kernels do nothing, and every word that comes out is
//! the framework's own. Nothing here is ever part of the product.
//!
//! Environment, read at every call, so that a program can change it on its way:
//!     FAKE_GPU    total=80 (GiB) others=0 (GiB held by other processes) devices=1 sm=90 name=... mps=132
//!                 holders=20+15.5 (GiB of each of them, as NVML lists them)
//!     FAKE_FAULTS comma list of  function=code  function=code@n (from its n-th call on)  kernel=code@n (told only
//!                 by the next synchronising call, as a real asynchronous error)  kernel:part=code (kernels whose
//!                 name has that part)  ncclAllReduce=hang@n (the device makes no progress from then on)
//!     FAKE_TRACE  any value: names of the calls on standard error
use std::collections::{BTreeMap, HashMap};
use std::ffi::{c_char, c_int, c_uint, c_void, CStr};
use std::sync::atomic::{AtomicI32, Ordering::SeqCst};
use std::sync::{Mutex, OnceLock};

type P = *mut c_void;
extern "C" {
    fn mmap(a: P, n: usize, prot: c_int, flags: c_int, fd: c_int, off: i64) -> P;
    fn munmap(a: P, n: usize) -> c_int;
    fn getenv(name: *const c_char) -> *const c_char;
    fn dlsym(handle: P, name: *const c_char) -> P;
    fn dladdr(addr: P, info: *mut DlInfo) -> c_int;
    fn dlopen(name: *const c_char, flags: c_int) -> P;
}
#[repr(C)]
struct DlInfo { file: *const c_char, base: P, sym: *const c_char, addr: P }

static LAST: AtomicI32 = AtomicI32::new(0);
static STICKY: AtomicI32 = AtomicI32::new(0);
static PENDING: AtomicI32 = AtomicI32::new(0);
static HANG: AtomicI32 = AtomicI32::new(0);
static DEVICE: AtomicI32 = AtomicI32::new(0);
static CALLS: OnceLock<Mutex<HashMap<String, u64>>> = OnceLock::new();
static MEMORY: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());
static PINNED: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());
static KERNELS: OnceLock<Mutex<HashMap<usize, usize>>> = OnceLock::new();

fn env(name: &CStr) -> &'static str {
    let p = unsafe { getenv(name.as_ptr()) };
    if p.is_null() { "" } else { unsafe { CStr::from_ptr(p) }.to_str().unwrap_or("") }
}
fn setting(name: &str) -> Option<&'static str> {
    env(c"FAKE_GPU").split_whitespace().find_map(|s| s.split_once('=').filter(|(k, _)| *k == name)).map(|(_, v)| v)
}
fn number(name: &str, default: f64) -> f64 { setting(name).and_then(|v| v.parse().ok()).unwrap_or(default) }
fn gib(name: &str, default: f64) -> usize { (number(name, default) * (1u64 << 30) as f64) as usize }

/// What the environment wants of this call: a code, or None.
fn rule(name: &str) -> Option<i32> {
    if !env(c"FAKE_TRACE").is_empty() { eprintln!("[fake] {name}"); }
    let faults = env(c"FAKE_FAULTS");
    if !faults.contains(name) { return None; }
    let mut calls = CALLS.get_or_init(Default::default).lock().unwrap();
    let n = calls.entry(name.to_string()).or_insert(0);
    *n += 1;
    faults.split(',').find_map(|item| {
        let (what, code) = item.trim().split_once('=')?;
        let (code, from) = code.split_once('@').unwrap_or((code, "1"));
        (what == name && *n >= from.parse().unwrap_or(1)).then(|| if code == "hang" { -1 } else { code.parse().unwrap_or(0) })
    })
}
fn fail(code: i32) -> i32 {
    if code == 0 { return 0; }
    if matches!(code, 214 | 700 | 702 | 709..=719) { STICKY.store(code, SeqCst); }
    LAST.store(code, SeqCst);
    code
}
/// Every runtime call passes here: a sticky error stays.
fn gate(name: &str) -> i32 {
    if let Some(code) = rule(name) {
        if code == -1 { HANG.store(1, SeqCst); return 0; }
        return fail(code);
    }
    match STICKY.load(SeqCst) { 0 => 0, code => { LAST.store(code, SeqCst); code } }
}
/// A call that waits for the device also tells its pending error.
fn sync(name: &str) -> i32 {
    let code = gate(name);
    if code != 0 { return code; }
    while HANG.load(SeqCst) != 0 { std::thread::sleep(std::time::Duration::from_millis(50)); }
    fail(PENDING.swap(0, SeqCst))
}
fn put(p: P, v: usize) { if !p.is_null() { unsafe { *(p as *mut usize) = v } } }
fn puti(p: P, v: i32) { if !p.is_null() { unsafe { *(p as *mut i32) = v } } }
/// An opaque handle: zeroed memory, so that a real function that looks into it finds nothing rather than a hole.
fn handle(p: P) { put(p, Box::leak(Box::new([0u64; 4096])).as_ptr() as usize) }

macro_rules! plain { ($($name:ident),* $(,)?) => { $(#[no_mangle] pub extern "C" fn $name() -> c_int { gate(stringify!($name)) })* } }
macro_rules! waits { ($($name:ident),* $(,)?) => { $(#[no_mangle] pub extern "C" fn $name() -> c_int { sync(stringify!($name)) })* } }
macro_rules! makes { ($($name:ident),* $(,)?) => { $(#[no_mangle] pub extern "C" fn $name(p: P) -> c_int {
    let code = gate(stringify!($name)); if code == 0 { handle(p) } code })* } }
/// Library calls (cuBLAS, cuDNN, NCCL): their codes are their own, not CUDA's.
macro_rules! library { ($($name:ident),* $(,)?) => { $(#[no_mangle] pub extern "C" fn $name() -> c_int { other(stringify!($name)) })* } }
macro_rules! library_makes { ($($name:ident),* $(,)?) => { $(#[no_mangle] pub extern "C" fn $name(p: P) -> c_int {
    let code = other(stringify!($name)); if code == 0 { handle(p) } code })* } }
fn other(name: &str) -> i32 {
    match rule(name) { Some(-1) => { HANG.store(1, SeqCst); 0 } Some(code) => code, None => 0 }
}

// --- runtime: devices ---
#[no_mangle] pub extern "C" fn cudaGetDeviceCount(p: P) -> c_int {
    let code = gate("cudaGetDeviceCount"); puti(p, if code == 0 { number("devices", 1.0) as i32 } else { 0 }); code
}
#[no_mangle] pub extern "C" fn cudaGetDevice(p: P) -> c_int { puti(p, DEVICE.load(SeqCst)); gate("cudaGetDevice") }
#[no_mangle] pub extern "C" fn cudaSetDevice(d: c_int) -> c_int {
    if d >= number("devices", 1.0) as i32 || d < 0 { return fail(101); }
    DEVICE.store(d, SeqCst); gate("cudaSetDevice")
}
#[no_mangle] pub extern "C" fn cudaGetLastError() -> c_int {
    rule("cudaGetLastError").map(fail); let last = LAST.load(SeqCst); LAST.store(STICKY.load(SeqCst), SeqCst); last
}
#[no_mangle] pub extern "C" fn cudaPeekAtLastError() -> c_int { LAST.load(SeqCst) }
#[no_mangle] pub extern "C" fn cudaDriverGetVersion(p: P) -> c_int { puti(p, number("driver", 13020.0) as i32); gate("cudaDriverGetVersion") }
fn properties(p: *mut u8, modern: bool, size: usize) {
    let set4 = |o: usize, v: i32| unsafe { *(p.add(o) as *mut i32) = v };
    let set8 = |o: usize, v: usize| unsafe { *(p.add(o) as *mut usize) = v };
    unsafe { std::ptr::write_bytes(p, 0, size) };
    let name = setting("name").unwrap_or("NVIDIA_H100_80GB_HBM3").replace('_', " ");
    unsafe { std::ptr::copy_nonoverlapping(name.as_ptr(), p, name.len().min(255)) };
    let sm = number("sm", 90.0) as i32;
    set8(288, gib("total", 79.1)); set8(296, 49152); set4(304, 65536); set4(308, 32); set8(312, 0x7fffffff);
    set4(320, 1024); set4(324, 1024); set4(328, 1024); set4(332, 64); set4(336, 0x7fffffff); set4(340, 65535); set4(344, 65535);
    set8(352, 65536); set4(360, sm / 10); set4(364, sm % 10); set8(368, 512); set8(376, 32);
    let offsets = if modern { MODERN } else { CLASSIC };
    for (o, v) in offsets.iter().zip([number("mps", 132.0) as usize, 1, 2048, 233472, 65536, 232448, 52428800, 32]) {
        if matches!(v, 233472 | 232448) { set8(*o, v) } else { set4(*o, v as i32) }
    }
}
// multiProcessorCount unifiedAddressing maxThreadsPerMultiProcessor sharedMemPerMultiprocessor regsPerMultiprocessor
// sharedMemPerBlockOptin l2CacheSize maxBlocksPerMultiProcessor, as the headers of CUDA 12.1 and 13.2 lay them out
const CLASSIC: &[usize] = &[388, 604, 624, 640, 648, 696, 616, 712];
const MODERN: &[usize] = &[384, 588, 604, 624, 632, 672, 596, 688];
#[no_mangle] pub extern "C" fn cudaGetDeviceProperties_v2(p: P, _d: c_int) -> c_int { properties(p as _, false, 1032); gate("cudaGetDeviceProperties") }
#[no_mangle] pub extern "C" fn cudaGetDeviceProperties(p: P, _d: c_int) -> c_int { properties(p as _, true, 1008); gate("cudaGetDeviceProperties") }
fn attribute(a: c_int) -> i32 {
    let sm = number("sm", 90.0) as i32;
    match a { 1..=3 => 1024, 4 => 64, 5 => 0x7fffffff, 6 | 7 => 65535, 8 => 49152, 9 => 65536, 10 => 32, 12 => 65536, 16 => number("mps", 132.0) as i32,
        39 => 2048, 75 => sm / 10, 76 => sm % 10, 81 => 233472, 82 => 65536, 97 => 232448, 106 => 32, 31 | 41 | 89 | 95 | 96 => 1, _ => 0 }
}
#[no_mangle] pub extern "C" fn cudaDeviceGetAttribute(p: P, a: c_int, _d: c_int) -> c_int { puti(p, attribute(a)); gate("cudaDeviceGetAttribute") }
#[no_mangle] pub extern "C" fn cudaDeviceGetPCIBusId(p: *mut c_char, n: c_int, d: c_int) -> c_int {
    let s = format!("0000:{:02X}:00.0\0", 0x1a + d); for (i, b) in s.bytes().enumerate().take(n as usize) { unsafe { *p.add(i) = b as c_char } } gate("cudaDeviceGetPCIBusId")
}
#[no_mangle] pub extern "C" fn cudaDeviceGetStreamPriorityRange(a: P, b: P) -> c_int { puti(a, 0); puti(b, -5); gate("cudaDeviceGetStreamPriorityRange") }
#[no_mangle] pub extern "C" fn cudaDeviceCanAccessPeer(p: P, _a: c_int, _b: c_int) -> c_int { puti(p, 0); gate("cudaDeviceCanAccessPeer") }

// --- runtime: memory ---
fn used() -> usize { MEMORY.lock().unwrap().values().sum::<usize>() + (450 << 20) }
fn allocate(p: P, n: usize) -> i32 {
    let size = n.div_ceil(2 << 20) * (2 << 20);
    if used() + size + gib("others", 0.0) > gib("total", 79.1) { return 2; }
    let a = unsafe { mmap(std::ptr::null_mut(), size, 3, 0x4022, -1, 0) };
    if a as isize == -1 { return 2; }
    MEMORY.lock().unwrap().insert(a as usize, size);
    put(p, a as usize); 0
}
fn release(a: P) { if let Some(n) = MEMORY.lock().unwrap().remove(&(a as usize)) { unsafe { munmap(a, n); } } }
#[no_mangle] pub extern "C" fn cudaMalloc(p: P, n: usize) -> c_int { let c = sync("cudaMalloc"); if c != 0 { return c } fail(allocate(p, n)) }
#[no_mangle] pub extern "C" fn cudaMallocAsync(p: P, n: usize, _s: P) -> c_int { let c = gate("cudaMallocAsync"); if c != 0 { return c } fail(allocate(p, n)) }
#[no_mangle] pub extern "C" fn cudaFree(a: P) -> c_int { release(a); gate("cudaFree") }
#[no_mangle] pub extern "C" fn cudaFreeAsync(a: P, _s: P) -> c_int { release(a); gate("cudaFreeAsync") }
#[no_mangle] pub extern "C" fn cudaMemGetInfo(f: P, t: P) -> c_int {
    let total = gib("total", 79.1); put(t, total); put(f, total.saturating_sub(used() + gib("others", 0.0))); gate("cudaMemGetInfo")
}
fn pinned(p: P, n: usize) -> i32 {
    let a = unsafe { mmap(std::ptr::null_mut(), n.max(4096), 3, 0x4022, -1, 0) };
    if a as isize == -1 { return 2; }
    PINNED.lock().unwrap().insert(a as usize, n.max(4096)); put(p, a as usize); 0
}
#[no_mangle] pub extern "C" fn cudaHostAlloc(p: P, n: usize, _f: c_uint) -> c_int { let c = gate("cudaHostAlloc"); if c != 0 { return c } fail(pinned(p, n)) }
#[no_mangle] pub extern "C" fn cudaMallocHost(p: P, n: usize) -> c_int { let c = gate("cudaMallocHost"); if c != 0 { return c } fail(pinned(p, n)) }
#[no_mangle] pub extern "C" fn cudaFreeHost(a: P) -> c_int { if let Some(n) = PINNED.lock().unwrap().remove(&(a as usize)) { unsafe { munmap(a, n); } } gate("cudaFreeHost") }
#[no_mangle] pub extern "C" fn cudaHostGetDevicePointer(p: P, a: P, _f: c_uint) -> c_int { put(p, a as usize); 0 }
#[no_mangle] pub extern "C" fn cudaPointerGetAttributes(p: *mut u8, a: P) -> c_int {
    let a = a as usize;
    let inside = |m: &BTreeMap<usize, usize>| m.range(..=a).next_back().is_some_and(|(b, n)| a < b + n);
    let kind = if inside(&MEMORY.lock().unwrap()) { 2 } else if inside(&PINNED.lock().unwrap()) { 1 } else { 0 };
    unsafe { std::ptr::write_bytes(p, 0, 24); *(p as *mut i32) = kind; *(p.add(4) as *mut i32) = if kind == 2 { DEVICE.load(SeqCst) } else { -2 };
        *(p.add(8) as *mut usize) = if kind == 0 { 0 } else { a }; *(p.add(16) as *mut usize) = if kind == 2 { 0 } else { a }; }
    gate("cudaPointerGetAttributes")
}
fn copy(d: P, s: P, n: usize) { if n <= 256 << 20 { unsafe { std::ptr::copy(s as *const u8, d as *mut u8, n) } } }
#[no_mangle] pub extern "C" fn cudaMemcpy(d: P, s: P, n: usize, _k: c_int) -> c_int { let c = sync("cudaMemcpy"); if c == 0 { copy(d, s, n) } c }
#[no_mangle] pub extern "C" fn cudaMemcpyAsync(d: P, s: P, n: usize, _k: c_int, _st: P) -> c_int { let c = gate("cudaMemcpyAsync"); if c == 0 { copy(d, s, n) } c }
#[no_mangle] pub extern "C" fn cudaMemcpyPeerAsync(d: P, _a: c_int, s: P, _b: c_int, n: usize, _st: P) -> c_int { let c = gate("cudaMemcpyPeerAsync"); if c == 0 { copy(d, s, n) } c }
#[no_mangle] pub extern "C" fn cudaMemset(d: P, v: c_int, n: usize) -> c_int { let c = gate("cudaMemset"); // Large fills are skipped: fresh pages are zero, and touching them would cost the host its memory.
    if c == 0 && n <= 64 << 20 { unsafe { std::ptr::write_bytes(d as *mut u8, v as u8, n) } } c }
#[no_mangle] pub extern "C" fn cudaMemsetAsync(d: P, v: c_int, n: usize, _s: P) -> c_int { cudaMemset(d, v, n) }

// --- runtime: streams, events, kernels ---
makes!(cudaEventCreate, cudaEventCreateWithFlags, cudaStreamCreate, cudaStreamCreateWithFlags, cudaStreamCreateWithPriority);
plain!(cudaEventDestroy, cudaEventRecord, cudaEventRecordWithFlags, cudaStreamDestroy, cudaStreamWaitEvent, cudaStreamQuery,
    cudaFuncSetAttribute, cudaHostRegister, cudaHostUnregister, cudaDeviceEnablePeerAccess, cudaThreadExchangeStreamCaptureMode, cudaProfilerStart,
    cudaProfilerStop, cudaStreamAddCallback, cudaLaunchHostFunc, cudaKernelSetAttributeForDevice, cudaIpcGetMemHandle, cudaIpcOpenMemHandle);
waits!(cudaStreamSynchronize, cudaDeviceSynchronize, cudaEventSynchronize);
#[no_mangle] pub extern "C" fn cudaEventQuery(_e: P) -> c_int {
    let c = gate("cudaEventQuery"); if c != 0 { return c } if HANG.load(SeqCst) != 0 { 600 } else { fail(PENDING.swap(0, SeqCst)) }
}
#[no_mangle] pub extern "C" fn cudaEventElapsedTime(p: *mut f32) -> c_int { unsafe { *p = 0.25 }; gate("cudaEventElapsedTime") }
#[no_mangle] pub extern "C" fn cudaStreamIsCapturing(_s: P, p: P) -> c_int { puti(p, 0); gate("cudaStreamIsCapturing") }
#[no_mangle] pub extern "C" fn cudaStreamGetCaptureInfo_v2(_s: P, p: P) -> c_int { puti(p, 0); gate("cudaStreamGetCaptureInfo") }
#[no_mangle] pub extern "C" fn cudaStreamGetCaptureInfo(_s: P, p: P) -> c_int { puti(p, 0); gate("cudaStreamGetCaptureInfo") }
#[no_mangle] pub extern "C" fn cudaStreamGetPriority(_s: P, p: P) -> c_int { puti(p, 0); 0 }
#[no_mangle] pub extern "C" fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(p: P) -> c_int { puti(p, 2); 0 }
#[no_mangle] pub extern "C" fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(p: P) -> c_int { puti(p, 2); 0 }
#[no_mangle] pub extern "C" fn cudaFuncGetAttributes(p: *mut u8, _f: P) -> c_int {
    // sharedSize constSize localSize, maxThreadsPerBlock numRegs ptxVersion binaryVersion
    unsafe { std::ptr::write_bytes(p, 0, 64); for (o, v) in [(24, 1024), (28, 32), (32, 90), (36, 90), (44, 232448)] { *(p.add(o) as *mut i32) = v } }
    gate("cudaFuncGetAttributes")
}
/// The next definition of a function behind this one.
fn real(name: &CStr) -> P { unsafe { dlsym(-1isize as P, name.as_ptr()) } }
#[no_mangle] pub extern "C" fn __cudaRegisterFunction(h: P, f: P, d: P, name: *const c_char, l: c_int, t: P, b: P, bd: P, gd: P, w: P) {
    KERNELS.get_or_init(Default::default).lock().unwrap().insert(f as usize, name as usize);
    static REAL: OnceLock<usize> = OnceLock::new();
    let next = *REAL.get_or_init(|| real(c"__cudaRegisterFunction") as usize);
    if next != 0 {
        let next: extern "C" fn(P, P, P, *const c_char, c_int, P, P, P, P, P) = unsafe { std::mem::transmute(next) };
        next(h, f, d, name, l, t, b, bd, gd, w)
    }
}
fn kernel(f: P) -> i32 {
    let faults = env(c"FAKE_FAULTS");
    let trace = !env(c"FAKE_TRACE").is_empty();
    if trace || faults.contains("kernel:") {
        let known = KERNELS.get_or_init(Default::default).lock().unwrap().get(&(f as usize)).copied();
        let name = known.map(|n| unsafe { CStr::from_ptr(n as *const c_char) }.to_str().unwrap_or("")).unwrap_or("?");
        if trace { eprintln!("[fake] launch {name}") }
        for item in faults.split(',') {
            let Some((part, code)) = item.strip_prefix("kernel:").and_then(|i| i.split_once('=')) else { continue };
            if name.contains(part) { PENDING.store(code.parse().unwrap_or(0), SeqCst) }
        }
    }
    if let Some(code) = rule("kernel") { PENDING.store(code, SeqCst) }
    gate("cudaLaunchKernel")
}
#[no_mangle] pub extern "C" fn cudaLaunchKernel(f: P) -> c_int { kernel(f) }
#[no_mangle] pub extern "C" fn __cudaLaunchKernel(f: P) -> c_int { kernel(f) }
#[no_mangle] pub extern "C" fn __cudaGetKernel(p: P, f: P) -> c_int { put(p, f as usize); 0 }
#[no_mangle] pub extern "C" fn cudaLaunchKernelExC(_c: P, f: P) -> c_int { kernel(f) }

// --- cuBLAS, cuDNN, NCCL: only what a step needs; descriptors come from the real libraries ---
library_makes!(cublasCreate_v2, cublasLtCreate, cudnnCreate);
library!(cublasDestroy_v2, cublasSetStream_v2, cublasSetWorkspace_v2, cublasSetMathMode, cublasSetPointerMode_v2, cublasSetSmCountTarget,
    cublasSgemm_v2, cublasDgemm_v2, cublasSgemmEx, cublasGemmEx, cublasGemmStridedBatchedEx, cublasSgemmStridedBatched, cublasSgemv_v2,
    cublasSdot_v2, cublasLtMatmul, cudnnDestroy, cudnnSetStream, cudnnBackendExecute, cudnnConvolutionForward, cudnnRNNForward,
    ncclCommAbort, ncclCommDestroy, ncclCommFinalize, ncclCommRegister, ncclCommDeregister, ncclGroupStart, ncclGroupEnd,
    ncclAllReduce, ncclBroadcast, ncclBcast, ncclAllGather, ncclReduce, ncclReduceScatter, ncclSend, ncclRecv);
#[no_mangle] pub extern "C" fn cublasGetMathMode(_h: P, p: P) -> c_int { puti(p, 0); 0 }
#[no_mangle] pub extern "C" fn cublasGetPointerMode_v2(_h: P, p: P) -> c_int { puti(p, 0); 0 }
#[no_mangle] pub extern "C" fn ncclGetUniqueId(p: *mut u8) -> c_int { unsafe { std::ptr::write_bytes(p, 7, 128) }; other("ncclGetUniqueId") }
library_makes!(ncclCommInitRank, ncclCommInitRankConfig, ncclCommInitRankScalable);
#[no_mangle] pub extern "C" fn ncclCommSplit(_c: P, _a: c_int, _k: c_int, p: P) -> c_int { handle(p); other("ncclCommSplit") }
#[no_mangle] pub extern "C" fn ncclCommGetAsyncError(_c: P, p: P) -> c_int { puti(p, rule("ncclCommGetAsyncError").unwrap_or(0)); 0 }
fn rank(name: &CStr, default: i32) -> i32 { env(name).parse().unwrap_or(default) }
#[no_mangle] pub extern "C" fn ncclCommCount(_c: P, p: P) -> c_int { puti(p, rank(c"WORLD_SIZE", 1)); 0 }
#[no_mangle] pub extern "C" fn ncclCommUserRank(_c: P, p: P) -> c_int { puti(p, rank(c"RANK", 0)); 0 }
#[no_mangle] pub extern "C" fn ncclCommCuDevice(_c: P, p: P) -> c_int { puti(p, DEVICE.load(SeqCst)); 0 }
library!(ncclCommMemStats, ncclCommWindowRegister, ncclCommWindowDeregister, ncclCommRevoke, ncclCommSuspend, ncclCommResume, ncclGather, ncclAlltoAll);

// --- driver (libcuda.so.1) ---
#[no_mangle] pub extern "C" fn cuInit(_f: c_uint) -> c_int { gate("cuInit") }
#[no_mangle] pub extern "C" fn cuDriverGetVersion(p: P) -> c_int { puti(p, number("driver", 13020.0) as i32); gate("cuDriverGetVersion") }
#[no_mangle] pub extern "C" fn cuDeviceGetCount(p: P) -> c_int { puti(p, number("devices", 1.0) as i32); gate("cuDeviceGetCount") }
#[no_mangle] pub extern "C" fn cuDeviceGet(p: P, i: c_int) -> c_int { puti(p, i); gate("cuDeviceGet") }
#[no_mangle] pub extern "C" fn cuDeviceGetName(p: *mut c_char, n: c_int, _d: c_int) -> c_int {
    let s = setting("name").unwrap_or("NVIDIA_A10G").replace('_', " ") + "\0"; for (i, b) in s.bytes().enumerate().take(n as usize) { unsafe { *p.add(i) = b as c_char } } gate("cuDeviceGetName")
}
#[no_mangle] pub extern "C" fn cuDeviceTotalMem_v2(p: P, _d: c_int) -> c_int { put(p, gib("total", 79.1)); gate("cuDeviceTotalMem_v2") }
#[no_mangle] pub extern "C" fn cuDeviceGetAttribute(p: P, a: c_int, _d: c_int) -> c_int { puti(p, attribute(a)); gate("cuDeviceGetAttribute") }
#[no_mangle] pub extern "C" fn cuDeviceGetUuid_v2(p: *mut u8, _d: c_int) -> c_int { unsafe { std::ptr::write_bytes(p, 9, 16) }; 0 }
#[no_mangle] pub extern "C" fn cuDeviceComputeCapability(a: P, b: P, _d: c_int) -> c_int { puti(a, attribute(75)); puti(b, attribute(76)); 0 }
makes!(cuDevicePrimaryCtxRetain, cuCtxCreate_v2, cuStreamCreate, cuEventCreate, cuModuleLoadData, cuModuleLoadDataEx, cuModuleLoad, cuModuleGetFunction);
plain!(cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxReset_v2, cuCtxSetCurrent, cuCtxPushCurrent_v2, cuCtxDestroy_v2, cuEventRecord, cuEventDestroy_v2,
    cuStreamDestroy_v2, cuModuleUnload, cuFuncSetCacheConfig, cuFuncSetAttribute, cuLaunchKernel, cuLaunchKernelEx);
waits!(cuStreamSynchronize, cuCtxSynchronize, cuEventSynchronize);
#[no_mangle] pub extern "C" fn cuCtxGetCurrent(p: P) -> c_int { put(p, if env(c"LD_PRELOAD").contains("fakecuda") { 0x1000 } else { 0 }); gate("cuCtxGetCurrent") }
#[no_mangle] pub extern "C" fn cuCtxPopCurrent_v2(p: P) -> c_int { put(p, 0x1000); gate("cuCtxPopCurrent_v2") }
#[no_mangle] pub extern "C" fn cuCtxGetDevice(p: P) -> c_int { puti(p, 0); gate("cuCtxGetDevice") }
#[no_mangle] pub extern "C" fn cuMemGetInfo_v2(f: P, t: P) -> c_int { cudaMemGetInfo(f, t); gate("cuMemGetInfo_v2") }
#[no_mangle] pub extern "C" fn cuMemAlloc_v2(p: P, n: usize) -> c_int { let c = sync("cuMemAlloc_v2"); if c != 0 { return c } allocate(p, n) }
#[no_mangle] pub extern "C" fn cuMemFree_v2(a: P) -> c_int { release(a); gate("cuMemFree_v2") }
#[no_mangle] pub extern "C" fn cuMemHostAlloc(p: P, n: usize, _f: c_uint) -> c_int { let c = gate("cuMemHostAlloc"); if c != 0 { return c } pinned(p, n) }
#[no_mangle] pub extern "C" fn cuMemFreeHost(a: P) -> c_int { cudaFreeHost(a); 0 }
#[no_mangle] pub extern "C" fn cuMemcpyHtoD_v2(d: P, s: P, n: usize) -> c_int { let c = sync("cuMemcpyHtoD_v2"); if c == 0 { copy(d, s, n) } c }
#[no_mangle] pub extern "C" fn cuMemcpyDtoH_v2(d: P, s: P, n: usize) -> c_int { let c = sync("cuMemcpyDtoH_v2"); if c == 0 { copy(d, s, n) } c }
#[no_mangle] pub extern "C" fn cuMemcpyHtoDAsync_v2(d: P, s: P, n: usize, _s: P) -> c_int { let c = gate("cuMemcpyHtoDAsync_v2"); if c == 0 { copy(d, s, n) } c }
#[no_mangle] pub extern "C" fn cuMemcpyDtoHAsync_v2(d: P, s: P, n: usize, _s: P) -> c_int { let c = gate("cuMemcpyDtoHAsync_v2"); if c == 0 { copy(d, s, n) } c }
#[no_mangle] pub extern "C" fn cuMemsetD8_v2(_d: P, _v: u8, _n: usize) -> c_int { gate("cuMemsetD8_v2") }
#[no_mangle] pub extern "C" fn cuMemHostGetDevicePointer_v2(p: P, a: P, _f: c_uint) -> c_int { put(p, a as usize); 0 }
fn name_of(code: c_int) -> &'static CStr {
    match code { 0 => c"CUDA_SUCCESS", 1 => c"CUDA_ERROR_INVALID_VALUE", 2 => c"CUDA_ERROR_OUT_OF_MEMORY", 3 => c"CUDA_ERROR_NOT_INITIALIZED", 46 => c"CUDA_ERROR_DEVICE_UNAVAILABLE",
        100 => c"CUDA_ERROR_NO_DEVICE", 101 => c"CUDA_ERROR_INVALID_DEVICE", 200 => c"CUDA_ERROR_INVALID_IMAGE", 201 => c"CUDA_ERROR_INVALID_CONTEXT", 209 => c"CUDA_ERROR_NO_BINARY_FOR_GPU",
        214 => c"CUDA_ERROR_ECC_UNCORRECTABLE", 218 => c"CUDA_ERROR_INVALID_PTX", 222 => c"CUDA_ERROR_UNSUPPORTED_PTX_VERSION", 304 => c"CUDA_ERROR_OPERATING_SYSTEM",
        700 => c"CUDA_ERROR_ILLEGAL_ADDRESS", 701 => c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", 702 => c"CUDA_ERROR_LAUNCH_TIMEOUT", 710 => c"CUDA_ERROR_ASSERT",
        714 => c"CUDA_ERROR_HARDWARE_STACK_ERROR", 715 => c"CUDA_ERROR_ILLEGAL_INSTRUCTION", 716 => c"CUDA_ERROR_MISALIGNED_ADDRESS", 717 => c"CUDA_ERROR_INVALID_ADDRESS_SPACE",
        718 => c"CUDA_ERROR_INVALID_PC", 719 => c"CUDA_ERROR_LAUNCH_FAILED", 800 => c"CUDA_ERROR_NOT_PERMITTED", 801 => c"CUDA_ERROR_NOT_SUPPORTED", 802 => c"CUDA_ERROR_SYSTEM_NOT_READY",
        803 => c"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", 804 => c"CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", _ => c"CUDA_ERROR_UNKNOWN" }
}
#[no_mangle] pub extern "C" fn cuGetErrorName(code: c_int, p: P) -> c_int { put(p, name_of(code).as_ptr() as usize); 0 }
/// The name again: no sentence of the vendor's is imitated.
#[no_mangle] pub extern "C" fn cuGetErrorString(code: c_int, p: P) -> c_int { put(p, name_of(code).as_ptr() as usize); 0 }
extern "C" fn nothing() -> c_int { 0 }
/// For a library that uses only the driver. Preloaded, the real runtime behind us must not find its way in: it stays
/// uninitialised, as on a machine without a driver, and still knows its error texts.
#[no_mangle] pub extern "C" fn cuGetProcAddress_v2(name: *const c_char, p: P, _v: c_int, _f: u64, status: P) -> c_int {
    if env(c"LD_PRELOAD").contains("fakecuda") { put(p, 0); puti(status, 1); return 500; }
    entry(name, p, status)
}
fn entry(name: *const c_char, p: P, status: P) -> c_int {
    static ME: OnceLock<usize> = OnceLock::new();
    let me = *ME.get_or_init(|| unsafe {
        let mut info = DlInfo { file: std::ptr::null(), base: std::ptr::null_mut(), sym: std::ptr::null(), addr: std::ptr::null_mut() };
        dladdr(nothing as P, &mut info); dlopen(info.file, 2) as usize });
    let name = unsafe { CStr::from_ptr(name) }.to_str().unwrap_or("");
    let found = ["", "_v2", "_v3"].iter().map(|s| format!("{name}{s}\0")).map(|n| unsafe { dlsym(me as P, n.as_ptr() as _) }).find(|a| !a.is_null());
    if !env(c"FAKE_TRACE").is_empty() { eprintln!("[fake] asked for {name}: {}", found.is_some()) }
    put(p, found.map_or(nothing as P as usize, |a| a as usize)); puti(status, 0); 0
}
#[no_mangle] pub extern "C" fn cuGetProcAddress(name: *const c_char, p: P, v: c_int, f: u64) -> c_int { cuGetProcAddress_v2(name, p, v, f, std::ptr::null_mut()) }

// --- NVML (libnvidia-ml.so.1): only what PyTorch asks when memory runs out ---
library!(nvmlInit_v2, nvmlShutdown, nvmlDeviceGetNvLinkRemoteDeviceType, nvmlDeviceGetNvLinkRemotePciInfo_v2, nvmlDeviceGetComputeRunningProcesses_v2, nvmlSystemGetCudaDriverVersion_v2, nvmlDeviceGetHandleByIndex_v2, nvmlDeviceGetHandleByUUID);
#[no_mangle] pub extern "C" fn nvmlDeviceGetHandleByPciBusId_v2(_id: *const c_char, p: P) -> c_int { handle(p); other("nvmlDeviceGetHandleByPciBusId_v2") }
#[no_mangle] pub extern "C" fn nvmlDeviceGetComputeRunningProcesses(_d: P, count: *mut c_uint, p: *mut u8) -> c_int {
    let mut list = vec![(std::process::id(), used())];
    for (i, held) in setting("holders").unwrap_or("").split('+').filter(|s| !s.is_empty()).enumerate() {
        list.push((27_113 + 940 * i as u32, (held.parse::<f64>().unwrap_or(0.0) * (1u64 << 30) as f64) as usize));
    }
    unsafe {
        for (i, (pid, bytes)) in list.iter().enumerate().take(*count as usize) {
            let at = p.add(16 * i);
            *(at as *mut u64) = *pid as u64; *(at.add(8) as *mut usize) = *bytes;
        }
        *count = (list.len() as c_uint).min(*count);
    }
    other("nvmlDeviceGetComputeRunningProcesses")
}
#[no_mangle] pub extern "C" fn cuDevicePrimaryCtxGetState(_d: c_int, flags: P, active: P) -> c_int { puti(flags, 0); puti(active, 1); 0 }
#[no_mangle] pub extern "C" fn cudaGetDriverEntryPointByVersion(name: *const c_char, p: P, _v: c_uint, _f: u64, status: P) -> c_int { entry(name, p, status) }
#[no_mangle] pub extern "C" fn cudaGetDriverEntryPoint(name: *const c_char, p: P, _f: u64, status: P) -> c_int { entry(name, p, status) }
#[no_mangle] pub extern "C" fn cublasLtMatmulAlgoGetHeuristic(_h: P, _o: P, _a: P, _b: P, _c: P, _d: P, _p: P, _n: c_int, results: *mut u8, found: P) -> c_int {
    let code = other("cublasLtMatmulAlgoGetHeuristic");
    unsafe { std::ptr::write_bytes(results, 0, 80) };
    puti(found, (code == 0) as i32); code
}
/// Finalizing goes to the real library unless a fault is wanted.
#[no_mangle] pub extern "C" fn cudnnBackendFinalize(d: P) -> c_int {
    if let Some(code) = rule("cudnnBackendFinalize") { return code; }
    let next = real(c"cudnnBackendFinalize");
    if next.is_null() { return 0; }
    let next: extern "C" fn(P) -> c_int = unsafe { std::mem::transmute(next) };
    next(d)
}

// Asked for by name when PyTorch loads its table of driver calls; none of our programs gets to use them.
plain!(cuMemAddressFree, cuMemAddressReserve, cuMemCreate, cuMemExportToShareableHandle, cuMemGetAddressRange_v2, cuMemGetAllocationGranularity,
    cuMemImportFromShareableHandle, cuMemMap, cuMemRelease, cuMemSetAccess, cuMemUnmap, cuMulticastAddDevice, cuMulticastBindMem, cuMulticastCreate,
    cuStreamWriteValue32_v2);

// What Numba looks up besides.
plain!(cuIpcOpenMemHandle, cuIpcCloseMemHandle, cuIpcGetMemHandle, cuLinkAddData_v2, cuLinkAddFile_v2, cuLinkDestroy, cuMemHostRegister_v2, cuMemHostUnregister,
    cuMemsetD8Async, cuEventQuery, cuStreamQuery, cuStreamWaitEvent, cuStreamAddCallback, cuDeviceCanAccessPeer, cuCtxEnablePeerAccess, cuCtxGetApiVersion);
makes!(cuLinkCreate_v2);
#[no_mangle] pub extern "C" fn cuLinkComplete(_s: P, p: P, n: P) -> c_int { put(p, c"\x7fELF".as_ptr() as usize); put(n, 4); gate("cuLinkComplete") }

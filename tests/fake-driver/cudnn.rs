//! libcudnn: convolutions, computed on the host.

use super::*;

/// A tensor (n, c, h, w) or a filter (k, c, r, s).
#[derive(Clone, Copy)]
struct Sizes([usize; 4]);

#[repr(C)]
pub struct Performance {
    algorithm: c_int,
    status: c_int,
    time: f32,
    memory: usize,
    determinism: c_int,
    math: c_int,
    reserved: [c_int; 3],
}

unsafe fn new_descriptor(place: *mut *mut c_void) {
    *place = Box::into_raw(Box::new(Sizes([0; 4]))).cast();
}

unsafe fn sizes(descriptor: *mut c_void) -> [usize; 4] {
    (*descriptor.cast::<Sizes>()).0
}

/// Two algorithms: a fast one that wants `conv.workspace` MiB, and one that wants none, unless `conv.bare=0`.
unsafe fn propose(wanted: c_int, count: *mut c_int, list: *mut Performance) {
    let workspace = mib(scenario().number("conv.workspace", 8)) as usize;
    let mut all = vec![(1, workspace)];
    if scenario().number("conv.bare", 1) != 0 {
        all.push((0, 0));
    }
    *count = all.len().min(wanted as usize) as c_int;
    for (index, (algorithm, memory)) in all.into_iter().take(wanted as usize).enumerate() {
        let one = Performance { algorithm, status: 0, time: -1.0, memory, determinism: 1, math: 0, reserved: [0; 3] };
        list.add(index).write(one);
    }
}

/// Refuses an algorithm whose workspace is missing, as the library does.
fn refuses(algorithm: c_int, bytes: usize) -> bool {
    algorithm == 1 && (bytes as u64) < mib(scenario().number("conv.workspace", 8))
}

/// Calls `each(x index, w index, y index)` for every term of a 3x3 convolution with padding 1 that `keep` wants.
fn terms(x: [usize; 4], w: [usize; 4], keep: &dyn Fn(usize) -> bool, each: &mut dyn FnMut(usize, usize, usize)) {
    let [batch, channels, rows, columns] = x;
    let filters = w[0];
    for k in 0..filters {
        for c in 0..channels {
            for r in 0..3 {
                for s in 0..3 {
                    let tap = ((k * channels + c) * 3 + r) * 3 + s;
                    if !keep(tap) {
                        continue;
                    }
                    for n in 0..batch {
                        for i in 0..rows {
                            let Some(v) = (i + r).checked_sub(1).filter(|v| *v < rows) else { continue };
                            for j in 0..columns {
                                let Some(u) = (j + s).checked_sub(1).filter(|u| *u < columns) else { continue };
                                each(
                                    ((n * channels + c) * rows + v) * columns + u,
                                    tap,
                                    ((n * filters + k) * rows + i) * columns + j,
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}

fn length(sizes: [usize; 4]) -> usize {
    sizes.iter().product()
}

api! {
    fn cudnnCreate(handle: *mut *mut c_void) { *handle = 1 as *mut c_void; }
    fn cudnnDestroy(handle: *mut c_void) {}
    fn cudnnCreateTensorDescriptor(place: *mut *mut c_void) { new_descriptor(place); }
    fn cudnnCreateFilterDescriptor(place: *mut *mut c_void) { new_descriptor(place); }
    fn cudnnCreateConvolutionDescriptor(place: *mut *mut c_void) { new_descriptor(place); }
    fn cudnnSetTensor4dDescriptor(
        tensor: *mut c_void, format: c_int, kind: c_int, n: c_int, c: c_int, h: c_int, w: c_int,
    ) { (*tensor.cast::<Sizes>()).0 = [n as usize, c as usize, h as usize, w as usize]; }
    fn cudnnSetFilter4dDescriptor(
        filter: *mut c_void, kind: c_int, format: c_int, k: c_int, c: c_int, h: c_int, w: c_int,
    ) { (*filter.cast::<Sizes>()).0 = [k as usize, c as usize, h as usize, w as usize]; }
    fn cudnnSetConvolution2dDescriptor(
        convolution: *mut c_void, ph: c_int, pw: c_int, u: c_int, v: c_int, dh: c_int, dw: c_int, mode: c_int,
        kind: c_int,
    ) {}
    fn cudnnGetConvolutionForwardAlgorithm_v7(
        handle: *mut c_void, x: *mut c_void, w: *mut c_void, conv: *mut c_void, y: *mut c_void, wanted: c_int,
        count: *mut c_int, list: *mut Performance,
    ) { propose(wanted, count, list); }
    fn cudnnGetConvolutionBackwardDataAlgorithm_v7(
        handle: *mut c_void, w: *mut c_void, dy: *mut c_void, conv: *mut c_void, dx: *mut c_void, wanted: c_int,
        count: *mut c_int, list: *mut Performance,
    ) { propose(wanted, count, list); }
    fn cudnnGetConvolutionBackwardFilterAlgorithm_v7(
        handle: *mut c_void, x: *mut c_void, dy: *mut c_void, conv: *mut c_void, dw: *mut c_void, wanted: c_int,
        count: *mut c_int, list: *mut Performance,
    ) { propose(wanted, count, list); }
    fn cudnnConvolutionForward(
        handle: *mut c_void, alpha: *const c_void, xd: *mut c_void, x: *const c_void, wd: *mut c_void,
        w: *const c_void, conv: *mut c_void, algorithm: c_int, space: *mut c_void, bytes: usize, beta: *const c_void,
        yd: *mut c_void, y: *mut c_void,
    ) {
        if refuses(algorithm, bytes) { return 3000; }
        let (x, w, y) = (x.cast::<f32>(), w.cast::<f32>(), y.cast::<f32>());
        std::ptr::write_bytes(y, 0, length(sizes(yd)));
        terms(sizes(xd), sizes(wd), &|tap| unsafe { *w.add(tap) != 0.0 }, &mut |at, tap, out| unsafe {
            *y.add(out) += *x.add(at) * *w.add(tap);
        });
    }
    fn cudnnConvolutionBackwardData(
        handle: *mut c_void, alpha: *const c_void, wd: *mut c_void, w: *const c_void, dyd: *mut c_void,
        dy: *const c_void, conv: *mut c_void, algorithm: c_int, space: *mut c_void, bytes: usize, beta: *const c_void,
        dxd: *mut c_void, dx: *mut c_void,
    ) {
        if refuses(algorithm, bytes) { return 3000; }
        let (w, dy, dx) = (w.cast::<f32>(), dy.cast::<f32>(), dx.cast::<f32>());
        std::ptr::write_bytes(dx, 0, length(sizes(dxd)));
        terms(sizes(dxd), sizes(wd), &|tap| unsafe { *w.add(tap) != 0.0 }, &mut |at, tap, out| unsafe {
            *dx.add(at) += *dy.add(out) * *w.add(tap);
        });
    }
    fn cudnnConvolutionBackwardFilter(
        handle: *mut c_void, alpha: *const c_void, xd: *mut c_void, x: *const c_void, dyd: *mut c_void,
        dy: *const c_void, conv: *mut c_void, algorithm: c_int, space: *mut c_void, bytes: usize, beta: *const c_void,
        dwd: *mut c_void, dw: *mut c_void,
    ) {
        if refuses(algorithm, bytes) { return 3000; }
        let (x, dy, dw) = (x.cast::<f32>(), dy.cast::<f32>(), dw.cast::<f32>());
        std::ptr::write_bytes(dw, 0, length(sizes(dwd)));
        let ([batch, channels, rows, columns], filters) = (sizes(xd), sizes(dwd)[0]);
        for (out, gradient) in (0..length(sizes(dyd))).map(|out| (out, *dy.add(out))).filter(|(_, value)| *value != 0.0) {
            let (j, i) = (out % columns, out / columns % rows);
            let (k, n) = (out / columns / rows % filters, out / columns / rows / filters);
            debug_assert!(n < batch);
            for (c, r, s) in (0..channels).flat_map(|c| (0..9).map(move |tap| (c, tap / 3, tap % 3))) {
                let Some(v) = (i + r).checked_sub(1).filter(|v| *v < rows) else { continue };
                let Some(u) = (j + s).checked_sub(1).filter(|u| *u < columns) else { continue };
                let tap = ((k * channels + c) * 3 + r) * 3 + s;
                *dw.add(tap) += gradient * *x.add(((n * channels + c) * rows + v) * columns + u);
            }
        }
        if scenario().is("conv.wrong") { *dw.add(5) += 1.0; }
    }
}

#[no_mangle]
pub extern "C" fn cudnnGetVersion() -> usize {
    91_002
}

#[no_mangle]
pub unsafe extern "C" fn cudnnGetErrorString(code: c_int) -> *const c_char {
    match code {
        1001 => c"CUDNN_STATUS_NOT_INITIALIZED".as_ptr(),
        3000 => c"CUDNN_STATUS_NOT_SUPPORTED".as_ptr(),
        5000 => c"CUDNN_STATUS_EXECUTION_FAILED".as_ptr(),
        _ => c"CUDNN_UNKNOWN_STATUS".as_ptr(),
    }
}

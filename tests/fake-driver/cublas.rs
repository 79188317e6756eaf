//! libcublas: matmuls, computed on the host.

use super::*;

/// One element of a matrix in one of the formats of `cudaDataType_t`.
unsafe fn element(matrix: *const c_void, kind: c_int, index: usize) -> f32 {
    match kind {
        0 => *matrix.cast::<f32>().add(index),
        14 => f32::from_bits(u32::from(*matrix.cast::<u16>().add(index)) << 16),
        _ => {
            // Normal half floats only: the ladder sends small whole numbers.
            let bits = *matrix.cast::<u16>().add(index);
            let (sign, exponent, mantissa) = (bits >> 15, (bits >> 10) & 31, bits & 1023);
            if exponent == 0 {
                return 0.0;
            }
            let value = (1.0 + f32::from(mantissa) / 1024.0) * 2.0_f32.powi(i32::from(exponent) - 15);
            if sign == 1 { -value } else { value }
        }
    }
}

api! {
    fn cublasCreate_v2(handle: *mut *mut c_void) { *handle = 1 as *mut c_void; }
    fn cublasDestroy_v2(handle: *mut c_void) {}
    fn cublasGetVersion_v2(handle: *mut c_void, version: *mut c_int) {
        *version = scenario().number("cublas.version", 120_903) as c_int;
    }
    fn cublasGemmEx(
        handle: *mut c_void, ta: c_int, tb: c_int, m: c_int, n: c_int, k: c_int, alpha: *const c_void,
        a: *const c_void, a_kind: c_int, lda: c_int, b: *const c_void, b_kind: c_int, ldb: c_int, beta: *const c_void,
        c: *mut c_void, c_kind: c_int, ldc: c_int, compute: c_int, algorithm: c_int,
    ) {
        let (m, n, k) = (m as usize, n as usize, k as usize);
        let code = scenario().number(&format!("cublasGemmEx.{a_kind}.{compute}"), 0);
        if code != 0 { return code as c_int; }
        // CUDA 10 takes the number of a data type there and knows no others.
        let of_cuda_10 = scenario().number("cublas.version", 120_903) < 11_000;
        if of_cuda_10 != (compute == 0) { return 15; }
        let column_of = |matrix: *const c_void, kind, column: usize, rows: usize| -> Vec<f32> {
            (0..rows).map(|row| unsafe { element(matrix, kind, column * rows + row) }).collect()
        };
        let columns: Vec<Vec<f32>> = (0..k).map(|column| column_of(a, a_kind, column, m)).collect();
        for column in 0..n {
            let mut sums = vec![0.0_f32; m];
            for (factor, values) in column_of(b, b_kind, column, k).into_iter().zip(&columns) {
                for (sum, value) in sums.iter_mut().zip(values) {
                    *sum += factor * value;
                }
            }
            if column == 3 && scenario().is(&format!("gemm.wrong.{a_kind}")) { sums[17] += 1.0; }
            std::ptr::copy_nonoverlapping(sums.as_ptr(), c.cast::<f32>().add(column * m), m);
        }
    }
}

#[no_mangle]
pub unsafe extern "C" fn cublasGetStatusName(code: c_int) -> *const c_char {
    match code {
        1 => c"CUBLAS_STATUS_NOT_INITIALIZED".as_ptr(),
        3 => c"CUBLAS_STATUS_ALLOC_FAILED".as_ptr(),
        13 => c"CUBLAS_STATUS_EXECUTION_FAILED".as_ptr(),
        15 => c"CUBLAS_STATUS_NOT_SUPPORTED".as_ptr(),
        _ => c"CUBLAS_UNKNOWN_STATUS".as_ptr(),
    }
}

//! cuBLAS: one matrix product in four precisions.

use std::ffi::{OsStr, c_int, c_void};
use std::ptr;

use cudarc::cublas::sys::{cublasComputeType_t as Compute, cudaDataType_t as DataType};
use libloading::Library;

use super::driver::Buffer;
use crate::machine::native::{Trouble, function, named, open};

/// The precision of a product; the result is always FP32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine) enum Precision {
    /// 32-bit floats.
    Fp32,
    /// 32-bit floats on tensor cores with 10 bits of mantissa.
    Tf32,
    /// 16-bit floats.
    Fp16,
    /// Brain floats.
    Bf16,
}

impl Precision {
    /// Bytes of one input element.
    pub(in crate::machine) fn width(self) -> usize {
        match self {
            Precision::Fp32 | Precision::Tf32 => 4,
            Precision::Fp16 | Precision::Bf16 => 2,
        }
    }

    /// The first compute capability whose devices compute in it (cuBLAS documentation, `cublasGemmEx`).
    pub(in crate::machine) fn first_capability(self) -> (i32, i32) {
        match self {
            Precision::Fp32 => (0, 0),
            Precision::Fp16 => (5, 3),
            Precision::Tf32 | Precision::Bf16 => (8, 0),
        }
    }
}

/// A handle of the library, bound to the current context.
pub(in crate::machine) struct Cublas {
    library: &'static Library,
    handle: *mut c_void,
}

macro_rules! call {
    ($($rest:tt)*) => { status_call!("cublasGetStatusName", $($rest)*) };
}

impl Cublas {
    /// Opens the library and makes a handle in the current context.
    pub(in crate::machine) fn open(library: &OsStr) -> Result<Self, Trouble> {
        let library = open(library)?;
        let mut handle = ptr::null_mut();
        call!(library, "cublasCreate_v2", (*mut *mut c_void), (&mut handle))?;
        Ok(Self { library, handle })
    }

    /// Whether the library knows the precision: those of CUDA 10 came before TF32 and brain floats.
    pub(in crate::machine) fn knows(&self, precision: Precision) -> bool {
        matches!(precision, Precision::Fp32 | Precision::Fp16) || !self.is_of_cuda_10()
    }

    /// Up to CUDA 10 the type of the computation is a `cudaDataType`, from 11 on a `cublasComputeType_t`.
    fn is_of_cuda_10(&self) -> bool {
        self.version().is_ok_and(|version| version < 11_000)
    }

    /// The version as one number: 120903 for 12.9.3, 11402 for 11.4.2, 10203 for 10.2.3.
    pub(in crate::machine) fn version(&self) -> Result<i32, Trouble> {
        let mut version = 0;
        call!(self.library, "cublasGetVersion_v2", (*mut c_void, *mut c_int), (self.handle, &mut version))?;
        Ok(version)
    }

    /// `C = A * B` for square matrices of `n` rows, column by column in memory.
    pub(in crate::machine) fn product(
        &self,
        precision: Precision,
        n: usize,
        a: &Buffer<'_>,
        b: &Buffer<'_>,
        c: &Buffer<'_>,
    ) -> Result<(), Trouble> {
        let input = n * n * precision.width();
        assert!(a.len() >= input && b.len() >= input && c.len() >= n * n * 4, "the caller sizes the buffers");
        let (kind, compute) = match precision {
            Precision::Fp32 => (DataType::CUDA_R_32F, Compute::CUBLAS_COMPUTE_32F),
            Precision::Tf32 => (DataType::CUDA_R_32F, Compute::CUBLAS_COMPUTE_32F_FAST_TF32),
            Precision::Fp16 => (DataType::CUDA_R_16F, Compute::CUBLAS_COMPUTE_32F),
            Precision::Bf16 => (DataType::CUDA_R_16BF, Compute::CUBLAS_COMPUTE_32F),
        };
        let compute = if self.is_of_cuda_10() { DataType::CUDA_R_32F as c_int } else { compute as c_int };
        const AS_IS: c_int = 0;
        const DEFAULT_ALGORITHM: c_int = -1;
        let (one, zero) = (1.0_f32, 0.0_f32);
        let rows = c_int::try_from(n).unwrap_or(c_int::MAX);
        call!(
            self.library,
            "cublasGemmEx",
            (
                *mut c_void,
                c_int,
                c_int,
                c_int,
                c_int,
                c_int,
                *const c_void,
                *const c_void,
                c_int,
                c_int,
                *const c_void,
                c_int,
                c_int,
                *const c_void,
                *mut c_void,
                c_int,
                c_int,
                c_int,
                c_int
            ),
            (
                self.handle,
                AS_IS,
                AS_IS,
                rows,
                rows,
                rows,
                (&raw const one).cast(),
                a.pointer(),
                kind as c_int,
                rows,
                b.pointer(),
                kind as c_int,
                rows,
                (&raw const zero).cast(),
                c.pointer(),
                DataType::CUDA_R_32F as c_int,
                rows,
                compute,
                DEFAULT_ALGORITHM
            )
        )
    }
}

impl Drop for Cublas {
    fn drop(&mut self) {
        let _ = call!(self.library, "cublasDestroy_v2", (*mut c_void), (self.handle));
    }
}

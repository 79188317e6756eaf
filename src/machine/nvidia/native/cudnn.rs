//! cuDNN: one convolution layer, forward and both backward passes, with a choice of algorithm and workspace.
//!
//! The interface is the one that cuDNN 7, 8 and 9 share.

use std::ffi::{OsStr, c_float, c_int, c_void};
use std::ptr;

use cudarc::cudnn::sys::{cudnnConvolutionMode_t as Mode, cudnnDataType_t as DataType, cudnnTensorFormat_t as Format};
use libloading::Library;

use super::driver::Buffer;
use crate::machine::native::{Trouble, function, named, open};

/// Which of the three convolutions of a training step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine) enum Pass {
    /// The output from input and filter.
    Forward,
    /// The input's gradient from filter and output gradient.
    BackwardData,
    /// The filter's gradient from input and output gradient.
    BackwardFilter,
}

impl Pass {
    /// The word in names of facts.
    pub(in crate::machine) fn word(self) -> &'static str {
        match self {
            Pass::Forward => "forward",
            Pass::BackwardData => "backward_data",
            Pass::BackwardFilter => "backward_filter",
        }
    }
}

/// The sizes of a layer: 3x3 filters, stride 1, padding 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine) struct Shape {
    /// Images.
    pub(in crate::machine) batch: usize,
    /// Channels in.
    pub(in crate::machine) channels: usize,
    /// Channels out.
    pub(in crate::machine) filters: usize,
    /// Rows and columns.
    pub(in crate::machine) side: usize,
}

impl Shape {
    /// Elements of the input.
    pub(in crate::machine) fn input(self) -> usize {
        self.batch * self.channels * self.side * self.side
    }

    /// Elements of the filter.
    pub(in crate::machine) fn filter(self) -> usize {
        self.filters * self.channels * 9
    }

    /// Elements of the output.
    pub(in crate::machine) fn output(self) -> usize {
        self.batch * self.filters * self.side * self.side
    }
}

/// A way to compute a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine) struct Algorithm {
    number: c_int,
    /// Bytes of workspace it wants.
    pub(in crate::machine) workspace: usize,
}

/// `cudnnConvolution*AlgoPerf_t` of all versions, with integers where the header has enums.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct Performance {
    algorithm: c_int,
    status: c_int,
    time: c_float,
    memory: usize,
    determinism: c_int,
    math: c_int,
    reserved: [c_int; 3],
}

/// A handle of the library, bound to the current context.
pub(in crate::machine) struct Cudnn {
    library: &'static Library,
    handle: *mut c_void,
}

macro_rules! call {
    ($($rest:tt)*) => { status_call!("cudnnGetErrorString", $($rest)*) };
}

impl Cudnn {
    /// Opens the library and makes a handle in the current context.
    pub(in crate::machine) fn open(library: &OsStr) -> Result<Self, Trouble> {
        let library = open(library)?;
        let mut handle = ptr::null_mut();
        call!(library, "cudnnCreate", (*mut *mut c_void), (&mut handle))?;
        Ok(Self { library, handle })
    }

    /// The version as one number: 91002 for 9.10.2, 8907 for 8.9.7.
    pub(in crate::machine) fn version(&self) -> Result<usize, Trouble> {
        // SAFETY: `size_t cudnnGetVersion(void)` in cudnn.h.
        let call = unsafe { function::<unsafe extern "C" fn() -> usize>(self.library, "cudnnGetVersion\0") }?;
        // SAFETY: takes nothing and cannot fail.
        Ok(unsafe { call() })
    }

    /// The descriptors of a layer.
    pub(in crate::machine) fn layer(&self, shape: Shape) -> Result<Layer<'_>, Trouble> {
        let library = self.library;
        let (float, nchw) = (DataType::CUDNN_DATA_FLOAT as c_int, Format::CUDNN_TENSOR_NCHW as c_int);
        let size = |number: usize| c_int::try_from(number).unwrap_or(c_int::MAX);
        let (batch, side) = (size(shape.batch), size(shape.side));
        let tensor = |channels: usize| -> Result<*mut c_void, Trouble> {
            let mut tensor = ptr::null_mut();
            call!(library, "cudnnCreateTensorDescriptor", (*mut *mut c_void), (&mut tensor))?;
            call!(
                library,
                "cudnnSetTensor4dDescriptor",
                (*mut c_void, c_int, c_int, c_int, c_int, c_int, c_int),
                (tensor, nchw, float, batch, size(channels), side, side)
            )?;
            Ok(tensor)
        };
        let mut filter = ptr::null_mut();
        call!(library, "cudnnCreateFilterDescriptor", (*mut *mut c_void), (&mut filter))?;
        call!(
            library,
            "cudnnSetFilter4dDescriptor",
            (*mut c_void, c_int, c_int, c_int, c_int, c_int, c_int),
            (filter, float, nchw, size(shape.filters), size(shape.channels), 3, 3)
        )?;
        let mut convolution = ptr::null_mut();
        call!(library, "cudnnCreateConvolutionDescriptor", (*mut *mut c_void), (&mut convolution))?;
        call!(
            library,
            "cudnnSetConvolution2dDescriptor",
            (*mut c_void, c_int, c_int, c_int, c_int, c_int, c_int, c_int, c_int),
            (convolution, 1, 1, 1, 1, 1, 1, Mode::CUDNN_CROSS_CORRELATION as c_int, float)
        )?;
        // The descriptors are left to the end of the process.
        Ok(Layer {
            cudnn: self,
            shape,
            input: tensor(shape.channels)?,
            output: tensor(shape.filters)?,
            filter,
            convolution,
        })
    }
}

impl Drop for Cudnn {
    fn drop(&mut self) {
        let _ = call!(self.library, "cudnnDestroy", (*mut c_void), (self.handle));
    }
}

/// A layer ready to run.
pub(in crate::machine) struct Layer<'c> {
    cudnn: &'c Cudnn,
    shape: Shape,
    input: *mut c_void,
    output: *mut c_void,
    filter: *mut c_void,
    convolution: *mut c_void,
}

/// The three tensors of a pass: input (or its gradient), filter (or its gradient), output (or its gradient).
pub(in crate::machine) struct Tensors<'b, 'd> {
    /// Input side.
    pub(in crate::machine) input: &'b Buffer<'d>,
    /// Filter.
    pub(in crate::machine) filter: &'b Buffer<'d>,
    /// Output side.
    pub(in crate::machine) output: &'b Buffer<'d>,
}

impl Layer<'_> {
    /// The algorithms that cuDNN proposes for a pass, the fastest by its own estimate first.
    pub(in crate::machine) fn algorithms(&self, pass: Pass) -> Result<Vec<Algorithm>, Trouble> {
        const MOST: usize = 10;
        let empty =
            Performance { algorithm: 0, status: 0, time: 0.0, memory: 0, determinism: 0, math: 0, reserved: [0; 3] };
        let mut list = [empty; MOST];
        let mut count = 0;
        let wanted = c_int::try_from(MOST).unwrap_or(0);
        macro_rules! ask {
            ($name:literal, $first:expr, $second:expr, $third:expr) => {
                call!(
                    self.cudnn.library,
                    $name,
                    (
                        *mut c_void,
                        *mut c_void,
                        *mut c_void,
                        *mut c_void,
                        *mut c_void,
                        c_int,
                        *mut c_int,
                        *mut Performance
                    ),
                    (
                        self.cudnn.handle,
                        $first,
                        $second,
                        self.convolution,
                        $third,
                        wanted,
                        &mut count,
                        list.as_mut_ptr()
                    )
                )
            };
        }
        match pass {
            Pass::Forward => {
                ask!("cudnnGetConvolutionForwardAlgorithm_v7", self.input, self.filter, self.output)
            }
            Pass::BackwardData => {
                ask!("cudnnGetConvolutionBackwardDataAlgorithm_v7", self.filter, self.output, self.input)
            }
            Pass::BackwardFilter => {
                ask!("cudnnGetConvolutionBackwardFilterAlgorithm_v7", self.input, self.output, self.filter)
            }
        }?;
        let count = usize::try_from(count).unwrap_or(0).min(MOST);
        let usable = list[..count].iter().filter(|one| one.status == 0);
        Ok(usable.map(|one| Algorithm { number: one.algorithm, workspace: one.memory }).collect())
    }

    /// Runs a pass with an algorithm and a workspace.
    pub(in crate::machine) fn run(
        &self,
        pass: Pass,
        algorithm: Algorithm,
        workspace: Option<&Buffer<'_>>,
        tensors: &Tensors<'_, '_>,
    ) -> Result<(), Trouble> {
        assert!(
            tensors.input.len() >= self.shape.input() * 4
                && tensors.filter.len() >= self.shape.filter() * 4
                && tensors.output.len() >= self.shape.output() * 4,
            "the caller sizes the buffers"
        );
        let (one, zero) = (1.0_f32, 0.0_f32);
        let (place, length) = workspace.map_or((ptr::null_mut(), 0), |buffer| (buffer.pointer(), buffer.len()));
        let input = (self.input, tensors.input.pointer());
        let filter = (self.filter, tensors.filter.pointer());
        let output = (self.output, tensors.output.pointer());
        macro_rules! convolve {
            ($name:literal, $first:expr, $second:expr, $result:expr) => {
                call!(
                    self.cudnn.library,
                    $name,
                    (
                        *mut c_void,
                        *const c_void,
                        *mut c_void,
                        *const c_void,
                        *mut c_void,
                        *const c_void,
                        *mut c_void,
                        c_int,
                        *mut c_void,
                        usize,
                        *const c_void,
                        *mut c_void,
                        *mut c_void
                    ),
                    (
                        self.cudnn.handle,
                        (&raw const one).cast(),
                        $first.0,
                        $first.1,
                        $second.0,
                        $second.1,
                        self.convolution,
                        algorithm.number,
                        place,
                        length,
                        (&raw const zero).cast(),
                        $result.0,
                        $result.1
                    )
                )
            };
        }
        match pass {
            Pass::Forward => convolve!("cudnnConvolutionForward", input, filter, output),
            Pass::BackwardData => convolve!("cudnnConvolutionBackwardData", filter, output, input),
            Pass::BackwardFilter => convolve!("cudnnConvolutionBackwardFilter", input, output, filter),
        }
    }
}

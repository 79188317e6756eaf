//! Matmul and convolution checks: cuBLAS in four precisions, cuDNN in three passes with and without workspace, ten
//! repetitions, sustained matmuls. Every result is verified.

use super::checks::{CudaBench, OUT_OF_MEMORY};
use super::native::cublas::{Cublas, Precision};
use super::native::cudnn::{Cudnn, Layer, Pass, Shape, Tensors};
use super::native::driver::Context;
use super::reference::{self, Convolution};
use crate::amounts::size;
use crate::machine::CheckStatus;
use crate::machine::native::CallError;
use crate::machine::vendor::{Answer, Ended};

/// Rows of the matrices: enough to use tensor cores.
const ROWS: usize = 256;

/// A layer like those in the early stages of a ResNet.
const SHAPE: Shape = Shape { batch: 8, channels: 64, filters: 64, side: 56 };

impl CudaBench {
    fn cublas(&mut self) -> Result<(), Ended> {
        if self.cublas.is_some() {
            return Ok(());
        }
        let Some(library) = self.settings.libraries.get("cublas").cloned() else {
            return Err(Ended::skipped("no cuBLAS library found"));
        };
        self.context()?;
        let cublas = Cublas::open(library.as_os_str())?;
        if let Ok(version) = cublas.version() {
            self.notes.number("cublas.loaded", f64::from(version));
        }
        self.cublas = Some(cublas);
        Ok(())
    }

    pub(super) fn gemm(&mut self, precision: Precision) -> Answer {
        self.product(precision, ROWS, 1)?;
        Ok(format!("{ROWS} x {ROWS} matmul correct"))
    }

    fn product(&mut self, precision: Precision, rows: usize, times: usize) -> Result<(), Ended> {
        const NOT_SUPPORTED: [i32; 2] = [8, 15];
        self.cublas()?;
        let capability = self.device()?.capability()?;
        let (a, b) = (reference::matrix(rows, 1), reference::matrix(rows, 2));
        let encode = |matrix: &[i8]| match precision {
            Precision::Fp32 | Precision::Tf32 => reference::as_f32(matrix),
            Precision::Fp16 => reference::as_f16(matrix),
            Precision::Bf16 => reference::as_bf16(matrix),
        };
        let context = self.context.as_ref().ok_or_else(|| Ended::skipped("no context"))?;
        let cublas = self.cublas.as_ref().ok_or_else(|| Ended::skipped("no cuBLAS"))?;
        if !cublas.knows(precision) {
            return Err(Ended::skipped("this cuBLAS is older than this precision"));
        }
        let (left, right) = (context.upload(&encode(&a))?, context.upload(&encode(&b))?);
        let result = context.allocate(rows * rows * 4)?;
        let mut seen_right = None;
        for time in 1..=times {
            result.fill(0xEE)?;
            match cublas.product(precision, rows, &left, &right, &result) {
                Err(CallError::Status { code, .. })
                    if NOT_SUPPORTED.contains(&code) && capability < precision.first_capability() =>
                {
                    return Err(Ended::skipped("this device is older than this precision"));
                }
                other => other?,
            }
            context.synchronize()?;
            let bytes = result.read_all()?;
            if seen_right.as_ref() == Some(&bytes) {
                continue;
            }
            let bad = reference::wrong_rows(&a, &b, &reference::to_f32(&bytes), rows);
            if let Some(first) = bad.first() {
                let which = if times > 1 { format!(" in repetition {time}") } else { String::new() };
                return Err(Ended::wrong(format!(
                    "{} of {rows} rows of the result are wrong, the first is row {first}{which}",
                    bad.len()
                )));
            }
            seen_right = Some(bytes);
        }
        Ok(())
    }

    fn cudnn(&mut self) -> Result<(), Ended> {
        if self.cudnn.is_some() {
            return Ok(());
        }
        let Some(library) = self.settings.libraries.get("cudnn").cloned() else {
            return Err(Ended::skipped("no cuDNN library found"));
        };
        self.context()?;
        let cudnn = Cudnn::open(library.as_os_str())?;
        if let Ok(version) = cudnn.version() {
            self.notes.count("cudnn.loaded", version as u64);
        }
        self.cudnn = Some(cudnn);
        Ok(())
    }

    pub(super) fn convolution(&mut self, pass: Pass, with_workspace: bool) -> Answer {
        self.cudnn()?;
        let context = self.context.as_ref().ok_or_else(|| Ended::skipped("no context"))?;
        let cudnn = self.cudnn.as_ref().ok_or_else(|| Ended::skipped("no cuDNN"))?;
        let layer = cudnn.layer(SHAPE)?;
        if with_workspace && let Some(fastest) = layer.algorithms(pass)?.first() {
            let (device, pass) = (self.settings.device, pass.word());
            self.notes.count(format!("cuda.{device}.workspace.{pass}"), fastest.workspace as u64);
        }
        convolve(context, &layer, pass, with_workspace, 1)
    }

    /// The same matmul ten times, each result verified.
    pub(super) fn repeat(&mut self) -> Answer {
        const TIMES: usize = 10;
        let (major, minor) = self.device()?.capability()?;
        let ptx = reference::ptx(major, minor);
        for _ in 0..TIMES {
            self.run_mix(ptx.as_bytes())?;
        }
        let mut done = vec!["kernel"];
        match self.product(Precision::Fp32, ROWS, TIMES) {
            Ok(()) => done.push("product"),
            Err(ended) if ended.word == CheckStatus::Skipped => {}
            Err(ended) => return Err(ended),
        }
        match self.cudnn() {
            Ok(()) => {
                let context = self.context.as_ref().ok_or_else(|| Ended::skipped("no context"))?;
                let cudnn = self.cudnn.as_ref().ok_or_else(|| Ended::skipped("no cuDNN"))?;
                let layer = cudnn.layer(SHAPE)?;
                for pass in [Pass::Forward, Pass::BackwardData, Pass::BackwardFilter] {
                    convolve(context, &layer, pass, true, TIMES)?;
                }
                done.push("convolutions");
            }
            Err(ended) if ended.word == CheckStatus::Skipped => {}
            Err(ended) => return Err(ended),
        }
        Ok(format!("{} {TIMES} times, every result correct", done.join(", ")))
    }

    pub(super) fn gemm_stress(&mut self) -> Answer {
        const LARGE: usize = 1024;
        let until = std::time::Instant::now() + std::time::Duration::from_secs(self.settings.seconds);
        let mut products = 0;
        loop {
            for precision in [Precision::Fp32, Precision::Tf32, Precision::Fp16, Precision::Bf16] {
                match self.product(precision, LARGE, 1) {
                    Ok(()) => products += 1,
                    Err(ended) if ended.word == CheckStatus::Skipped && products > 0 => {}
                    Err(ended) if ended.word == CheckStatus::Skipped => return Err(ended),
                    Err(mut ended) => {
                        ended.says = format!("after {products} correct matmuls: {}", ended.says);
                        return Err(ended);
                    }
                }
            }
            if std::time::Instant::now() >= until {
                return Ok(format!("{products} matmuls of {LARGE} x {LARGE}, all correct"));
            }
        }
    }
}

/// One pass of the layer, verified against the reference each time.
fn convolve(context: &Context<'_>, layer: &Layer<'_>, pass: Pass, with_workspace: bool, times: usize) -> Answer {
    let mut algorithms = layer.algorithms(pass)?;
    if !with_workspace {
        algorithms.retain(|algorithm| algorithm.workspace == 0);
    }
    let Some(algorithm) = algorithms.first().copied() else {
        if !with_workspace {
            // cuDNN does not guarantee one for every device.
            return Err(Ended::skipped("cuDNN proposes no algorithm that needs no workspace"));
        }
        let says = "cuDNN proposes no algorithm for a plain 3x3 layer".to_owned();
        return Err(Ended { word: CheckStatus::Failed, says, code: None });
    };
    #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
    let needs = size(algorithm.workspace as f64);
    let reference = Convolution::new(SHAPE, pass);
    let input = context.upload(&reference.input)?;
    let filter = context.upload(&reference.filter)?;
    let output = context.upload(&reference.output)?;
    let workspace = if algorithm.workspace > 0 {
        match context.allocate(algorithm.workspace) {
            Ok(buffer) => Some(buffer),
            Err(trouble) if trouble.code() == Some(OUT_OF_MEMORY) => {
                #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
                let free = context.memory().map_or_else(|_| "unknown".to_owned(), |(free, _)| size(free as f64));
                return Err(Ended {
                    word: CheckStatus::Failed,
                    says: format!("needs {needs} of workspace, which is not available ({free} free)"),
                    code: trouble.code(),
                });
            }
            Err(trouble) => return Err(trouble.into()),
        }
    } else {
        None
    };
    let tensors = Tensors { input: &input, filter: &filter, output: &output };
    let result = match pass {
        Pass::Forward => &output,
        Pass::BackwardData => &input,
        Pass::BackwardFilter => &filter,
    };
    let mut seen_right = None;
    for time in 1..=times {
        result.fill(0xEE)?;
        layer.run(pass, algorithm, workspace.as_ref(), &tensors)?;
        context.synchronize()?;
        let bytes = result.read_all()?;
        if seen_right.as_ref() == Some(&bytes) {
            continue;
        }
        let bad = reference.differences(&reference::to_f32(&bytes));
        if bad > 0 {
            let which = if times > 1 { format!(" in repetition {time}") } else { String::new() };
            return Err(Ended::wrong(format!("{bad} of {} results are wrong{which}", reference.expected.len())));
        }
        seen_right = Some(bytes);
    }
    let with =
        if algorithm.workspace > 0 { format!("with {needs} of workspace") } else { "without workspace".to_owned() };
    Ok(format!("right {with}"))
}

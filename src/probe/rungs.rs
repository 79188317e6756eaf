//! The rungs of the functional ladder, as they run inside the child: each does one thing that a training job does and
//! compares the result with one computed here.
//!
//! All data are small whole numbers, so that every precision gives exact results and a difference is a fault of the
//! machine, not of rounding.

use super::Word;
use super::native::Trouble;
use super::native::cublas::{Cublas, Precision};
use super::native::cudnn::{Cudnn, Layer, Pass, Shape, Tensors};
use super::native::driver::{Context, Device, Driver};
use super::native::nvrtc::Nvrtc;
use super::note::Notes;
use super::reference::{self, Convolution};
use super::step::Settings;
use crate::amounts::size;

/// How a rung ended.
pub(super) struct Climbed {
    pub(super) word: Word,
    pub(super) says: String,
    pub(super) code: Option<i32>,
}

/// What a rung returns: words of success, or how it failed.
type Rung = Result<String, Climbed>;

impl From<Trouble> for Climbed {
    fn from(trouble: Trouble) -> Self {
        let unknown = matches!(&trouble, Trouble::Status { name: None, .. });
        let word = if unknown { Word::UnknownCode } else { Word::Failed };
        Climbed { word, says: trouble.says(), code: trouble.code() }
    }
}

fn skipped(says: &str) -> Climbed {
    Climbed { word: Word::Skipped, says: says.to_owned(), code: None }
}

fn wrong(says: String) -> Climbed {
    Climbed { word: Word::Wrong, says, code: None }
}

/// A status as one word for conditions: its name where it has one.
pub(super) fn word_of(trouble: &Trouble) -> String {
    match trouble {
        Trouble::NotLoaded(_) => "library not loadable".to_owned(),
        Trouble::Missing(name) => format!("no {name}"),
        Trouble::Status { name: Some(name), .. } => name.clone(),
        Trouble::Status { code, name: None, .. } => format!("unknown code {code}"),
    }
}

/// CUDA's out-of-memory status.
const OUT_OF_MEMORY: i32 = 2;

/// Elements of the copy and kernel rungs.
const ELEMENTS: u32 = 1 << 18;

/// Rows of the matrices: large enough for tensor cores.
const ROWS: usize = 256;

/// A layer as in an early stage of a ResNet.
const SHAPE: Shape = Shape { batch: 8, channels: 64, filters: 64, side: 56 };

/// Everything that rungs share inside one child.
pub(super) struct Bench {
    settings: Settings,
    /// Facts found on the way.
    pub(super) notes: Notes,
    driver: Option<&'static Driver>,
    context: Option<Context<'static>>,
    cublas: Option<Cublas>,
    cudnn: Option<Cudnn>,
}

impl Bench {
    /// Nothing is loaded yet.
    pub(super) fn new(settings: Settings) -> Self {
        Self { settings, notes: Notes::default(), driver: None, context: None, cublas: None, cudnn: None }
    }

    /// Climbs one rung.
    pub(super) fn climb(&mut self, name: &str) -> Climbed {
        let result = match name {
            "context" => self.context_rung(),
            "copy" => self.copy(),
            "kernel" => self.kernel(),
            "nvrtc" => self.nvrtc(),
            "gemm_fp32" => self.gemm(Precision::Fp32),
            "gemm_tf32" => self.gemm(Precision::Tf32),
            "gemm_fp16" => self.gemm(Precision::Fp16),
            "gemm_bf16" => self.gemm(Precision::Bf16),
            "conv_forward" => self.convolution(Pass::Forward, true),
            "conv_forward_no_workspace" => self.convolution(Pass::Forward, false),
            "conv_backward_data" => self.convolution(Pass::BackwardData, true),
            "conv_backward_data_no_workspace" => self.convolution(Pass::BackwardData, false),
            "conv_backward_filter" => self.convolution(Pass::BackwardFilter, true),
            "conv_backward_filter_no_workspace" => self.convolution(Pass::BackwardFilter, false),
            "repeat" => self.repeat(),
            "largest_block" => self.largest_block(),
            "peer" => self.peer(),
            "memory_patterns" => self.memory_patterns(),
            "gemm_stress" => self.gemm_stress(),
            other => Err(skipped(&format!("no rung is named {other}"))),
        };
        match result {
            Ok(says) => Climbed { word: Word::Ok, says, code: None },
            Err(climbed) => climbed,
        }
    }

    /// The driver, loaded and initialised at the first call; it lives as long as this process.
    fn driver(&mut self) -> Result<&'static Driver, Climbed> {
        if let Some(driver) = self.driver {
            return Ok(driver);
        }
        let library =
            self.settings.cuda.clone().map_or_else(|| "libcuda.so.1".into(), std::path::PathBuf::into_os_string);
        let driver: &'static Driver = Box::leak(Box::new(Driver::open(&library)?));
        driver.init()?;
        self.driver = Some(driver);
        Ok(driver)
    }

    fn device(&mut self) -> Result<Device<'static>, Climbed> {
        Ok(self.driver()?.device(self.settings.device)?)
    }

    fn context(&mut self) -> Result<&Context<'static>, Climbed> {
        if self.context.is_none() {
            self.context = Some(self.device()?.context()?);
        }
        self.context.as_ref().ok_or_else(|| skipped("no context"))
    }

    fn context_rung(&mut self) -> Rung {
        let device = self.device()?;
        let number = self.settings.device;
        if let Ok(pci) = device.pci() {
            self.notes.text(format!("cuda.{number}.pci"), pci);
        }
        if let Ok(bytes) = device.shared_memory() {
            self.notes.count(format!("cuda.{number}.shared_memory"), u64::try_from(bytes).unwrap_or(0));
        }
        if let Ok(watchdog) = device.has_watchdog() {
            self.notes.flag(format!("cuda.{number}.watchdog"), watchdog);
        }
        let name = device.name()?;
        let (major, minor) = device.capability()?;
        let (free, total) = self.context()?.memory()?;
        #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
        Ok(format!("{name}, sm_{major}{minor}, {} of {} free", size(free as f64), size(total as f64)))
    }

    fn copy(&mut self) -> Rung {
        let context = self.context()?;
        let bytes = reference::bytes(ELEMENTS as usize * 4);
        let (first, second) = (context.upload(&bytes)?, context.allocate(bytes.len())?);
        second.copy_from(&first)?;
        context.synchronize()?;
        compare_bytes(&second.read_all()?, &bytes)?;
        Ok(format!("{} there, across and back unchanged", size(f64::from(ELEMENTS) * 4.0)))
    }

    fn kernel(&mut self) -> Rung {
        let (major, minor) = self.device()?.capability()?;
        let ptx = reference::ptx(major, minor);
        self.run_mix(ptx.as_bytes())?;
        Ok(format!("PTX compiled by the driver, {ELEMENTS} results right"))
    }

    fn nvrtc(&mut self) -> Rung {
        let Some(library) = self.settings.nvrtc.clone() else { return Err(skipped("no NVRTC library found")) };
        let (major, minor) = self.device()?.capability()?;
        let nvrtc = Nvrtc::open(library.as_os_str())?;
        let version = nvrtc.version()?;
        let ptx = nvrtc.compile(reference::SOURCE, major, minor).map_err(|(trouble, log)| {
            let mut climbed = Climbed::from(trouble);
            if !log.is_empty() {
                climbed.says = format!("{}; {}", climbed.says, log.lines().next().unwrap_or_default());
            }
            climbed
        })?;
        self.run_mix(&ptx)?;
        Ok(format!("NVRTC {}.{} compiled for compute_{major}{minor}, results right", version.0, version.1))
    }

    /// Runs the ladder's kernel from an image and checks every result.
    fn run_mix(&mut self, image: &[u8]) -> Result<(), Climbed> {
        let context = self.context()?;
        let input: Vec<u32> = (0..ELEMENTS).map(|i| i.wrapping_mul(2_246_822_519)).collect();
        let from = context.upload(&reference::words_to_bytes(&input))?;
        let to = context.allocate(input.len() * 4)?;
        to.fill(0xEE)?;
        let module = context.module(image)?;
        module.run_mix(&from, &to)?;
        context.synchronize()?;
        let expected: Vec<u32> = (0_u32..).zip(&input).map(|(i, x)| reference::mix(*x, i)).collect();
        compare_bytes(&to.read_all()?, &reference::words_to_bytes(&expected))
    }

    fn cublas(&mut self) -> Result<(), Climbed> {
        if self.cublas.is_some() {
            return Ok(());
        }
        let Some(library) = self.settings.cublas.clone() else { return Err(skipped("no cuBLAS library found")) };
        self.context()?;
        let cublas = Cublas::open(library.as_os_str())?;
        if let Ok(version) = cublas.version() {
            self.notes.number("cublas.loaded", f64::from(version));
        }
        self.cublas = Some(cublas);
        Ok(())
    }

    fn gemm(&mut self, precision: Precision) -> Rung {
        self.product(precision, ROWS, 1)?;
        Ok(format!("{ROWS} x {ROWS} product right"))
    }

    fn product(&mut self, precision: Precision, rows: usize, times: usize) -> Result<(), Climbed> {
        const NOT_SUPPORTED: [i32; 2] = [8, 15];
        self.cublas()?;
        let (a, b) = (reference::matrix(rows, 1), reference::matrix(rows, 2));
        let encode = |matrix: &[i8]| match precision {
            Precision::Fp32 | Precision::Tf32 => reference::as_f32(matrix),
            Precision::Fp16 => reference::as_f16(matrix),
            Precision::Bf16 => reference::as_bf16(matrix),
        };
        let context = self.context.as_ref().ok_or_else(|| skipped("no context"))?;
        let cublas = self.cublas.as_ref().ok_or_else(|| skipped("no cuBLAS"))?;
        let (left, right) = (context.upload(&encode(&a))?, context.upload(&encode(&b))?);
        let result = context.allocate(rows * rows * 4)?;
        for time in 1..=times {
            result.fill(0xEE)?;
            match cublas.product(precision, rows, &left, &right, &result) {
                Err(Trouble::Status { code, .. })
                    if NOT_SUPPORTED.contains(&code) && matches!(precision, Precision::Bf16 | Precision::Fp16) =>
                {
                    return Err(skipped("this device or this cuBLAS does not support this precision"));
                }
                other => other?,
            }
            context.synchronize()?;
            let bad = reference::wrong_rows(&a, &b, &reference::to_f32(&result.read_all()?), rows);
            if let Some(first) = bad.first() {
                let which = if times > 1 { format!(" in repetition {time}") } else { String::new() };
                return Err(wrong(format!(
                    "{} of {rows} rows of the product are wrong, the first is row {first}{which}",
                    bad.len()
                )));
            }
        }
        Ok(())
    }

    fn cudnn(&mut self) -> Result<(), Climbed> {
        if self.cudnn.is_some() {
            return Ok(());
        }
        let Some(library) = self.settings.cudnn.clone() else { return Err(skipped("no cuDNN library found")) };
        self.context()?;
        let cudnn = Cudnn::open(library.as_os_str())?;
        if let Ok(version) = cudnn.version() {
            self.notes.count("cudnn.loaded", version as u64);
        }
        self.cudnn = Some(cudnn);
        Ok(())
    }

    fn convolution(&mut self, pass: Pass, with_workspace: bool) -> Rung {
        self.cudnn()?;
        let context = self.context.as_ref().ok_or_else(|| skipped("no context"))?;
        let cudnn = self.cudnn.as_ref().ok_or_else(|| skipped("no cuDNN"))?;
        let layer = cudnn.layer(SHAPE)?;
        convolve(context, &layer, pass, with_workspace, 1)
    }

    /// The same work ten times over, each result compared.
    fn repeat(&mut self) -> Rung {
        const TIMES: usize = 10;
        let (major, minor) = self.device()?.capability()?;
        let ptx = reference::ptx(major, minor);
        for _ in 0..TIMES {
            self.run_mix(ptx.as_bytes())?;
        }
        let mut done = vec!["kernel"];
        match self.product(Precision::Fp32, ROWS, TIMES) {
            Ok(()) => done.push("product"),
            Err(climbed) if climbed.word == Word::Skipped => {}
            Err(climbed) => return Err(climbed),
        }
        match self.cudnn() {
            Ok(()) => {
                let context = self.context.as_ref().ok_or_else(|| skipped("no context"))?;
                let cudnn = self.cudnn.as_ref().ok_or_else(|| skipped("no cuDNN"))?;
                let layer = cudnn.layer(SHAPE)?;
                for pass in [Pass::Forward, Pass::BackwardData, Pass::BackwardFilter] {
                    convolve(context, &layer, pass, true, TIMES)?;
                }
                done.push("convolutions");
            }
            Err(climbed) if climbed.word == Word::Skipped => {}
            Err(climbed) => return Err(climbed),
        }
        Ok(format!("{} {TIMES} times, every result right", done.join(", ")))
    }

    /// The largest single allocation, by bisection; a shared device is asked only for half of what is free.
    fn largest_block(&mut self) -> Rung {
        const STEP: usize = 2 << 20;
        let (number, shared) = (self.settings.device, self.settings.shared);
        let context = self.context()?;
        let (free, _) = context.memory()?;
        let most = if shared { free / 2 } else { free };
        let (mut fits, mut fails) = (0, most / STEP + 1);
        if allocates(context, most)? {
            fits = most / STEP;
        }
        while fits + 1 < fails {
            let middle = fits + (fails - fits) / 2;
            if allocates(context, middle * STEP)? { fits = middle } else { fails = middle }
        }
        let largest = fits * STEP;
        #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
        let (largest_words, free_words) = (size(largest as f64), size(free as f64));
        if shared {
            self.notes.cannot_tell(
                format!("gpu.{number}.largest_block"),
                "somebody else computes on this GPU: taking all of its memory could make that job fail",
            );
            return Ok(format!(
                "at least {largest_words} of {free_words} free in one block (not tried further: the GPU is in use)"
            ));
        }
        self.notes.count(format!("cuda.{number}.largest_block"), largest as u64);
        Ok(format!("{largest_words} of {free_words} free in one block"))
    }

    fn peer(&mut self) -> Rung {
        let driver = self.driver()?;
        let count = driver.device_count()?;
        if count < 2 {
            return Err(skipped("only one device is visible"));
        }
        let own = self.device()?;
        let number = self.settings.device;
        let (mut direct, mut indirect) = (Vec::new(), Vec::new());
        for other in (0..count).filter(|other| *other != number) {
            let device = driver.device(other)?;
            if !own.reaches(device)? {
                indirect.push(other.to_string());
                continue;
            }
            let bytes = reference::bytes(1 << 20);
            let theirs = device.context()?;
            let source = theirs.upload(&bytes)?;
            let context = self.context()?;
            context.reach_into(&theirs)?;
            let target = context.allocate(bytes.len())?;
            target.copy_from(&source)?;
            context.synchronize()?;
            compare_bytes(&target.read_all()?, &bytes)?;
            direct.push(other.to_string());
            theirs.enter()?;
            drop(source);
            self.context()?.enter()?;
        }
        Ok(match (direct.is_empty(), indirect.is_empty()) {
            (false, true) => format!("direct copies with devices {} right", direct.join(", ")),
            (true, _) => "no direct access between the devices (copies go through host memory)".to_owned(),
            (false, false) => format!("direct with {}, not with {}", direct.join(", "), indirect.join(", ")),
        })
    }

    /// Fills memory with patterns and reads it back until the time is up.
    fn memory_patterns(&mut self) -> Rung {
        const BLOCK: usize = 64 << 20;
        let (seconds, shared) = (self.settings.seconds, self.settings.shared);
        let context = self.context()?;
        let (free, _) = context.memory()?;
        let wanted = if shared { free / 4 } else { free / 10 * 9 };
        let until = std::time::Instant::now() + std::time::Duration::from_secs(seconds);
        let mut blocks = Vec::new();
        while blocks.len() * BLOCK < wanted {
            match context.allocate(BLOCK.min(wanted)) {
                Ok(block) => blocks.push(block),
                Err(_) => break,
            }
        }
        let mut read = vec![0; BLOCK];
        let mut checked = 0_usize;
        'time: for pattern in [0x00, 0xFF, 0xAA, 0x55, 0xCC, 0x33].into_iter().cycle() {
            for block in &blocks {
                block.fill(pattern)?;
            }
            context.synchronize()?;
            for (index, block) in blocks.iter().enumerate() {
                let bytes = block.read_all()?;
                let bad = bytes.iter().filter(|byte| **byte != pattern).count();
                if bad > 0 {
                    return Err(wrong(format!("{bad} bytes of block {index} do not hold the pattern {pattern:#04x}")));
                }
                checked += bytes.len();
                if std::time::Instant::now() >= until {
                    break 'time;
                }
            }
            if blocks.is_empty() {
                return Err(skipped("no memory is free for it"));
            }
        }
        read.clear();
        #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
        Ok(format!(
            "{} written and read back unchanged, {} of memory touched",
            size(checked as f64),
            size((blocks.len() * BLOCK) as f64)
        ))
    }

    fn gemm_stress(&mut self) -> Rung {
        const LARGE: usize = 1024;
        let until = std::time::Instant::now() + std::time::Duration::from_secs(self.settings.seconds);
        let mut products = 0;
        loop {
            for precision in [Precision::Fp32, Precision::Tf32, Precision::Fp16, Precision::Bf16] {
                match self.product(precision, LARGE, 1) {
                    Ok(()) => products += 1,
                    Err(climbed) if climbed.word == Word::Skipped && products > 0 => {}
                    Err(mut climbed) => {
                        climbed.says = format!("after {products} right products: {}", climbed.says);
                        return Err(climbed);
                    }
                }
            }
            if std::time::Instant::now() >= until {
                return Ok(format!("{products} products of {LARGE} x {LARGE}, every one right"));
            }
        }
    }
}

/// Whether so many bytes can be had in one piece.
fn allocates(context: &Context<'_>, bytes: usize) -> Result<bool, Climbed> {
    if bytes == 0 {
        return Ok(true);
    }
    match context.allocate(bytes) {
        Ok(_) => Ok(true),
        Err(trouble) if trouble.code() == Some(OUT_OF_MEMORY) => Ok(false),
        Err(trouble) => Err(trouble.into()),
    }
}

/// One pass of the layer, compared with the reference each time.
fn convolve(context: &Context<'_>, layer: &Layer<'_>, pass: Pass, with_workspace: bool, times: usize) -> Rung {
    let mut algorithms = layer.algorithms(pass)?;
    if !with_workspace {
        algorithms.retain(|algorithm| algorithm.workspace == 0);
    }
    let Some(algorithm) = algorithms.first().copied() else {
        return Err(Climbed {
            word: Word::Failed,
            says: if with_workspace {
                "cuDNN proposes no algorithm for a plain 3x3 layer".to_owned()
            } else {
                "cuDNN proposes no algorithm that needs no workspace".to_owned()
            },
            code: None,
        });
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
                return Err(Climbed {
                    word: Word::Failed,
                    says: format!("needs {needs} of workspace, which cannot be had ({free} free)"),
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
    for time in 1..=times {
        result.fill(0xEE)?;
        layer.run(pass, algorithm, workspace.as_ref(), &tensors)?;
        context.synchronize()?;
        let bad = reference.differences(&reference::to_f32(&result.read_all()?));
        if bad > 0 {
            let which = if times > 1 { format!(" in repetition {time}") } else { String::new() };
            return Err(wrong(format!("{bad} of {} results are wrong{which}", reference.expected.len())));
        }
    }
    let with =
        if algorithm.workspace > 0 { format!("with {needs} of workspace") } else { "without workspace".to_owned() };
    Ok(format!("right {with}"))
}

fn compare_bytes(got: &[u8], expected: &[u8]) -> Result<(), Climbed> {
    let bad = got.iter().zip(expected).filter(|(got, expected)| got != expected).count();
    if bad == 0 && got.len() == expected.len() {
        return Ok(());
    }
    Err(wrong(format!("{bad} of {} bytes came back changed", expected.len())))
}

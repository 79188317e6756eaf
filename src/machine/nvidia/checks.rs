//! The functional checks, which run inside the child: each does one thing that a training job does and compares the
//! result with a reference computed here.
//!
//! All data are small integers, so that every precision gives exact results and any difference is a hardware or
//! software fault, not rounding.

use super::native::cublas::{Cublas, Precision};
use super::native::cudnn::{Cudnn, Pass};
use super::native::driver::{Context, Device, Driver};
use super::native::nvrtc::Nvrtc;
use super::{description, reference};
use crate::amounts::size;
use crate::machine::note::Notes;
use crate::machine::step::Settings;
use crate::machine::vendor::{Answer, Bench, Ended};

/// The operations of a training job, simplest first.
pub(super) const FUNCTIONAL: &[&str] = &[
    "context",
    "copy",
    "kernel",
    "nvrtc",
    "gemm_fp32",
    "gemm_tf32",
    "gemm_fp16",
    "gemm_bf16",
    "conv_forward",
    "conv_forward_no_workspace",
    "conv_backward_data",
    "conv_backward_data_no_workspace",
    "conv_backward_filter",
    "conv_backward_filter_no_workspace",
    "repeat",
    "largest_block",
    "peer",
];

/// Added by the stress level.
pub(super) const STRESS: &[&str] = &["memory_patterns", "gemm_stress"];

/// CUDA's out-of-memory status.
pub(super) const OUT_OF_MEMORY: i32 = 2;

/// Elements of the copy and kernel checks.
const ELEMENTS: u32 = 1 << 18;

/// State shared by the checks of one child.
pub(super) struct CudaBench {
    pub(super) settings: Settings,
    /// Facts found by the checks.
    pub(super) notes: Notes,
    pub(super) driver: Option<&'static Driver>,
    pub(super) context: Option<Context<'static>>,
    pub(super) cublas: Option<Cublas>,
    pub(super) cudnn: Option<Cudnn>,
}

impl Bench for CudaBench {
    fn run(&mut self, check: &str) -> Ended {
        let answer = match check {
            "context" => self.context_check(),
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
            other => Err(Ended::skipped(&format!("no check is named {other}"))),
        };
        answer.into()
    }

    fn take_notes(&mut self) -> Notes {
        std::mem::take(&mut self.notes)
    }
}

impl CudaBench {
    pub(super) fn new(settings: Settings) -> Self {
        Self { settings, notes: Notes::default(), driver: None, context: None, cublas: None, cudnn: None }
    }

    /// The driver, loaded and initialised on first use; never unloaded.
    fn driver(&mut self) -> Result<&'static Driver, Ended> {
        if let Some(driver) = self.driver {
            return Ok(driver);
        }
        let library = match &self.settings.driver {
            Some(path) => path.clone().into_os_string(),
            None => description().driver.library.here().into(),
        };
        let driver: &'static Driver = Box::leak(Box::new(Driver::open(&library)?));
        driver.init()?;
        self.driver = Some(driver);
        Ok(driver)
    }

    pub(super) fn device(&mut self) -> Result<Device<'static>, Ended> {
        Ok(self.driver()?.device(self.settings.device)?)
    }

    pub(super) fn context(&mut self) -> Result<&Context<'static>, Ended> {
        if self.context.is_none() {
            self.context = Some(self.device()?.context()?);
        }
        self.context.as_ref().ok_or_else(|| Ended::skipped("no context"))
    }

    fn context_check(&mut self) -> Answer {
        let device = self.device()?;
        let number = self.settings.device;
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

    fn copy(&mut self) -> Answer {
        let context = self.context()?;
        let bytes = reference::bytes(ELEMENTS as usize * 4);
        let (first, second) = (context.upload(&bytes)?, context.allocate(bytes.len())?);
        second.copy_from(&first)?;
        context.synchronize()?;
        compare_bytes(&second.read_all()?, &bytes)?;
        Ok(format!("{} copied there, across and back, unchanged", size(f64::from(ELEMENTS) * 4.0)))
    }

    fn kernel(&mut self) -> Answer {
        let (major, minor) = self.device()?.capability()?;
        let ptx = reference::ptx(major, minor);
        self.run_mix(ptx.as_bytes())?;
        Ok(format!("PTX compiled by the driver, {ELEMENTS} results correct"))
    }

    fn nvrtc(&mut self) -> Answer {
        let Some(library) = self.settings.libraries.get("nvrtc").cloned() else {
            return Err(Ended::skipped("no NVRTC library found"));
        };
        let (major, minor) = self.device()?.capability()?;
        let nvrtc = Nvrtc::open(library.as_os_str())?;
        let version = nvrtc.version()?;
        let target = nvrtc.target(major, minor);
        let image = nvrtc.compile(reference::SOURCE, target).map_err(|(trouble, log)| {
            let mut ended = Ended::from(trouble);
            if !log.is_empty() {
                ended.says = format!("{}; {}", ended.says, log.lines().next().unwrap_or_default());
            }
            ended
        })?;
        self.run_mix(&image)?;
        Ok(format!("NVRTC {}.{} compiled for {target}, results correct", version.0, version.1))
    }

    /// Runs the test kernel from an image and verifies every result.
    pub(super) fn run_mix(&mut self, image: &[u8]) -> Result<(), Ended> {
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

    /// The largest single allocation, by bisection; on a shared device only half of the free memory is tried.
    fn largest_block(&mut self) -> Answer {
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
            self.notes.set_unknown(
                format!("cuda.{number}.largest_block"),
                "another process is using this GPU: allocating all of its memory could make that job fail",
            );
            return Ok(format!(
                "at least {largest_words} of {free_words} free in one block (not tried further: the GPU is in use)"
            ));
        }
        self.notes.count(format!("cuda.{number}.largest_block"), largest as u64);
        Ok(format!("{largest_words} of {free_words} free in one block"))
    }

    fn peer(&mut self) -> Answer {
        let driver = self.driver()?;
        let count = driver.device_count()?;
        if count < 2 {
            return Err(Ended::skipped("only one device is visible"));
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
            (false, true) => format!("direct copies with device {} correct", direct.join(", ")),
            (true, _) => "no direct access between the devices (copies go through host memory)".to_owned(),
            (false, false) => format!("direct with device {}, not with {}", direct.join(", "), indirect.join(", ")),
        })
    }

    /// Fills memory with patterns and reads it back until the time is up.
    fn memory_patterns(&mut self) -> Answer {
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
        if blocks.is_empty() {
            return Err(Ended::skipped("no memory is free for this check"));
        }
        let (mut checked, mut touched) = (0_usize, 0);
        'time: for pattern in [0x00, 0xFF, 0xAA, 0x55, 0xCC, 0x33].into_iter().cycle() {
            let mut filled = 0;
            for block in &blocks {
                block.fill(pattern)?;
                filled += 1;
                if std::time::Instant::now() >= until {
                    break;
                }
            }
            context.synchronize()?;
            touched = touched.max(filled);
            for (index, block) in blocks.iter().enumerate().take(filled) {
                let bytes = block.read_all()?;
                let bad = bytes.iter().filter(|byte| **byte != pattern).count();
                if bad > 0 {
                    return Err(Ended::wrong(format!(
                        "{bad} bytes of block {index} do not contain the pattern {pattern:#04x}"
                    )));
                }
                checked += bytes.len();
                if std::time::Instant::now() >= until {
                    break 'time;
                }
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
        Ok(format!(
            "{} written and read back unchanged, {} of memory touched",
            size(checked as f64),
            size((touched * BLOCK) as f64)
        ))
    }
}

/// Whether a single allocation of this size succeeds.
fn allocates(context: &Context<'_>, bytes: usize) -> Result<bool, Ended> {
    if bytes == 0 {
        return Ok(true);
    }
    match context.allocate(bytes) {
        Ok(_) => Ok(true),
        Err(trouble) if trouble.code() == Some(OUT_OF_MEMORY) => Ok(false),
        Err(trouble) => Err(trouble.into()),
    }
}

fn compare_bytes(got: &[u8], expected: &[u8]) -> Result<(), Ended> {
    let bad = got.iter().zip(expected).filter(|(got, expected)| got != expected).count();
    if bad == 0 && got.len() == expected.len() {
        return Ok(());
    }
    Err(Ended::wrong(format!("{bad} of {} bytes came back changed", expected.len())))
}

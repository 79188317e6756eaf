//! AMD's GPUs: files of a kernel that imitate them, and a fake of AMD SMI, ROCm SMI and HIP.

use std::path::Path;
use std::time::Duration;

use faultbook::facts::Value;
use faultbook::machine::view;
use faultbook::machine::{self, Level, Options, Outcome};
use faultbook::render::terminal::Terminal;

use super::machine::{Machine, fake_amd, number, says, text, yes};

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

const SMI: &str = "libamd_smi.so";
const OLD_SMI: &str = "librocm_smi64.so";
const HIP: &str = "libamdhip64.so";

/// A GPU of the list: its node, PCI address, model and revision, target and memory in MiB.
pub(crate) struct Gpu {
    pub(crate) node: u32,
    pub(crate) pci: &'static str,
    pub(crate) model: &'static str,
    pub(crate) target: u32,
    pub(crate) total: u64,
    pub(crate) used: u64,
}

/// A Radeon RX 7900 XTX at bus 3.
pub(crate) const XTX: Gpu =
    Gpu { node: 1, pci: "0000:03:00.0", model: "0x744c", target: 110_000, total: 24_560, used: 1_200 };

impl Machine {
    /// A machine with AMD's driver: modules, nodes, and the files of these GPUs.
    pub(crate) fn amd(gpus: &[Gpu]) -> Self {
        let mut machine = Self::without_driver()
            .file("sys/module/amdgpu/version", "6.12.12\n")
            .file("sys/class/kfd/kfd/topology/nodes/0/gpu_id", "0\n")
            .file("sys/class/kfd/kfd/topology/nodes/0/properties", "cpu_cores_count 32\nsimd_count 0\n")
            .file("usr/share/libdrm/amdgpu.ids", "744C,\tC8,\tAMD Radeon RX 7900 XTX\n")
            .file("sys/class/kfd/kfd/proc/4312/pasid", "32769\n")
            .file("proc/4312/cmdline", "python\0train.py\0--lr\0")
            .file("dev/kfd", "");
        for gpu in gpus {
            machine = machine.gpu(gpu);
        }
        machine
    }

    fn gpu(self, gpu: &Gpu) -> Self {
        let node = format!("sys/class/kfd/kfd/topology/nodes/{}", gpu.node);
        let render = 127 + gpu.node;
        let bus = u32::from_str_radix(&gpu.pci[5..7], 16).unwrap();
        let properties = format!(
            "simd_count 192\ngfx_target_version {}\nlocation_id {}\ndomain 0\nunique_id 1234605616436508552\n\
             max_engine_clk_fcompute 2526\n",
            gpu.target,
            bus << 8
        );
        let device = format!("sys/bus/pci/devices/{}", gpu.pci);
        let mib = |count: u64| format!("{}\n", count << 20);
        let machine = self
            .file(&format!("{node}/gpu_id"), &format!("{}\n", 50_000 + gpu.node))
            .file(&format!("{node}/name"), "ip discovery\n")
            .file(&format!("{node}/properties"), &properties)
            .file(&format!("sys/class/kfd/kfd/proc/4312/vram_{}", 50_000 + gpu.node), &mib(gpu.used / 2))
            .file(&format!("sys/class/drm/renderD{render}/device/vendor"), "0x1002\n")
            .file(&format!("dev/dri/renderD{render}"), "");
        let sensors = [("temp1_input", "61000"), ("power1_average", "250000000"), ("freq1_input", "2100000000")];
        let files = [
            ("vendor", "0x1002"),
            ("class", "0x030000"),
            ("device", gpu.model),
            ("revision", "0xc8"),
            ("gpu_busy_percent", "87"),
            ("current_link_speed", "16.0 GT/s PCIe"),
            ("current_link_width", "16"),
            ("ras/umc_err_count", "ue: 2\nce: 3"),
        ];
        let machine =
            files.iter().fold(machine, |machine, (file, text)| machine.file(&format!("{device}/{file}"), text));
        let machine = sensors
            .iter()
            .fold(machine, |machine, (file, text)| machine.file(&format!("{device}/hwmon/hwmon3/{file}"), text));
        std::os::unix::fs::symlink(
            "../../../../bus/pci/drivers/amdgpu",
            machine.folder.path().join(&device).join("driver"),
        )
        .unwrap();
        machine
            .file(&format!("{device}/mem_info_vram_total"), &mib(gpu.total))
            .file(&format!("{device}/mem_info_vram_used"), &mib(gpu.used))
            .file(&format!("{device}/mem_info_gtt_total"), &mib(64_000))
    }

    /// With the fake under these names, and a scenario.
    pub(crate) fn libraries(self, names: &[&str], scenario: &str) -> Self {
        let machine = self.file("scenario.txt", scenario);
        let path = machine.folder.path().join("scenario.txt").display().to_string();
        machine.variable("LD_LIBRARY_PATH", &fake_amd(names).display().to_string()).variable("FAULTBOOK_FAKE", &path)
    }

    /// A virtual environment with a torch for ROCm that has code for these targets.
    pub(crate) fn torch_rocm(self, targets: &[&str]) -> Self {
        let site = "project/.venv/lib/python3.11/site-packages";
        let machine = self.file("project/.venv/pyvenv.cfg", "home = /usr/bin\nversion_info = 3.11.7\n").file(
            &format!("{site}/torch/version.py"),
            "__version__ = '2.8.0+rocm6.4'\ncuda: Optional[str] = None\nhip: Optional[str] = '6.4.43482-0f2d60242'\n",
        );
        targets.iter().fold(machine, |machine, target| {
            machine.file(&format!("{site}/torch/lib/rocblas/library/TensileLibrary_lazy_{target}.dat"), "")
        })
    }

    pub(crate) fn without(self, path: &str) -> Self {
        std::fs::remove_file(self.folder.path().join(path)).unwrap();
        self
    }
}

#[test]
fn the_kernels_files_are_enough() {
    let outcome = Machine::amd(&[XTX]).torch_rocm(&["gfx1030", "gfx1100"]).probe(Level::Quick);
    assert_eq!((outcome.vendor.name.as_str(), text(&outcome, "driver.vendor")), ("AMD", "amd"));
    assert_eq!(text(&outcome, "gpu.name"), "AMD Radeon RX 7900 XTX");
    assert_eq!(text(&outcome, "gpu.arch"), "gfx1100");
    assert_eq!(text(&outcome, "gpu.pci"), "0000:03:00.0");
    assert_eq!(text(&outcome, "gpu.uuid"), "GPU-1122334455667788");
    assert_eq!(text(&outcome, "driver.version"), "6.12.12");
    assert_eq!(number(&outcome, "gpu.memory.total"), 24_560.0 / 1024.0 * GIB);
    assert_eq!(number(&outcome, "gpu.memory.free"), 23_360.0 / 1024.0 * GIB);
    assert_eq!(text(&outcome, "gpu.largest_process"), "pid 4312 python train.py uses 600.0 MiB");
    assert_eq!(number(&outcome, "gpu.utilization"), 87.0);
    assert_eq!((number(&outcome, "gpu.ecc.uncorrected"), number(&outcome, "gpu.ecc.corrected")), (2.0, 3.0));
    assert_eq!((number(&outcome, "gpu.temperature"), number(&outcome, "gpu.power")), (61.0, 250.0));
    assert_eq!((number(&outcome, "gpu.clock"), number(&outcome, "gpu.clock_max")), (2100.0, 2526.0));
    assert_eq!((number(&outcome, "gpu.pcie.generation"), number(&outcome, "gpu.pcie.width")), (4.0, 16.0));
    assert_eq!(text(&outcome, "torch.hip"), "6.4.43482-0f2d60242");
    assert_eq!(number(&outcome, "gpu.count"), 1.0);
    assert!(outcome.facts.why_unknown("driver.init").is_some_and(|why| why.contains("provides the runtime")));
    says(&outcome, "GPU 0: 2 uncorrectable memory errors");
    let shown = view::probe::render(&outcome, Terminal::default());
    assert!(shown.starts_with("Driver 6.12.12\n"), "{shown}");
    assert!(shown.contains("GPU 0  AMD Radeon RX 7900 XTX") && shown.contains("gfx1100"), "{shown}");
    assert!(!shown.contains("NVIDIA") && !shown.contains("CUDA"), "{shown}");
}

#[test]
fn hip_of_the_framework_is_asked() {
    let site = "project/.venv/lib/python3.11/site-packages/torch/lib";
    let machine = Machine::amd(&[XTX]).torch_rocm(&["gfx1100"]).file(&format!("{site}/empty"), "");
    std::fs::copy(fake_amd(&[HIP]).join(HIP), machine.folder.path().join(site).join(HIP)).unwrap();
    let outcome = machine.probe(Level::Functional);
    assert_eq!((text(&outcome, "driver.init"), text(&outcome, "driver.hip")), ("ok", "6.4"));
    assert_eq!(text(&outcome, "driver.library_by"), "the wheels");
    assert_eq!(text(&outcome, "hip.0.pci"), "0000:03:00.0");
    assert!(outcome.checks.is_empty());
    says(&outcome, "there are no functional checks for GPUs from AMD yet");
}

#[test]
fn hip_that_sees_nothing_says_why_that_happens() {
    let outcome = Machine::amd(&[XTX]).libraries(&[HIP], "hipInit=100\n").probe(Level::Quick);
    assert_eq!(text(&outcome, "driver.init"), "hipErrorNoDevice");
    says(&outcome, "hipInit returned 100 (hipErrorNoDevice): no ROCm-capable device is detected; HIP sees no GPU");
    let outcome = Machine::amd(&[XTX]).libraries(&[HIP], "hipInit=4711\n").probe(Level::Quick);
    assert_eq!(text(&outcome, "driver.init"), "unknown code 4711");
}

#[test]
fn the_library_knows_names_that_no_file_has() {
    for names in [&[SMI][..], &[OLD_SMI]] {
        let machine = Machine::amd(&[XTX]).without("usr/share/libdrm/amdgpu.ids");
        let named = machine.libraries(names, "gpu.0.name=AMD Radeon RX 7900 XTX\n").probe(Level::Quick);
        assert_eq!(text(&named, "gpu.name"), "AMD Radeon RX 7900 XTX", "{names:?}");
        assert!(text(&named, "driver.amdsmi_library").ends_with(names[0]));
    }
    let machine = Machine::amd(&[XTX]).without("usr/share/libdrm/amdgpu.ids");
    assert_eq!(text(&machine.probe(Level::Quick), "gpu.name"), "AMD GPU 0x744c");
}

#[test]
fn memory_whose_file_is_hidden() {
    let folder = "sys/bus/pci/devices/0000:03:00.0";
    let hidden = || Machine::amd(&[XTX]).without(&format!("{folder}/mem_info_vram_total"));
    let outcome = hidden().libraries(&[SMI], "gpu.total=24000\ngpu.free=20000\n").probe(Level::Quick);
    assert_eq!(number(&outcome, "gpu.memory.free"), 20_000.0 / 1024.0 * GIB);
    let outcome = hidden().libraries(&[SMI], "lies=1\n").probe(Level::Quick);
    assert!(outcome.facts.number("gpu.memory.free").is_none());
}

/// Without names the library is needed; what the files say is there whatever it does.
fn nameless(scenario: &str) -> Outcome {
    let machine = Machine::amd(&[XTX]).without("usr/share/libdrm/amdgpu.ids").libraries(&[SMI, HIP], scenario);
    let options = Options { patience: Duration::from_millis(700), ..machine.options() };
    let outcome = machine::run(Level::Quick, &options);
    assert_eq!(crate::facts::unregistered(&outcome.facts), [""; 0]);
    assert_eq!(text(&outcome, "gpu.arch"), "gfx1100");
    assert_eq!(number(&outcome, "gpu.memory.free"), 23_360.0 / 1024.0 * GIB);
    outcome
}

#[test]
fn a_library_that_hangs_crashes_or_fails() {
    let outcome = nameless("amdsmi_init.sleep=30\n");
    assert_eq!(text(&outcome, "amdsmi.error"), "timed out");
    says(&outcome, "AMD SMI does not work: AMD SMI did not answer within 0.7 s");
    let outcome = nameless("amdsmi_get_gpu_asic_info.abort=1\n");
    assert_eq!(text(&outcome, "amdsmi.error"), "crashed");
    let outcome = nameless("amdsmi_init=34\n");
    assert_eq!(text(&outcome, "amdsmi.error"), "AMDSMI_STATUS_DRIVER_NOT_LOADED");
    assert_eq!(text(&outcome, "gpu.name"), "AMD GPU 0x744c");
    let outcome = nameless("hipInit.sleep=30\n");
    assert_eq!(text(&outcome, "driver.init"), "timed out");
    says(&outcome, "HIP does not initialize: hipInit did not answer within 0.7 s");
    let outcome = nameless("hipGetDeviceCount.abort=1\n");
    assert_eq!(text(&outcome, "driver.init"), "crashed");
}

#[test]
fn a_library_that_lies() {
    let outcome = nameless("lies=1\n");
    assert_eq!(number(&outcome, "gpu.installed"), 1.0);
    assert!(outcome.facts.text("gpu.name").is_some_and(|name| name.len() <= 120));
    assert!(outcome.facts.get("amdsmi.error").is_none());
}

#[test]
fn a_target_without_code_in_the_build() {
    let gpu = || Gpu { target: 100_301, ..XTX };
    let outcome = Machine::amd(&[gpu()]).torch_rocm(&["gfx1030", "gfx1100"]).probe(Level::Quick);
    says(&outcome, "torch has no code for GPU 0: it is built for gfx1030 gfx1100, the device is gfx1031");
    let machine = Machine::amd(&[gpu()]).torch_rocm(&["gfx1030", "gfx1100"]);
    let outcome = machine.variable("HSA_OVERRIDE_GFX_VERSION", "10.3.0").probe(Level::Quick);
    says(&outcome, "HSA_OVERRIDE_GFX_VERSION makes ROCm run code for gfx1030 on GPU 0, which is gfx1031");
    assert!(!outcome.findings.iter().any(|says| says.contains("no code")), "{:#?}", outcome.findings);
}

#[test]
fn nodes_that_the_user_may_not_open() {
    use std::os::unix::fs::PermissionsExt;
    let machine = Machine::amd(&[XTX]);
    let node = machine.folder.path().join("dev/kfd");
    std::fs::set_permissions(&node, std::fs::Permissions::from_mode(0o000)).unwrap();
    let outcome = machine.probe(Level::Quick);
    // Root may open everything.
    if std::fs::File::open(&node).is_err() {
        says(&outcome, "/dev/kfd may not be opened by this user");
    }
    let outcome = Machine::amd(&[XTX]).without("dev/kfd").probe(Level::Quick);
    says(&outcome, "/dev/kfd is missing");
}

#[test]
fn graphics_in_a_processor_beside_another_vendors_gpu() {
    let chip = || Gpu { node: 1, pci: "0000:0d:00.0", model: "0x164e", target: 100_306, total: 512, used: 500 };
    let machine = Machine::with("healthy-h100").torch_28();
    let path = machine.folder.path().to_owned();
    let machine = machine.file("sys/bus/pci/devices/0000:65:00.0/vendor", "0x10de\n");
    let machine = machine.file("sys/bus/pci/devices/0000:65:00.0/class", "0x030200\n");
    std::os::unix::fs::symlink("../drivers/nvidia", path.join("sys/bus/pci/devices/0000:65:00.0/driver")).unwrap();
    let machine = machine.file("dev/kfd", "").file("sys/module/amdgpu/initstate", "live\n").gpu(&chip());
    let outcome = machine.probe(Level::Quick);
    assert_eq!(text(&outcome, "gpu.name"), "NVIDIA H100 80GB HBM3");
    assert_eq!((number(&outcome, "gpu.count"), number(&outcome, "gpu.installed")), (1.0, 1.0));
    assert_eq!(text(&outcome, "amd.gpu.0.arch"), "gfx1036");
    assert!(outcome.facts.why_unknown("amd.gpu.0.memory.free").is_some_and(|why| why.contains("the system's memory")));
    assert!(outcome.is_healthy() && outcome.findings.is_empty(), "{:#?}", outcome.findings);
    let shown = view::probe::render(&outcome, Terminal::default());
    assert!(shown.contains("  also here   AMD: AMD GPU 0x164e (gfx1036)\n"), "{shown}");
    // The same machine, with a framework for ROCm.
    let outcome = machine.torch_rocm(&["gfx1036"]).probe(Level::Quick);
    assert_eq!(text(&outcome, "gpu.arch"), "gfx1036");
    assert_eq!(text(&outcome, "nvidia.gpu.0.name"), "NVIDIA H100 80GB HBM3");
    assert!(yes(&outcome, "nvidia.driver.present"));
}

#[test]
fn a_framework_for_another_vendors_gpu() {
    let outcome = Machine::amd(&[XTX]).torch_28().probe(Level::Quick);
    assert_eq!((outcome.vendor.name.as_str(), outcome.has_driver()), ("NVIDIA", false));
    assert_eq!(
        outcome.findings[0],
        "the torch of this environment is built for CUDA, the GPU is from AMD: AMD Radeon RX 7900 XTX (gfx1100)"
    );
}

#[test]
fn a_divided_gpu_has_a_memory_per_part() {
    let machine = Machine::amd(&[XTX, Gpu { node: 2, ..XTX }][..1]);
    let node = "sys/class/kfd/kfd/topology/nodes";
    let properties = "gfx_target_version 90402\nlocation_id 268436224\ndomain 0\n";
    let machine = machine
        .file(&format!("{node}/2/gpu_id"), "50002\n")
        .file(&format!("{node}/2/properties"), properties)
        .file(&format!("{node}/2/mem_banks/0/properties"), "heap_type 1\nsize_in_bytes 25769803776\n");
    let outcome = machine.probe(Level::Quick);
    assert_eq!(number(&outcome, "gpu.installed"), 2.0);
    assert_eq!(number(&outcome, "gpu.1.memory.total"), 24.0 * GIB);
    assert!(outcome.facts.why_unknown("gpu.1.memory.free").is_some_and(|why| why.contains("2 partitions")));
}

#[test]
fn saved_facts_keep_all_vendors() {
    let machine = Machine::amd(&[XTX]).torch_28();
    let outcome = machine.probe(Level::Quick);
    let path = machine.folder.path().join("facts.json");
    machine::save(&outcome, &path).unwrap();
    let loaded = machine::load(Path::new(&path)).unwrap();
    assert_eq!(loaded.facts.get("amd.gpu.0.arch").map(|fact| &fact.value), Some(&Value::Text("gfx1100".into())));
}

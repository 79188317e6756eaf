//! Which driver the GPU and the installed build need, and how it is installed there.

use super::{Machine, sentence};
use crate::compatibility::{self, branch};

/// GPUs from this compute capability on can use the open kernel modules, and from `OPEN_ONLY` on only these.
const OPEN_FROM: (u32, u32) = (7, 5);
const OPEN_ONLY: (u32, u32) = (10, 0);

/// The CUDA of the oldest drivers that are still common: 450.80.
const OLDEST_IN_USE: &str = "11.0";

impl Machine {
    /// Which driver the installed build and the GPU need, and the commands that install it.
    pub(super) fn driver_facts(&self, build: Option<&str>) -> Vec<(&'static str, String)> {
        let mut found = Vec::new();
        let last = self.last_branch();
        found.extend(last.map(|last| ("driver.last_branch", last.to_string())));
        let first = self.gpu.as_deref().and_then(compatibility::first_driver);
        let floor = build.and_then(compatibility::driver_floor).and_then(branch);
        // What a text without its build asks for is more than its driver has.
        let needed = floor.max(first);
        found.extend(needed.map(|needed| ("driver.needed", needed.to_string())));
        let Some(target) = self.target(last) else { return found };
        let gpu = self.gpu_in_words();
        let has = self.driver_branch();
        let installed = match &self.driver {
            Some(driver) => format!("; {driver} is installed"),
            None => format!("; `{}` shows yours", self.vendor().management.tool),
        };
        let ends = last.map(|last| format!("; {last} is the last branch for {gpu}")).unwrap_or_default();
        let too_new = last.is_some_and(|last| has > Some(last));
        let is_enough = |branch: u32| needed.is_some_and(|needed| branch >= needed);
        // Of a GPU that every driver in use knows, the oldest one explains nothing where none is named.
        let explains = has.is_some() || needed > compatibility::driver_floor(OLDEST_IN_USE).and_then(branch);
        let why = match build.filter(|_| floor >= first) {
            _ if too_new => format!("driver {} is too new for {gpu}{ends}", self.driver.as_deref().unwrap_or_default()),
            Some(build) if floor > last && last.is_some() => format!(
                "the installed build uses CUDA {build} and needs driver {}{ends}: install an older build instead",
                needed.unwrap_or_default()
            ),
            _ if has.is_some_and(|has| has >= target) => return found,
            Some(build) if !has.is_some_and(is_enough) => {
                let needed = needed.unwrap_or_default();
                format!("the installed build uses CUDA {build} and needs driver {needed} or newer{installed}{ends}")
            }
            None if needed.is_some() && explains && !has.is_some_and(is_enough) => {
                format!("{gpu} needs driver {} or newer{installed}{ends}", needed.unwrap_or_default())
            }
            _ => format!("driver {target} runs builds for CUDA {} and older{installed}{ends}", newest_cuda(target)),
        };
        let modules = match self.capability() {
            Some(gpu) if gpu >= OPEN_ONLY => "; this GPU needs the open kernel modules",
            Some(gpu) if gpu < OPEN_FROM => "; this GPU needs the proprietary kernel modules",
            _ => "",
        };
        found.push(("driver.why", sentence(&format!("{why}{modules}"))));
        found.push(("driver.command", self.driver_commands(target, floor).join("\n")));
        found
    }

    /// The branch to install: the GPU's last one, else the one for the newest family of CUDA.
    fn target(&self, last: Option<u32>) -> Option<u32> {
        last.or_else(|| compatibility::newest_floor().and_then(branch))
    }

    fn capability(&self) -> Option<(u32, u32)> {
        self.gpu.as_deref().and_then(compatibility::split_capability)
    }

    /// The commands that install a driver of that branch where the run is. `floor` is what the installed build needs.
    fn driver_commands(&self, target: u32, floor: Option<u32>) -> Vec<String> {
        let tool = &self.vendor().management.tool;
        let show = format!("{tool} --query-gpu=name,driver_version --format=csv");
        let lines = |lines: &[String]| lines.to_vec();
        match self.platform.as_deref() {
            Some("windows") => lines(&[
                format!("# Windows: install a driver of branch {target} or newer from https://www.nvidia.com/drivers; then"),
                show,
            ]),
            Some("wsl" | "wsl2") => lines(&[
                format!("# WSL 2: install a driver of branch {target} or newer from https://www.nvidia.com/drivers in Windows; then"),
                show,
            ]),
            Some("slurm") => lines(&[
                format!("# Slurm: ask the administrators for driver {target} on the nodes; this shows what a node has"),
                format!("srun --gres=gpu:1 {show}"),
            ]),
            Some("kubernetes") => lines(&[
                "# Kubernetes with the GPU Operator; without it, the administrators install it on the node".to_owned(),
                "kubectl get clusterpolicies.nvidia.com -o jsonpath='{.items[*].spec.driver.version}'".to_owned(),
                format!("kubectl patch clusterpolicies.nvidia.com/cluster-policy --type=json -p '[{{\"op\": \"replace\", \"path\": \"/spec/driver/version\", \"value\": \"VERSION\"}}]'     # VERSION: a release of branch {target}"),
                "kubectl get nvidiadrivers.nvidia.com                # if it lists any, they manage the driver: change spec.version there instead".to_owned(),
            ]),
            _ if self.is_not_ubuntu => lines(&[
                format!("# install branch {target} from NVIDIA's repository for this system: https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/; then"),
                show,
            ]),
            place => {
                let host = matches!(place, Some("docker" | "container")).then(|| "# on the host, not in the container");
                let mut commands: Vec<String> = host.map(str::to_owned).into_iter().collect();
                commands.extend(match self.capability() {
                    Some(gpu) => {
                        let server = self.class.as_deref() == Some("data-centre");
                        let list = if server { "ubuntu-drivers list --gpgpu" } else { "ubuntu-drivers list" };
                        vec![format!("{list}     # Ubuntu: must list the package"), install(target, gpu, server)]
                    }
                    None => generations(floor),
                });
                commands.push("sudo reboot".to_owned());
                commands
            }
        }
    }
}

/// Ubuntu's package for a GPU of that capability.
fn install(branch: u32, gpu: (u32, u32), server: bool) -> String {
    let server = if server { "-server" } else { "" };
    let open = if gpu >= OPEN_FROM && branch >= 560 { "-open" } else { "" };
    format!("sudo apt install nvidia-driver-{branch}{server}{open}")
}

/// The command that shows the GPU, and a line for each kind of drivers that runs a build with that floor.
fn generations(floor: Option<u32>) -> Vec<String> {
    let newest = compatibility::newest_floor().and_then(branch);
    let mut rows: Vec<(u32, bool, Vec<String>)> = Vec::new();
    for gpu in compatibility::capabilities().into_iter().rev() {
        let Some(branch) = compatibility::last_driver(&gpu).or(newest).filter(|branch| Some(*branch) >= floor) else {
            continue;
        };
        let open = compatibility::split_capability(&gpu) >= Some(OPEN_FROM);
        // The boards between them have their drivers from JetPack.
        if compatibility::last_driver(&gpu).is_none() && !open {
            continue;
        }
        match rows.iter_mut().find(|row| row.0 == branch && row.1 == open) {
            Some(row) => row.2.push(gpu),
            None => rows.push((branch, open, vec![gpu])),
        }
    }
    let show = crate::vendors::by_id("nvidia").map(|vendor| vendor.commands.show_gpu.clone());
    let line = |(branch, open, gpus): &(u32, bool, Vec<String>)| {
        let (last, first) = (gpus.first()?, gpus.last()?);
        let command = install(*branch, compatibility::split_capability(first)?, true);
        let gpus = if *open { format!("{first} or higher") } else { format!("{first} to {last}") };
        Some(format!("{command}     # compute_cap {gpus}; on a desktop without \"-server\""))
    };
    show.into_iter().chain(rows.iter().filter_map(line)).collect()
}

/// The newest family of CUDA whose builds a branch of drivers runs: "13".
fn newest_cuda(target: u32) -> String {
    let runs = |major: &u32| {
        let floor = compatibility::driver_floor(&format!("{major}.0")).and_then(branch);
        floor.is_some_and(|floor| target >= floor)
    };
    (10..=20).rev().find(runs).map(|major| format!("{major}.x")).unwrap_or_default()
}

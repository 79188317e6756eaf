//! The machine around the GPU: operating system, WSL2, container, virtual machine, memory and its limits, /dev/shm.
//!
//! Reads files under a root that is `/` except in tests, so that a folder can imitate any platform.

use std::path::{Path, PathBuf};

use super::note::Notes;

/// Records `os.*`, `host.*` and `ulimit.*`.
pub(super) fn read(root: &Path, notes: &mut Notes) {
    operating_system(root, notes);
    memory(root, notes);
    processors(root, notes);
    shared_memory(root, notes);
    limits(root, notes);
}

/// Whether this is Linux on Windows, where the driver is a thin layer on top of the host's.
pub(super) fn is_wsl(root: &Path) -> bool {
    let kernel = read_text(root, "proc/sys/kernel/osrelease").or_else(|| read_text(root, "proc/version"));
    let names_it = kernel.is_some_and(|kernel| kernel.to_ascii_lowercase().contains("microsoft"));
    names_it || root.join("dev/dxg").exists()
}

/// A file under the root as text.
pub(super) fn read_text(root: &Path, path: &str) -> Option<String> {
    let bytes = std::fs::read(root.join(path)).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether this user may read and write a device node.
#[cfg(unix)]
pub(super) fn may_open(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::READ_OK | rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(not(unix))]
pub(super) fn may_open(_path: &Path) -> bool {
    true
}

fn operating_system(root: &Path, notes: &mut Notes) {
    notes.flag("os.windows", cfg!(windows));
    let wsl = is_wsl(root);
    notes.flag("os.wsl", wsl);
    if let Some(release) = read_text(root, "etc/os-release") {
        let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
        if let Some(name) = name {
            notes.text("os.name", name.trim_matches('"'));
        }
    }
    if let Some(kernel) = read_text(root, "proc/sys/kernel/osrelease") {
        notes.text("os.kernel", kernel.trim());
    }
    let container = container(root);
    notes.flag("os.container", container.is_some());
    if let Some(kind) = container {
        notes.text("os.container_kind", kind);
    }
    if let Some(product) = read_text(root, "sys/class/dmi/id/product_name") {
        let vendor = read_text(root, "sys/class/dmi/id/sys_vendor").unwrap_or_default();
        if let Some(kind) = virtual_machine(&vendor, &product) {
            notes.text("os.virtual_machine", kind);
        }
    }
}

/// What kind of container this process runs in.
pub(super) fn container(root: &Path) -> Option<&'static str> {
    if root.join(".dockerenv").exists() {
        return Some("docker");
    }
    if root.join("run/.containerenv").exists() {
        return Some("podman");
    }
    if root.join("var/run/secrets/kubernetes.io").exists() {
        return Some("kubernetes");
    }
    if root.join(".singularity.d").exists() {
        return Some("apptainer");
    }
    // systemd records the kind of container: "lxc", "systemd-nspawn".
    let told = read_text(root, "run/systemd/container").unwrap_or_default();
    let groups = read_text(root, "proc/1/cgroup").unwrap_or_default();
    let marks = [
        ("kubepods", "kubernetes"),
        ("docker", "docker"),
        ("containerd", "containerd"),
        ("lxc", "lxc"),
        ("nspawn", "systemd-nspawn"),
    ];
    let marked = marks.into_iter().find(|(mark, _)| told.contains(mark) || groups.contains(mark)).map(|(_, kind)| kind);
    // In its own cgroup namespace a container sees no marker, but its root is still an overlay.
    let mounts = read_text(root, "proc/self/mountinfo").unwrap_or_default();
    let layered = mounts.lines().any(|mount| {
        mount.split(' ').nth(4) == Some("/")
            && mount.split_once(" - ").is_some_and(|(_, kind)| kind.starts_with("overlay overlay "))
    });
    marked.or(layered.then_some("unknown kind"))
}

fn virtual_machine(vendor: &str, product: &str) -> Option<&'static str> {
    let words = format!("{vendor} {product}").to_ascii_lowercase();
    let marks = [
        ("kvm", "KVM"),
        ("qemu", "QEMU"),
        ("vmware", "VMware"),
        ("virtualbox", "VirtualBox"),
        ("virtual machine", "Hyper-V"),
        ("google compute engine", "Google Compute Engine"),
        ("amazon ec2", "Amazon EC2"),
        ("openstack", "OpenStack"),
        ("xen", "Xen"),
    ];
    marks.into_iter().find(|(mark, _)| words.contains(mark)).map(|(_, kind)| kind)
}

fn memory(root: &Path, notes: &mut Notes) {
    let Some(info) = read_text(root, "proc/meminfo") else {
        notes.set_unknown("host.memory.total", "/proc/meminfo cannot be read");
        notes.set_unknown("host.memory.available", "/proc/meminfo cannot be read");
        return;
    };
    let kib = |key: &str| -> Option<u64> {
        let line = info.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
        line.split_whitespace().next()?.parse().ok()
    };
    let total = kib("MemTotal").map(|kib| kib * 1024);
    let mut available = kib("MemAvailable").map(|kib| kib * 1024);
    if let Some(total) = total {
        notes.count("host.memory.total", total);
    }
    if let Some(group) = memory_limit(root) {
        if total.is_none_or(|total| group.limit < total) {
            notes.count("host.memory.limit", group.limit);
            if let Some(used) = group.used {
                let rest = group.limit.saturating_sub(used);
                available = Some(available.map_or(rest, |available| available.min(rest)));
            }
        }
        if group.killed > 0 {
            notes.count("host.memory.oom_kills", group.killed);
        }
    }
    if let Some(available) = available {
        notes.count("host.memory.available", available);
    }
}

struct MemoryGroup {
    limit: u64,
    used: Option<u64>,
    killed: u64,
}

/// The folders of the control groups that contain this process, innermost first: those of cgroup v2, then those of one
/// controller of cgroup v1.
fn groups(root: &Path, controller: &str) -> [Vec<PathBuf>; 2] {
    let groups = read_text(root, "proc/self/cgroup").unwrap_or_default();
    let unified = groups.lines().find_map(|line| line.strip_prefix("0::"));
    let legacy = groups.lines().find_map(|line| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        controllers.split(',').any(|name| name == controller).then_some(path)
    });
    let folders = |base: String, path: Option<&str>| {
        // Inside a container the path names a group of the host, while the mount shows the container's own group.
        let own = root.join(base);
        let named = own.join(path.unwrap_or("").trim_start_matches('/'));
        named.ancestors().take_while(|folder| folder.starts_with(&own)).map(Path::to_owned).collect()
    };
    [folders("sys/fs/cgroup".to_owned(), unified), folders(format!("sys/fs/cgroup/{controller}"), legacy)]
}

/// The tightest memory limit of the control groups above this process.
fn memory_limit(root: &Path) -> Option<MemoryGroup> {
    let mut tightest: Option<MemoryGroup> = None;
    let files = [("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")];
    for (folders, (limit_file, used_file)) in groups(root, "memory").into_iter().zip(files) {
        for folder in folders {
            let number =
                |file: &str| -> Option<u64> { std::fs::read_to_string(folder.join(file)).ok()?.trim().parse().ok() };
            let Some(limit) = number(limit_file).filter(|limit| *limit < 1 << 60) else { continue };
            if tightest.as_ref().is_none_or(|known| limit < known.limit) {
                let events = std::fs::read_to_string(folder.join("memory.events")).unwrap_or_default();
                let killed = events.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok());
                // Page cache counts as used, but is released when memory is needed.
                let stat = std::fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
                let cached = |key: &str| stat.lines().find_map(|line| line.strip_prefix(key)?.trim().parse().ok());
                let cached: u64 = cached("total_inactive_file ").or(cached("inactive_file ")).unwrap_or(0);
                let used = number(used_file).map(|used| used.saturating_sub(cached));
                tightest = Some(MemoryGroup { limit, used, killed: killed.unwrap_or(0) });
            }
        }
    }
    tightest
}

/// The number of processors, how many of them the control groups allow, and how many processes may be started: data
/// loaders need enough of both.
fn processors(root: &Path, notes: &mut Notes) {
    match read_text(root, "proc/cpuinfo").map(|text| text.lines().filter(|line| line.starts_with("processor")).count())
    {
        Some(count) if count > 0 => notes.count("host.cpu.count", count as u64),
        _ => notes.set_unknown("host.cpu.count", "/proc/cpuinfo lists no processors"),
    }
    let number = |text: Option<&str>| text.and_then(|text| text.trim().parse::<f64>().ok()).filter(|n| *n > 0.0);
    let [unified, legacy] = groups(root, "cpu");
    let of_unified = unified.iter().filter_map(|folder| {
        let text = std::fs::read_to_string(folder.join("cpu.max")).ok()?;
        let mut words = text.split_whitespace();
        Some(number(words.next())? / number(words.next())?)
    });
    let of_legacy = legacy.iter().filter_map(|folder| {
        let read = |file: &str| std::fs::read_to_string(folder.join(file)).ok();
        Some(number(read("cpu.cfs_quota_us").as_deref())? / number(read("cpu.cfs_period_us").as_deref())?)
    });
    if let Some(limit) = of_unified.chain(of_legacy).min_by(f64::total_cmp) {
        notes.number("host.cpu.limit", limit);
    }
    let [unified, legacy] = groups(root, "pids");
    let processes = unified
        .iter()
        .chain(&legacy)
        .filter_map(|folder| number(std::fs::read_to_string(folder.join("pids.max")).ok().as_deref()));
    if let Some(limit) = processes.min_by(f64::total_cmp) {
        notes.number("host.pids.limit", limit);
    }
}

fn shared_memory(root: &Path, notes: &mut Notes) {
    let path = root.join("dev/shm");
    match space_of(&path) {
        Some((size, free)) => {
            notes.count("host.shm.size", size);
            notes.count("host.shm.free", free);
        }
        None => {
            let why = if path.exists() { "the size of /dev/shm cannot be read" } else { "there is no /dev/shm" };
            notes.set_unknown("host.shm.size", why);
            notes.set_unknown("host.shm.free", why);
        }
    }
}

/// Size and free space of the file system at a path.
#[cfg(unix)]
pub(super) fn space_of(path: &Path) -> Option<(u64, u64)> {
    let space = rustix::fs::statvfs(path).ok()?;
    Some((space.f_blocks.saturating_mul(space.f_frsize), space.f_bavail.saturating_mul(space.f_frsize)))
}

/// Size and free space of the file system at a path: not asked on this platform.
#[cfg(not(unix))]
pub(super) fn space_of(_path: &Path) -> Option<(u64, u64)> {
    None
}

/// The limits that break training jobs: locked memory (RDMA, pinned memory), open files, processes, core size.
fn limits(root: &Path, notes: &mut Notes) {
    let Some(table) = read_text(root, "proc/self/limits") else { return };
    let wanted = [
        ("Max locked memory", "ulimit.memlock"),
        ("Max open files", "ulimit.nofile"),
        ("Max processes", "ulimit.nproc"),
        ("Max stack size", "ulimit.stack"),
        ("Max address space", "ulimit.as"),
        ("Max core file size", "ulimit.core"),
    ];
    for (label, name) in wanted {
        let Some(rest) = table.lines().find_map(|line| line.strip_prefix(label)) else { continue };
        match rest.split_whitespace().next() {
            Some("unlimited") => notes.text(name, "unlimited"),
            Some(number) => {
                if let Ok(number) = number.parse() {
                    notes.count(name, number);
                }
            }
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Value;
    use crate::machine::files::facts_of;

    fn machine(files: &[(&str, &str)]) -> crate::facts::Facts {
        let files: Vec<_> = files.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
        facts_of(&files, read)
    }

    #[test]
    fn linux_on_windows() {
        let facts = machine(&[("proc/sys/kernel/osrelease", "5.15.167.4-microsoft-standard-WSL2\n"), ("dev/dxg", "")]);
        assert_eq!(facts.get("os.wsl").map(|fact| &fact.value), Some(&Value::Bool(true)));
    }

    #[test]
    fn the_tightest_group_limits_memory() {
        let facts = machine(&[
            ("proc/meminfo", "MemTotal:       65536000 kB\nMemAvailable:   60000000 kB\n"),
            ("proc/self/cgroup", "0::/kubepods/pod1/c1\n"),
            ("sys/fs/cgroup/memory.max", "max\n"),
            ("sys/fs/cgroup/kubepods/pod1/memory.max", "8589934592\n"),
            ("sys/fs/cgroup/kubepods/pod1/memory.current", "8053063680\n"),
            ("sys/fs/cgroup/kubepods/pod1/memory.events", "low 0\noom 4\noom_kill 2\n"),
            ("sys/fs/cgroup/kubepods/pod1/c1/memory.max", "17179869184\n"),
        ]);
        assert_eq!(facts.number("host.memory.limit"), Some(8_589_934_592.0));
        assert_eq!(facts.number("host.memory.available"), Some(536_870_912.0));
        assert_eq!(facts.number("host.memory.oom_kills"), Some(2.0));
    }

    #[test]
    fn pages_of_files_are_no_used_memory() {
        let gib = |count: u64| (count << 30).to_string();
        let limited = |stat: &str, groups: &str, folder: &str, names: [&str; 2]| {
            let (limit, used) = (gib(8), gib(7));
            let facts = machine(&[
                ("proc/meminfo", "MemTotal:       65536000 kB\nMemAvailable:   60000000 kB\n"),
                ("proc/self/cgroup", groups),
                (&format!("{folder}/{}", names[0]), &limit),
                (&format!("{folder}/{}", names[1]), &used),
                (&format!("{folder}/memory.stat"), stat),
            ]);
            facts.number("host.memory.available")
        };
        let stat = format!("anon 1073741824\ninactive_file {}\nactive_file 0\n", gib(5));
        let unified = limited(&stat, "0::/job\n", "sys/fs/cgroup/job", ["memory.max", "memory.current"]);
        let stat = format!("inactive_file 0\ntotal_inactive_file {}\n", gib(5));
        let names = ["memory.limit_in_bytes", "memory.usage_in_bytes"];
        let legacy = limited(&stat, "4:memory:/job\n", "sys/fs/cgroup/memory/job", names);
        assert_eq!((unified, legacy), (Some(6.0 * 1_073_741_824.0), Some(6.0 * 1_073_741_824.0)));
    }

    #[test]
    fn a_group_without_limit_is_no_limit() {
        let facts = machine(&[
            ("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 500 kB\n"),
            ("proc/self/cgroup", "4:memory:/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
        ]);
        assert!(facts.get("host.memory.limit").is_none());
        assert_eq!(facts.number("host.memory.available"), Some(512_000.0));
    }

    #[test]
    fn processors_and_what_the_groups_leave_of_them() {
        let facts = machine(&[
            ("proc/cpuinfo", "processor\t: 0\nmodel name\t: x\n\nprocessor\t: 1\n"),
            ("proc/self/cgroup", "0::/job\n"),
            ("sys/fs/cgroup/cpu.max", "max 100000\n"),
            ("sys/fs/cgroup/job/cpu.max", "150000 100000\n"),
            ("sys/fs/cgroup/job/pids.max", "max\n"),
            ("sys/fs/cgroup/pids.max", "512\n"),
        ]);
        assert_eq!(facts.number("host.cpu.count"), Some(2.0));
        assert_eq!(facts.number("host.cpu.limit"), Some(1.5));
        assert_eq!(facts.number("host.pids.limit"), Some(512.0));
    }

    #[test]
    fn limits_by_name() {
        let facts = machine(&[(
            "proc/self/limits",
            "Limit                     Soft Limit           Hard Limit           Units\n\
             Max locked memory         65536                65536                bytes\n\
             Max open files            1024                 524288               files\n\
             Max stack size            unlimited            unlimited            bytes\n",
        )]);
        assert_eq!(facts.number("ulimit.memlock"), Some(65536.0));
        assert_eq!(facts.text("ulimit.stack"), Some("unlimited"));
    }

    #[test]
    fn containers_by_their_marks() {
        let facts = machine(&[(".dockerenv", "")]);
        assert_eq!(facts.text("os.container_kind"), Some("docker"));
        let facts = machine(&[("run/systemd/container", "lxc\n")]);
        assert_eq!(facts.text("os.container_kind"), Some("lxc"));
        let layers = "601 500 0:52 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/x\n";
        let facts = machine(&[("proc/1/cgroup", "0::/\n"), ("proc/self/mountinfo", layers)]);
        assert_eq!(facts.text("os.container_kind"), Some("unknown kind"));
        let disk = "22 1 0:33 / / rw,relatime - overlay composefs ro\n30 22 0:40 / /x rw - overlay overlay rw\n";
        let facts = machine(&[("proc/1/cgroup", "0::/init.scope\n"), ("proc/self/mountinfo", disk)]);
        assert!(facts.get("os.container_kind").is_none());
        let facts = machine(&[("proc/1/cgroup", "0::/kubepods.slice/pod\n")]);
        assert_eq!(facts.text("os.container_kind"), Some("kubernetes"));
        let facts = machine(&[]);
        assert_eq!(facts.get("os.container").map(|fact| &fact.value), Some(&Value::Bool(false)));
        assert_eq!(facts.why_unknown("host.shm.size"), Some("there is no /dev/shm"));
    }
}

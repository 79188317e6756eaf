//! GPUs that no code asks: names and memory from the system's own tools, which are scripts here.

use std::os::unix::fs::PermissionsExt as _;

use faultbook::machine::Level;

use super::machine::Machine;

/// A machine with programs on its PATH, each a script.
fn with_tools(machine: Machine, tools: &[(&str, &str)]) -> Machine {
    let folder = machine.folder.path().join("tools");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, script) in tools {
        let path = folder.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    machine.variable("PATH", &format!("{}:/usr/bin:/bin", folder.display()))
}

fn with_intel_gpu() -> Machine {
    Machine::without_driver()
        .file("sys/bus/pci/devices/0000:03:00.0/vendor", "0x8086\n")
        .file("sys/bus/pci/devices/0000:03:00.0/class", "0x030000\n")
}

const XPU_SMI: &str = r#"cat <<'END'
{
    "device_list": [
        { "device_function_type": "physical", "device_id": 0, "device_name": "Intel(R) Arc(TM) A770 Graphics", "device_type": "GPU" }
    ]
}
END"#;

const CLINFO: &str = "echo 'Platform #0: Intel(R) OpenCL Graphics'; echo ' `-- Device #0: Intel(R) Arc(TM) A750 Graphics'; \
                      echo 'Platform #1: Intel(R) OpenCL'; echo ' `-- Device #0: Intel(R) Core(TM) i7-13700K'";

const PROFILER: &str = r#"[ "$1" = SPDisplaysDataType ] && [ "$2" = -json ] && cat <<'END'
{ "SPDisplaysDataType" : [ { "_name" : "Apple M3 Max", "sppci_cores" : "40", "sppci_model" : "Apple M3 Max" } ] }
END"#;

#[test]
fn intel_gpus_have_the_names_of_xpu_smi_or_clinfo() {
    let both = with_tools(with_intel_gpu(), &[("xpu-smi", XPU_SMI), ("clinfo", CLINFO)]).probe(Level::Quick);
    assert_eq!(both.facts.text("intel.gpu.0.name"), Some("Intel(R) Arc(TM) A770 Graphics"));
    let one = with_tools(with_intel_gpu(), &[("clinfo", CLINFO)]).probe(Level::Quick);
    assert_eq!(one.facts.text("intel.gpu.0.name"), Some("Intel(R) Arc(TM) A750 Graphics"));
    assert_eq!(one.facts.text("intel.gpu.1.name"), None, "a processor is no GPU");
}

#[test]
fn tools_are_asked_only_where_such_a_gpu_is_on_the_bus() {
    let none = with_tools(Machine::without_driver(), &[("xpu-smi", XPU_SMI)]).probe(Level::Quick);
    assert_eq!(none.facts.text("intel.gpu.0.name"), None);
}

#[test]
fn a_mac_has_the_name_and_the_memory_of_its_tools() {
    let mac = with_tools(Machine::without_driver(), &[("system_profiler", PROFILER), ("sysctl", "echo 68719476736")]);
    // macOS has no /proc.
    std::fs::remove_file(mac.folder.path().join("proc/meminfo")).unwrap();
    let found = mac.probe(Level::Quick);
    assert_eq!(found.facts.text("apple.gpu.0.name"), Some("Apple M3 Max"));
    assert_eq!(found.facts.number("host.memory.total"), Some(68_719_476_736.0));
}

#[test]
fn a_tool_that_hangs_or_fails_is_no_answer() {
    let machine = with_tools(with_intel_gpu(), &[("xpu-smi", "sleep 600"), ("clinfo", "exit 3")]).deadline(2.0);
    let found = machine.probe(Level::Quick);
    assert_eq!(found.facts.text("intel.gpu.0.name"), None);
    assert!(found.facts.get("intel.pci.gpus").is_some());
}

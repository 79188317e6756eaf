//! Whole texts, composed here, from transcript to incident.

use proptest::prelude::*;

use super::*;
use crate::facts::{Facts, Value};

fn read_text(text: &str) -> Incident {
    read(&crate::text::read(text.as_bytes()))
}

/// Kind, type, first line of the message, number of frames, fatal.
fn summaries(incident: &Incident) -> Vec<(Kind, &str, &str, usize, bool)> {
    incident
        .errors
        .iter()
        .map(|e| (e.kind, e.type_name.as_str(), e.message.lines().next().unwrap_or(""), e.frames.len(), e.fatal))
        .collect()
}

fn codes(incident: &Incident) -> Vec<&str> {
    incident.errors.iter().flat_map(|e| e.codes.iter().map(|c| &*c.name)).collect()
}

const CHAINED: &str = r#"Epoch 0:   0%|          | 0/99 [00:00<?, ?it/s]
Traceback (most recent call last):
  File "/srv/job/train.py", line 31, in step
    loss.backward()
    ~~~~~~~~~~~~~^^
  File "/srv/env/lib/python3.12/site-packages/torch/_tensor.py", line 581, in backward
    torch.autograd.backward(
torch.AcceleratorError: CUDA error: an illegal memory access was encountered
CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.
For debugging consider passing CUDA_LAUNCH_BLOCKING=1
Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.


During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/srv/job/train.py", line 40, in <module>
    raise RuntimeError("CUDA out of memory")
RuntimeError: stopped
"#;

/// The facts around one of a text's errors.
fn facts_around(text: &str, error: usize) -> Facts {
    let transcript = crate::text::read(text.as_bytes());
    let incident = read(&transcript);
    let event = &incident.errors[error];
    around(&transcript, &incident, Failure { line: event.headline, error: Some(error), rank: event.rank })
}

/// Rank 0 evaluates and ends a first step, rank 3 trains in its ninth; rank 1 dies in its backward pass.
const RANKS: &str = r#"[rank0]: Validation:   0%|          | 0/32 [00:00<?, ?it/s]
[rank3]: step 9 loss 0.5 memory 1.0 GiB
[rank1]: step 4 loss 0.5 memory 2.0 GiB
[rank3]: step 9 loss 0.5 memory 9.0 GiB
[rank1]: step 5 loss 0.5 memory 2.0 GiB
[rank0]: Traceback (most recent call last):
[rank1]: Traceback (most recent call last):
[rank0]:   File "/srv/job/eval.py", line 4, in evaluate
[rank1]:   File "/srv/job/train.py", line 40, in step
[rank0]:     model(batch)
[rank1]:     loss.backward()
[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 8.00 GiB
[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 1 has a total capacity of 8.00 GiB
"#;

#[test]
fn facts_around_a_failure_are_its_own_writers() {
    let of = |error| {
        let facts = facts_around(RANKS, error);
        let first = facts.get("where.first_step").map(|fact| fact.value.clone());
        (facts.text("where.phase").map(str::to_owned), first, facts.number("oom.requested"))
    };
    const GIB: f64 = 1_073_741_824.0;
    assert_eq!(of(0), (Some("validation".to_owned()), Some(Value::Bool(true)), Some(GIB)));
    assert_eq!(of(1), (Some("backward".to_owned()), Some(Value::Bool(false)), Some(2.0 * GIB)));
}

#[test]
fn memory_is_compared_within_one_rank() {
    let steps = |rank: u32, grows: f64| {
        let line = |step: u32| format!("[rank{rank}]: step {step} memory {:.1} GiB\n", 2.0 + grows * f64::from(step));
        (0..12).map(line).collect::<Vec<_>>()
    };
    let lines: String = steps(0, 1.0).into_iter().zip(steps(1, 0.0)).flat_map(|(one, other)| [one, other]).collect();
    let died = |rank: u32| format!("{lines}[rank{rank}]: RuntimeError: CUDA error: out of memory\n");
    for (rank, grows) in [(0, true), (1, false)] {
        let facts = facts_around(&died(rank), 0);
        assert_eq!(facts.get("run.memory.rising").map(|fact| &fact.value), Some(&Value::Bool(grows)), "rank {rank}");
    }
}

#[test]
fn a_chain_with_carets_and_advice() {
    let incident = read_text(CHAINED);
    assert_eq!(
        summaries(&incident),
        [
            (Kind::Python, "torch.AcceleratorError", "CUDA error: an illegal memory access was encountered", 2, true),
            (Kind::Python, "RuntimeError", "stopped", 1, true),
        ]
    );
    assert_eq!(incident.errors[1].follows, Some((0, Link::During)));
    assert_eq!(codes(&incident), ["cudaErrorIllegalAddress"]);
    let count = |role| incident.roles.iter().filter(|r| **r == role).count();
    assert_eq!((count(Role::Frame), count(Role::Code), count(Role::Advice), count(Role::Header)), (3, 4, 3, 3));
    let facts = facts_around(CHAINED, 0);
    assert_eq!(facts.text("where.phase"), Some("backward"));
    assert_eq!(facts.get("where.first_step").map(|f| &f.value), Some(&Value::Bool(true)));
}

#[test]
fn a_worker_tells_its_own_chain() {
    let text = r#"Traceback (most recent call last):
  File "train.py", line 9, in <module>
    for batch in loader:
KeyError: Caught KeyError in DataLoader worker process 0.
Original Traceback (most recent call last):
  File "index.py", line 7, in get
    return self.table[key]
ValueError: 12 is not in range

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/x/torch/utils/data/_utils/worker.py", line 302, in _worker_loop
    data = fetcher.fetch(index)
KeyError: 12
"#;
    let incident = read_text(text);
    let links: Vec<_> = incident.errors.iter().map(|e| e.follows).collect();
    assert_eq!(links, [Some((2, Link::Repeated)), None, Some((1, Link::Cause))]);
    for error in 0..3 {
        assert_eq!(facts_around(text, error).text("where.phase"), Some("dataloader"), "{error}");
    }
}

#[test]
fn pools_groups_and_ray() {
    let incident = read_text(
        "multiprocessing.pool.RemoteTraceback: \n\"\"\"\nTraceback (most recent call last):\n  File \"a.py\", line 2, in f\n    g()\nOSError: gone\n\"\"\"\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n  File \"b.py\", line 3, in <module>\n    pool.map(f, x)\nOSError: gone\n",
    );
    assert_eq!(incident.errors.iter().map(|e| e.follows).collect::<Vec<_>>(), [None, Some((0, Link::Repeated))]);

    let incident = read_text(
        "  + Exception Group Traceback (most recent call last):\n  |   File \"a.py\", line 2, in <module>\n  |     run()\n  | ExceptionGroup: two (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   File \"a.py\", line 5, in one\n    |     f()\n    | ValueError: 1\n    +---------------- 2 ----------------\n    | TypeError: 2\n    +------------------------------------\nRuntimeError: after\n",
    );
    assert_eq!(
        incident.errors.iter().map(|e| (e.type_name.as_str(), e.follows)).collect::<Vec<_>>(),
        [
            ("ExceptionGroup", None),
            ("ValueError", Some((0, Link::Member))),
            ("TypeError", Some((0, Link::Member))),
            ("RuntimeError", None),
        ]
    );

    let incident = read_text(
        "ray.exceptions.RayTaskError(ValueError): ray::job() (pid=1, ip=10.1.1.1)\n  File \"a.py\", line 2, in job\n    f()\nValueError: bad\n",
    );
    assert_eq!(incident.errors[0].follows, Some((1, Link::Repeated)));
}

#[test]
fn notebooks_and_rich() {
    let incident = read_text(
        "---------------------------------------------------------------------------\nRuntimeError                              Traceback (most recent call last)\nCell In[4], line 1\n----> 1 fit(data)\n\nFile ~/lab/fit.py:212, in fit(data, **options)\n    210 def fit(data):\n--> 212     return go(data)\n\nRuntimeError: cuDNN error: CUDNN_STATUS_INTERNAL_ERROR\n",
    );
    assert_eq!(
        summaries(&incident),
        [(Kind::Python, "RuntimeError", "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR", 2, true)]
    );
    assert_eq!(incident.errors[0].frames[1].function, "fit");

    let incident = read_text(
        "╭───────────── Traceback (most recent call last) ─────────────╮\n│ /srv/job/train.py:20 in <module>                            │\n│                                                             │\n│   19 # load                                                 │\n│ ❱ 20 main()                                                 │\n╰─────────────────────────────────────────────────────────────╯\nOutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity\nof 8.00 GiB of which 1.00 GiB is free.\n",
    );
    assert_eq!(incident.errors.len(), 1);
    assert_eq!(incident.errors[0].frames.len(), 1);
    assert_eq!(incident.facts.number("oom.total"), Some(8.0 * 1_073_741_824.0));
    assert_eq!(incident.facts.number("oom.free"), Some(1_073_741_824.0));
}

#[test]
fn a_pytest_report() {
    let incident = read_text(
        "=================================== FAILURES ===================================\n__________________________________ test_gpu ____________________________________\n\n>   def test_gpu(): model().cuda()\n\ntest_a.py:6: \n_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ \n/x/site-packages/torch/cuda/__init__.py:319: in _lazy_init\n    torch._C._cuda_init()\nE   RuntimeError: No CUDA GPUs are available\n\n/x/site-packages/torch/cuda/__init__.py:319: RuntimeError\n=========================== short test summary info ============================\nSKIPPED [1] test_b.py:3: CUDA out of memory on this card\nFAILED test_a.py::test_gpu - RuntimeError: No CUDA GPUs are available\n",
    );
    assert_eq!(summaries(&incident), [(Kind::Python, "RuntimeError", "No CUDA GPUs are available", 2, true)]);
    assert!(incident.roles.iter().filter(|r| **r == Role::Quiet).count() >= 2);
}

#[test]
fn warnings_and_survived_errors_are_not_fatal() {
    let incident = read_text(
        "/x/graph.py:823: UserWarning: Error detected in LogBackward0. Traceback of forward call that caused the error:\n  File \"a.py\", line 3, in f\n    y = x.log()\n (Triggered internally at ../a.cpp:121.)\n  return run_backward(\n",
    );
    assert!(incident.errors.is_empty());

    let mut text = String::from(
        "Traceback (most recent call last):\n  File \"a.py\", line 3, in save\n    upload()\nOSError: no route\n",
    );
    for step in 0..8 {
        text.push_str(&format!("step {step} loss 0.5{step}\n"));
    }
    let incident = read_text(&text);
    assert_eq!(incident.errors.len(), 1);
    assert!(!incident.errors[0].fatal);
}

#[test]
fn native_failures() {
    let incident = read_text(
        "../aten/src/ATen/native/cuda/Loss.cu:240: nll_loss: block: [0,0,0], thread: [1,0,0] Assertion `t >= 0 && t < n_classes` failed.\n../aten/src/ATen/native/cuda/Loss.cu:240: nll_loss: block: [0,0,0], thread: [2,0,0] Assertion `t >= 0 && t < n_classes` failed.\nterminate called after throwing an instance of 'c10::Error'\n  what():  CUDA error: device-side assert triggered\nException raised from check at ../c10/cuda/x.cpp:44 (most recent call first):\nframe #0: c10::Error::Error(int) + 0x96 (0x7f in /x/libc10.so)\nframe #1: main + 0x10 (0x7f in python)\n\nFatal Python error: Aborted\n\nCurrent thread 0x1 (most recent call first):\n  File \"inner.py\", line 2 in g\n  File \"outer.py\", line 9 in <module>\n",
    );
    assert_eq!(
        summaries(&incident).iter().map(|t| (t.0, t.1, t.3)).collect::<Vec<_>>(),
        [
            (Kind::DeviceAssert, "../aten/src/ATen/native/cuda/Loss.cu", 1),
            (Kind::Native, "c10::Error", 2),
            (Kind::Signal, "SIGABRT", 2),
        ]
    );
    assert_eq!(incident.errors[2].frames[1].function, "g");
    assert_eq!(incident.facts.text("assert.expression"), Some("t >= 0 && t < n_classes"));

    let incident = read_text(
        "/src/ggml-cuda.cu:88: CUDA error\nCUDA error: out of memory\n  current device: 1, in function alloc at /src/ggml-cuda.cu:120\n  cudaMalloc(&p, n)\n",
    );
    assert_eq!(summaries(&incident), [(Kind::Native, "", "CUDA error: out of memory", 1, true)]);
    assert_eq!(codes(&incident), ["cudaErrorMemoryAllocation"]);
}

#[test]
fn launchers_and_kernels() {
    let incident = read_text(
        "Traceback (most recent call last):\n  File \"/x/torchrun\", line 8, in <module>\n    sys.exit(main())\ntorch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n============================================================\ntrain.py FAILED\n------------------------------------------------------------\nFailures:\n[1]:\n  rank      : 1 (local_rank: 1)\n  exitcode  : -15 (pid: 11)\n------------------------------------------------------------\nRoot Cause (first observed failure):\n[0]:\n  time      : 2026-01-01_00:00:00\n  rank      : 3 (local_rank: 3)\n  exitcode  : -9 (pid: 10)\n  error_file: <N/A>\n  traceback : Signal 9 (SIGKILL) received by PID 10\n============================================================\n",
    );
    assert_eq!(incident.errors.len(), 1);
    assert_eq!(incident.errors[0].kind, Kind::Launcher);
    assert_eq!(incident.facts.number("rank.failed"), Some(3.0));
    assert_eq!(incident.facts.number("exit.code"), Some(-9.0));
    assert_eq!(incident.facts.text("exit.signal"), Some("SIGKILL"));

    let incident = read_text(
        "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\nNVRM: Xid (PCI:0000:5e:00): 45, pid=2, name=python\nNVRM: Xid (PCI:0000:5e:00): 45, pid=2, name=python\n",
    );
    assert_eq!(codes(&incident), ["Xid 79", "Xid 45"]);
    assert_eq!(incident.facts.number("xid.first"), Some(79.0));
    assert_eq!(incident.facts.number("xid.count"), Some(3.0));
}

#[test]
fn tools_and_statuses() {
    let table = [
        ("nvcc fatal   : Unsupported gpu architecture 'compute_86'", Kind::Tool, "nvcc", true),
        ("Failed to initialize NVML: Driver/library version mismatch", Kind::Tool, "nvidia-smi", true),
        (
            "python: error while loading shared libraries: libcudart.so.12: cannot open shared object file",
            Kind::Tool,
            "",
            true,
        ),
        ("CUDA error at saxpy.cu:12 code=46(cudaErrorDevicesUnavailable) \"cudaMalloc(&x)\"", Kind::Status, "", true),
        ("Batch 0: Invalid loss, terminating training", Kind::Status, "", true),
        ("free(): invalid pointer", Kind::Native, "", true),
        ("*** Error in `python3': double free or corruption (!prev): 0x0000 ***", Kind::Native, "", true),
        ("LLVM ERROR: Cannot select: intrinsic x", Kind::Native, "", true),
    ];
    for (text, kind, type_name, fatal) in table {
        let incident = read_text(text);
        assert_eq!(
            incident.errors.iter().map(|e| (e.kind, e.type_name.as_str(), e.fatal)).collect::<Vec<_>>(),
            [(kind, type_name, fatal)],
            "{text}"
        );
    }
}

#[test]
fn healthy_lines_are_no_errors() {
    let table = [
        "Downloading torch-2.8.0-cp311-none-any.whl (888 MB)",
        "0 errors, 3 warnings",
        "oom_retries=0 on_error=stop",
        "node1:1:1 [0] NCCL INFO NET/Plugin: libnccl-net.so: cannot open shared object file: No such file or directory",
        "| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |",
        "job finished with exit code 0",
        "/x/a.py:3: UserWarning: something is deprecated",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
    ];
    for text in table {
        let incident = read_text(text);
        assert!(incident.errors.is_empty(), "{text}: {:?}", incident.errors);
    }
}

proptest! {
    /// Lines of real shapes in any order, cut anywhere: nothing panics, and all ranges hold.
    #[test]
    fn no_input_panics(picks in prop::collection::vec((0usize..64, 0usize..200), 0..60)) {
        let lines: Vec<&str> = CHAINED.lines().chain([
            "Original Traceback (most recent call last):", "  + Exception Group Traceback (most recent call last):", "  +-+---------------- 1 ----------------",
            "RuntimeError     Traceback (most recent call last)", "----> 1 x", "File ~/é.py:1, in ü(x)", "╭─ Traceback (most recent call last) ─╮", "│ /a/b.py:20 in │", "❱ 20 x",
            "E   ValueError: ü", "=== FAILURES ===", "a.py:3: ValueError", "FAILED a.py::b - ValueError: ü", "terminate called after throwing an instance of 'x", "  what():  é", "frame #0: x",
            "x.cu:1: f: block: [0,0,0], thread: [0,0,0] Assertion `é` failed.", "Fatal Python error: Aborted", "Current thread 0x1 (most recent call first):", "NCCL WARN é", "WorkNCCL(SeqNum=,", "NVRM: Xid (PCI:): 7",
            "Tried to allocate 2.00 é MiB (GPU 0; ; MiB total capacity", "shape[é,]", "| NVIDIA-SMI 1 Driver Version: é |", "| 0 RTX é | MiB / MiB | é |", "$ python é.py --x= \\", "torch==é", "RTX", "NVIDIA A é", "Root Cause (first observed failure):", "====================", "  rank : é", "  exitcode : -9é",
        ]).collect();
        let mut text = String::new();
        for (line, cut) in picks {
            if let Some(line) = lines.get(line) {
                text.extend(line.chars().take(cut));
                text.push('\n');
            }
        }
        let transcript = crate::text::read(text.as_bytes());
        let incident = read(&transcript);
        prop_assert_eq!(incident.roles.len(), transcript.len());
        for (number, error) in incident.errors.iter().enumerate() {
            prop_assert!(error.lines.contains(&error.headline) && error.lines.end <= transcript.len());
            prop_assert!(error.follows.is_none_or(|(other, _)| other < incident.errors.len() && other != number));
        }
    }
}

#[test]
#[cfg(feature = "os")]
fn a_new_package_is_a_row_of_data() {
    use crate::packages::{Packages, builtin, source};
    let rows = "left_pad.version,python,left_pad,left-pad,LeftPad,,\n";
    let csv = format!("{}{rows}", include_str!("../../kb/packages.csv"));
    let (packages, broken) = source::read(&csv);
    assert!(broken.is_empty(), "{broken:?}");
    let alarms = crate::wording::source::alarms(
        include_str!("../../kb/wording/alarms.toml"),
        source::marks(&packages),
        source::traces(&packages),
    );
    let triggers = triggers_of(&alarms.expect("the file reads"));
    let packages = Packages::from_csv(&csv);
    let read_with =
        |text: &[u8], packages| super::read_with(&crate::text::read(text), &Lexicon { triggers: &triggers, packages });
    for text in [
        "leftpad version: 1.3.0\n",
        "INFO 10:00:00 using LeftPad 1.3.0\n",
        "left-pad==1.3.0\n",
        "Package    Version\n---------- -------\nleft_pad   1.3.0\n",
        ">>> left_pad.__version__\n'1.3.0'\n",
    ] {
        assert_eq!(read_with(text.as_bytes(), &packages).facts.text("left_pad.version"), Some("1.3.0"), "{text}");
        assert_eq!(read_with(text.as_bytes(), builtin()).facts.get("left_pad.version"), None, "{text}");
    }
    let label = [("leftpad".to_owned(), "1.3.0".to_owned())];
    assert_eq!(described(&label, &packages).text("left_pad.version"), Some("1.3.0"));
    assert!(packages.by_import("left_pad").is_some());
}

#[cfg(feature = "os")]
fn triggers_of(alarms: &crate::wording::Alarms<String>) -> triggers::Triggers<'static> {
    triggers::Triggers::new(alarms.literals.iter().map(|(literal, topics)| (literal.as_str(), *topics)))
}

#[test]
#[cfg(feature = "os")]
fn a_new_alarm_is_a_row_of_data() {
    let text = include_str!("../../kb/wording/alarms.toml");
    let text = text.replace("kernel = [", "kernel = [\n    \"amdgpu\",");
    let alarms = crate::wording::source::alarms(&text, Vec::new(), Vec::new()).expect("the file reads");
    let transcript = crate::text::read(b"[ 12.3] amdgpu 0000:03:00.0: ring timeout\n");
    assert_eq!(triggers_of(&alarms).mark(&transcript)[0] & triggers::KERNEL, triggers::KERNEL);
    assert_eq!(triggers::Triggers::builtin().mark(&transcript)[0] & triggers::KERNEL, 0);
    let unknown = text.replace("kernel = [", "colonel = [");
    assert!(crate::wording::source::alarms(&unknown, Vec::new(), Vec::new()).is_err());
}

#!/usr/bin/env python3
"""Runs the probe on a machine with a GPU, beside failures that it provokes, and compares every number with nvidia-smi.

    python3 tests/gpu/validate.py --faultbook PATH --out FOLDER [--python ENVIRONMENT]

Needs Python 3.8 and the binary, nothing else; takes about five minutes and changes no setting of the machine. Memory is
held and a context is poisoned by a second process of this same file, through libcuda alone. FOLDER gets report.md and
the facts as the probe saved them, ready for tests/facts; docs/gpu-validation.md says what each check is for.

--rehearsal runs the same against the fake driver (tests/gpu/rehearse): what only a real driver can show is left out.
The exit code is 1 when a check failed.
"""

import argparse
import ctypes
import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import time

MIB = 1 << 20
GIB = 1 << 30

NO_ENGINE = (
    "Traceback (most recent call last):\n"
    '  File "/home/user/project/train.py", line 40, in main\n'
    "    loss.backward()\n"
    "RuntimeError: FIND was unable to find an engine to execute this computation\n"
)
OUT_OF_MEMORY = (
    "Traceback (most recent call last):\n"
    '  File "/home/user/project/train.py", line 12, in main\n'
    '    model = model.to("cuda")\n'
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB.\n"
)

# What nvidia-smi calls it, the fact, how to compare: a tolerance for numbers, a function for words.
COMPARED = [
    ("name", "name", str),
    ("uuid", "uuid", str),
    ("pci.bus_id", "pci", str.lower),
    ("compute_cap", "compute_capability", str),
    ("memory.total", "memory.total", ("MiB", 2)),
    ("memory.free", "memory.free", ("MiB", 64)),
    ("memory.used", "memory.used", ("MiB", 64)),
    ("memory.reserved", "memory.reserved", ("MiB", 2)),
    ("temperature.gpu", "temperature", ("", 5)),
    ("power.draw", "power", ("", 60)),
    ("enforced.power.limit", "power_limit", ("", 1)),
    ("clocks.max.sm", "clock_max", ("", 0)),
    ("pcie.link.gen.max", "pcie.max_generation", ("", 0)),
    ("pcie.link.width.current", "pcie.width", ("", 0)),
    ("pcie.link.width.max", "pcie.max_width", ("", 0)),
    ("ecc.errors.uncorrected.volatile.total", "ecc.uncorrected", ("", 0)),
    ("ecc.errors.corrected.volatile.total", "ecc.corrected", ("", 0)),
    ("ecc.errors.uncorrected.aggregate.total", "ecc.uncorrected_ever", ("", 0)),
    ("remapped_rows.uncorrectable", "remapped.uncorrectable", ("", 0)),
    ("retired_pages.double_bit.count", "retired.double_bit", ("", 0)),
    ("compute_mode", "compute_mode", str),
    ("persistence_mode", "persistence", lambda word: {"Enabled": True, "Disabled": False}.get(word)),
    ("mig.mode.current", "mig", lambda word: {"Enabled": True, "Disabled": False}.get(word)),
    ("gsp.mode.current", "gsp", lambda word: {"Enabled": True, "Disabled": False}.get(word)),
]


class Report:
    """Lines of PASS, FAIL, LEFT OUT and NOTE."""

    def __init__(self):
        self.lines = []
        self.failed = 0

    def say(self, word, what, seen=""):
        self.failed += word == "FAIL"
        self.lines.append((word, what, str(seen).replace("\n", " ").replace("|", "/")[:300]))
        print(f"{word:9} {what}  {seen}", flush=True)

    def check(self, what, holds, seen=""):
        self.say("PASS" if holds else "FAIL", what, seen)

    def write(self, path, about):
        counts = {word: sum(line[0] == word for line in self.lines) for word in ("PASS", "FAIL", "LEFT OUT", "NOTE")}
        with open(path, "w", encoding="utf-8") as file:
            file.write("# The probe on a real GPU\n\n")
            file.writelines(f"- {line}\n" for line in about)
            file.write(f"- {', '.join(f'{count} {word}' for word, count in counts.items())}\n")
            file.write("\n| | What | Seen |\n|---|---|---|\n")
            file.writelines(f"| {word} | {what} | {seen} |\n" for word, what, seen in self.lines)


class Bench:
    def __init__(self, arguments):
        self.faultbook = os.path.abspath(arguments.faultbook)
        self.out = os.path.abspath(arguments.out)
        self.python = arguments.python
        self.smi = arguments.nvidia_smi or shutil.which("nvidia-smi")
        self.rehearsal = arguments.rehearsal
        self.seconds = arguments.seconds
        self.report = Report()
        os.makedirs(self.out, exist_ok=True)

    def run(self, *words, text=None, environment=None, limit=120):
        """Output, exit code and seconds of faultbook."""
        settings = dict(os.environ, NO_COLOR="1", **(environment or {}))
        started = time.monotonic()
        done = subprocess.run(
            [self.faultbook, *words], input=text, env=settings, capture_output=True, text=True, timeout=limit, cwd=self.out
        )
        return done.stdout, done.returncode, time.monotonic() - started

    def probe(self, name, *words, **others):
        """A probe as JSON, saved under that name."""
        path = os.path.join(self.out, f"{name}.json")
        if os.path.exists(path):
            os.remove(path)
        python = ["--python", self.python] if self.python else []
        _, code, seconds = self.run("probe", "--save", path, *python, *words, **others)
        with open(path, encoding="utf-8") as file:
            return json.load(file), code, seconds

    def causes(self, text, facts):
        """The causes of a diagnosis with saved facts: id, status, what was said."""
        path = os.path.join(self.out, f"{facts}.json")
        out, _, _ = self.run("--facts", path, "--format", "json", text=text)
        return [(cause["id"], cause["status"], cause.get("status_says") or "") for cause in json.loads(out)["causes"]]

    def only_real(self, what):
        if self.rehearsal:
            self.report.say("LEFT OUT", what, "only a real driver can show it")
        return not self.rehearsal


# ------------------------------------------------------------------------------------------------ the neighbour


def poison_ptx(major, minor):
    """A kernel that writes to address 16, for the device's own architecture or one before it."""
    if major <= 6:
        version, target = "5.0", f"sm_{major}{minor}"
    elif major == 7:
        version, target = ("6.3", "sm_75") if minor >= 5 else ("6.0", "sm_70")
    elif major == 8:
        version, target = "7.0", "sm_80"
    else:
        version, target = {(10, 0): ("8.6", "sm_100"), (12, 0): ("8.7", "sm_120")}.get((major, minor), ("7.8", "sm_90"))
    return (
        f".version {version}\n.target {target}\n.address_size 64\n.visible .entry poison()\n{{\n"
        ".reg .b32 %r<2>;\n.reg .b64 %rd<2>;\nmov.u32 %r1, 1;\nmov.u64 %rd1, 16;\nst.global.u32 [%rd1], %r1;\nret;\n}\n"
    ).encode()


def neighbour(task, leave):
    """Another process on device 0: holds all free memory but `leave` bytes, or breaks its own context; until its input
    ends."""
    cuda = ctypes.CDLL("libcuda.so.1")

    def call(name, *values):
        code = getattr(cuda, name)(*values)
        if code:
            print(f"{name} returned {code}", flush=True)
            sys.exit(1)

    call("cuInit", 0)
    device, context = ctypes.c_int(), ctypes.c_void_p()
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    if task == "hold":
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        held = 0
        call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        while free.value - held > leave + 2 * MIB:
            size = min(GIB, (free.value - held - leave) // MIB * MIB)
            address = ctypes.c_uint64()
            if size <= 0 or cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size)):
                break
            held += size
        print(f"holds {held}", flush=True)
    else:
        major, minor = ctypes.c_int(), ctypes.c_int()
        call("cuDeviceGetAttribute", ctypes.byref(major), 75, device)
        call("cuDeviceGetAttribute", ctypes.byref(minor), 76, device)
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        call("cuModuleLoadData", ctypes.byref(module), poison_ptx(major.value, minor.value))
        call("cuModuleGetFunction", ctypes.byref(function), module, b"poison")
        call("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, None, None, None)
        print(f"cuCtxSynchronize returned {cuda.cuCtxSynchronize()}", flush=True)
    sys.stdin.read()


class Neighbour:
    def __init__(self, *words):
        self.words = words

    def __enter__(self):
        self.process = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), "--neighbour", *map(str, self.words)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        self.says = self.process.stdout.readline().strip()
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()


# ------------------------------------------------------------------------------------------------ the checks


def quick(bench):
    times = [bench.run("probe")[2] for _ in range(5)]
    bench.report.check("quick level under 300 ms", min(times) < 0.3, f"{min(times) * 1000:.0f} to {max(times) * 1000:.0f} ms")
    facts, code, _ = bench.probe("quick")
    bench.report.check("a healthy machine has exit code 0", code == 0, f"{code}; {facts['findings']}")
    unknown = {name: why for name, why in facts["cannot_tell"].items() if name.startswith(("gpu.0.", "driver.", "kernel."))}
    bench.report.say("NOTE", "what could not be told", "; ".join(f"{name}: {why}" for name, why in unknown.items()))
    compare(bench, facts["facts"])
    return facts


def compare(bench, facts):
    if not bench.smi:
        bench.report.say("LEFT OUT", "numbers against nvidia-smi", "there is no nvidia-smi")
        return
    for field, name, how in COMPARED:
        done = subprocess.run(
            [bench.smi, f"--query-gpu={field}", "--format=csv,noheader,nounits"], capture_output=True, text=True
        )
        if done.returncode:
            bench.report.say("LEFT OUT", field, "this nvidia-smi does not know the field")
            continue
        for index, theirs in enumerate(line.strip() for line in done.stdout.splitlines()):
            ours = facts.get(f"gpu.{index}.{name}")
            what = f"GPU {index} {name}"
            if theirs in ("N/A", "[N/A]", "[Not Supported]", "[Unknown Error]"):
                absent = ours is None or ours is False
                bench.report.check(what, absent, f"nvidia-smi {theirs}, probe {ours}")
            elif isinstance(how, tuple):
                unit, tolerance = how
                value = None if ours is None else ours / MIB if unit == "MiB" else ours
                near = value is not None and abs(value - float(theirs)) <= tolerance
                bench.report.check(what, near, f"nvidia-smi {theirs}, probe {value}")
            else:
                bench.report.check(what, ours is not None and how(theirs) == (how(ours) if how in (str, str.lower) else ours),
                                   f"nvidia-smi {theirs}, probe {ours}")
    done = subprocess.run([bench.smi, "nvlink", "-s"], capture_output=True, text=True)
    up = sum("GB/s" in line for line in done.stdout.splitlines())
    ours = sum(value for name, value in facts.items() if name.startswith("gpu.") and name.endswith(".nvlink.active") and name.count(".") == 3)
    bench.report.check("NVLink links that are up", up == ours, f"nvidia-smi {up}, probe {ours}")


def functional(bench, count):
    facts, code, seconds = bench.probe("functional", "--level", "functional")
    rungs = facts["ladder"]
    broken = [f"{rung['rung']} {rung['outcome']}: {rung['says']}" for rung in rungs if rung["outcome"] not in ("ok", "skipped")]
    bench.report.check("functional level: every rung holds", code == 0 and not broken, broken or "yes")
    bench.report.check(f"functional level under 10 s per device ({count})", seconds < 10 * max(count, 1), f"{seconds:.1f} s")
    for rung in rungs:
        bench.report.say("NOTE", f"device {rung['device']} {rung['rung']}", f"{rung['outcome']}, {rung['milliseconds']} ms, {rung['says']}")
    free = facts["facts"].get("gpu.0.memory.free", 0)
    largest = facts["facts"].get("cuda.0.largest_block")
    if largest is not None:
        bench.report.check("largest block is most of what is free", 0.8 * free < largest <= free, f"{largest / GIB:.2f} of {free / GIB:.2f} GiB")


def stress(bench):
    limit = 4 * bench.seconds + 60
    facts, code, seconds = bench.probe("stress", "--level", "stress", "--seconds", str(bench.seconds), limit=limit)
    bench.report.check("stress level holds and ends in time", code == 0 and seconds < limit, f"{seconds:.0f} s")
    for rung in facts["ladder"]:
        if rung["rung"] in ("memory_patterns", "gemm_stress"):
            if rung["outcome"] == "skipped":
                bench.report.say("LEFT OUT", f"stress: {rung['rung']}", rung["says"])
            else:
                bench.report.check(f"stress: {rung['rung']}", rung["outcome"] == "ok", rung["says"])
    os.remove(os.path.join(bench.out, "stress.json"))


def held(bench, total):
    """Memory held by another process."""
    if not bench.only_real("memory held by another process"):
        return
    leave = int(0.3 * total)
    with Neighbour("hold", leave) as other:
        facts, _, _ = bench.probe("held")
        seen = facts["facts"].get("gpu.0.processes", facts["cannot_tell"].get("gpu.0.processes"))
        free = facts["facts"]["gpu.0.memory.free"]
        bench.report.check("held: the probe sees less free memory", free < leave + GIB, f"{other.says}; {free / GIB:.2f} GiB free")
        bench.report.say("NOTE", "held: processes", seen)
        ladder, _, seconds = bench.run("probe", "--level", "functional")
        bench.report.check("held: the functional level does not disturb the neighbour", other.process.poll() is None, f"{seconds:.1f} s")
    causes = bench.causes(OUT_OF_MEMORY, "held")
    by_others = [cause for cause in causes if cause[0] == "memory-held"]
    bench.report.check("held: diagnosis of an out-of-memory error", by_others and by_others[0][1] in ("supported", "confirmed"), by_others)


def nearly_full(bench):
    if not bench.only_real("a nearly full card"):
        return
    with Neighbour("hold", 400 * MIB) as other:
        facts, code, _ = bench.probe("nearly-full", "--level", "functional")
        broken = [f"{rung['rung']} {rung['outcome']}: {rung['says']}" for rung in facts["ladder"] if rung["outcome"] not in ("ok", "skipped")]
        bench.report.say("NOTE", "nearly full: the ladder", f"{other.says}; exit code {code}; {broken}")
        bench.report.check("nearly full: a finding says so", any("free" in says for says in facts["findings"]), facts["findings"])
    causes = bench.causes(NO_ENGINE, "nearly-full")
    bench.report.check(
        "nearly full: diagnosis of a missing engine",
        causes[0][0] in ("memory-exhausted", "memory-held") and causes[0][1] in ("supported", "confirmed"), causes[:2],
    )


def poisoned(bench):
    if not bench.only_real("a poisoned context in a neighbour process"):
        return
    with Neighbour("poison", 0) as other:
        bench.report.check("poisoned: the neighbour's context is broken", other.says.endswith(("700", "719")), other.says)
        facts, code, _ = bench.probe("poisoned", "--level", "functional")
        broken = [rung["rung"] for rung in facts["ladder"] if rung["outcome"] not in ("ok", "skipped")]
        bench.report.check("poisoned: it does not reach this process", code == 0 and not broken, broken or "every rung holds")
        xids = facts["facts"].get("kernel.xid.lines", facts["cannot_tell"].get("kernel.xid.count"))
        bench.report.say("NOTE", "poisoned: Xids in the kernel log", xids)


def visible(bench, facts, count):
    uuid = facts["facts"].get("gpu.0.uuid", "")
    for value, expected in (("-1", 0), ("", 0), ("0", 1), (uuid, 1), ("99", 0)):
        out, _, _ = bench.run("probe", "--format", "json", environment={"CUDA_VISIBLE_DEVICES": value})
        seen = json.loads(out)["facts"].get("gpu.count")
        if bench.rehearsal and value == "99":
            bench.report.say("LEFT OUT", "CUDA_VISIBLE_DEVICES=99", "the fake driver does not count so")
            continue
        bench.report.check(f"CUDA_VISIBLE_DEVICES={value!r}", seen == expected, f"a program sees {seen}")
    bench.report.say("NOTE", "devices", count)


def watch(bench):
    out, code, _ = bench.run("probe", "--watch", "--every", "0.5", "--count", "6", "--format", "jsonl")
    with open(os.path.join(bench.out, "watch.jsonl"), "w", encoding="utf-8") as file:
        file.write(out)
    samples = [json.loads(line) for line in out.splitlines()]
    times = [sample["time"] for sample in samples]
    bench.report.check("watch: six lines, half a second apart", len(times) == 6 and 2.4 < times[-1] - times[0] < 4, times)


def on_a_terminal(bench):
    """What asking unasked costs a diagnosis, on a pty."""
    import pty

    log = os.path.join(bench.out, "no-engine.log")
    with open(log, "w", encoding="utf-8") as file:
        file.write(NO_ENGINE)

    def seconds(*words):
        best = (float("inf"), "")
        for _ in range(5):
            started = time.monotonic()
            child, terminal = pty.fork()
            if child == 0:
                os.execv(bench.faultbook, [bench.faultbook, log, *words])
            seen = b""
            while True:
                try:
                    data = os.read(terminal, 65536)
                except OSError:  # The end of the other side, as Linux tells it.
                    break
                if not data:
                    break
                seen += data
            os.waitpid(child, 0)
            os.close(terminal)
            best = min(best, (time.monotonic() - started, seen.decode(errors="replace")))
        return best

    without, _ = seconds("--no-probe")
    cost, text = seconds()
    bench.report.check("a diagnosis on a terminal asks by itself", "This machine, asked just now" in text)
    bench.report.check("and costs at most 300 ms more", cost - without <= 0.3, f"{(cost - without) * 1000:.0f} ms")
    os.remove(log)


def architectures(bench, facts):
    script = "import json, torch; print(json.dumps([torch.cuda.get_arch_list(), torch.version.cuda]))"
    python = bench.python
    if python and os.path.isdir(python):
        python = os.path.join(python, "bin", "python")
    done = subprocess.run([python or sys.executable, "-c", script], capture_output=True, text=True) if not bench.rehearsal else None
    if done is None or done.returncode:
        bench.report.say("LEFT OUT", "architectures of torch", "torch cannot be imported here")
        return
    theirs, cuda = json.loads(done.stdout.splitlines()[-1])
    ours = facts["facts"].get("torch.arch_list")
    bench.report.check("architectures as torch.cuda.get_arch_list()", ours == theirs, f"{ours}, torch {theirs}")
    bench.report.check("CUDA of torch", facts["facts"].get("torch.cuda") == cuda, cuda)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faultbook", default="faultbook")
    parser.add_argument("--out", default="gpu-validation")
    parser.add_argument("--python", help="the environment whose libraries are used")
    parser.add_argument("--nvidia-smi")
    parser.add_argument("--seconds", type=int, default=20, help="of each check of the stress level")
    parser.add_argument("--rehearsal", action="store_true")
    parser.add_argument("--neighbour", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.neighbour:
        return neighbour(arguments.neighbour[0], int(arguments.neighbour[1]))
    found = shutil.which(arguments.faultbook)
    if not found:
        parser.error(f"no program {arguments.faultbook}")
    arguments.faultbook = found
    bench = Bench(arguments)
    started = time.monotonic()
    facts, about = {}, []
    try:
        facts = quick(bench)
        known = facts["facts"]
        count = int(known.get("gpu.installed", 0))
        about = [
            f"date {datetime.date.today()}, {known.get('os.name')}, kernel {platform.release()}, container {known.get('os.container_kind', 'no')}",
            f"{count} x {known.get('gpu.name')}, driver {known.get('driver.version')}, CUDA {known.get('driver.cuda')}",
            f"torch {known.get('torch.version')}, cuDNN {known.get('cudnn.version')}, cuBLAS {known.get('cublas.version')}",
        ]
        for step in (
            lambda: functional(bench, count),
            lambda: visible(bench, facts, count),
            lambda: watch(bench),
            lambda: on_a_terminal(bench),
            lambda: architectures(bench, facts),
            lambda: held(bench, known.get("gpu.0.memory.total", 0)),
            lambda: nearly_full(bench),
            lambda: poisoned(bench),
            lambda: stress(bench),
        ):
            try:
                step()
            except Exception as error:  # One check that breaks must not cost the others: the machine is lent for minutes.
                bench.report.say("FAIL", "a check broke", f"{type(error).__name__}: {error}")
        if bench.smi:
            with open(os.path.join(bench.out, "nvidia-smi.txt"), "w", encoding="utf-8") as file:
                file.write(subprocess.run([bench.smi, "-q"], capture_output=True, text=True).stdout)
    finally:
        bench.report.write(os.path.join(bench.out, "report.md"), about + [f"took {time.monotonic() - started:.0f} s"])
    return 1 if bench.report.failed else 0


if __name__ == "__main__":
    sys.exit(main())

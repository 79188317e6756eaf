#!/usr/bin/env python3
"""Measures `faultbook scan` beside `wc`, ripgrep and Hyperscan on the same logs in one run, and prints the table of
docs/benchmarks.md. It needs PyYAML; Hyperscan only if the module is there.

    python3 tests/bench/scan.py --bin target/release/faultbook [--bytes 1000000000] [--folder /tmp] [--runs 3]

Of several runs the fastest counts. The logs are removed at the end.
"""

import argparse
import glob
import os
import resource
import subprocess
import sys
import tempfile
import time

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))


def literals():
    """What the signatures of all fault pages look for first: the longest literal of each."""
    found = set()
    for page in glob.glob(os.path.join(HERE, "../../kb/faults/**/*.md"), recursive=True):
        with open(page, encoding="utf-8") as file:
            text = file.read()
        for signature in (yaml.safe_load(text.split("---", 2)[1]) or {}).get("signatures") or []:
            contains = signature["contains"]
            found.add(max([contains] if isinstance(contains, str) else contains, key=len))
    return sorted(found)


def run(command, runs):
    """Seconds by the clock, seconds of processors, and peak memory in KiB of the fastest run."""
    best = None
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        if os.WIFSIGNALED(status):
            raise SystemExit(f"{command[0]} was ended by signal {os.WTERMSIG(status)}")
        wall = time.monotonic() - start
        cpu = used.ru_utime + used.ru_stime
        if best is None or wall < best[0]:
            best = (wall, cpu, used.ru_maxrss)
    return best


HYPERSCAN = """
import sys, hyperscan
words = open(sys.argv[1], "rb").read().splitlines()
flags = hyperscan.HS_FLAG_CASELESS | hyperscan.HS_FLAG_SINGLEMATCH
database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
database.compile(expressions=words, ids=range(len(words)), flags=[flags] * len(words), elements=len(words), literal=True)
log = open(sys.argv[2], "rb", buffering=0)
if sys.argv[2] == "/dev/null":
    sys.exit()
# Block by block: the module's streams crash on a gigabyte.
while piece := log.read(1 << 22):
    database.scan(piece, match_event_handler=lambda *_: None)
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--bytes", type=int, default=1_000_000_000)
    parser.add_argument("--folder", default=tempfile.gettempdir())
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        at = lambda name: os.path.join(folder, name)
        with open(at("literals"), "w", encoding="utf-8") as file:
            file.write("\n".join(literals()) + "\n")
        kinds = {"log": [], "near": ["--near-misses", "0.01"], "errors": ["--errors-only"]}
        for name, more in kinds.items():
            size = options.bytes // (10 if name == "errors" else 1)
            subprocess.run([sys.executable, os.path.join(HERE, "log.py"), at(name), "--bytes", str(size), *more], check=True)
        scan = [options.bin, "scan", "--format", "json"]
        commands = [
            ("wc -l", ["wc", "-l", at("log")]),
            ("faultbook scan", [*scan, at("log")]),
            ("faultbook scan --threads 1", [*scan, "--threads", "1", at("log")]),
            ("faultbook scan, one line in a hundred a near miss", [*scan, at("near")]),
            ("faultbook scan, nothing but errors, a tenth of the bytes", [*scan, at("errors")]),
            ("faultbook diagnose", [options.bin, "diagnose", "--no-probe", "--format", "json", at("log")]),
            ("rg -c -F -i -f LITERALS", ["rg", "-c", "-F", "-i", "-f", at("literals"), at("log")]),
        ]
        try:
            import hyperscan  # noqa: F401

            base = [sys.executable, "-c", HYPERSCAN, at("literals")]
            commands += [("Hyperscan, compilation of the literals", [*base, "/dev/null"])]
            commands += [("Hyperscan, with compilation", [*base, at("log")])]
        except ImportError:
            pass
        print("| command | seconds | processor seconds | MB resident | of `wc -l` |\n| --- | --- | --- | --- | --- |")
        first = None
        for name, command in commands:
            wall, cpu, memory = run(command, options.runs)
            first = first or wall
            print(f"| {name} | {wall:.2f} | {cpu:.2f} | {memory / 1024:.0f} | {wall / first:.1f} |", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Measures a project with many reports, and prints the figures for docs/benchmarks.md: the first index, a pasted traceback,
the command after one report was changed, added, removed or renamed, and searches.

    python3 tests/bench/reports.py --bin target/release/faultbook [--reports 0,1000,20000]

The reports are composed from the texts of tests/corpus, about 9 KB each, always the same for the same number. Each figure is
the median of several runs, of the whole process; processor time is beside it where other work may disturb the clock.
"""

import argparse
import glob
import os
import random
import resource
import statistics
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PASTE = "Traceback (most recent call last):\n  File \"train.py\", line 3, in <module>\n    main()\n" \
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.64 GiB of which 1.10 GiB is free.\n"
QUERIES = ["out of memory in the decoder", "cudnn execution failed", "nccl timeout rank 3", "illegal memory access bf16", "loss nan after resume",
           "shared memory docker", "driver too old", "shape mismatch head", "hang at barrier", "xid 79 riser"]
SIZE = 9000


def pieces():
    """Lines of what failing runs print."""
    lines = []
    for path in sorted(glob.glob(os.path.join(HERE, "../corpus/**/*.txt"), recursive=True)):
        with open(path, "rb") as file:
            lines += [line for line in file.read().decode("utf-8", "replace").splitlines() if 20 < len(line) < 200]
    return lines


def write(place, number, lines):
    """Report `number`."""
    rng = random.Random(number)
    name = f"BUG-{20200101 + number // 900 % 28 + number // 25200 * 100}-{number % 900 + 1:03}"
    start = rng.randrange(len(lines))
    log, size = [], 0
    while size < SIZE - 1200:
        line = lines[(start + len(log)) % len(lines)]
        log.append(line)
        size += len(line) + 1
    words = " ".join(rng.choice(lines).split(" ")[0] for _ in range(40))
    text = (f"---\ntitle: \"{lines[start][:80].replace(chr(34), ' ').replace(chr(92), ' ')}\"\ndate: 2026-05-04\ntype: bug_report\nstatus: resolved\nbug_id: {name}\n---\n"
            f"# {name}\n\n## Summary\n{words}\n\n## Logs\n```\n" + "\n".join(log) + f"\n```\n\n## Root Cause\nThe batch of job {number} was too large.\n\n## Resolution\nUse batch {number % 64 + 1}.\n")
    path = os.path.join(place, f"{name}-{number}.md")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


class Program:
    def __init__(self, binary, folder, cache):
        self.binary, self.folder = os.path.abspath(binary), folder
        self.environment = {**os.environ, "XDG_CACHE_HOME": cache, "HOME": cache}

    def run(self, *args, text=None):
        """(milliseconds, milliseconds of processors) of a command."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        done = subprocess.run([self.binary, *args], input=text, text=True, capture_output=True, cwd=self.folder, env=self.environment)
        took = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{args}: {done.stderr}")
        return 1000 * took, 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime), done.stdout

    def paste(self):
        return self.run("diagnose", "--no-probe", "-", text=PASTE)


def median(figures):
    return statistics.median(figure[0] for figure in figures), statistics.median(figure[1] for figure in figures)


def show(what, figure):
    print(f"| {what} | {figure[0]:.1f} | {figure[1]:.1f} |", flush=True)


def measure(binary, count, lines):
    with tempfile.TemporaryDirectory(prefix="faultbook-reports-") as top:
        folder, cache = os.path.join(top, "project"), os.path.join(top, "cache")
        place = os.path.join(folder, "docs/bug_reports")
        os.makedirs(place)
        os.makedirs(os.path.join(folder, ".git"))
        os.makedirs(cache)
        paths = [write(place, number, lines) for number in range(count)]
        size = sum(map(os.path.getsize, paths))
        program = Program(binary, folder, cache)
        print(f"\n{count} reports, {size / 1e6:.0f} MB\n\n| command | ms | of processors |\n| --- | --- | --- |")
        show("first index", program.run("index"))
        show("a pasted traceback", median([program.paste() for _ in range(15)]))
        if not count:
            return
        changed = []
        for number in range(5):
            with open(paths[number * 7 % count], "a", encoding="utf-8") as file:
                file.write(f"\nSeen again, {number}.\n")
            changed.append(program.paste())
        show("the same after one report changed", median(changed))
        added = []
        for number in range(5):
            write(place, count + number, lines)
            added.append(program.paste())
        show("after one was added", median(added))
        removed = []
        for number in range(5):
            os.remove(paths.pop())
            removed.append(program.paste())
        show("after one was removed", median(removed))
        renamed = []
        for number in range(5):
            os.rename(paths[number], paths[number] + ".renamed.md")
            renamed.append(program.paste())
        show("after one was renamed", median(renamed))
        searches = sorted((program.run("search", *query.split())[:2] for query in QUERIES * 5), key=lambda figure: figure[0])
        show("a search, the median", searches[len(searches) // 2])
        show("a search, the slowest of 50", searches[-1])
        index = sum(os.path.getsize(os.path.join(where, name)) for where, _, names in os.walk(cache) for name in names)
        print(f"\nthe index takes {index / 1e6:.0f} MB")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--bin", default="target/release/faultbook")
    options.add_argument("--reports", default="0,1000,20000")
    args = options.parse_args()
    lines = pieces()
    for count in map(int, args.reports.split(",")):
        measure(args.bin, count, lines)


if __name__ == "__main__":
    main()

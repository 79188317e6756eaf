#!/usr/bin/env python3
"""Measures a project with many reports, and prints the figures for docs/benchmarks.md: the first index, a pasted traceback,
the command after one report was changed, added, removed or renamed, and searches.

    python3 tests/bench/reports.py --bin target/release/faultbook [--reports 0,1000,20000]

Each report has one text of tests/corpus as its log and sentences of kb/faults around it, about 9 KB, always the same for
the same number. Each figure is the median of several runs of the whole process; processor time is beside it, because
other work may disturb the clock. If the Python module `tantivy` is there, its engine alone indexes the same files, with as
many threads as there are processors.
"""

import argparse
import glob
import importlib.util
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PASTE = "Traceback (most recent call last):\n  File \"train.py\", line 3, in <module>\n    main()\n" \
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.64 GiB of which 1.10 GiB is free.\n"
QUERIES = ["out of memory in the decoder", "cudnn execution failed", "nccl timeout rank 3", "illegal memory access bf16", "loss nan after resume",
           "shared memory docker", "driver too old", "shape mismatch head", "hang at barrier", "xid 79 riser"]
SIZE = 9000


def pieces():
    """(texts of failing runs, sentences)."""
    texts, sentences = [], []
    for path in sorted(glob.glob(os.path.join(HERE, "../corpus/**/*.txt"), recursive=True)):
        with open(path, "rb") as file:
            text = file.read().decode("utf-8", "replace")
        if 100 < len(text) < 5000 and "```" not in text:
            texts.append(text)
    for path in sorted(glob.glob(os.path.join(HERE, "../../kb/faults/*/*.md"))):
        with open(path, encoding="utf-8") as file:
            body = file.read().split("## Meaning", 1)[-1].split("\n## ", 1)[0]
        sentences += [" ".join(part.split()) for part in body.split(". ") if 40 < len(part) < 300]
    return texts, sentences


def write(place, number, found):
    """Report `number`."""
    texts, sentences = found
    rng = random.Random(number)
    name = f"BUG-{20200101 + number // 900 % 28 + number // 25200 * 100}-{number % 900 + 1:03}"
    log = rng.choice(texts)
    title = next(line for line in log.splitlines() if line.strip())[:80].replace('"', " ").replace("\\", " ")
    sections = [[], [], []]
    size = len(log)
    while size < SIZE - 500:
        sentence = rng.choice(sentences)
        rng.choice(sections).append(sentence)
        size += len(sentence) + 2
    summary, cause, resolution = (". ".join(section) for section in sections)
    text = (f"---\ntitle: \"{title}\"\ndate: 2026-05-04\ntype: bug_report\nstatus: resolved\nbug_id: {name}\n---\n# {name}\n\n## Summary\n{summary}.\n\n"
            f"## Logs\n```\n{log}\n```\n\n## Root Cause\nJob {number}. {cause}.\n\n## Resolution\nBatch {number % 64 + 1}. {resolution}.\n")
    path = os.path.join(place, f"{name}-{number}.md")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


TANTIVY = """
import glob, os, sys, tantivy
builder = tantivy.SchemaBuilder()
builder.add_text_field("path", stored=True, tokenizer_name="raw")
builder.add_text_field("text")
writer = tantivy.Index(builder.build(), path=sys.argv[2]).writer(heap_size=256_000_000, num_threads=os.cpu_count())
for path in glob.iglob(sys.argv[1] + "/*.md"):
    with open(path, encoding="utf-8") as file:
        writer.add_document(tantivy.Document(path=path, text=file.read()))
writer.commit()
writer.wait_merging_threads()
"""


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
        return 1000 * took, 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    def paste(self):
        return self.run("diagnose", "--no-probe", "-", text=PASTE)


def median(figures):
    return statistics.median(figure[0] for figure in figures), statistics.median(figure[1] for figure in figures)


def show(what, figure):
    print(f"| {what} | {figure[0]:.1f} | {figure[1]:.1f} |", flush=True)


def measure(binary, count, found):
    with tempfile.TemporaryDirectory(prefix="faultbook-reports-") as top:
        folder, cache = os.path.join(top, "project"), os.path.join(top, "cache")
        place = os.path.join(folder, "docs/bug_reports")
        os.makedirs(place)
        os.makedirs(os.path.join(folder, ".git"))
        os.makedirs(cache)
        paths = [write(place, number, found) for number in range(count)]
        size = sum(map(os.path.getsize, paths))
        program = Program(binary, folder, cache)
        print(f"\n{count} reports, {size / 1e6:.0f} MB\n\n| command | ms | of processors |\n| --- | --- | --- |")
        show("first index", program.run("index"))
        if count and importlib.util.find_spec("tantivy"):
            os.makedirs(os.path.join(top, "alone"))
            alone = Program(sys.executable, folder, cache)
            show("tantivy alone", alone.run("-c", TANTIVY, place, os.path.join(top, "alone")))
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
            write(place, count + number, found)
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
        searches = sorted((program.run("search", *query.split()) for query in QUERIES * 5), key=lambda figure: figure[0])
        show("a search, the median", searches[len(searches) // 2])
        show("a search, the slowest of 50", searches[-1])
        index = sum(os.path.getsize(os.path.join(where, name)) for where, _, names in os.walk(cache) for name in names)
        print(f"\nthe index takes {index / 1e6:.0f} MB")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--bin", default="target/release/faultbook")
    options.add_argument("--reports", default="0,1000,20000")
    args = options.parse_args()
    found = pieces()
    for count in map(int, args.reports.split(",")):
        measure(args.bin, count, found)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Processor seconds of a log as a file and as a table of lines, on one core: Spark, Python and Faultbook together.

    python3 integrations/spark/tests/rate.py --program target/release/faultbook LOG

Each way reads the log twice and prints the second run, when Spark has started and its code is compiled.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import faultbook_spark as scan  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402


def processor_seconds() -> float:
    """Of this process, Spark's JVM, its Python workers and what they have waited for."""
    processes = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        processes[int(file.parent.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    mine = {os.getpid()}
    while more := {one for one, (parent, _) in processes.items() if parent in mine} - mine:
        mine |= more
    return sum(processes[one][1] for one in mine) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("log", type=Path)
    parser.add_argument("--program", default="faultbook")
    options = parser.parse_args()
    log = f"file://{options.log.resolve()}"
    builder = SparkSession.builder.master("local[1]").config("spark.sql.shuffle.partitions", "1")
    spark = builder.config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    scan.prepare(spark)
    program = scan.Program(str(Path(options.program).resolve()))
    with tempfile.TemporaryDirectory() as folder:
        scan.text(spark, log).write.parquet(f"file://{folder}/table")
        ways = {
            "files": lambda: scan.files(spark, str(options.log), program),
            "text as lines": lambda: scan.lines(scan.text(spark, log), "log", "line", ["block", "at"], program),
            "Parquet": lambda: scan.lines(
                spark.read.parquet(f"file://{folder}/table"), "log", "line", ["block", "at"], program
            ),
        }
        for name, way in ways.items():
            for _ in range(2):
                began, used = time.monotonic(), processor_seconds()
                way().collect()
                used, took = processor_seconds() - used, time.monotonic() - began
            gigabytes = options.log.stat().st_size / 1e9
            print(
                f"{name}: {used:.1f} processor seconds ({used / gigabytes:.0f} per GB), {took:.1f} s by the clock",
                flush=True,
            )
    spark.stop()


if __name__ == "__main__":
    main()

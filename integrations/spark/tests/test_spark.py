"""On a real local cluster (two executors of their own, each a JVM): the same answer as one process."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Callable

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import faultbook_spark as scan  # noqa: E402
import fleet  # noqa: E402
import logs  # noqa: E402
from pyspark.errors import PySparkException  # noqa: E402
from pyspark.sql import DataFrame, SparkSession  # noqa: E402

ROOT = HERE.parents[2]
FAULTBOOK = os.environ.get("FAULTBOOK", str(ROOT / "target" / "debug" / "faultbook"))
PROGRAM = scan.Program(FAULTBOOK)


def setUpModule() -> None:
    global folder, spark, fleet_logs, truth, single, scanned
    holder = tempfile.TemporaryDirectory(prefix="faultbook-spark-")
    unittest.addModuleCleanup(holder.cleanup)
    folder = Path(holder.name)
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("faultbook tests")
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.local.dir": str(folder / "spark"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.session.timeZone": "Asia/Kolkata",
    }.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    unittest.addModuleCleanup(spark.stop)
    spark.sparkContext.setLogLevel("OFF")
    scan.prepare(spark)
    fleet_logs = folder / "fleet"
    truth = logs.write(fleet_logs)
    single = answer(str(fleet_logs))
    scanned = scan.files(spark, str(fleet_logs), PROGRAM).persist()
    unittest.addModuleCleanup(scanned.unpersist)


def answer(*inputs: str) -> Counter[str]:
    """The lines of one process over all logs."""
    command = [FAULTBOOK, "scan", "--format", "jsonl", *inputs]
    ended = subprocess.run(command, capture_output=True, check=False)
    assert ended.returncode in (0, 1), ended.stderr
    return Counter(canonical(json.loads(line)) for line in ended.stdout.splitlines())


def canonical(line: dict[str, Any]) -> str:
    return json.dumps(
        {key: value for key, value in line.items() if key not in ("log", "error", "schema")}, sort_keys=True
    )


def rows(table: DataFrame) -> Counter[str]:
    """The same of Spark."""
    return Counter(canonical(row.asDict(recursive=True)) for row in table.where("error IS NULL").collect())


def failed(table: DataFrame) -> dict[str, str]:
    return {os.path.basename(row.log): row.error for row in fleet.errors(table).collect()}


def executors() -> list[int]:
    """The processes of this application's executors: the JVMs alone."""
    found = []
    for status in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = status.read_bytes().split(b"\0")
        except OSError:
            continue
        is_executor = any(b"CoarseGrainedExecutorBackend" in word for word in words)
        if is_executor and spark.sparkContext.applicationId.encode() in words and words[0].endswith(b"java"):
            found.append(int(status.parent.name))
    return found


def script(name: str, text: str) -> str:
    """A program for the executors."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


class SameAnswer(unittest.TestCase):
    maxDiff = 4000

    def test_of_files(self) -> None:
        self.assertGreater(sum(1 for _ in scan.listing([str(fleet_logs)])), 250)
        self.assertEqual(rows(scanned), single)
        self.assertEqual(failed(scanned), {})
        listed = spark.createDataFrame(
            [(path,) for path, _ in scan.listing([f"{fleet_logs}/job-00*/*.log"])], "log string"
        )
        self.assertEqual(rows(scan.files(spark, listed.limit(5), PROGRAM)) - single, Counter())

    def test_of_files_that_spark_reads(self) -> None:
        some = sorted(fleet_logs.glob("job-000*"))
        stored = scan.stored(spark, [f"file://{one}" for one in some], PROGRAM)
        wanted = Counter(
            line.replace(f'"{fleet_logs}', f'"file:{fleet_logs}') for line in answer(*map(str, some)).elements()
        )
        self.assertEqual(rows(stored), wanted)
        small = scan.stored(spark, f"file://{some[0]}", PROGRAM, most=1000)
        self.assertEqual(rows(small), Counter())
        self.assertIn("scan it as a table of lines", failed(small)["rank-0.log"])

    def test_of_a_table_of_lines(self) -> None:
        """One row per line, in any order, in Parquet."""
        table = []
        for name, _ in scan.listing([str(fleet_logs)]):
            data = Path(name).read_bytes()
            text = (gzip.decompress(data) if name.endswith(".gz") else data).decode()
            table += [(name, at, line) for at, line in enumerate(text.splitlines())]
        random.Random(17).shuffle(table)
        where = str(folder / "lines.parquet")
        spark.createDataFrame(table, "log string, at long, line string").write.parquet(where)
        found = scan.lines(spark.read.parquet(where), "log", "line", ["at"], PROGRAM)
        self.assertEqual(rows(found), single)

    def test_of_text_files_as_lines(self) -> None:
        some = fleet_logs / "job-0001"
        # Small blocks: every file is read in pieces, by several tasks.
        spark.conf.set("spark.sql.files.maxPartitionBytes", 10_000)
        try:
            found = rows(scan.lines(scan.text(spark, f"file://{some}"), "log", "line", ["block", "at"], PROGRAM))
        finally:
            spark.conf.unset("spark.sql.files.maxPartitionBytes")
        wanted = Counter(line.replace(f'"{some}', f'"file:{some}') for line in answer(str(some)).elements())
        self.assertEqual(found, wanted)

    def test_with_an_executor_killed_on_the_way(self) -> None:
        ran = folder / "ran"
        slow = script("slow", f'[ "$1" = scan ] && echo >> {ran} && sleep 0.05\nexec {FAULTBOOK} "$@"')
        before = executors()
        self.assertEqual(len(before), 2)
        killed: list[int] = []

        def kill() -> None:
            while not killed:
                time.sleep(0.05)
                if ran.exists() and ran.stat().st_size > 40:
                    os.kill(before[0], signal.SIGKILL)
                    killed.append(before[0])

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        self.assertEqual(rows(scan.files(spark, str(fleet_logs), scan.Program(slow))), single)
        killer.join(10)
        self.assertEqual(killed, before[:1])
        self.assertNotIn(before[0], executors())
        files = sum(1 for _ in scan.listing([str(fleet_logs)]))
        self.assertGreaterEqual(ran.stat().st_size, files, "every log was scanned, those of the lost tasks again")


class Hostile(unittest.TestCase):
    def test_contents(self) -> None:
        where = folder / "hostile"
        where.mkdir()
        r = random.Random(17)
        fault = b"RuntimeError: CUDA error: an illegal memory access was encountered\n"
        whole = gzip.compress(b"step 1\n" * 1000 + bytes(r.randrange(97, 123) for _ in range(50_000)) + b"\n" + fault)
        contents = {
            "binary.log": r.randbytes(500_000),
            "one-line.log": b"x" * 100_000_000 + b"\n" + fault,
            "no-utf-8.log": b"step \xff\xc3\x28 1\n" + fault + b"\xf0\x9f\n",
            "nul.log": b"\0" * 100_000 + b"\n" + fault,
            "empty.log": b"",
            "packed.log.gz": whole,
            "cut.log.gz": whole[: len(whole) // 2],
            "a b'\"\n\u202e.log": fault,
        }
        for name, content in contents.items():
            (where / name).write_bytes(content)
        os.mkfifo(where / "pipe.log")
        paths = [str(where / name) for name in [*contents, "pipe.log", "missing.log"]]
        found = scan.files(spark, paths, PROGRAM).persist()
        self.assertEqual(rows(found), answer(*paths[:-2]))
        self.assertEqual(sum(rows(found).values()), 5)
        self.assertEqual(sorted(failed(found)), ["cut.log.gz", "missing.log", "pipe.log"])
        self.assertIn("gzip", failed(found)["cut.log.gz"])
        self.assertIn("No such file", failed(found)["missing.log"])
        self.assertIn("not a regular file", failed(found)["pipe.log"])
        found.unpersist()
        # Through Spark, 100 MB are more than one value may have.
        stored = scan.stored(spark, [f"file://{where}/one-line.log", f"file://{where}/nul.log"], PROGRAM)
        self.assertEqual(sum(rows(stored).values()), 1)
        self.assertEqual(list(failed(stored)), ["one-line.log"])
        (where / "one-line.log").unlink()

    def test_lines_without_a_log_or_text(self) -> None:
        fault = "RuntimeError: CUDA error: an illegal memory access was encountered"
        table = [("a", 1, None), ("a", 2, fault), (None, 1, fault), ("b", 1, None)]
        found = scan.lines(
            spark.createDataFrame(table, "job string, n int, text string"), "job", "text", ["n"], PROGRAM
        )
        self.assertEqual({(row.log, row.first.line) for row in found.collect()}, {("a", 2), (None, 1)})

    def test_programs_that_hang_crash_and_babble(self) -> None:
        log = str(next(fleet_logs.glob("job-0001/rank-*")))
        version = '[ "$1" = --version ] && exit'
        for name, text, says in (
            ("hangs", "exec sleep 60", "it took more than 1 s"),
            ("crashes", "kill -SEGV $$", "faultbook ended with -11"),
            ("fails", "echo 'error: out of order' >&2; exit 3", "error: out of order"),
            ("babbles", "echo '{\"schema\": 1'", "a line that cannot be read"),
            ("is newer", 'echo \'{"schema": "faultbook/scan/9"}\'', "another format"),
        ):
            with self.subTest(name):
                program = scan.Program(script(name, f"{version}\n{text}"), timeout=1)
                for found in (
                    scan.files(spark, log, program),
                    scan.lines(scan.text(spark, f"file://{log}"), "log", "line", ["at"], program),
                ):
                    (error,) = failed(found).values()
                    self.assertIn(says, error)

    def test_no_program_or_one_that_does_not_run(self) -> None:
        broken = script("broken", "echo 'libstdc++.so.6: cannot open shared object file' >&2; exit 127")
        for path, says in (
            ("no-such-faultbook", "there is no program `no-such-faultbook` on .*: install Faultbook on every executor"),
            (broken, r"does not run on .*exit code 127: libstdc\+\+\.so\.6"),
        ):
            with self.assertRaisesRegex(PySparkException, says):
                scan.files(spark, str(fleet_logs / "job-0001"), scan.Program(path)).collect()


class Tables(unittest.TestCase):
    """Against what the generator wrote, and against plain Python over the lines of one process."""

    def setUp(self) -> None:
        self.findings = fleet.described(scanned, job=r"(job-\d+)").persist()
        self.addCleanup(self.findings.unpersist)
        self.lines = [json.loads(line) for line in single.elements()]

    def counted(self, key: Callable[[dict[str, Any]], Iterable[Any]]) -> dict[tuple[Any, ...], tuple[int, int, int]]:
        table: dict[tuple[Any, ...], list[int]] = {}
        for line in self.lines:
            if line["fault"]:
                cell = table.setdefault((*key(line), line["fault"]), [0, 0, 0])
                for at, more in enumerate((1, line["primary_in"], line["count"])):
                    cell[at] += more
        return {key: tuple(cell) for key, cell in table.items()}

    def test_counts_by_job_node_gpu_and_hour(self) -> None:
        job = lambda line: re.search(r"job-\d+", line["first"]["file"])[0]  # noqa: E731
        gpu = lambda line: next(iter(re.findall(r"PCI:([0-9a-f:]+)|GPU (\d)", line["text"])), [None])  # noqa: E731
        for keys, key in (
            (["job"], lambda line: [job(line)]),
            (["node"], lambda line: [line["first"]["node"]]),
            (["hour"], lambda line: [line["first"]["time"][:13]]),
            (
                ["job", "node", "gpu", "hour"],
                lambda line: [
                    job(line),
                    line["first"]["node"],
                    next(filter(None, gpu(line)), None),
                    line["first"]["time"][:13],
                ],
            ),
        ):
            with self.subTest(keys):
                table = fleet.counts(self.findings, *keys).collect()
                found = {tuple(row[:-3]): tuple(row[-3:]) for row in table}
                self.assertEqual(found, self.counted(key))

    def test_the_first_failing_rank_of_every_job(self) -> None:
        table = {row.job: row for row in fleet.first_failing_rank(self.findings).collect()}
        self.assertEqual(set(table), {job for job, failure in truth.items() if failure})
        for job, row in table.items():
            failure = truth[job]
            self.assertEqual((row["rank"], row.node), (failure["rank"], failure["node"]), job)
            self.assertEqual(row.fault, None if failure["kind"] == "new" else failure["kind"], job)
            self.assertEqual(row.undated, 0)

    def test_logs_without_dates_are_not_compared(self) -> None:
        where = folder / "undated"
        fault = "RuntimeError: CUDA error: an illegal memory access was encountered\n"
        for name in ("j1/rank-3.log", "j2/rank-3.log", "j2/rank-4.log"):
            (where / name).parent.mkdir(parents=True, exist_ok=True)
            (where / name).write_text(fault)
        findings = fleet.described(scan.files(spark, str(where), PROGRAM))
        one, two = fleet.first_failing_rank(findings).collect()
        self.assertEqual((one["rank"], one.decided_by, one.undated), (3, "line", 0))
        self.assertEqual((two["rank"], two.fault, two.decided_by, two.undated), (None, None, "nothing", 2))

    def test_repeat_offenders(self) -> None:
        hardware = fleet.hardware_faults(FAULTBOOK)
        self.assertIn("device-lost", hardware)
        self.assertNotIn("oom", hardware)
        table = {row.node: row for row in fleet.repeat_offenders(self.findings, hardware).collect()}
        jobs = Counter(failure["node"] for failure in truth.values() if failure and failure["kind"] == "device-lost")
        self.assertEqual(
            {node: row.jobs for node, row in table.items()}, {node: n for node, n in jobs.items() if n > 1}
        )
        self.assertIn(logs.BAD_NODE, table)
        self.assertTrue(all(re.fullmatch(r"0000:[0-9a-f]{2}:00", gpu) for row in table.values() for gpu in row.gpus))

    def test_new_failures_are_one_cluster(self) -> None:
        (row,) = fleet.new_failures(self.findings).collect()
        self.assertEqual(row.message, "fleet.errors.ShardLedgerError: ledger PATH disagrees with shard '*' at offset N")
        self.assertEqual(row.jobs, sum(1 for failure in truth.values() if failure and failure["kind"] == "new"))
        self.assertIn("ShardLedgerError", row.example.text)

    def test_the_schema_is_the_published_one(self) -> None:
        published = json.loads((ROOT / "schemas" / "scan-1.json").read_text())
        fault, place = published["$defs"]["FaultReport"]["properties"], published["$defs"]["Place"]["properties"]
        self.assertEqual(set(scan.SCHEMA.names), {"log", "error", *fault})
        self.assertEqual(set(scan.PLACE.names), set(place))
        kinds = {"string": "string", "integer": "bigint", "boolean": "boolean", "array": "array"}
        for struct, fields in ((scan.SCHEMA, fault), (scan.PLACE, place)):
            for name, field in fields.items():
                if "type" in field:
                    kind = field["type"] if isinstance(field["type"], str) else field["type"][0]
                    self.assertTrue(struct[name].dataType.simpleString().startswith(kinds[kind]), name)


if __name__ == "__main__":
    unittest.main()

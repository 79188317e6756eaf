"""Scans logs with Faultbook on the executors of Apache Spark.

    import faultbook_spark as scan

    scan.files(spark, ["/shared/logs"])                # files that every executor opens by its path
    scan.stored(spark, "s3a://bucket/logs")            # files that Spark reads: S3, HDFS, ...
    scan.lines(table, log="job", line="message", order=["time"])    # one line of a log per row

Each log goes through one process, ``faultbook scan --format jsonl -``. The result is a DataFrame of ``SCHEMA``: the
program's own lines, with the log before them. A log that cannot be scanned is a row whose ``error`` says why, and the
job goes on; only a missing or broken program ends the job, as ``ProgramMissing``.
"""

from __future__ import annotations

import glob
import json
import os
import shutil
import socket
import stat
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import groupby
from typing import IO, Any, Optional, Union

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import SparkFiles
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import ArrayType, BooleanType, LongType, StringType, StructField, StructType

#: The version of the program's lines that this module reads (schemas/scan-1.json).
FORMAT = "faultbook/scan/1"

_TEXT, _NUMBER, _FLAG = StringType(), LongType(), BooleanType()


def _struct(**fields: Any) -> StructType:
    return StructType([StructField(name, kind) for name, kind in fields.items()])


#: Where a line is.
PLACE = _struct(file=_TEXT, line=_NUMBER, byte=_NUMBER, time=_TEXT, rank=_NUMBER, node=_TEXT)

#: One fault of one log, or why a log was not scanned.
SCHEMA = _struct(
    log=_TEXT,
    fault=_TEXT,
    title=_TEXT,
    role=_TEXT,
    fatal=_FLAG,
    survived=_FLAG,
    count=_NUMBER,
    logs=_NUMBER,
    primary_in=_NUMBER,
    first=PLACE,
    last=PLACE,
    ranks=ArrayType(_NUMBER),
    nodes=ArrayType(_TEXT),
    text=_TEXT,
    error=_TEXT,
)

Row = dict[str, Any]
#: What a process reads: an open file, or pieces of a log.
Source = Union[IO[bytes], Iterable[bytes]]


class ProgramMissing(RuntimeError):
    """Faultbook is not on an executor, or does not run there."""


@dataclass(frozen=True)
class Program:
    """How Faultbook is called on the executors."""

    #: A path there, a name on the PATH there, or the name of a file that was sent there (``prepare``, ``--files``).
    path: str = "faultbook"
    #: More arguments of ``faultbook scan``, such as ``("--since", "2026-11-21")``.
    arguments: tuple[str, ...] = ()
    #: Seconds that one log may take.
    timeout: float = 3600.0

    def found(self) -> str:
        """The program's path on this executor, after it has answered."""
        here = f"on {socket.gethostname()}"
        shipped = SparkFiles.get(self.path)
        path = shipped if os.path.isfile(shipped) else shutil.which(self.path)
        if path is None:
            raise ProgramMissing(
                f"there is no program `{self.path}` {here}: install Faultbook on every executor, or ship it"
                " (`scan.py --ship PATH`, `spark-submit --files PATH`)"
            )
        try:
            answer = subprocess.run([path, "--version"], capture_output=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ProgramMissing(f"`{path}` does not run {here}: {error}") from None
        if answer.returncode:
            says = answer.stderr.decode(errors="replace").strip()
            raise ProgramMissing(f"`{path}` does not run {here}: exit code {answer.returncode}: {says[:500]}")
        return path

    def scan(self, path: str, log: Optional[str], source: Source) -> list[Row]:
        """The rows of one log; nothing that is wrong with the log raises."""
        # Answers go into files: no pipe can fill up while the log is being written to the program.
        with ExitStack() as stack:
            out, err = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(2))
            is_file = hasattr(source, "fileno")
            command = [path, "scan", "--format", "jsonl", "--threads", "1", *self.arguments, "-"]
            process = subprocess.Popen(command, stdin=source if is_file else subprocess.PIPE, stdout=out, stderr=err)
            stack.callback(process.wait)
            stack.callback(process.kill)
            expired = threading.Event()
            late = threading.Timer(self.timeout, lambda: (expired.set(), process.kill()))
            late.daemon = True
            late.start()
            stack.callback(late.cancel)
            if process.stdin:
                try:
                    with process.stdin as pipe:
                        for piece in source:
                            pipe.write(piece)
                except BrokenPipeError:
                    pass  # It ended early; its exit code says why.
            code = process.wait()
            out.seek(0)
            err.seek(0)
            notes = err.read(2000).decode(errors="replace").replace("-: ", "").strip()
            rows, error = _parsed(log, out)
        if code not in (0, 1):
            took = f"it took more than {self.timeout:g} s" if expired.is_set() else ""
            error = took or notes or f"faultbook ended with {code}"
        error = error or notes
        return [*rows, _failed(log, error)] if error else rows


def _parsed(log: Optional[str], lines: Iterable[bytes]) -> tuple[list[Row], Optional[str]]:
    """The program's lines as rows, up to one that cannot be read, and what is wrong with that."""
    rows: list[Row] = []
    for line in lines:
        try:
            row = json.loads(line)
            if row.pop("schema") != FORMAT:
                return rows, f"this module reads {FORMAT}, and the program writes another format"
            for place in (row["first"], row["last"]):
                # Standard input is `-`; members of an archive have their own names.
                place["file"] = log if place["file"] == "-" else f"{log}/{place['file']}"
        except (ValueError, KeyError, TypeError) as error:
            return rows, f"the program wrote a line that cannot be read: {error!r}"
        rows.append({"log": log, **row, "error": None})
    return rows, None


def _failed(log: Optional[str], error: str) -> Row:
    return {"log": log, "error": error}


def _batch(rows: list[Row]) -> pa.RecordBatch:
    """Missing fields are null, unknown ones are left out, as the format asks its readers to."""
    return pa.RecordBatch.from_pylist(rows, schema=to_arrow_schema(SCHEMA))


Batches = Iterator[pa.RecordBatch]


def _scanning(rows_of: Callable[[str, Batches], Iterator[list[Row]]], program: Program) -> Callable[[Batches], Batches]:
    """The function that Spark runs on each partition."""

    def scan(batches: Batches) -> Batches:
        path = None
        for batch in batches:
            if batch.num_rows:
                path = path or program.found()
                break
        else:
            return
        for rows in rows_of(path, _before(batch, batches)):
            if rows:
                yield _batch(rows)

    return scan


def _before(first: pa.RecordBatch, rest: Batches) -> Batches:
    yield first
    yield from rest


def files(spark: SparkSession, paths: Union[str, Sequence[str], DataFrame], program: Program = Program()) -> DataFrame:
    """Scans files that every executor opens by its path: a shared file system, or this machine alone.

    ``paths`` are files, folders and patterns, listed here on the driver; or a DataFrame whose column ``log`` has the
    paths. The program reads the file itself: no byte of it passes through Python or Spark.
    """

    def rows_of(path: str, batches: Batches) -> Iterator[list[Row]]:
        for batch in batches:
            for log in batch.column("log").to_pylist():
                try:
                    # A pipe without a writer would block the task.
                    if not stat.S_ISREG(os.stat(log).st_mode):
                        raise OSError("not a regular file")
                    with open(log, "rb") as file:
                        yield program.scan(path, log, file)
                except OSError as error:
                    yield [_failed(log, f"could not be read: {error.strerror or error}")]

    if not isinstance(paths, DataFrame):
        listed = sorted(listing([paths] if isinstance(paths, str) else paths), key=lambda one: (-one[1], one[0]))
        # Large files first, dealt out in turn; small tasks, so that a lost executor loses little.
        volume = sum(size for _, size in listed) >> 28
        parts = max(1, min(len(listed), max(volume, 4 * spark.sparkContext.defaultParallelism)))
        paths = spark.createDataFrame([(path,) for path, _ in listed], "log string").repartition(parts)
    return paths.select("log").mapInArrow(_scanning(rows_of, program), SCHEMA)


def listing(paths: Iterable[str]) -> Iterator[tuple[str, int]]:
    """The files that paths, folders and patterns name, with their sizes; a path without a file has size 0."""
    for path in paths:
        names = [path] if os.path.lexists(path) else sorted(glob.glob(path, recursive=True)) or [path]
        for name in names:
            if not os.path.isdir(name):
                yield name, _size(name)
                continue
            for folder, below, members in os.walk(name):
                below.sort()
                for member in sorted(members):
                    file = os.path.join(folder, member)
                    if os.path.isfile(file):
                        yield file, _size(file)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def stored(
    spark: SparkSession, where: Union[str, Sequence[str]], program: Program = Program(), most: int = 64 << 20
) -> DataFrame:
    """Scans files that Spark reads, in any storage that it knows (``s3a://``, ``hdfs://``, ``abfss://``, ``file://``).

    Spark hands over a file as one value, of which an executor holds several copies in memory. One with more than
    ``most`` bytes is an error row that names the way around that: ``lines(text(spark, where), ...)``.
    """

    def rows_of(path: str, batches: Batches) -> Iterator[list[Row]]:
        for batch in batches:
            for log, content in zip(batch.column("path"), batch.column("content")):
                yield program.scan(path, log.as_py(), [memoryview(content.as_buffer())])

    def too_large(batches: Batches) -> Batches:
        for batch in batches:
            says = "{:,} bytes are too many for one value of Spark: scan it as a table of lines"
            pairs = zip(batch.column("path").to_pylist(), batch.column("length").to_pylist())
            yield _batch([_failed(log, says.format(size)) for log, size in pairs])

    found = spark.read.format("binaryFile").option("recursiveFileLookup", True)
    found = found.load(where if isinstance(where, str) else list(where))
    small = found.where(F.col("length") <= most).select("path", "content")
    large = found.where(F.col("length") > most).select("path", "length")
    scanned = small.mapInArrow(_scanning(rows_of, program), SCHEMA)
    return scanned.unionByName(large.mapInArrow(too_large, SCHEMA))


def text(spark: SparkSession, where: Union[str, Sequence[str]]) -> DataFrame:
    """Files of any size as a table of lines for ``lines``: ``log``, ``block``, ``at`` and ``line``."""
    # Only line feeds end a line, as for the program: progress bars return without them.
    found = spark.read.option("recursiveFileLookup", True).option("lineSep", "\n")
    found = found.text(where if isinstance(where, str) else list(where))
    return found.select(
        F.col("_metadata.file_path").alias("log"),
        F.col("_metadata.file_block_start").alias("block"),
        F.monotonically_increasing_id().alias("at"),
        F.col("value").cast("binary").alias("line"),
    )


def lines(table: DataFrame, log: str, line: str, order: Sequence[str], program: Program = Program()) -> DataFrame:
    """Scans a table with one line of a log per row, such as Parquet or Delta.

    ``log`` names the column that says which log a row belongs to (a job, or job and rank), ``order`` the columns that
    order the lines of a log. Spark sorts on disk, and lines are written to the program as they come: neither a log nor
    a partition has to fit into memory.
    """

    def rows_of(path: str, batches: Batches) -> Iterator[list[Row]]:
        texts = (run for batch in batches for run in _runs(batch))
        for name, runs in groupby(texts, key=lambda run: run[0]):
            pieces = (piece for _, text in runs for piece in (text, b"\n"))
            yield program.scan(path, name, pieces)
            for _ in pieces:
                pass  # Where the program ended early, the rest of its log is passed over.

    table = table.select(
        F.col(log).cast("string").alias("log"), F.col(line).cast("binary").alias("line"), *(F.col(one) for one in order)
    )
    table = table.repartition("log").sortWithinPartitions("log", *order).select("log", "line")
    return table.mapInArrow(_scanning(rows_of, program), SCHEMA)


def _runs(batch: pa.RecordBatch) -> Iterator[tuple[Optional[str], memoryview]]:
    """The text of each log in a batch that is sorted by log; Arrow joins the lines."""
    runs = pc.run_end_encode(batch.column("log"))
    ends = pa.concat_arrays([pa.array([0], pa.int32()), runs.run_ends])
    lines = pa.ListArray.from_arrays(ends, pc.fill_null(batch.column("line"), b""))
    for log, text in zip(runs.values.to_pylist(), pc.binary_join(lines, b"\n")):
        yield log, memoryview(text.as_buffer())


def prepare(spark: SparkSession, ship: Optional[str] = None) -> Program:
    """Sends this module, and the program where a path is given, to the executors of a session."""
    spark.sparkContext.addPyFile(os.path.abspath(__file__))
    if ship is None:
        return Program()
    spark.sparkContext.addFile(os.path.abspath(ship))
    return Program(os.path.basename(ship))

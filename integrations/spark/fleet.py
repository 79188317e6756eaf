"""What the findings of many logs say about a fleet. Every function takes and returns DataFrames.

    findings = described(faultbook_spark.files(spark, "/logs"), job=r"slurm-(\\d+)")
    counts(findings, "job"), counts(findings, "hour", "node", "gpu")
    repeat_offenders(findings, hardware), first_failing_rank(findings), new_failures(findings)

Findings are read several times, so write them once and read them back, as ``scan.py`` does.
"""

from __future__ import annotations

import json
import re
import subprocess
from typing import Optional

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

#: How a finding names the GPU that it is about, most telling first. The program's lines have no field for it.
GPU = (r"PCI:([0-9a-fA-F:.]+)", r"\bcuda:(\d+)", r"\bGPU[ #:]*(\d{1,3})\b")
#: The rank in the name of a file; what the lines say comes first.
RANK = r"(?i)rank[-_.]?(\d+)[^/]*$"

#: What two messages of one failure may differ in, replaced in this order.
VARIABLE = (
    (r"0x[0-9a-fA-F]+", "N"),
    (r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b", "N"),
    (r"(?:[A-Za-z]:)?(?:/[\w.+@%-]+){2,}/?", "PATH"),
    (r"'[^']{1,200}'", "'*'"),
    (r'"[^"]{1,200}"', '"*"'),
    (r"\d+(?:\.\d+)*", "N"),
    (r"\s+", " "),
)


def described(scanned: DataFrame, job: Optional[str] = None, node: Optional[str] = None, rank: str = RANK) -> DataFrame:
    """The findings without the logs that failed, and to each its ``job``, ``node``, ``rank``, ``gpu`` and ``hour``.

    ``job``, ``node`` and ``rank`` are regular expressions whose first group is taken from the path of the log; without
    ``job``, the folder of a log is its job. Node and rank are those of the first line that reports the fault, otherwise
    those of the path. ``hour`` is written as ``2026-11-21T03``, in the zone of the log.
    """
    folder = _group(F.col("log"), r"^(.*)/[^/]*$")
    return scanned.where("error IS NULL").select(
        F.coalesce(_group(F.col("log"), job) if job else folder, F.col("log")).alias("job"),
        F.coalesce("first.node", _group(F.col("log"), node) if node else F.lit(None)).alias("node"),
        F.coalesce("first.rank", _group(F.col("log"), rank).cast("long")).alias("rank"),
        F.coalesce(*(_group(F.col("text"), one) for one in GPU)).alias("gpu"),
        F.substring("first.time", 1, 13).alias("hour"),
        *(name for name in scanned.columns if name != "error"),
    )


def errors(scanned: DataFrame) -> DataFrame:
    """The logs that could not be scanned, or not to their end, and why."""
    return scanned.where("error IS NOT NULL").select("log", "error")


def counts(findings: DataFrame, *keys: str) -> DataFrame:
    """Faults by any of ``job``, ``node``, ``rank``, ``gpu`` and ``hour``: in how many logs, of how many it is the primary
    failure, how many lines. All are counted where the fault was first reported in its log."""
    return (
        findings.where("fault IS NOT NULL")
        .groupBy(*keys, "fault")
        .agg(
            F.countDistinct("log").alias("logs"),
            F.sum("primary_in").alias("primary_in"),
            F.sum("count").alias("lines"),
        )
        .orderBy(*keys, F.desc("primary_in"), F.desc("logs"), "fault")
    )


def hardware_faults(program: str = "faultbook") -> list[str]:
    """The ids of the book's pages about hardware, as the program lists them."""
    command = [program, "list", "--pages", "--format", "json"]
    answer = subprocess.run(command, capture_output=True, check=True)
    pages = json.loads(answer.stdout)["pages"]
    return [page["id"] for page in pages if re.search(r"(^|/)faults/hardware/", page["path"])]


def repeat_offenders(findings: DataFrame, hardware: list[str], jobs: int = 2) -> DataFrame:
    """Nodes that reported a fault of the hardware in at least so many jobs."""
    named = F.when(F.size("nodes") > 0, F.col("nodes")).otherwise(F.array("node"))
    return (
        findings.where(F.col("fault").isin(hardware))
        .withColumn("node", F.explode(named))
        .where("node IS NOT NULL")
        .groupBy("node")
        .agg(
            F.countDistinct("job").alias("jobs"),
            F.sort_array(F.collect_set("fault")).alias("faults"),
            F.sort_array(F.collect_set("gpu")).alias("gpus"),
            F.min("first.time").alias("first"),
            F.max("last.time").alias("last"),
        )
        .where(F.col("jobs") >= jobs)
        .orderBy(F.desc("jobs"), "node")
    )


def first_failing_rank(findings: DataFrame) -> DataFrame:
    """The failure that each job reported first, and its rank.

    Failures that another one caused (a watchdog's timeout) count only in jobs without any other. Lines with a date decide
    between logs (``decided_by`` is ``time``); in one log, the order of its lines does (``line``). Logs without dates
    cannot be compared: then the failure is null and ``decided_by`` is ``nothing``. ``undated`` counts the job's other
    failures without a date, any of which may have come earlier.
    """
    job = Window.partitionBy("job")
    failures = findings.where("NOT survived AND fatal AND role IN ('cause', 'symptom')")
    # `cause` comes before `symptom`.
    failures = failures.withColumn("strongest", F.min("role").over(job)).where("role = strongest")
    failures = failures.withColumns(
        {
            "in_logs": F.size(F.collect_set("log").over(job)),
            "undated": F.count(F.when(F.col("first.time").isNull(), 1)).over(job),
        }
    )
    # Within one log, lines are in order even where only some have a date.
    time = F.when(F.col("in_logs") > 1, F.col("first.time")).asc_nulls_last()
    earliest = job.orderBy(time, "first.line", "log", "fault", "title")
    ranked = failures.withColumn("place", F.row_number().over(earliest))
    decided_by = (
        F.when(F.col("in_logs") == 1, "line").when(F.col("first.time").isNotNull(), "time").otherwise("nothing")
    )
    shown = {"fault": "fault", "title": "title", "rank": "rank", "node": "node", "gpu": "gpu"}
    shown |= {"time": "first.time", "log": "log", "line": "first.line"}
    return (
        ranked.where("place = 1")
        .withColumn("decided_by", decided_by)
        .withColumn("undated", F.when(F.col("decided_by") == "line", 0).otherwise(F.col("undated")))
        .select(
            "job",
            *(F.when(F.col("decided_by") != "nothing", F.col(path)).alias(name) for name, path in shown.items()),
            "decided_by",
            "undated",
        )
        .orderBy("job")
    )


def new_failures(findings: DataFrame) -> DataFrame:
    """Errors that have no page, clustered by their message without numbers, paths and quoted values; most jobs first."""
    message = F.col("title")
    for pattern, instead in VARIABLE:
        message = F.regexp_replace(message, pattern, instead)
    example = F.min(F.struct("log", F.col("first.line").alias("line"), F.col("text").alias("text"))).alias("example")
    return (
        findings.where("fault IS NULL AND NOT survived")
        .groupBy(F.trim(F.substring(message, 1, 200)).alias("message"))
        .agg(
            F.countDistinct("job").alias("jobs"),
            F.countDistinct("log").alias("logs"),
            F.sum("count").alias("lines"),
            F.size(F.collect_set("node")).alias("nodes"),
            F.min("first.time").alias("first"),
            example,
        )
        .orderBy(F.desc("jobs"), F.desc("logs"), "message")
    )


def _group(column: Column, pattern: str) -> Column:
    """The first group of a pattern, null without a match."""
    found = F.regexp_extract(column, pattern, 1)
    return F.when(found != "", found)

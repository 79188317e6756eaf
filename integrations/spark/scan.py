#!/usr/bin/env python3
"""Scans a fleet's logs on Spark and writes tables of what was found.

    spark-submit integrations/spark/scan.py LOGS... OUT
    spark-submit integrations/spark/scan.py --job 'slurm-(\\d+)' --ship ./faultbook /logs/2026-11-21 s3a://bucket/found

LOGS are files, folders and patterns that every executor can open, or one kind of address that Spark can read (s3a://,
hdfs://, file://). With --table, LOGS is one table with a line of a log in each row. OUT is a folder: findings
(Parquet), and JSON lines in errors, by_job, by_node, by_gpu, by_hour, repeat_offenders, first_failing_rank and
new_failures.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from typing import Optional

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import faultbook_spark as scan  # noqa: E402
import fleet  # noqa: E402
from py4j.protocol import Py4JJavaError  # noqa: E402
from pyspark.errors import PySparkException  # noqa: E402
from pyspark.sql import DataFrame, SparkSession  # noqa: E402


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", nargs="+", metavar="LOGS")
    parser.add_argument("out", metavar="OUT")
    parser.add_argument("--table", choices=["parquet", "delta"], help="LOGS is a table of lines, not files")
    parser.add_argument("--log-column", default="log", help="the column that says which log a line belongs to")
    parser.add_argument("--line-column", default="line", help="the column with the line")
    parser.add_argument("--order", default="at", help="columns that order the lines of a log, separated by commas")
    parser.add_argument(
        "--job", metavar="REGEX", help="its first group in the log's name is the job (default: the folder)"
    )
    parser.add_argument("--node", metavar="REGEX", help="the same for the node, where the lines do not name it")
    parser.add_argument(
        "--rank", metavar="REGEX", default=fleet.RANK, help="the same for the rank (default: %(default)s)"
    )
    parser.add_argument("--program", default="faultbook", help="Faultbook on the executors and here: a name or a path")
    parser.add_argument("--ship", metavar="PATH", help="send this program to the executors instead")
    parser.add_argument("--timeout", type=float, default=3600, metavar="SECONDS", help="what one log may take")
    parser.add_argument("--since", metavar="TIME|DURATION", help="passed on to `faultbook scan`")
    return parser.parse_args()


def scanned(spark: SparkSession, options: argparse.Namespace, program: scan.Program) -> DataFrame:
    """The rows of all logs."""
    if options.table:
        table = spark.read.format(options.table).load(options.logs[0])
        return scan.lines(table, options.log_column, options.line_column, options.order.split(","), program)
    return (scan.stored if addresses(options) else scan.files)(spark, options.logs, program)


def addresses(options: argparse.Namespace) -> list[str]:
    """The logs that Spark reads."""
    return [one for one in options.logs if re.match(r"[a-z][a-z0-9+.-]*://", one)]


def mistake(options: argparse.Namespace) -> Optional[str]:
    """What is wrong with the command line."""
    here = options.ship or shutil.which(options.program)
    if not here or not os.access(here, os.X_OK):
        return f"there is no program `{here or options.program}` here; --program or --ship names it"
    if options.table and len(options.logs) > 1:
        return "--table reads one table"
    if 0 < len(addresses(options)) < len(options.logs) and not options.table:
        return "either paths that every executor can open, or addresses that Spark reads; not both"
    return None


def main() -> int:
    options = arguments()
    if says := mistake(options):
        print(f"scan.py: {says}", file=sys.stderr)
        return 2
    # With its folder: without one, a program is searched on the PATH.
    here = os.path.abspath(options.ship) if options.ship else options.program
    more = ("--since", options.since) if options.since else ()
    spark = SparkSession.builder.appName("faultbook scan").getOrCreate()
    try:
        sent = scan.prepare(spark, options.ship)
        program = scan.Program(sent.path if options.ship else options.program, more, options.timeout)
        # Scanned once: every table is made from what was written.
        scanned(spark, options, program).write.mode("overwrite").parquet(f"{options.out}/findings")
        rows = spark.read.parquet(f"{options.out}/findings")
        findings = fleet.described(rows, options.job, options.node, options.rank).cache()
        tables = {
            "errors": fleet.errors(rows),
            "by_job": fleet.counts(findings, "job"),
            "by_node": fleet.counts(findings, "node"),
            "by_gpu": fleet.counts(findings, "node", "gpu"),
            "by_hour": fleet.counts(findings, "hour"),
            "repeat_offenders": fleet.repeat_offenders(findings, fleet.hardware_faults(here)),
            "first_failing_rank": fleet.first_failing_rank(findings),
            "new_failures": fleet.new_failures(findings),
        }
        for name, table in tables.items():
            table.coalesce(1).write.mode("overwrite").json(f"{options.out}/{name}")
        failed = fleet.errors(rows).count()
        print(f"{options.out}: findings, {', '.join(tables)}")
        print(f"scanned; {failed} of the logs not, or not to their end: see errors" if failed else "scanned all logs")
    except (PySparkException, Py4JJavaError) as error:
        says = str(error)
        missing = re.search(r"ProgramMissing: (.*)", says)
        delta = options.table == "delta" and "DATA_SOURCE_NOT_FOUND" in says
        hint = "this Spark has no Delta: start it with the package of Delta Lake for its version"
        print(f"scan.py: {missing[1] if missing else hint if delta else says}", file=sys.stderr)
        return 2
    finally:
        spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())

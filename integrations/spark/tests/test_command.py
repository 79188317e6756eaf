"""The command and the notebook, as people start them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]

import logs  # noqa: E402

ROOT = HERE.parents[2]
FAULTBOOK = os.environ.get("FAULTBOOK", str(ROOT / "target" / "debug" / "faultbook"))


class Command(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix="faultbook-spark-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.truth = logs.write(self.folder / "logs", jobs=40)

    def scan(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Through spark-submit, which prints what the program writes to either of its streams."""
        settings = ["spark.ui.enabled=false", "spark.ui.showConsoleProgress=false", "spark.sql.shuffle.partitions=2"]
        command = [shutil.which("spark-submit") or "", "--master", "local[2]"]
        command += [word for one in settings for word in ("--conf", one)]
        return self.run_here([*command, str(HERE.parent / "scan.py"), *arguments])

    def run_here(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "SPARK_CONF_DIR": str(self.folder)}
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300, check=False
        )

    def table(self, name: str) -> list[dict[str, object]]:
        parts = sorted((self.folder / "out" / name).glob("part-*.json"))
        return [json.loads(line) for part in parts for line in part.read_text().splitlines()]

    def test_from_logs_to_tables_with_the_program_shipped(self) -> None:
        ended = self.scan("--job", r"(job-\d+)", "--ship", FAULTBOOK, "logs", "out")
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        first = {row["job"]: row["rank"] for row in self.table("first_failing_rank")}
        self.assertEqual(first, {job: failure["rank"] for job, failure in self.truth.items() if failure})
        self.assertEqual(self.table("errors"), [])
        for name in ("by_job", "by_node", "by_gpu", "by_hour", "repeat_offenders", "new_failures"):
            self.assertTrue(self.table(name), name)
        self.assertTrue(list((self.folder / "out" / "findings").glob("*.parquet")))

    def test_a_table_of_lines(self) -> None:
        import pyarrow
        import pyarrow.parquet

        log = self.folder / "logs" / "job-0001" / "rank-1.log"
        table = [{"job": "j1", "n": at, "message": line} for at, line in enumerate(log.read_text().splitlines())]
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(table), self.folder / "lines.parquet")
        options = "--table parquet --log-column job --line-column message --order n --program".split()
        ended = self.run_here(
            [sys.executable, str(HERE.parent / "scan.py"), *options, FAULTBOOK, "lines.parquet", "out"]
        )
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual([(row["job"], row["fault"]) for row in self.table("by_job")], [("j1", "oom")])

    def test_mistakes_are_one_line(self) -> None:
        for arguments, says in (
            (["--program", "no-such-faultbook", "logs", "out"], "there is no program `no-such-faultbook` here"),
            (["--program", FAULTBOOK, "--table", "delta", "logs", "out"], "this Spark has no Delta"),
            (["--program", FAULTBOOK, "logs", "file:///logs", "out"], "not both"),
        ):
            with self.subTest(says):
                ended = self.run_here([sys.executable, str(HERE.parent / "scan.py"), *arguments])
                self.assertEqual(ended.returncode, 2, ended.stderr)
                (line,) = [line for line in ended.stderr.splitlines() if "scan.py: " in line]
                self.assertIn(says, line)
                self.assertNotIn("Traceback", ended.stderr)


class Notebook(unittest.TestCase):
    def test_every_cell_runs(self) -> None:
        try:
            import nbclient
            import nbformat
        except ImportError:
            self.skipTest("nbclient is not installed")
        notebook = nbformat.read(HERE.parent / "fleet.ipynb", as_version=4)
        where = {"metadata": {"path": str(HERE.parent)}}
        with unittest.mock.patch.dict(os.environ, FAULTBOOK=FAULTBOOK):
            nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources=where).execute()
        printed = "".join(output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", []))
        for word in ("device-lost", "gpu-node-07", "ShardLedgerError", "first failing rank"):
            self.assertIn(word, printed)


if __name__ == "__main__":
    unittest.main()

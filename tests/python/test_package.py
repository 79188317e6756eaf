"""The installed package: the API, the hooks, and what must not change. Run by tests/python/run in fresh environments."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import processes

import faultbook

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 11.76 GiB"


def python(code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs a program in a folder of its own."""
    return processes.python(["train.py"], {"train": code}, **variables)


class Api(unittest.TestCase):
    def test_versions_are_one(self) -> None:
        shown = subprocess.run([faultbook.binary(), "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(shown.split()[1], faultbook.__version__)
        module = subprocess.run(
            [sys.executable, "-m", "faultbook", "--version"], capture_output=True, text=True, check=True
        )
        self.assertEqual(module.stdout, shown)

    def test_a_text_a_file_and_an_exception(self) -> None:
        answer = faultbook.diagnose(OOM)
        assert answer.fault is not None
        self.assertEqual(answer.fault.id, "oom")
        self.assertIn("faultbook", answer._repr_html_())
        self.assertIn("Most likely", str(answer))
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "train.log")
            log.write_text(OOM)
            self.assertEqual(faultbook.diagnose(log), faultbook.diagnose(str(log)))
        try:
            open("data/none.csv")
        except OSError as error:
            answer = faultbook.diagnose(error)
        assert answer.fault is not None
        self.assertEqual(answer.fault.id, "missing-file")
        self.assertEqual(answer.facts.known["file.relative"].source, "saved")

    def test_html_shows_no_markup_of_the_text(self) -> None:
        shown = faultbook.diagnose("ValueError: <script>alert(1)</script> failed")._repr_html_()
        self.assertNotIn("<script>alert", shown)

    def test_a_report_and_a_probe(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            os.chdir(folder)
            try:
                os.makedirs(os.path.join("docs", "bug_reports"))
                path = faultbook.new_report(OOM, title="It needs too much")
                self.assertIn("It needs too much", path.read_text())
            finally:
                os.chdir(before)
        self.assertIn("host.memory.total", faultbook.probe()["facts"])

    def test_what_cannot_be_answered_is_an_error(self) -> None:
        with self.assertRaises(faultbook.FaultbookError):
            faultbook.diagnose(Path("/nonexistent/train.log"))


class Hooks(unittest.TestCase):
    FAIL = "def step(path):\n    return open(path)\n\n\nstep('none.csv')\n"

    def test_nothing_changes_but_what_follows(self) -> None:
        plain = python("pass\n" + self.FAIL)
        with_us = python("import faultbook; faultbook.install()\n" + self.FAIL)
        self.assertEqual(plain.returncode, with_us.returncode)
        traceback = plain.stderr.replace(plain.stderr.split('"')[1], "FILE")
        self.assertTrue(with_us.stderr.replace(with_us.stderr.split('"')[1], "FILE").startswith(traceback))
        self.assertIn("missing-file", with_us.stderr)
        self.assertEqual(with_us.stderr.count("Most likely"), 1)

    def test_a_hook_that_hangs_crashes_or_raises_is_silent(self) -> None:
        breaks = {
            "hangs": "import time\nfacts.gather = lambda *a: time.sleep(60)\n",
            "raises": "facts.gather = lambda *a: 1 / 0\n",
            "exits": "import sys\nfacts.gather = lambda *a: sys.exit(9)\n",
            "crashes": "import os\nos.environ['FAULTBOOK'] = '/bin/false'\n",
            "is gone": "import os\nos.environ['FAULTBOOK'] = '/nonexistent'\n",
            "binary hangs": "import os\nos.environ['FAULTBOOK'] = os.path.join(os.path.dirname(__file__), 'hang')\n"
            "open('hang', 'w').write('#!/bin/sh\\nsleep 60\\n')\nos.chmod('hang', 0o755)\n",
        }
        for name, broken in breaks.items():
            with self.subTest(name):
                code = f"import faultbook\nfaultbook.install()\nimport faultbook.facts as facts\n{broken}{self.FAIL}"
                ended = python(code, FAULTBOOK_DEADLINE="1")
                self.assertEqual(ended.returncode, 1)
                self.assertTrue(
                    ended.stderr.rstrip().endswith("FileNotFoundError: [Errno 2] No such file or directory: 'none.csv'")
                )

    def test_threads_tasks_and_children(self) -> None:
        head = "import faultbook\nfaultbook.install()\n"
        threads = (
            head
            + "import threading\nthread = threading.Thread(target=open, args=('none.csv',))\nthread.start()\nthread.join()\n"
        )
        tasks = (
            head + "import asyncio, gc\nasync def fail():\n    open('none.csv')\nasync def main():\n"
            "    task = asyncio.ensure_future(fail())\n    await asyncio.sleep(0.1)\n    del task\n    gc.collect()\n"
            "asyncio.run(main())\n"
        )
        children = (
            head
            + "import multiprocessing\nif __name__ == '__main__':\n    context = multiprocessing.get_context('{}')\n"
            "    child = context.Process(target=open, args=('none.csv',))\n    child.start()\n    child.join()\n"
        )
        for name, code in {
            "thread": threads,
            "task": tasks,
            "fork": children.format("fork"),
            "spawn": children.format("spawn"),
        }.items():
            with self.subTest(name):
                ended = python(code)
                self.assertEqual(ended.returncode, 0, ended.stderr)
                self.assertEqual(ended.stderr.count("Most likely"), 1, ended.stderr)

    def test_one_of_many_ranks_tells(self) -> None:
        code = (
            "import faultbook\nfaultbook.install()\nimport os, subprocess, sys\n"
            "if len(sys.argv) == 1:\n"
            "    ranks = [subprocess.Popen([sys.executable, __file__, str(rank)]) for rank in range(4)]\n"
            "    sys.exit(max(rank.wait() for rank in ranks))\nopen('none.csv')\n"
        )
        ended = python(code)
        self.assertEqual(ended.returncode, 1)
        self.assertEqual(ended.stderr.count("Traceback"), 4)
        self.assertEqual(ended.stderr.count("Most likely"), 1, ended.stderr)

    def test_it_can_be_undone(self) -> None:
        code = "import sys, faultbook\nbefore = sys.excepthook\nfaultbook.install()\nfaultbook.install()\nfaultbook.uninstall()\n"
        self.assertEqual(python(code + "sys.exit(sys.excepthook is not before)\n").returncode, 0)

    def test_interrupts_and_exits_are_no_failures(self) -> None:
        for ending in ("raise KeyboardInterrupt", "raise SystemExit(3)"):
            self.assertNotIn("faultbook:", python(f"import faultbook\nfaultbook.install()\n{ending}\n").stderr)


class Run(unittest.TestCase):
    def test_run_needs_no_change_of_the_code(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "data").mkdir()
            Path(folder, "data", "train.csv").write_text("1\n")
            Path(folder, "train.py").write_text("open('train.csv')\n")
            for words in (["run", "train.py"], ["run", "--", sys.executable, "train.py"]):
                ended = subprocess.run(
                    [sys.executable, "-m", "faultbook", *words],
                    cwd=folder,
                    capture_output=True,
                    text=True,
                    timeout=120,
                    check=False,
                )
                self.assertEqual(ended.returncode, 1)
                self.assertEqual(ended.stderr.count("Most likely"), 1, ended.stderr)
                self.assertIn("data/train.csv", ended.stderr)

    def test_nothing_is_started_elsewhere(self) -> None:
        loaded = "import sys; print([name for name in sys.modules if name.startswith('faultbook')])"
        shown = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout
        self.assertEqual(shown.strip(), "[]")


if __name__ == "__main__":
    unittest.main()

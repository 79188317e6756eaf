"""The extension in a real kernel. Left out, loudly, where nbclient and ipykernel are not installed."""

from __future__ import annotations

import os
import re
import tempfile
import unittest
from typing import Any
from unittest import mock

try:
    import ipykernel  # noqa: F401
    import nbclient
    import nbformat
except ImportError:
    nbclient = None


@unittest.skipIf(nbclient is None, "LEFT OUT: nbclient and ipykernel are not installed")
class Notebook(unittest.TestCase):
    def run_cells(self, *cells: str) -> list[Any]:
        """The outputs of each cell."""
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"XDG_CACHE_HOME": folder}):
            client = nbclient.NotebookClient(notebook, timeout=60, allow_errors=True, kernel_name="python3")
            client.execute(cwd=folder)
        return [cell.outputs for cell in notebook.cells]

    def shown(self, outputs: list[Any]) -> list[str]:
        """The HTML of displayed answers."""
        found = [one.get("data", {}).get("text/html", "") for one in outputs]
        return [html for html in found if "class='faultbook'" in html]

    def test_the_answer_is_under_the_traceback(self) -> None:
        loaded, failed, fine, unloaded, plain = self.run_cells(
            "%load_ext faultbook", "open('none.csv')", "1 + 1", "%unload_ext faultbook", "open('none.csv')"
        )
        self.assertEqual(loaded, [])
        self.assertEqual([one.output_type for one in failed], ["error", "display_data"])
        self.assertIn("missing-file", self.shown(failed)[0])
        self.assertEqual(len(fine), 1)
        self.assertEqual(unloaded, [])
        self.assertEqual([one.output_type for one in plain], ["error"])

    def test_install_does_the_same_and_a_syntax_error_is_none(self) -> None:
        _, failed, wrong = self.run_cells("import faultbook; faultbook.install()", "open('none.csv')", "1 +")
        self.assertEqual(len(self.shown(failed)), 1)
        self.assertEqual(len(self.shown(wrong)), 0)

    def test_magics(self) -> None:
        _, typed, cell, last = self.run_cells(
            "%load_ext faultbook",
            "%diagnose RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB.",
            "%%faultbook\nprint('torch 2.8.0+cu128')\nopen('none.csv')",
            "%diagnose",
        )
        self.assertIn("oom", self.shown(typed)[0])
        self.assertIn("missing-file", self.shown(cell)[0])
        self.assertIn("2.8.0+cu128", self.shown(cell)[0])
        self.assertIn("missing-file", self.shown(last)[0])

    def after_a_death(self, folder: str, how: str) -> list[nbformat.NotebookNode]:
        """What the next start shows once a cell has killed the kernel."""

        def run(*cells: str) -> nbformat.NotebookNode:
            notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
            nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute(cwd=folder)
            return notebook

        with self.assertRaises(nbclient.exceptions.DeadKernelError):
            run("%load_ext faultbook", how)
        return run("%load_ext faultbook").cells[0].outputs

    def test_a_dead_kernel_is_told_at_the_next_start(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            before = {"XDG_CACHE_HOME": folder, "JPY_SESSION_NAME": "train.ipynb"}
            for how in ("__import__('ctypes').string_at(0)", "__import__('os').kill(__import__('os').getpid(), 9)"):
                with self.subTest(how), mock.patch.dict(os.environ, before):
                    outputs = self.after_a_death(folder, how)
                    self.assertIn(how[:20], outputs[0].text)
                    self.assertEqual(len(self.shown(outputs)), 1)
                    self.assertIn("segfault" if "string_at" in how else "process-died", self.shown(outputs)[0])

    def test_a_kernel_that_the_system_killed_tells_its_memory(self) -> None:
        """As the kernel of Linux does when memory runs out: nothing of the process is left but its last reading."""
        with tempfile.TemporaryDirectory() as folder:
            before = {"XDG_CACHE_HOME": folder, "JPY_SESSION_NAME": "train.ipynb", "FAULTBOOK_SAMPLING": "0.1"}
            kills = "import os, time\nrows = bytearray(400 << 20)\ntime.sleep(1)\nos.kill(os.getpid(), 9)"
            with mock.patch.dict(os.environ, before):
                words = self.after_a_death(folder, kills)[0].text
            memory = re.search(r"It used ([\d.]+) GiB of memory", words)
            assert memory is not None, words
            # 400 MiB and the interpreter, rounded to tenths; without the rows it would be 0.1.
            self.assertGreaterEqual(float(memory.group(1)), 0.4)

    def test_a_hook_that_breaks_leaves_the_traceback(self) -> None:
        _, broken, failed = self.run_cells(
            "%load_ext faultbook",
            "import faultbook.notebook as notebook\nnotebook._answer = lambda exception: 1 / 0",
            "open('none.csv')",
        )
        self.assertEqual(broken, [])
        self.assertEqual(failed[0].output_type, "error")
        self.assertEqual(failed[0].ename, "FileNotFoundError")


if __name__ == "__main__":
    unittest.main()

"""The Python lines of README.md and docs/python.md, tried literally."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def blocks(document: str) -> list[str]:
    """What stands between ```python and ```."""
    return re.findall(r"^```python\n(.*?)^```", (ROOT / document).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


class Documents(unittest.TestCase):
    def test_every_block_runs(self) -> None:
        for document in ("README.md", "docs/python.md"):
            found = blocks(document)
            self.assertTrue(found, document)
            for block in found:
                with self.subTest(block), tempfile.TemporaryDirectory() as folder:
                    Path(folder, "train.log").write_text("RuntimeError: CUDA error: out of memory\n")
                    os.makedirs(os.path.join(folder, "docs", "bug_reports"))
                    code = "import faultbook\ndef step(batch):\n    return batch[1]\nbatch = [0]\n" + block
                    ended = subprocess.run(
                        [sys.executable, "-c", code],
                        cwd=folder,
                        capture_output=True,
                        text=True,
                        timeout=120,
                        check=False,
                    )
                    self.assertEqual(ended.returncode, 0, ended.stderr)


if __name__ == "__main__":
    unittest.main()

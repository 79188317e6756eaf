"""Programs that fail in a folder of their own, and a stand-in for the program that answers."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from typing import Any

#: What the stand-in answers.
TOLD = "Most likely: the stand-in was asked"

#: Keeps the facts that it is given, and answers at once: tests of hooks need no diagnosis.
STAND_IN = """#!/bin/sh
cat >/dev/null
while [ $# -gt 0 ]; do
  [ "$1" = --facts ] && cp "$2" "{folder}/given.json"
  shift
done
echo "{told}"
"""


def needs(name: str) -> Any:
    """Leaves a test out, loudly, where a package is missing."""
    found = importlib.util.find_spec(name) is not None
    return unittest.skipUnless(found, f"LEFT OUT: {name} is not installed")


class Ended:
    """How a program ended: exit code, output, and the facts that were given with the question."""

    def __init__(self, process: subprocess.CompletedProcess[str], facts: dict[str, Any]) -> None:
        self.code, self.out, self.err, self.facts = process.returncode, process.stdout, process.stderr, facts

    @property
    def told(self) -> int:
        """How often a diagnosis was printed."""
        return self.err.count(TOLD)


def run(code: str, *words: str, install: bool = True, options: tuple[str, ...] = (), **variables: str) -> Ended:
    """Runs a script with the hooks and the stand-in; `words` before its name replace the interpreter's own."""
    code = textwrap.dedent(code)
    if install:
        code = "import faultbook; faultbook.install()\n" + code
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "train.py").write_text(code)
        program = Path(folder, "answers")
        program.write_text(STAND_IN.format(folder=folder, told=TOLD))
        program.chmod(0o755)
        environment = {**os.environ, "TMPDIR": folder, "FAULTBOOK": str(program), "OMP_NUM_THREADS": "1", **variables}
        environment.pop("FAULTBOOK_RUN", None)
        process = subprocess.run(
            [sys.executable, *options, *words, "train.py"],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        given = Path(folder, "given.json")
        document = json.loads(given.read_text()) if given.exists() else None
        return Ended(process, document["facts"] if document else {})

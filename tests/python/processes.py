"""Programs in a folder of their own, run as a user would run them; and a stand-in for the program that answers."""

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

WAIT = 300

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


def has(name: str) -> bool:
    """Whether a package is installed, without importing it."""
    return importlib.util.find_spec(name) is not None


def needs(*names: str) -> Any:
    """Leaves a test out, loudly, where a package is missing."""
    missing = [name for name in names if not has(name)]
    return unittest.skipIf(missing, f"LEFT OUT: {', '.join(missing)} not installed")


def python(
    words: list[str], files: dict[str, str], keep: tuple[str, ...] = (), stand_in: bool = False, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs this interpreter with `words` in a new folder with these Python files; no outer `faultbook run` is seen.

    The contents of the files in `keep` that it leaves stand behind its output.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name, code in files.items():
            Path(folder, f"{name}.py").write_text(textwrap.dedent(code))
        environment = {**os.environ, "TMPDIR": folder, "WANDB_DIR": folder, "OMP_NUM_THREADS": "1", **variables}
        if stand_in:
            program = Path(folder, "answers")
            program.write_text(STAND_IN.format(folder=folder, told=TOLD))
            program.chmod(0o755)
            environment["FAULTBOOK"] = str(program)
        environment.pop("FAULTBOOK_RUN", None)
        ended = subprocess.run(
            [sys.executable, *words],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=WAIT,
            check=False,
        )
        for name in keep:
            ended.stdout += "".join(path.read_text() for path in Path(folder).glob(name))
        return ended


def programs(*words: str, keep: tuple[str, ...] = (), **files: str) -> subprocess.CompletedProcess[str]:
    """Runs a command with these Python files; trackers of experiments write into its folder."""
    quiet = {"WANDB_MODE": "offline", "WANDB_SILENT": "true", "MLFLOW_ALLOW_FILE_STORE": "true"}
    return python(list(words), files, keep, **quiet)


class Ended:
    """How a program ended: exit code, output, and the facts that were given with the question."""

    def __init__(self, process: subprocess.CompletedProcess[str]) -> None:
        self.code, self.err = process.returncode, process.stderr
        self.out, _, given = process.stdout.partition('{"schema"')
        document = json.loads('{"schema"' + given) if given else {}
        self.facts: dict[str, Any] = document.get("facts", {})

    @property
    def told(self) -> int:
        """How often a diagnosis was printed."""
        return self.err.count(TOLD)


def run(code: str, *options: str, install: bool = True, **variables: str) -> Ended:
    """Runs a script with the hooks and the stand-in, with options of the interpreter."""
    code = textwrap.dedent(code)
    if install:
        code = "import faultbook; faultbook.install()\n" + code
    return Ended(python([*options, "train.py"], {"train": code}, ("given.json",), stand_in=True, **variables))

"""Programs in a folder of their own, run as a user would run them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

WAIT = 300


def python(words: list[str], files: dict[str, str], **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs this interpreter with `words` in a new folder with these Python files; no outer `faultbook run` is seen."""
    with tempfile.TemporaryDirectory() as folder:
        for name, code in files.items():
            Path(folder, f"{name}.py").write_text(textwrap.dedent(code))
        environment = {**os.environ, "TMPDIR": folder, "WANDB_DIR": folder, **variables}
        environment.pop("FAULTBOOK_RUN", None)
        return subprocess.run(
            [sys.executable, *words],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=WAIT,
            check=False,
        )

#!/usr/bin/env python3
"""Runs programs that fail for real, and compares the diagnosis with facts from inside with that of the text alone.

    failures.py --python VENV/bin/python [--bin target/debug/faultbook] [--table] [NAME ...]

Each file of ``programs`` names its fault and cause in its head. It is run once under ``faultbook run``; its output is
diagnosed again without facts. The last line counts: N passed, N failed, N skipped.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Optional

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

#: What must hold of all programs, of those that could be run.
FLOOR = 0.90


def heads(file: Path) -> dict[str, str]:
    """``# fault: shape-mismatch`` and the other lines of that form."""
    return dict(re.findall(r"^# (fault|cause|needs|run): (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE))


def cause(answer: Optional[dict[str, Any]]) -> tuple[str, str, list[str]]:
    """Fault, first cause and the following ones."""
    if not answer:
        return "-", "-", []
    fault = (answer.get("fault") or {}).get("id", answer["verdict"])
    causes = [one["id"] for one in answer["causes"]]
    return fault, (causes or ["-"])[0], causes


def run(file: Path, head: dict[str, str], python: str, binary: str) -> tuple[Any, Any, str]:
    """The answer with facts from inside, that of the text alone, and the text."""
    with tempfile.TemporaryDirectory() as folder:
        mount = os.path.join(folder, "mount")
        os.mkdir(mount)
        words = head.get("run", "{python} {file}").format(python=python, file=file, mount=mount)
        log, answer = os.path.join(folder, "run.log"), os.path.join(folder, "answer.json")
        environment = {**os.environ, "FAULTBOOK": binary, "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
        command = [binary, "run", "--probe", "--log", log, "--on-failure", f"cat > {answer}", "--", *shlex.split(words)]
        subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=False,
        )
        text = Path(log).read_text(errors="replace") if os.path.exists(log) else ""
        inside = json.loads(Path(answer).read_text()) if os.path.exists(answer) else None
        ended = subprocess.run(
            [binary, "diagnose", "--no-probe", "--format", "json", log], cwd=folder, capture_output=True, check=False
        )
        return inside, json.loads(ended.stdout) if ended.stdout.strip() else None, text


def lacks(needs: str, python: str) -> Optional[str]:
    """The first needed module that the interpreter does not have."""
    for name in needs.split():
        if subprocess.run([python, "-c", f"import {name}"], capture_output=True, check=False).returncode:
            return name
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--bin", default=str(ROOT / "target" / "debug" / "faultbook"))
    parser.add_argument("--table", action="store_true", help="print the figures as markdown")
    parser.add_argument("--show", action="store_true", help="print the facts of each failure")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    # Not resolved: a link to an interpreter is what a virtual environment is.
    binary, python = os.path.abspath(options.bin), os.path.abspath(options.python)
    files = [
        file for file in sorted((HERE / "programs").glob("*.py")) if not options.names or file.stem in options.names
    ]
    rows, skipped, absent = [], 0, {}
    for file in files:
        head = heads(file)
        needs = head.get("needs", "")
        if needs not in absent:
            absent[needs] = lacks(needs, python)
        if absent[needs]:
            print(f"LEFT OUT: {file.stem}: {absent[needs]} is not installed", file=sys.stderr)
            skipped += 1
            continue
        inside, alone, text = run(file, head, python, binary)
        wanted = (head["fault"], head["cause"])
        (fault, first, causes), (text_fault, text_first, _) = cause(inside), cause(alone)
        rows.append((file.stem, wanted, (fault, first) == wanted, (text_fault, text_first) == wanted))
        if (fault, first) != wanted or options.show:
            print(f"{file.stem}: wanted {wanted}, got {(fault, causes[:3])}, from the text {(text_fault, text_first)}")
        if options.show:
            print(text[-3000:])
            known = (inside or {}).get("facts", {}).get("known", {})
            print(json.dumps({name: one["value"] for name, one in known.items() if one["source"] == "saved"}, indent=1))
    if options.table:
        print("| program | fault | cause | with facts from inside | text alone |\n| --- | --- | --- | --- | --- |")
        for name, (fault, one), inside, alone in rows:
            print(f"| {name} | {fault} | {one} | {'yes' if inside else 'no'} | {'yes' if alone else 'no'} |")
    right, of_text, count = sum(row[2] for row in rows), sum(row[3] for row in rows), len(rows)
    if count:
        print(f"cause first: {right / count:.2f} with facts from inside, {of_text / count:.2f} from the text alone")
    print(f"{right} passed, {count - right} failed, {skipped} skipped")
    return 0 if not count or right >= FLOOR * count else 1


if __name__ == "__main__":
    sys.exit(main())

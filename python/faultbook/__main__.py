"""``python -m faultbook``: the command line program, and ``python -m faultbook run train.py``."""

from __future__ import annotations

import os
import sys

from faultbook._binary import binary


def command(arguments: list[str]) -> list[str]:
    """The program's command line. A script or module after ``run`` is started by this interpreter."""
    if arguments[:1] == ["run"] and len(arguments) > 1:
        first = arguments[1]
        if first == "-m" or (first.endswith(".py") and not first.startswith("-")):
            return [binary(), "run", "--", sys.executable, *arguments[1:]]
    return [binary(), *arguments]


def main() -> int:
    """Takes this process's place where the system can do that."""
    try:
        words = command(sys.argv[1:])
    except FileNotFoundError as error:
        print(f"faultbook: {error}", file=sys.stderr)
        return 2
    if os.name == "posix":
        sys.stdout.flush()
        sys.stderr.flush()
        os.execv(words[0], words)
    import subprocess

    return subprocess.call(words)


if __name__ == "__main__":
    sys.exit(main())

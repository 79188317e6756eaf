"""The commit that ran."""

from __future__ import annotations

import os

from faultbook.facts._failure import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Optional


def collect(failure: Failure) -> Iterator[tuple[str, Any]]:
    """From the repository of the user's innermost frame."""
    own = failure.own_frames()
    start = os.path.dirname(os.path.abspath(own[0].f_code.co_filename)) if own else os.getcwd()
    yield "run.commit", _commit(start)
    yield "run.dirty", _dirty(start)


def _git(folder: str, *arguments: str) -> Optional[str]:
    import subprocess

    try:
        ended = subprocess.run(
            ["git", "-C", folder, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=1.0,
            check=False,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return ended.stdout.decode("utf-8", "replace") if ended.returncode == 0 else None


def _commit(folder: str) -> Optional[str]:
    found = _git(folder, "rev-parse", "HEAD")
    return found.strip() if found else None


def _dirty(folder: str) -> Optional[bool]:
    found = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return None if found is None else bool(found.strip())

"""Started by faultbook.pth in every Python process of ``faultbook run``, and in children of a process with ``install``."""

from __future__ import annotations

import os

#: In the command lines of children that multiprocessing and Ray start.
_CHILDREN = (b"--multiprocessing-fork", b"multiprocessing.forkserver", b"default_worker.py")


def start() -> None:
    """Installs the hooks; a failure to do so is silent."""
    try:
        if "FAULTBOOK_FACTS_FOLDER" in os.environ or _is_child():
            from faultbook._install import install

            install()
    except Exception:  # noqa: S110 - the program must start
        pass


def _is_child() -> bool:
    """Other programs that the process starts are their own affair."""
    try:
        with open("/proc/self/cmdline", "rb") as file:
            words = file.read()
    except OSError:
        return False
    return any(child in words for child in _CHILDREN)

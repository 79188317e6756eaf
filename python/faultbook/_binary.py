"""Where the command line program is, and one call of it with a deadline."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Optional

NAME = "faultbook.exe" if os.name == "nt" else "faultbook"

_found: Optional[str] = None


def binary() -> str:
    """The path of the program that was installed with this package.

    ``FAULTBOOK`` names another one. Raises ``FileNotFoundError`` where there is none.
    """
    global _found
    chosen = os.environ.get("FAULTBOOK")
    if chosen:
        return chosen
    if _found is None:
        _found = _find()
    return _found


def _find() -> str:
    for folder in _folders():
        path = os.path.join(folder, NAME)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    import shutil

    found = shutil.which(NAME)
    if found is None:
        raise FileNotFoundError("the program is missing: pip install --force-reinstall faultbook")
    return found


def _folders() -> list[str]:
    import sysconfig

    folders = [sysconfig.get_path("scripts")]
    user = "nt_user" if os.name == "nt" else "osx_framework_user" if sys.platform == "darwin" else "posix_user"
    if user in sysconfig.get_scheme_names():
        folders.append(sysconfig.get_path("scripts", scheme=user))
    # pip install --target and --prefix.
    package = os.path.dirname(os.path.abspath(__file__))
    folders.append(os.path.join(os.path.dirname(package), "bin"))
    folders.append(os.path.join(package, *[os.pardir] * 4, "bin"))
    return [folder for folder in folders if folder]


def call(arguments: Sequence[str], text: Optional[str] = None, timeout: Optional[float] = None) -> tuple[int, str, str]:
    """Runs the program: its exit code, standard output and standard error.

    Raises ``subprocess.TimeoutExpired`` after ``timeout`` seconds; the program is ended first.
    """
    import subprocess

    ended = subprocess.run(
        [binary(), *arguments],
        input=None if text is None else text.encode("utf-8", "surrogateescape"),
        stdin=subprocess.DEVNULL if text is None else None,
        capture_output=True,
        timeout=timeout,
        check=False,
    )
    return ended.returncode, _words(ended.stdout), _words(ended.stderr)


def _words(output: bytes) -> str:
    return output.decode("utf-8", "replace")

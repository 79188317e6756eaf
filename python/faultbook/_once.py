"""One diagnosis for one failure, however many ranks and workers it ends: the first one tells.

Processes of one run on one machine share a folder, named after the launcher's run. Who creates the next file in it tells;
who finds a file younger than ``WINDOW`` seconds is silent.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

#: Failures of one run within this time are one failure.
WINDOW = 120.0

#: The run's name: set by ``install`` in the first process, inherited by its children.
VARIABLE = "FAULTBOOK_RUN"


def begin() -> None:
    """This process and its children are one run, unless a parent has begun it."""
    os.environ.setdefault(VARIABLE, _name())


def run_name() -> str:
    """The same in all processes of a run on this machine."""
    ask = os.environ.get
    if ask("TORCHELASTIC_RUN_ID"):
        # The id is "none" unless one was chosen; the agent and its port are this run's own.
        names = ("TORCHELASTIC_RUN_ID", "MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RESTART_COUNT")
        return _plain(["torchrun", *map(ask, names)])
    return _plain([ask(VARIABLE) or _name()])


def _name() -> str:
    """From what a launcher gives to all of its processes; a process without a launcher is a run of its own."""
    ask = os.environ.get
    if ask("SLURM_JOB_ID"):
        return _plain(["slurm", ask("SLURM_JOB_ID"), ask("SLURM_STEP_ID"), ask("SLURM_RESTART_COUNT")])
    if ask("RAY_JOB_ID"):
        return _plain(["ray", ask("RAY_JOB_ID")])
    if ask("OMPI_MCA_orte_hnp_uri") or ask("PMIX_NAMESPACE"):
        return _plain(["mpi", ask("PMIX_NAMESPACE") or ask("OMPI_MCA_orte_hnp_uri")])
    if ask("WORLD_SIZE") and ask("MASTER_PORT"):
        return _plain(["ranks", ask("MASTER_ADDR"), ask("MASTER_PORT"), str(os.getppid())])
    return _plain(["run", str(os.getpid())])


def _plain(words: list[Optional[str]]) -> str:
    """A name for a folder."""
    joined = "-".join(word or "" for word in words)
    return "".join(letter if letter.isalnum() or letter in "-._" else "_" for letter in joined)[:150]


def folder() -> Optional[str]:
    """The run's folder, of this user alone; ``None`` where it cannot be made."""
    import tempfile

    owner = os.getuid() if hasattr(os, "getuid") else 0
    top = os.path.join(tempfile.gettempdir(), f"faultbook-{owner}")
    path = os.path.join(top, run_name())
    try:
        if not os.path.isdir(path):
            os.makedirs(path, 0o700, exist_ok=True)
            _remove_old(top)
        # Somebody else's folder of that name is not ours to write into.
        if os.path.islink(top) or (hasattr(os, "getuid") and os.stat(top).st_uid != owner):
            return None
    except OSError:
        return None
    return path


def _remove_old(top: str) -> None:
    """Folders of runs of the day before, some at a time."""
    import shutil

    for one in list(os.scandir(top))[:50]:
        if one.is_dir(follow_symlinks=False) and time.time() - one.stat().st_mtime > 24 * 3600:
            shutil.rmtree(one.path, ignore_errors=True)


def is_first() -> bool:
    """Whether this process tells. A machine without a usable folder tells in every process."""
    path = folder()
    if path is None:
        return True
    try:
        told = sorted(int(name[5:]) for name in os.listdir(path) if name.startswith("told-") and name[5:].isdigit())
        if told and time.time() - os.stat(os.path.join(path, f"told-{told[-1]}")).st_mtime < WINDOW:
            return False
        following = told[-1] + 1 if told else 1
        os.close(os.open(os.path.join(path, f"told-{following}"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    except OSError:
        return True
    return True

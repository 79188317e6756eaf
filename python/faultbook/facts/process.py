"""This process: its role, how it was started, what it holds."""

from __future__ import annotations

import os
import sys
import time

from faultbook import _forks
from faultbook.facts import _values as values
from faultbook.facts._failure import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Optional


def collect(failure: Failure) -> Iterator[tuple[str, Any]]:
    """Role, start method, forks, threads, files, memory."""
    yield "process.role", failure.role
    yield "process.directory", os.getcwd()
    yield "process.encoding", _encoding()
    yield "process.dead_children", _dead_children(failure)
    yield "process.interactive", hasattr(sys, "ps1") or "ipykernel" in sys.modules
    context = sys.modules.get("multiprocessing.context")
    if context is not None:
        # Asking with allow_none leaves the choice open to the program.
        chosen = context._default_context.get_start_method(allow_none=True)
        yield "process.start_method", chosen or context._default_context._default_context.get_start_method()
    yield "process.forked", _forks.state.forked
    if _forks.state.forked:
        yield "process.cuda_before_fork", _forks.state.cuda
    torch = values.torch()
    if torch is not None:
        yield "process.cuda", bool(getattr(torch.cuda, "_initialized", False))
    yield "process.main_guard", _main_guard()
    status = _status(f"{_own()}/status")
    yield "process.threads", status.get("Threads")
    yield "process.memory.used", _kilobytes(status.get("VmRSS"))
    yield "process.memory.peak", _kilobytes(status.get("VmHWM"))
    if os.path.isdir(f"{_own()}/fd"):
        files = [_link(name) for name in os.listdir(f"{_own()}/fd")]
        yield "process.open_files", len(files)
        shared = sum(file.startswith(("/dev/shm/", "/memfd:", "/torch_")) for file in files)
        yield "process.open_shared", shared
        yield "process.open_paths", sum(file.startswith("/") and not file.startswith("/dev/") for file in files)
    yield "process.seconds", _age()


def _own() -> str:
    return f"/proc/{_forks.state.subject}"


def _encoding() -> str:
    import locale

    return locale.getpreferredencoding(False).lower().replace("_", "-")


def _link(name: str) -> str:
    try:
        return os.readlink(f"{_own()}/fd/{name}")
    except OSError:
        return ""


def _dead_children(failure: Failure) -> list[str]:
    """Workers in the failing frames, and the children that multiprocessing still knows."""
    import signal

    workers = [value for name, value in failure.locals() if name in ("self", "loader", "iterator")]
    children = [child for one in workers for child in _fields(one).get("_workers") or []]
    known = getattr(sys.modules.get("multiprocessing.process"), "_children", ())
    ends = [_end(child) for child in dict.fromkeys([*children, *known])]
    named = []
    for code in ends:
        if isinstance(code, int) and code != 0:
            named.append(signal.Signals(-code).name if -code in set(signal.Signals) else f"exit {code}")
    return sorted(set(named))


def _fields(value: Any) -> dict[str, Any]:
    return getattr(value, "__dict__", None) or {}


def _end(child: Any) -> Optional[int]:
    """The exit code of a child that has ended; only its parent may ask the system, the kernel tells everybody."""
    started = _fields(child).get("_popen")
    known = getattr(started, "returncode", None)
    if known is not None or started is None:
        return known
    try:
        with open(f"/proc/{started.pid}/stat", encoding="utf-8", errors="replace") as file:
            words = file.read().rsplit(")", 1)[1].split()
    except (OSError, AttributeError, IndexError):
        return None
    if words[0] != "Z" or len(words) < 50:
        return None
    code = int(words[49])
    return -(code & 0x7F) if code & 0x7F else code >> 8


def _main_guard() -> Optional[bool]:
    """Whether the script protects what must not run again in a spawned child."""
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    if not file or not os.path.isfile(file) or os.path.getsize(file) > 1 << 20:
        return None
    import re

    with open(file, encoding="utf-8", errors="replace") as source:
        return re.search(r"^if\s+__name__\s*==\s*['\"]__main__['\"]", source.read(), re.MULTILINE) is not None


def _status(path: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                name, _, value = line.partition(":")
                first = value.split()[:1]
                if first and first[0].isdigit():
                    found[name] = int(first[0])
    return found


def _kilobytes(value: Optional[int]) -> Optional[int]:
    return None if value is None else value * 1024


def _age() -> Optional[float]:
    try:
        with open(f"{_own()}/stat", encoding="utf-8") as file:
            ticks = int(file.read().rsplit(")", 1)[1].split()[19])
        return round(time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"), 1)
    except (OSError, ValueError, AttributeError, IndexError):
        return None

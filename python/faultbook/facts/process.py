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
        yield "process.cuda", bool(torch.cuda.is_initialized())
    yield "process.main_guard", _main_guard()
    status = _status("/proc/self/status")
    yield "process.threads", status.get("Threads")
    yield "process.memory.used", _kilobytes(status.get("VmRSS"))
    yield "process.memory.peak", _kilobytes(status.get("VmHWM"))
    if os.path.isdir("/proc/self/fd"):
        yield "process.open_files", len(os.listdir("/proc/self/fd"))
    yield "process.seconds", _age()


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
        with open("/proc/self/stat", encoding="utf-8") as file:
            ticks = int(file.read().rsplit(")", 1)[1].split()[19])
        return round(time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"), 1)
    except (OSError, ValueError, AttributeError, IndexError):
        return None

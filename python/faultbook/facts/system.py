"""Limits of the machine that change from moment to moment: shared memory, the control group."""

from __future__ import annotations

import os
import re

from faultbook.facts._failure import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Optional

#: Version 2 and version 1 of control groups: limit, peak, usage.
_GROUPS = (
    ("memory.max", "memory.peak", "memory.current"),
    ("memory/memory.limit_in_bytes", "memory/memory.max_usage_in_bytes", "memory/memory.usage_in_bytes"),
)

#: Larger limits are none.
_UNLIMITED = 1 << 60


def collect(failure: Failure) -> Iterator[tuple[str, Any]]:
    """Shared memory, and the control group's limit and peak."""
    if os.path.isdir("/dev/shm"):
        system = os.statvfs("/dev/shm")
        yield "host.shm.size", system.f_frsize * system.f_blocks
        yield "host.shm.free", system.f_frsize * system.f_bavail
        yield "host.shm.used", system.f_frsize * (system.f_blocks - system.f_bfree)
    yield from _limits()
    yield "host.memory.requested", _requested(failure)
    for folder in _folders():
        for limit, peak, _ in _GROUPS:
            found = _number(os.path.join(folder, limit))
            if found is None:
                continue
            if found < _UNLIMITED:
                yield "host.memory.limit", found
            yield "host.memory.peak", _number(os.path.join(folder, peak))
            return


def _limits() -> Iterator[tuple[str, Any]]:
    """Limits that this process set for itself; a child cannot see those that came later."""
    try:
        import resource
    except ImportError:
        return
    for name, limit in (
        ("nofile", "RLIMIT_NOFILE"),
        ("as", "RLIMIT_AS"),
        ("nproc", "RLIMIT_NPROC"),
        ("stack", "RLIMIT_STACK"),
    ):
        number = getattr(resource, limit, None)
        value = resource.getrlimit(number)[0] if number is not None else -1
        if 0 <= value < _UNLIMITED:
            yield f"ulimit.{name}", value


def _requested(failure: Failure) -> Optional[int]:
    """NumPy's exception knows the array, PyTorch's message the bytes."""
    shape, dtype = getattr(failure.root, "shape", None), getattr(failure.root, "dtype", None)
    if isinstance(failure.root, MemoryError) and shape is not None and dtype is not None:
        import math

        return int(math.prod(shape)) * int(dtype.itemsize)
    found = re.search(r"tried to allocate (\d+) bytes", failure.message)
    return int(found.group(1)) if found else None


def _folders() -> list[str]:
    root = "/sys/fs/cgroup"
    try:
        with open("/proc/self/cgroup", encoding="utf-8") as file:
            own = [line.rstrip("\n").split(":", 2)[2].lstrip("/") for line in file if line.startswith("0:")]
    except OSError:
        own = []
    return [os.path.join(root, path) for path in own] + [root]


def _number(path: str) -> Optional[int]:
    try:
        with open(path, encoding="utf-8") as file:
            words = file.read().strip()
    except OSError:
        return None
    return int(words) if words.isdigit() else None

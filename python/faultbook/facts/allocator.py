"""Allocators of the frameworks: counters in host memory, which no error of the GPU can block.

No function that would initialize a GPU, or wait for one, is called. After an error of CUDA nothing is.
"""

from __future__ import annotations

import sys

from faultbook.facts import _values as values
from faultbook.facts._failure import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

#: Blocks that are listed.
_NAMED = 5


def collect(failure: Failure) -> Iterator[tuple[str, Any]]:
    """The allocator of the framework that failed; of several, the one that the failing frames belong to."""
    if failure.poisoned:
        return
    readers: dict[str, Callable[[Failure], list[tuple[str, Any]]]] = {
        "torch": _of_torch,
        "jax": _of_jax,
        "tensorflow": _of_tensorflow,
    }
    words = " ".join(str(frame.f_globals.get("__name__", "")) for frame in failure.frames())
    words += type(failure.root).__module__
    for name in sorted(readers, key=lambda name: name not in words):
        found = [pair for pair in readers[name](failure) if pair[1] is not None]
        if found:
            yield "allocator.framework", name
            yield from found
            return


def _of_torch(failure: Failure) -> list[tuple[str, Any]]:
    torch = values.torch()
    # Not is_initialized(): in a copy of the process it says no.
    if torch is None or not getattr(torch.cuda, "_initialized", False):
        return []
    device = _device(failure)
    counters: Any = torch._C._cuda_memoryStats(device)
    blocks = [block for segment in _segments(torch) if segment["device"] == device for block in segment["blocks"]]
    free = [block["size"] for block in blocks if block["state"] == "inactive"]
    used = sorted((block for block in blocks if block["state"].startswith("active")), key=lambda block: -block["size"])
    return [
        ("allocator.allocated", counters["allocated_bytes"]["all"]["current"]),
        ("allocator.reserved", counters["reserved_bytes"]["all"]["current"]),
        ("allocator.peak", counters["allocated_bytes"]["all"]["peak"]),
        ("allocator.retries", counters["num_alloc_retries"]),
        ("allocator.largest_free", max(free, default=0)),
        ("allocator.largest", [_line(block) for block in used[:_NAMED]]),
    ]


def _segments(torch: Any) -> list[dict[str, Any]]:
    """The arguments of the snapshot differ between versions."""
    for arguments in (((0, 0, False),), (None,), ()):
        try:
            found: list[dict[str, Any]] = torch._C._cuda_memorySnapshot(*arguments)["segments"]
            return found
        except TypeError:
            continue
    return []


def _device(failure: Failure) -> int:
    for _, value in failure.locals():
        if values.is_tensor(value) and value.device.type == "cuda":
            return int(value.device.index or 0)
    return 0


def _line(block: dict[str, Any]) -> str:
    place = next((f" from {frame['filename']}:{frame['line']}" for frame in block.get("frames", [])[:1]), "")
    return f"{_size(block['size'])}{place}"


def _of_jax(failure: Failure) -> list[tuple[str, Any]]:
    jax, bridge = sys.modules.get("jax"), sys.modules.get("jax._src.xla_bridge")
    if jax is None or not getattr(bridge, "_backends", None):
        return []
    device = jax.local_devices()[0]
    counters: dict[str, int] = device.memory_stats() or {}
    arrays = sorted((one for one in jax.live_arrays() if not one.is_deleted()), key=lambda one: -one.nbytes)
    free = counters.get("largest_free_block_bytes")
    return [
        ("allocator.allocated", counters.get("bytes_in_use", sum(one.nbytes for one in arrays))),
        ("allocator.reserved", counters.get("pool_bytes", counters.get("bytes_reserved"))),
        ("allocator.peak", counters.get("peak_bytes_in_use")),
        ("allocator.limit", counters.get("bytes_limit")),
        # The counter is 0 where it is not kept.
        ("allocator.largest_free", free if free else None),
        ("allocator.largest", [f"{_size(one.nbytes)} {one.dtype} {list(one.shape)}" for one in arrays[:_NAMED]]),
    ]


def _of_tensorflow(failure: Failure) -> list[tuple[str, Any]]:
    tensorflow, eager = sys.modules.get("tensorflow"), sys.modules.get("tensorflow.python.eager.context")
    context = getattr(eager, "_context", None)
    if tensorflow is None or context is None or not getattr(context, "_context_handle", None):
        return []
    names = [one.name.replace("/physical_device:", "") for one in context.list_physical_devices("GPU")] or ["CPU:0"]
    try:
        counters: dict[str, int] = tensorflow.config.experimental.get_memory_info(names[0])
    except (ValueError, RuntimeError):
        return []
    return [("allocator.allocated", counters.get("current")), ("allocator.peak", counters.get("peak"))]


def _size(count: int) -> str:
    return f"{count / (1 << 20):.1f} MiB"

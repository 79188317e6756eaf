"""PyTorch's caching allocator: host-side counters, which no error of the GPU can block."""

from __future__ import annotations

from faultbook.facts import _values as values
from faultbook.facts._failure import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

#: Blocks that are listed.
_NAMED = 5


def collect(failure: Failure) -> Iterator[tuple[str, Any]]:
    """Counters of the device that the failing frames use, and its largest blocks."""
    torch = values.torch()
    if torch is None or failure.poisoned or not torch.cuda.is_initialized():
        return
    device = _device(failure)
    counters = torch.cuda.memory_stats(device)
    yield "allocator.allocated", counters.get("allocated_bytes.all.current")
    yield "allocator.reserved", counters.get("reserved_bytes.all.current")
    yield "allocator.peak", counters.get("allocated_bytes.all.peak")
    yield "allocator.retries", counters.get("num_alloc_retries")
    blocks = [
        block for segment in torch.cuda.memory_snapshot() if segment["device"] == device for block in segment["blocks"]
    ]
    free = [block["size"] for block in blocks if block["state"] == "inactive"]
    yield "allocator.largest_free", max(free, default=0)
    used = sorted((block for block in blocks if block["state"].startswith("active")), key=lambda block: -block["size"])
    yield "allocator.largest", [_line(block) for block in used[:_NAMED]]


def _device(failure: Failure) -> int:
    for _, value in failure.locals():
        if values.is_tensor(value) and value.device.type == "cuda":
            return int(value.device.index or 0)
    return 0


def _line(block: dict[str, Any]) -> str:
    place = next((f" from {frame['filename']}:{frame['line']}" for frame in block.get("frames", [])[:1]), "")
    return f"{block['size'] / (1 << 20):.1f} MiB{place}"

"""The largest index of a look-up that failed, against the size of its table."""

from __future__ import annotations

from faultbook.facts import _values as values
from faultbook.facts._failure import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Optional

#: Functions of torch.nn.functional: the variable with the indices, the variable with the table, its dimension.
_LOOKUPS = {
    "embedding": ("input", "weight", 0),
    "embedding_bag": ("input", "weight", 0),
    "cross_entropy": ("target", "input", 1),
    "nll_loss": ("target", "input", 1),
    "one_hot": ("tensor", None, 0),
}


def collect(failure: Failure) -> Iterator[tuple[str, Any]]:
    """Smallest and largest index, and the number of rows."""
    for frame in failure.frames():
        found = _LOOKUPS.get(frame.f_code.co_name)
        if found is None or "torch" not in str(frame.f_globals.get("__name__", "")):
            continue
        index, table = frame.f_locals.get(found[0]), frame.f_locals.get(found[1] or "")
        size = _size(table, found[2], frame.f_locals.get("num_classes"))
        bounds = _bounds(index, frame.f_locals.get("ignore_index"))
        if bounds is None:
            return
        yield "frame.index_min", bounds[0]
        yield "frame.index_max", bounds[1]
        yield "frame.index_size", size
        return


def _size(table: Any, dimension: int, otherwise: Any) -> Optional[int]:
    if values.is_tensor(table) and table.dim() > 0:
        return int(table.shape[min(dimension, table.dim() - 1)])
    return otherwise if isinstance(otherwise, int) else None


def _bounds(index: Any, ignored: Any) -> Optional[tuple[int, int]]:
    if not values.is_tensor(index) or index.is_floating_point() or not values.readable(index) or index.numel() == 0:
        return None
    kept = index[index != ignored] if isinstance(ignored, int) else index
    if kept.numel() == 0:
        return None
    return int(kept.min().item()), int(kept.max().item())

"""Data loaders in the failing frames: their workers and batches."""

from __future__ import annotations

import sys

from faultbook.facts._failure import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def collect(failure: Failure) -> Iterator[tuple[str, Any]]:
    """The innermost one."""
    module = sys.modules.get("torch.utils.data.dataloader")
    if module is None:
        return
    for _, value in failure.locals():
        if isinstance(value, module.DataLoader):
            yield "run.num_workers", int(value.num_workers)
            if value.batch_size is not None:
                yield "run.batch_size", int(value.batch_size)
            return
        if isinstance(value, module._BaseDataLoaderIter):
            yield "run.num_workers", int(value._num_workers)
            return

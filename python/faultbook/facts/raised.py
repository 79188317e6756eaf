"""The exception itself."""

from __future__ import annotations

from faultbook.facts._failure import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def collect(failure: Failure) -> Iterator[tuple[str, Any]]:
    """Type, message and place of the exception that was raised first."""
    kind = type(failure.root)
    module = kind.__module__
    yield "exception.type", kind.__qualname__ if module in ("builtins", "__main__") else f"{module}.{kind.__qualname__}"
    first = failure.message.strip().splitlines()
    if first:
        yield "exception.message", first[0][:300]
    frames = failure.frames()
    if frames:
        yield "exception.module", str(frames[0].f_globals.get("__name__", ""))

"""A key that was not found: which keys there are."""

from __future__ import annotations

import os

from faultbook.facts._failure import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Optional

_MOST, _NAMED, _FRAMES = 5000, 12, 6


def collect(failure: Failure) -> Iterator[tuple[str, Any]]:
    """The container is the mapping of the innermost frames that lacks the key."""
    if not isinstance(failure.root, KeyError) or not failure.root.args:
        return
    key = failure.root.args[0]
    yield "key.name", str(key)[:200]
    container = _container(failure, key)
    if container is None:
        return
    yield "key.environment", container is os.environ
    if container is os.environ:
        return
    names = [str(one) for one in list(container)[:_MOST]]
    yield "key.available", names[:_NAMED]
    import difflib

    close = difflib.get_close_matches(str(key), names, 3, 0.7)
    same = [name for name in names if name.lower().strip() == str(key).lower().strip() and name not in close]
    yield "key.similar", same + close


def _container(failure: Failure, key: Any) -> Optional[Any]:
    for frame in failure.frames()[:_FRAMES]:
        if frame.f_code.co_name == "__getitem__" and frame.f_locals.get("self") is os.environ:
            return os.environ
        for value in list(frame.f_locals.values()):
            for one in (value, getattr(value, "columns", None)):
                if _lacks(one, key):
                    return one
    return None


def _lacks(value: Any, key: Any) -> bool:
    """Mappings and the columns of a table; nothing whose look-up runs code of the program."""
    kind = type(value)
    plain = isinstance(value, dict) or kind.__module__.startswith(
        ("pandas.", "collections", "transformers.", "datasets.")
    )
    try:
        return (
            plain
            and hasattr(value, "__contains__")
            and hasattr(value, "__iter__")
            and len(value) > 0
            and key not in value
        )
    except Exception:
        return False

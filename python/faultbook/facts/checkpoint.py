"""A state that does not fit its model: how many names are missing on each side, and whether a prefix explains it."""

from __future__ import annotations

from faultbook.facts import _values as values
from faultbook.facts._failure import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Optional


def collect(failure: Failure) -> Iterator[tuple[str, Any]]:
    """From the frame of ``load_state_dict``."""
    for frame in failure.frames():
        model: Any = frame.f_locals.get("self")
        state: Any = frame.f_locals.get("state_dict")
        if frame.f_code.co_name != "load_state_dict" or not values.is_module(model) or not isinstance(state, dict):
            continue
        wanted, given = set(model.state_dict()), {str(name) for name in state}
        yield "state.missing", len(wanted - given)
        yield "state.unexpected", len(given - wanted)
        yield "state.prefix", _prefix(wanted, given) or ""
        return


def _prefix(wanted: set[str], given: set[str]) -> Optional[str]:
    """What all names of one side have in front of the other's."""
    for longer, shorter in ((given, wanted), (wanted, given)):
        sample = next(iter(sorted(longer)), "")
        for end in range(len(sample)):
            if sample[end] == "." and sample[end + 1 :] in shorter:
                prefix = sample[: end + 1]
                if sum(name[len(prefix) :] in shorter for name in longer if name.startswith(prefix)) * 2 > len(longer):
                    return prefix
    return None

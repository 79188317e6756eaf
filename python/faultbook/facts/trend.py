"""How memory and loss moved over the last minutes: readings of ``faultbook._samples``, and histories that programs keep."""

from __future__ import annotations

import sys

from faultbook.facts._failure import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Optional

#: Readings that make a trend, and the intervals that they cover: imports alone let memory rise for a while.
_FEWEST, _SHORTEST = 6, 15

#: Values of a history that are looked at.
_MOST = 2000


def collect(failure: Failure) -> Iterator[tuple[str, Any]]:
    """Memory of the process and of the GPU, and the loss."""
    samples = sys.modules.get("faultbook._samples")
    readings = samples.readings() if samples is not None else []
    covered = readings[-1].time - readings[0].time if readings else 0.0
    if samples is not None and len(readings) >= _FEWEST and covered >= _SHORTEST * samples.interval():
        yield "run.sampled_seconds", round(covered, 1)
        for name, series in (
            ("run.host_memory", [one.host for one in readings if one.host]),
            ("run.memory", [one.gpu for one in readings if one.gpu]),
        ):
            if len(series) >= _FEWEST:
                yield f"{name}.rising", rising(series)
                yield f"{name}.first", series[len(series) // 4]
                yield f"{name}.last", series[-1]
    losses = _history(failure) or [one.loss for one in readings if one.loss is not None]
    if len(losses) >= 3:
        finite = [one for one in losses if _is_finite(one)]
        yield "run.loss.first", _rounded(finite[0]) if finite else None
        yield "run.loss.last", _rounded(finite[-1]) if finite else None
        yield "run.loss.lowest", _rounded(min(finite)) if finite else None
        yield "run.loss.nonfinite", len(finite) < len(losses)
        if len(finite) >= 3:
            yield "run.loss.rising", finite[-1] > 3 * max(min(finite), 1e-12) and finite[-1] >= max(finite[-3:])


def rising(readings: list[int]) -> Optional[bool]:
    """Whether readings rise to the end, stay, or neither (``None``): the rule of the readings in a log."""
    warm = readings[len(readings) // 4 :]
    first, middle, last = warm[0], warm[len(warm) // 2], warm[-1]
    ups = sum(after >= before * 0.995 for before, after in zip(warm, warm[1:]))
    grown = last - first
    if grown > 0.12 * last and last - middle > 0.2 * grown and ups * 5 >= (len(warm) - 1) * 4:
        return True
    return False if max(warm) - min(warm) <= 0.05 * max(warm) else None


def _rounded(value: float) -> float:
    """As a sentence shows it."""
    return float(f"{value:.4g}")


def _is_finite(value: float) -> bool:
    return value == value and abs(value) != float("inf")


def _history(failure: Failure) -> list[float]:
    """A list of losses in the failing frames, the log of Hugging Face's trainer, the history of Keras."""
    found: list[float] = []
    for name, value in failure.locals():
        fields = getattr(value, "__dict__", None) or {}
        if "loss" in name and isinstance(value, (list, tuple)):
            candidates: list[Any] = list(value[-_MOST:])
        elif isinstance(getattr(fields.get("state"), "log_history", None), list):
            entries = fields["state"].log_history[-_MOST:]
            candidates = [entry.get("loss") for entry in entries if isinstance(entry, dict)]
        elif isinstance(fields.get("history"), dict):
            candidates = list(fields["history"].get("loss") or [])[-_MOST:]
        else:
            continue
        numbers = [float(one) for one in candidates if isinstance(one, (int, float)) and not isinstance(one, bool)]
        if len(numbers) > len(found):
            found = numbers
    return found

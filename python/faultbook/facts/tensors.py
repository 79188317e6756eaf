"""The tensors in the failing frames: what they are, and whether they are finite."""

from __future__ import annotations

from faultbook.facts import _values as values
from faultbook.facts._failure import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

#: Frames and lines that are looked at.
_FRAMES, _LINES = 14, 24

_FLOATS = ("float", "bfloat", "half", "double", "complex")


def collect(failure: Failure) -> Iterator[tuple[str, Any]]:
    """Tensors by name, and what distinguishes them."""
    lines: list[str] = []
    devices: dict[str, None] = {}
    dtypes: dict[str, None] = {}
    integers: dict[str, None] = {}
    nonfinite: dict[str, None] = {}
    empty: dict[str, None] = {}
    seen: set[int] = set()
    for frame in failure.frames()[:_FRAMES]:
        for name, value in list(frame.f_locals.items()):
            if name.startswith("__"):
                continue
            if isinstance(value, (list, dict, tuple, set)) and not value and name not in ("args", "kwargs"):
                empty[name] = None
            for suffix, one in values.inside(value):
                if id(one) in seen or not (values.is_tensor(one) or values.is_array(one) or values.is_foreign(one)):
                    continue
                seen.add(id(one))
                label = name + suffix
                dtype = values.short(one.dtype)
                (dtypes if dtype.startswith(_FLOATS) else integers)[dtype if dtype.startswith(_FLOATS) else label] = (
                    None
                )
                device = str(one.device) if values.is_tensor(one) else "cpu" if values.is_array(one) else ""
                if device:
                    devices[device] = None
                if 0 in tuple(one.shape):
                    empty[label] = None
                finite = values.finite(one)
                if finite is False:
                    nonfinite[label] = None
                if len(lines) < _LINES:
                    lines.append(f"{label}: {_describe(one, dtype, device, finite)}")
    if lines:
        yield "frame.tensors", lines
        yield "frame.devices", list(devices)
        yield "frame.nonfinite", list(nonfinite)
        yield "frame.integers", list(integers)
        yield "frame.meta", "meta" in devices
    if dtypes:
        yield "frame.dtypes", list(dtypes)
    if empty:
        yield "frame.empty", list(empty)[:_LINES]
    yield "frame.none", _none(failure)
    yield "frame.none_attributes", _none_attributes(failure)


def _describe(one: Any, dtype: str, device: str, finite: Any) -> str:
    words = [dtype, "[" + ", ".join(map(str, tuple(one.shape))) + "]"]
    if device:
        words.append(f"on {device}")
    if values.is_tensor(one):
        if one.requires_grad:
            words.append("requires_grad")
        if str(one.layout) != "torch.strided":
            words.append(values.short(one.layout))
        elif not one.is_contiguous():
            words.append("not contiguous")
    if finite is False:
        words.append("with NaN or infinity")
    return " ".join(words)


def _none_attributes(failure: Failure) -> list[str]:
    """Fields that the failing line names, of objects that it names."""
    import linecache
    import re

    trace = failure.root.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return []
    line = linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno)
    found = []
    for owner, field in re.findall(r"\b([A-Za-z_]\w*)\.([A-Za-z_]\w*)\b", line):
        fields = getattr(trace.tb_frame.f_locals.get(owner), "__dict__", None)
        if isinstance(fields, dict) and field in fields and fields[field] is None:
            found.append(f"{owner}.{field}")
    return found


def _none(failure: Failure) -> list[str]:
    """Variables that are None in the innermost frame, where its code uses them."""
    frames = failure.own_frames()[:1]
    return [
        name for frame in frames for name, value in frame.f_locals.items() if value is None and not name.startswith("_")
    ][:_LINES]

"""Switches of PyTorch: gradients, autocast, determinism, compilation, the gradient scaler."""

from __future__ import annotations

from faultbook.facts import _values as values
from faultbook.facts._failure import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def collect(failure: Failure) -> Iterator[tuple[str, Any]]:
    """The frames tell what was in force; the process may have left it while the exception passed through."""
    torch = values.torch()
    if torch is None:
        return
    frames = failure.frames()
    names = {frame.f_code.co_name for frame in frames}
    managers = [value for frame in frames for value in frame.f_locals.values()]
    yield "mode.deterministic", bool(torch.are_deterministic_algorithms_enabled())
    yield "mode.compiled", any("torch/_dynamo" in frame.f_code.co_filename.replace("\\", "/") for frame in frames)
    kinds = {type(value).__name__ for value in managers}
    if "no_grad" in kinds or "inference_mode" in kinds:
        yield "mode.grad", False
    autocast = [value for value in managers if type(value).__name__ == "autocast"]
    for one in autocast:
        yield "mode.autocast", f"{one.device} {values.short(one.fast_dtype)}"
    for value in managers:
        if type(value).__name__ == "GradScaler" and getattr(value, "_scale", None) is not None:
            if value._scale.device.type == "cpu":
                yield "grad_scaler.scale", float(value._scale.item())
    if "_engine_run_backward" in names:
        yield "mode.grad", True

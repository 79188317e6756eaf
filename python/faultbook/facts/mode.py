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
    compiled = any(type(value).__name__ == "OptimizedModule" for value in managers)
    yield (
        "mode.compiled",
        compiled or any("torch/_dynamo" in frame.f_code.co_filename.replace("\\", "/") for frame in frames),
    )
    yield "mode.anomaly", bool(torch.is_anomaly_enabled())
    yield "mode.default_dtype", values.short(torch.get_default_dtype())
    yield "mode.matmul_precision", str(torch.get_float32_matmul_precision())
    cudnn = getattr(torch.backends, "cudnn", None)
    if cudnn is not None:
        yield "mode.cudnn", bool(cudnn.enabled)
        yield "mode.cudnn_benchmark", bool(cudnn.benchmark)
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
        if type(value).__name__ == "GradScaler":
            yield "grad_scaler.enabled", bool(value.is_enabled())
            yield "grad_scaler.optimizers", len(getattr(value, "_per_optimizer_states", ()))
    if "_engine_run_backward" in names:
        yield "mode.grad", True

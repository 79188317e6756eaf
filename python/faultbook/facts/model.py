"""The modules in the failing frames."""

from __future__ import annotations

from faultbook.facts import _values as values
from faultbook.facts._failure import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

#: Parameters of a model that are looked at.
_MOST = 20_000

#: Names that are listed.
_NAMED = 8


def collect(failure: Failure) -> Iterator[tuple[str, Any]]:
    """The innermost module with its sizes, the outermost with its parameters."""
    found = [value for frame in failure.frames() for value in _modules(frame.f_locals)]
    if not found:
        if values.torch() is not None:
            # No layer is involved.
            yield "frame.module", ""
        return
    inner = found[0]
    outer = max(found[:32], key=_count)
    # A container's line would list all of its children.
    if not list(inner.children()):
        yield "frame.module", repr(inner)[:200]
    near = list(_tensors(inner))
    yield "frame.module_devices", sorted({str(tensor.device) for tensor in near})
    yield "frame.module_dtypes", sorted({values.short(tensor.dtype) for tensor in near})
    yield "model.name", type(outer).__name__
    parameters = _named(outer)
    yield "model.parameters", sum(parameter.numel() for _, parameter in parameters)
    yield "model.trainable", sum(parameter.numel() for _, parameter in parameters if parameter.requires_grad)
    every = _tensors(outer)
    yield "model.dtypes", sorted({values.short(one.dtype) for one in every if one.is_floating_point()})
    yield "model.devices", sorted({str(one.device) for one in every})
    yield "mode.training", bool(outer.training)
    yield "model.nonfinite", [name for name, one in parameters if values.finite(one) is False][:_NAMED]
    gradients = [(name, one.grad) for name, one in parameters if one.grad is not None]
    yield "model.gradients_nonfinite", [name for name, one in gradients if values.finite(one) is False][:_NAMED]


def _modules(variables: dict[str, Any]) -> list[Any]:
    return [value for value in variables.values() if values.is_module(value)]


def _count(module: Any) -> int:
    return sum(1 for _ in zip(range(_MOST), module.parameters()))


def _named(module: Any) -> list[tuple[str, Any]]:
    return [pair for _, pair in zip(range(_MOST), module.named_parameters())]


def _tensors(module: Any) -> list[Any]:
    both = [*module.parameters(), *module.buffers()]
    return both[:_MOST]

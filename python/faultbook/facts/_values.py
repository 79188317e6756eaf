"""What is a tensor, an array or a module, without importing the framework that defines it."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Optional

#: Elements whose values are read.
MOST_ELEMENTS = 1 << 22


def torch() -> Any:
    """PyTorch, if the program has imported it."""
    return _loaded("torch", "Tensor")


def numpy() -> Any:
    """NumPy, if the program has imported it."""
    return _loaded("numpy", "ndarray")


def _loaded(name: str, needed: str) -> Any:
    module = sys.modules.get(name)
    return module if module is not None and hasattr(module, needed) else None


def is_tensor(value: Any) -> bool:
    """Whether it is a tensor of PyTorch."""
    module = torch()
    return module is not None and isinstance(value, module.Tensor)


def is_array(value: Any) -> bool:
    """Whether it is an array of NumPy."""
    module = numpy()
    return module is not None and isinstance(value, module.ndarray)


def is_foreign(value: Any) -> bool:
    """Whether it is an array of JAX or a tensor of TensorFlow."""
    kind = type(value)
    origin = str(getattr(kind, "__module__", ""))
    return (
        origin.startswith(("jaxlib", "jax.", "tensorflow.python"))
        and hasattr(value, "shape")
        and hasattr(value, "dtype")
    )


def is_module(value: Any) -> bool:
    """Whether it is a module of PyTorch."""
    nn = sys.modules.get("torch.nn")
    return nn is not None and isinstance(value, nn.Module)


def short(dtype: Any) -> str:
    """``float32`` of any framework's type."""
    words = str(getattr(dtype, "name", dtype))
    return words.rsplit(".", 1)[-1]


def inside(value: Any, depth: int = 1) -> Iterator[tuple[str, Any]]:
    """A value, and what a container of a few values holds, with the suffix of its name."""
    yield "", value
    if depth == 0:
        return
    if isinstance(value, (list, tuple)):
        for place, item in enumerate(list(value)[:8]):
            yield from ((f"[{place}]{rest}", one) for rest, one in inside(item, depth - 1))
    elif isinstance(value, dict):
        for key, item in list(value.items())[:16]:
            yield from ((f"[{key!r}]{rest}"[:60], one) for rest, one in inside(item, depth - 1))


def readable(value: Any) -> bool:
    """Whether its values can be read without the GPU, without a shared or mapped file and in no time."""
    try:
        if is_tensor(value):
            plain = value.device.type == "cpu" and value.layout is torch().strided
            return plain and not value.is_quantized and value.numel() <= MOST_ELEMENTS and not value.is_shared()
        if is_array(value):
            base = value
            while base is not None:
                if type(base).__name__ == "memmap":
                    return False
                base = getattr(base, "base", None)
            return bool(value.size <= MOST_ELEMENTS and value.dtype.kind in "fciub")
    except Exception:
        return False
    return False


def finite(value: Any) -> Optional[bool]:
    """Whether all values are finite; ``None`` where that is not read."""
    if not readable(value):
        return None
    if is_tensor(value):
        module = torch()
        if not (value.is_floating_point() or value.is_complex()):
            return None
        with module.no_grad():
            return bool(module.isfinite(value.detach()).all().item())
    if value.dtype.kind not in "fc":
        return None
    return bool(numpy().isfinite(value).all())

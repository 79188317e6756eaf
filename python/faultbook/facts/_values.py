"""What is a tensor, an array or a module, without importing the framework that defines it."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Optional

#: Elements whose values are read.
MOST_ELEMENTS = 1 << 22

#: Bytes that they may be spread over, and of a page.
_MOST_BYTES, _PAGE = 1 << 26, 4096


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
            if value.device.type != "cpu" or value.layout is not torch().strided or value.is_quantized:
                return False
            if value.numel() > MOST_ELEMENTS or value.is_shared():
                return False
            last = sum((size - 1) * stride for size, stride in zip(value.shape, value.stride()))
            return value.numel() == 0 or _is_mapped(value.data_ptr(), (last + 1) * value.element_size())
        if is_array(value):
            base = value
            while base is not None:
                if type(base).__name__ == "memmap":
                    return False
                base = getattr(base, "base", None)
            if value.size > MOST_ELEMENTS or value.dtype.kind not in "fciub":
                return False
            low, high = numpy().lib.array_utils.byte_bounds(value) if _has_bounds() else numpy().byte_bounds(value)
            return value.size == 0 or _is_mapped(int(low), int(high - low))
    except Exception:
        return False
    return False


def _has_bounds() -> bool:
    """NumPy 2 has moved the function."""
    return hasattr(getattr(numpy().lib, "array_utils", None), "byte_bounds")


def _is_mapped(address: int, count: int) -> bool:
    """Whether every page of this memory can be read: a file that was cut after it was mapped cannot."""
    if count <= 0 or not address:
        return count == 0
    if count > _MOST_BYTES:
        return False
    try:
        memory = os.open("/proc/self/mem", os.O_RDONLY)
    except OSError:
        return True
    try:
        for place in range(address, address + count, _PAGE):
            os.pread(memory, 1, place)
        return bool(os.pread(memory, 1, address + count - 1))
    except (OSError, OverflowError):
        return False
    finally:
        os.close(memory)


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

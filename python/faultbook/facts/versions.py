"""Versions and builds of the frameworks that the program has really imported."""

from __future__ import annotations

import platform
import sys

from faultbook.facts._failure import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

#: Modules whose `__version__` is a fact of the same name.
_MODULES = (
    "torch torchvision torchaudio tensorflow keras jax jaxlib flax triton vllm transformers peft lightning deepspeed "
    "accelerate flash_attn xformers bitsandbytes onnxruntime tensorrt numba cupy numpy ray"
).split()


def collect(failure: Failure) -> Iterator[tuple[str, Any]]:
    """Only imported modules are asked, and nothing is imported."""
    yield "python.version", platform.python_version()
    yield "python.prefix", sys.prefix
    for name in _MODULES:
        version = getattr(sys.modules.get(name), "__version__", None)
        if version is not None:
            yield f"{name}.version", str(version)
    torch = sys.modules.get("torch")
    build = getattr(torch, "version", None)
    if torch is not None and build is not None:
        yield "torch.cuda", getattr(build, "cuda", None)
        yield "torch.hip", getattr(build, "hip", None)
        yield "torch.cpu_only", getattr(build, "cuda", None) is None and getattr(build, "hip", None) is None
        flags = getattr(getattr(torch, "_C", None), "_cuda_getArchFlags", None)
        listed = flags() if flags is not None else None
        if listed:
            yield "torch.arch_list", [word for word in listed.split() if word]
    bridge = sys.modules.get("jax._src.xla_bridge")
    if getattr(bridge, "_backends", None):
        # Backends that exist; asking would make one.
        yield "jax.platforms", sorted(str(name) for name in bridge._backends)  # type: ignore[union-attr]
    tensorflow = sys.modules.get("tensorflow")
    built = getattr(getattr(tensorflow, "sysconfig", None), "get_build_info", None)
    if built is not None:
        info = built()
        yield "tensorflow.cpu_only", not info.get("is_cuda_build", False)
        yield "tensorflow.cuda", info.get("cuda_version")
        yield "tensorflow.cudnn", info.get("cudnn_version")

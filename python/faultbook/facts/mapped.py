"""Which native libraries the process has really mapped: two cuDNNs, a foreign NCCL, two OpenMP runtimes."""

from __future__ import annotations

import os
import re

from faultbook.facts._failure import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

#: Beginnings of file names. cuDNN 9 is several libraries of one version: only the front one counts.
_LIBRARIES = {
    "cudnn": r"libcudnn\.so",
    "nccl": r"libnccl\.so",
    "cublas": r"libcublas\.so",
    "cudart": r"libcudart\.so",
    "cuda": r"libcuda\.so",
    "nvrtc": r"libnvrtc\.so",
    "openmp": r"lib(?:gomp|iomp5|omp)\b[^/]*\.so",
    "stdcxx": r"libstdc\+\+\.so",
    "torch": r"libtorch_cpu\.so",
}

_VERSION = re.compile(r"\.so\.(\d[\d.]*)$")


def collect(failure: Failure) -> Iterator[tuple[str, Any]]:
    """Copies, paths and versions of each library that is mapped at all."""
    paths = _mapped("/proc/self/maps")
    for name, pattern in _LIBRARIES.items():
        files = sorted({path for path in paths if re.match(pattern, os.path.basename(path))})
        if not files:
            continue
        versions = {match.group(1) for match in map(_VERSION.search, map(os.path.realpath, files)) if match}
        yield f"mapped.{name}.copies", len({os.path.realpath(path) for path in files})
        yield f"mapped.{name}.paths", files
        yield f"mapped.{name}.versions", sorted(versions)


def _mapped(maps: str) -> set[str]:
    found = set()
    with open(maps, encoding="utf-8", errors="replace") as file:
        for line in file:
            path = line.rstrip("\n").split(None, 5)[5:]
            if path and ".so" in path[0]:
                found.add(path[0].removesuffix(" (deleted)") if hasattr(str, "removesuffix") else path[0])
    return found

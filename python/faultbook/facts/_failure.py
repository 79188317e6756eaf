"""An exception as collectors see it: its chain, its frames, and whether the GPU may still be asked."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType
    from typing import Any, Optional

#: Words of messages after which no call to the GPU returns anything else.
_POISONED = (
    "CUDA error",
    "CUDA kernel errors",
    "device-side assert",
    "CUBLAS_STATUS",
    "CUDNN_STATUS",
    "cudaError",
    "CUDA_ERROR",
    "HIP error",
    "hipError",
    "NCCL error",
    "unspecified launch failure",
)

#: Deeper frames are not looked at.
_MOST_FRAMES = 40

#: Folders of installed packages and of the standard library.
_INSTALLED = ("site-packages", "dist-packages", f"python{sys.version_info[0]}.{sys.version_info[1]}/", "<frozen")


class Failure:
    """An uncaught exception, at the moment when its frames are still alive."""

    def __init__(self, exception: BaseException, role: str = "main") -> None:
        self.exception = exception
        self.role = role
        self.root = _root(exception)
        """The exception of the chain that was raised first."""
        self.collectives: Optional[list[dict[str, Any]]] = None
        """The last collectives, where they were asked for before."""

    @classmethod
    def of(cls, exception: BaseException, role: str = "main") -> Failure:
        """The same as the constructor."""
        return cls(exception, role)

    def ask_ours(self) -> None:
        """Asks what a copy of this process cannot ask: the flight recorder, whose entries look at events of the GPU."""
        if not self.poisoned and "torch.distributed" in sys.modules:
            from faultbook.facts import distributed

            self.collectives = distributed.recorded()

    def text(self) -> str:
        """The traceback as Python prints it."""
        import traceback

        one = self.exception
        return "".join(traceback.format_exception(type(one), one, one.__traceback__))

    @property
    def message(self) -> str:
        """The root's message; empty where it cannot be had."""
        try:
            return str(self.root)
        except Exception:
            return ""

    @property
    def poisoned(self) -> bool:
        """Whether calls to the GPU must be avoided."""
        words = self.message + type(self.root).__name__ + str(self.exception)
        return "AcceleratorError" in words or any(word in words for word in _POISONED)

    def frames(self) -> list[FrameType]:
        """Frames of the root's traceback, then of the exceptions that it led to; the innermost first."""
        found: list[FrameType] = []
        for one in dict.fromkeys([self.root, self.exception]):
            trace = one.__traceback__
            frames = []
            while trace is not None:
                frames.append(trace.tb_frame)
                trace = trace.tb_next
            found.extend(frame for frame in reversed(frames) if not _is_ours(frame) and frame not in found)
        return found[:_MOST_FRAMES]

    def own_frames(self) -> list[FrameType]:
        """Those of code that is no installed package, the innermost first."""
        return [frame for frame in self.frames() if is_own(frame.f_code.co_filename)]

    def locals(self) -> Iterator[tuple[str, Any]]:
        """Names and values of all frames, the innermost first."""
        for frame in self.frames():
            for name, value in list(frame.f_locals.items()):
                if not name.startswith("__"):
                    yield name, value


def is_own(file: str) -> bool:
    """Whether a file is no part of an installed package."""
    plain = file.replace("\\", "/")
    return not any(part in plain for part in _INSTALLED)


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).split(".")[0] == "faultbook"


def _root(exception: BaseException) -> BaseException:
    seen = {id(exception)}
    while True:
        group = getattr(exception, "exceptions", None)
        if isinstance(group, tuple) and group and isinstance(group[0], BaseException) and id(group[0]) not in seen:
            # An ExceptionGroup of tasks: the first of them.
            seen.add(id(group[0]))
            exception = group[0]
            continue
        earlier = exception.__cause__
        if earlier is None and not exception.__suppress_context__:
            earlier = exception.__context__
        if earlier is None or id(earlier) in seen or earlier.__traceback__ is None:
            return exception
        seen.add(id(earlier))
        exception = earlier

"""Facts of a child whose exception is passed on: a worker of a data loader, of a pool, of Ray.

Such a child prints no traceback: its exception is sent to the parent, which raises one with the same words and without the
frames. The child writes its facts into the run's folder; the parent takes those whose message stands in its own text.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

#: Exceptions of one child whose facts are written: some programs expect theirs and go on.
MOST = 3

#: The class that wraps an exception to send it on, and the role of a process that makes one.
WRAPPERS = {
    "torch._utils": ("ExceptionWrapper", "loader"),
    "multiprocessing.pool": ("ExceptionWithTraceback", "worker"),
    "concurrent.futures.process": ("_ExceptionWithTraceback", "worker"),
    "joblib.externals.loky.process_executor": ("_ExceptionWithTraceback", "worker"),
}

#: Whether the hooks are installed.
active = False

_written = 0


def record(exception: Optional[BaseException], role: str) -> None:
    """Writes the facts of an exception that this child sends on. Never raises."""
    global _written
    try:
        if not active or not isinstance(exception, Exception) or _written >= MOST:
            return
        _written += 1
        from faultbook import _apart, _once
        from faultbook._tell import FOLDER
        from faultbook.facts import DEADLINE, Failure, gather, write

        folder = os.environ.get(FOLDER) or _once.folder()
        if folder is None:
            return
        path = os.path.join(folder, f"{time.time_ns():020}-{os.getpid()}.json")

        def work() -> None:
            write(gather(Failure(exception, role)), path)

        _apart.answer(work, DEADLINE + 0.5)
    except Exception:  # noqa: S110 - the exception itself is on its way
        pass


def recorded(text: str) -> Optional[dict[str, Any]]:
    """What a child wrote lately about an exception whose words are in a text."""
    from faultbook import _once

    folder = _once.folder()
    if folder is None:
        return None
    import json

    newest = time.time_ns() - int(_once.WINDOW * 1e9)
    for name in sorted(os.listdir(folder), reverse=True)[:64]:
        if not name.endswith(".json") or not name[:20].isdigit() or int(name[:20]) < newest:
            continue
        try:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                document: dict[str, Any] = json.load(file)
            kind = str(document["facts"]["exception.type"]).rpartition(".")[2]
            message = str(document["facts"].get("exception.message") or kind)
        except (OSError, ValueError, KeyError):
            continue
        # A message may be as short as "0": its type stands with it.
        if message in text and kind in text:
            return document
    return None


def watch(module: Any) -> None:
    """Lets a module that wraps exceptions record them."""
    wrapper = WRAPPERS.get(module.__name__)
    if wrapper is not None:
        _wrap(module, *wrapper)
    elif hasattr(module, "format_error_message"):
        _watch_ray(module)
    elif hasattr(module, "construct_user_exception_with_traceback"):
        _watch_ray_train(module)


def _is_child() -> bool:
    process = sys.modules.get("multiprocessing.process")
    return process is not None and process.parent_process() is not None


def _replace(owner: Any, name: str, ours: Any) -> None:
    """Until the hooks are taken away."""
    from faultbook import _install

    _install.replace(owner, name, ours)


def _wrap(module: Any, name: str, role: str) -> None:
    kind = getattr(module, name, None)
    if kind is None:
        return
    original = kind.__init__

    def __init__(self: Any, *arguments: Any, **named: Any) -> None:  # noqa: N807
        if _is_child():
            # Before the original: it may take the frames away.
            record(sys.exc_info()[1], role)
        original(self, *arguments, **named)

    _replace(kind, "__init__", __init__)


def _watch_ray(module: Any) -> None:
    """What a worker of Ray calls for the words of an exception that it sends to the driver."""
    original = module.format_error_message

    def format_error_message(*arguments: Any, **named: Any) -> Any:
        words = original(*arguments, **named)
        if named.get("task_exception") or arguments[1:2] == (True,):
            record(sys.exc_info()[1], "worker")
        return words

    _replace(module, "format_error_message", format_error_message)


def _watch_ray_train(module: Any) -> None:
    """The same for a training function of Ray Train."""
    original = module.construct_user_exception_with_traceback

    def construct(*arguments: Any, **named: Any) -> Any:
        record(sys.exc_info()[1], "rank")
        return original(*arguments, **named)

    _replace(module, "construct_user_exception_with_traceback", construct)

"""``install``: hooks that run after a traceback has been printed. It imports nothing but what is below."""

from __future__ import annotations

import os
import sys

from faultbook import _forks, _imports, _once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

_previous: Optional[Any] = None
_undo: list[Any] = []

#: Modules in which a child wraps an exception to send it to its parent.
_PASS_ON = (
    "torch._utils",
    "multiprocessing.pool",
    "concurrent.futures.process",
    "joblib.externals.loky.process_executor",
    "ray._private.utils",
    "ray.train.v2._internal.execution.worker_group.thread_runner",
)


def install() -> None:
    """Puts the diagnosis under the traceback of every exception that nobody catches.

    The traceback and the exit code stay as they were. Calling it again changes nothing. It also turns on the standard
    library's ``faulthandler``, so that a fatal signal leaves a stack.
    """
    global _previous
    if _previous is not None:
        return
    _previous = sys.excepthook
    sys.excepthook = _excepthook
    _once.begin()
    if not _undo:
        _forks.watch()
    _stack_on_signals()
    _imports.when("threading", _watch_threads)
    _imports.when("asyncio.base_events", _watch_tasks)
    _imports.when("multiprocessing.process", _watch_children)
    for module in _PASS_ON:
        _imports.when(module, _watch_passing_on)
    for framework in ("numpy", "torch", "jax", "tensorflow"):
        _imports.when(framework, _take_samples)
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    if running is not None:
        from faultbook.notebook import load

        load(running)


def uninstall() -> None:
    """Puts back what was there before."""
    global _previous
    if _previous is None:
        return
    samples = sys.modules.get("faultbook._samples")
    if samples is not None:
        samples.stop()
    if sys.excepthook is _excepthook:
        sys.excepthook = _previous
    _previous = None
    _imports.forget()
    children = sys.modules.get("faultbook._children")
    if children is not None:
        setattr(children, "active", False)
    while _undo:
        owner, name, original, ours = _undo.pop()
        if getattr(owner, name, None) is ours:
            setattr(owner, name, original)


def _tell(exception: Optional[BaseException], role: str) -> None:
    if exception is not None:
        try:
            from faultbook._tell import failure

            failure(exception, role)
        except Exception:  # noqa: S110 - half an installation must not become a second traceback
            pass


def _excepthook(kind: Any, value: Any, trace: Any) -> None:
    previous = _previous or sys.__excepthook__
    previous(kind, value, trace)
    _tell(value, "rank" if "RANK" in os.environ else "main")


def _watch_passing_on(module: Any) -> None:
    from faultbook import _children

    _children.active = True
    _children.watch(module)


def _take_samples(_: Any) -> None:
    from faultbook import _samples

    _samples.start()


def replace(owner: Any, name: str, ours: Any) -> None:
    _undo.append((owner, name, getattr(owner, name), ours))
    setattr(owner, name, ours)


def _stack_on_signals() -> None:
    import faulthandler

    try:
        if not faulthandler.is_enabled():
            faulthandler.enable()
    except (RuntimeError, ValueError, AttributeError, OSError):
        # Standard error has no file: a notebook, or a service without one.
        pass


def _watch_threads(threading: Any) -> None:
    original = threading.excepthook

    def hook(arguments: Any) -> None:
        original(arguments)
        _tell(arguments.exc_value, "thread")

    replace(threading, "excepthook", hook)


def _watch_tasks(events: Any) -> None:
    """What asyncio reports of tasks that nobody awaits."""
    original = events.BaseEventLoop.default_exception_handler

    def handler(self: Any, context: dict[str, Any]) -> None:
        original(self, context)
        _tell(context.get("exception"), "thread")

    replace(events.BaseEventLoop, "default_exception_handler", handler)


def _watch_children(process: Any) -> None:
    """A child prints its traceback by itself, without ``sys.excepthook``; what it calls for that is watched.

    A frame of ours between the child's frames would be seen in the traceback.
    """
    original = process.BaseProcess._bootstrap

    def bootstrap(self: Any, *arguments: Any, **named: Any) -> Any:
        try:
            _watch_printing()
        except Exception:  # noqa: S110
            pass
        return original(self, *arguments, **named)

    replace(process.BaseProcess, "_bootstrap", bootstrap)


def _watch_printing() -> None:
    import traceback

    printed, formatted = traceback.print_exc, traceback.format_exc

    def print_exc(*arguments: Any, **named: Any) -> None:
        printed(*arguments, **named)
        if sys._getframe(1).f_code.co_name == "_bootstrap":
            _tell(sys.exc_info()[1], "worker")

    def format_exc(*arguments: Any, **named: Any) -> str:
        words = formatted(*arguments, **named)
        # torch.multiprocessing.spawn sends the words to the parent, which raises them.
        if sys._getframe(1).f_globals.get("__name__") == "torch.multiprocessing.spawn":
            from faultbook import _children

            _children.active = True
            _children.record(sys.exc_info()[1], "rank")
        return words

    traceback.print_exc, traceback.format_exc = print_exc, format_exc

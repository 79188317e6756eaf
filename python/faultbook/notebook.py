"""Notebooks: ``%load_ext faultbook`` puts the diagnosis under every traceback; ``%diagnose`` and ``%%faultbook``.

A kernel that died cannot say anything; the next one of the same notebook does, from what the last one left behind.
"""

from __future__ import annotations

import sys
from typing import Any, Optional

from faultbook import _died

#: Exceptions that need no explanation.
_PLAIN = (KeyboardInterrupt, SystemExit, SyntaxError)

_shell: Optional[Any] = None
_previous: Optional[Any] = None
_last: Optional[BaseException] = None
_printed: Optional[list[str]] = None


def load(shell: Any) -> None:
    """Watches the shell's tracebacks, registers the magics, and tells how the last kernel ended."""
    global _shell, _previous
    if _shell is not None:
        return
    _shell, _previous = shell, shell.showtraceback
    shell.showtraceback = _showtraceback
    shell.register_magic_function(_diagnose, "line", "diagnose")
    shell.register_magic_function(_cell, "cell", "faultbook")
    try:
        told = _died.begin()
        if told is not None:
            show(told)
        shell.events.register("pre_run_cell", _died.note)
    except Exception:  # noqa: S110 - a cache folder that cannot be written must not stop a notebook
        pass


def unload(shell: Any) -> None:
    """Leaves the shell as it was."""
    global _shell, _previous
    if _shell is None:
        return
    # The method of the class is there again.
    vars(shell).pop("showtraceback", None)
    if _previous is not None and getattr(_previous, "__self__", shell) is not shell:
        shell.showtraceback = _previous
    _shell = _previous = None
    for kind, name in (("line", "diagnose"), ("cell", "faultbook")):
        shell.magics_manager.magics[kind].pop(name, None)
    try:
        shell.events.unregister("pre_run_cell", _died.note)
    except ValueError:
        pass
    _died.end()


def show(answer: Any) -> None:
    """Shows an answer in the form that the front end can show."""
    from IPython.display import display

    display(answer)


def _showtraceback(*arguments: Any, **named: Any) -> None:
    global _last
    if _previous is not None:
        _previous(*arguments, **named)
    try:
        given = arguments[0] if arguments else named.get("exc_tuple")
        exception = given[1] if given else sys.exc_info()[1]
        if exception is None or isinstance(exception, _PLAIN):
            return
        _last = exception
        answer = _answer(exception)
        if answer is not None:
            show(answer)
    except Exception as problem:
        print(f"faultbook: {type(problem).__name__}: {problem}", file=sys.stderr)


def _answer(exception: BaseException) -> Optional[Any]:
    """The diagnosis of an exception and of what the cell printed, where that is kept."""
    from faultbook._api import diagnose
    from faultbook._tell import DEADLINE

    return diagnose(exception, timeout=DEADLINE, before="".join(_printed or ()))


def _diagnose(line: str) -> Optional[Any]:
    """%diagnose [FILE|TEXT]: the last exception, a log, or a text."""
    from faultbook._api import diagnose

    words = line.strip()
    if words:
        return diagnose(words)
    exception = _last or getattr(sys, "last_value", None)
    if exception is None:
        print("faultbook: nothing has failed yet; %diagnose FILE reads a log")
        return None
    return diagnose(exception)


def _cell(line: str, cell: str) -> None:
    """%%faultbook: runs the cell, and reads what it prints as part of the failure."""
    global _printed
    _printed = []
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _Tee(streams[0], _printed), _Tee(streams[1], _printed)
    try:
        if _shell is not None:
            _shell.run_cell(cell)
    finally:
        sys.stdout, sys.stderr = streams
        _printed = None


class _Tee:
    """A stream that keeps the end of what goes through it."""

    #: Pieces that are kept.
    MOST = 4000

    def __init__(self, stream: Any, kept: list[str]) -> None:
        self._stream = stream
        self._kept = kept

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, words: str) -> int:
        self._kept.append(words)
        del self._kept[: -self.MOST]
        self._stream.write(words)
        return len(words)

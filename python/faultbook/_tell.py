"""What happens after an uncaught exception: facts are gathered, and one process prints the diagnosis.

The traceback has been printed before any of this starts. Everything is done by a copy of the process with a deadline, and in a
child of that with a shorter one, so that nothing here can change how the program ends.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Optional

#: Seconds for everything, and for the program that answers. ``FAULTBOOK_DEADLINE`` replaces the first.
DEADLINE = 10.0

#: Set by ``faultbook run``: facts go there, and the diagnosis is printed by it.
FOLDER = "FAULTBOOK_FACTS_FOLDER"

_seen: Optional[int] = None


def failure(exception: BaseException, role: str = "main") -> None:
    """Tells about an uncaught exception whose traceback has been printed. Never raises."""
    global _seen
    try:
        if not isinstance(exception, Exception) or id(exception) == _seen:
            return
        _seen = id(exception)
        from faultbook import _apart, _once
        from faultbook.facts import Failure

        # What only this process can ask, also if another rank tells; and the terminal, which the copy does not have.
        subject, screen, seconds = Failure(exception, role), _screen(), _deadline()
        subject.ask_ours()
        if FOLDER not in os.environ and not _once.is_first():
            return
        answer = _apart.answer(lambda: _answer(subject, screen, seconds), seconds)
        if answer:
            stream = sys.stderr or sys.__stderr__
            if stream is not None:
                stream.write(answer)
                stream.flush()
    except BaseException as problem:
        # Ctrl-C while we wait is for the program, which is ending anyway.
        if isinstance(problem, KeyboardInterrupt):
            return


def _deadline() -> float:
    try:
        return float(os.environ["FAULTBOOK_DEADLINE"])
    except (KeyError, ValueError):
        return DEADLINE


def _answer(subject: Any, screen: Sequence[str], seconds: float) -> Optional[str]:
    """The text to print, if this process tells."""
    outside = os.environ.get(FOLDER)
    if outside:
        from faultbook.facts import gather, write

        write(gather(subject), os.path.join(outside, f"{time.time_ns():020}-{os.getpid()}.json"))
        return None
    _, words = _explained(subject, seconds, screen)
    _attach(words)
    rank, count = os.environ.get("RANK"), os.environ.get("WORLD_SIZE", "")
    of = f" (rank {rank} of {count} failed first on this machine)" if rank and count not in ("", "1") else ""
    return f"\nfaultbook{of}:\n\n{words}" if words else None


def _attach(words: str) -> None:
    """A file that a callback has asked for."""
    attach = sys.modules.get("faultbook.attach")
    if words and attach is not None and attach.asked is not None:
        attach.to_file(attach.asked, words)


def explain(
    exception: BaseException,
    role: str = "main",
    seconds: float = DEADLINE,
    screen: Sequence[str] = ("--no-pager", "--color", "never", "--width", "100"),
) -> tuple[bool, str]:
    """Whether a page of the book explains an exception, and the answer as it is shown on a terminal."""
    from faultbook.facts import Failure

    return _explained(Failure(exception, role), seconds, screen)


def _explained(subject: Any, seconds: float, screen: Sequence[str]) -> tuple[bool, str]:
    import tempfile

    from faultbook._binary import call
    from faultbook.facts import gathered, write

    end = time.monotonic() + seconds
    handle, path = tempfile.mkstemp(prefix="faultbook-", suffix=".json")
    os.close(handle)
    try:
        text = subject.text()
        write(gathered(subject, text), path)
        arguments = ["diagnose", "--facts", path, "--probe", "--python", sys.prefix, *screen, "-"]
        code, out, _ = call(arguments, text, max(0.5, end - time.monotonic() - 0.3))
    finally:
        os.unlink(path)
    return code == 0, out if out.strip() else ""


def _screen() -> list[str]:
    """Colour and width of the terminal that standard error is."""
    words = ["--no-pager"]
    try:
        if not sys.stderr.isatty():
            return [*words, "--color", "never"]
        width = os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError, AttributeError):
        return [*words, "--color", "never"]
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return [*words, "--color", "never" if plain else "always", "--width", str(min(max(width, 40), 120))]

"""What happens after an uncaught exception: facts are gathered, and one process prints the diagnosis.

The traceback has been printed before any of this starts. Everything runs in a thread with a deadline and in a child
process with a shorter one, so that nothing here can change how the program ends.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Optional

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
        answer = _within(_deadline(), exception, role)
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


def _within(seconds: float, exception: BaseException, role: str) -> Optional[str]:
    import threading

    answers: list[Optional[str]] = []

    def work() -> None:
        try:
            answers.append(_answer(exception, role, seconds))
        except BaseException:
            answers.append(None)

    thread = threading.Thread(target=work, name="faultbook", daemon=True)
    thread.start()
    thread.join(seconds)
    return answers[0] if answers else None


def _answer(exception: BaseException, role: str, seconds: float) -> Optional[str]:
    """The text to print, if this process tells."""
    outside = os.environ.get(FOLDER)
    if outside:
        from faultbook.facts import Failure, gather, write

        document = gather(Failure(exception, role))
        write(document, os.path.join(outside, f"{time.time_ns():020}-{os.getpid()}.json"))
        return None
    from faultbook import _once

    if not _once.is_first():
        return None
    _, words = explain(exception, role, seconds, _screen())
    rank, count = os.environ.get("RANK"), os.environ.get("WORLD_SIZE", "")
    of = f" (rank {rank} of {count} failed first on this machine)" if rank and count not in ("", "1") else ""
    return f"\nfaultbook{of}:\n\n{words}" if words else None


def explain(
    exception: BaseException,
    role: str = "main",
    seconds: float = DEADLINE,
    screen: Sequence[str] = ("--no-pager", "--color", "never", "--width", "100"),
) -> tuple[bool, str]:
    """Whether a page of the book explains an exception, and the answer as it is shown on a terminal."""
    import tempfile

    from faultbook._binary import call
    from faultbook.facts import Failure, gather, write

    end = time.monotonic() + seconds
    subject = Failure(exception, role)
    handle, path = tempfile.mkstemp(prefix="faultbook-", suffix=".json")
    os.close(handle)
    try:
        write(gather(subject), path)
        arguments = ["diagnose", "--facts", path, "--probe", "--python", sys.prefix, *screen, "-"]
        code, out, _ = call(arguments, subject.text(), max(0.5, end - time.monotonic() - 0.3))
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

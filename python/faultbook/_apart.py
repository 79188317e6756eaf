"""Work that looks at a failed process from a copy of it, so that nothing in it can change how the process ends.

The copy is a fork: it sees the frames of the failure, and may hang, crash or exit as it likes. Where there is no fork (Windows,
macOS), or where the system refuses one, the work is done in a thread with the same deadline.
"""

from __future__ import annotations

import os
import sys
import time

from faultbook import _forks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Optional


def answer(work: Callable[[], Optional[str]], seconds: float) -> Optional[str]:
    """What ``work`` returns, or ``None`` if it hangs, crashes or raises."""
    if sys.platform == "linux":
        try:
            reading, writing = os.pipe()
        except OSError:
            # Too many open files, perhaps: that is what is to be examined.
            return _in_thread(work, seconds)
        try:
            child = _forks.copy()
        except (OSError, RuntimeError):
            os.close(reading)
            os.close(writing)
            return _in_thread(work, seconds)
        if child == 0:
            _be_the_copy(work, reading, writing, seconds)
        os.close(writing)
        try:
            return _from(reading, seconds)
        finally:
            os.close(reading)
            _end(child)
    return _in_thread(work, seconds)


def _be_the_copy(work: Callable[[], Optional[str]], reading: int, writing: int, seconds: float) -> None:
    """Does the work and leaves; never returns."""
    try:
        parent = int(_forks.state.subject)
        _calm(seconds)
        os.close(reading)
        screen = _silent()
        words = work()
        if words:
            # A launcher may have ended the failed process meanwhile: nobody else can show the answer then.
            _send(screen if os.getppid() != parent else writing, words.encode("utf-8", "surrogateescape"))
    finally:
        os._exit(0)


def _calm(seconds: float) -> None:
    """Nothing of the program runs in the copy: no handlers of signals, no pools of threads that are gone."""
    import signal

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        # A launcher ends all ranks when one has failed; the deadline ends us.
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    for name in ("SIGCHLD", "SIGALRM"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds + 0.5)
    torch = sys.modules.get("torch")
    if hasattr(torch, "set_num_threads"):
        torch.set_num_threads(1)  # type: ignore[union-attr]


def _silent() -> int:
    """Standard error of before; what the copy prints by itself is seen by nobody."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    try:
        screen = os.dup(2)
    except OSError:
        screen = nowhere
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    return screen


def _send(place: int, words: bytes) -> None:
    while words:
        words = words[os.write(place, words) :]


def _from(reading: int, seconds: float) -> Optional[str]:
    """What the copy writes until it ends."""
    import select

    end = time.monotonic() + seconds
    parts: list[bytes] = []
    while True:
        left = end - time.monotonic()
        if left <= 0:
            return None
        try:
            if reading in select.select([reading], [], [], left)[0]:
                part = os.read(reading, 1 << 16)
                if not part:
                    break
                parts.append(part)
        except Exception:
            # Raised by the program's own handler of a signal, such as the end of a worker.
            time.sleep(0.01)
    return b"".join(parts).decode("utf-8", "replace") or None


def _end(child: int) -> None:
    import signal

    try:
        if os.waitpid(child, os.WNOHANG)[0] == 0:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    except OSError:
        # The program waits for all children itself.
        pass


def _in_thread(work: Callable[[], Optional[str]], seconds: float) -> Optional[str]:
    import threading

    answers: list[Optional[str]] = []

    def run() -> None:
        try:
            answers.append(work())
        except BaseException:
            answers.append(None)

    thread = threading.Thread(target=run, name="faultbook", daemon=True)
    try:
        thread.start()
        thread.join(seconds)
    except RuntimeError:
        # Python 3.12 starts nothing any more while it waits for the last threads of a program: no collector starts either,
        # and the program that answers has a deadline of its own.
        run()
    return answers[0] if answers else None

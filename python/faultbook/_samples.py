"""How memory and loss moved: one reading every other second, of the last ten minutes.

A thread reads counters that the process keeps anyway: the kernel's of its memory, the allocator's of PyTorch, and numbers named
``loss`` among the globals of the script (from Python 3.13 also in its running functions, where a look changes nothing).
It starts when a framework is imported, calls no GPU, and ends while the program forks, so that a fork sees one thread less.
"""

from __future__ import annotations

import _thread
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

#: Seconds between readings: short ones first, for short programs. ``FAULTBOOK_SAMPLING`` replaces the second; 0 turns it off.
SHORTEST, LONGEST = 0.1, 2.0

#: Readings that are kept.
MOST = 300

#: Functions that are looked at for a loss, from the innermost.
_DEPTH = 40


class Reading:
    """At one moment."""

    __slots__ = ("gpu", "host", "loss", "time")

    def __init__(self, time: float, host: Optional[int], gpu: Optional[int], loss: Optional[float]) -> None:
        self.time = time
        """Of the monotonic clock."""
        self.host = host
        self.gpu = gpu
        self.loss = loss


class _State:
    readings: list[Reading] = []
    listener: Any = None
    stop: Any = None
    ended: Any = None
    thread: int = 0
    names: dict[int, tuple[str, ...]] = {}
    paused = False
    registered = False


_state = _State()


def readings() -> list[Reading]:
    """Those so far, the oldest first, and one of now."""
    found = list(_state.readings)
    try:
        found.append(_read(loss=False))
    except Exception:  # noqa: S110 - what was read before is worth more
        pass
    return found


def start(_: Any = None) -> None:
    """Starts the thread, once."""
    longest = interval()
    if _state.stop is not None or longest <= 0:
        return
    stop, ended = _thread.allocate_lock(), _thread.allocate_lock()
    stop.acquire()
    ended.acquire()
    _state.stop, _state.ended = stop, ended
    try:
        _state.thread = 0
        _thread.start_new_thread(_loop, (stop, ended, longest))
    except RuntimeError:
        # No more threads are allowed.
        _state.stop = None
        return
    if not _state.registered:
        import atexit

        atexit.register(_stop_at_exit)
        _state.registered = True


def stop() -> None:
    """Ends the thread and waits for its end."""
    stop, ended = _state.stop, _state.ended
    _state.stop = None
    if stop is None:
        return
    stop.release()
    if not ended.acquire(timeout=0.05):
        return
    # The system's thread ends after ours, and whoever counts threads counts it.
    task = f"/proc/self/task/{_state.thread}"
    end = time.monotonic() + 0.01
    while _state.thread and os.path.exists(task) and time.monotonic() < end:
        time.sleep(0.0001)


def _stop_at_exit() -> None:
    # The readings stay: what fails later in the exit is told with them.
    stop()


def pause() -> None:
    """Before a fork."""
    _state.paused = _state.stop is not None
    stop()


def resume() -> None:
    """After a fork. From Python 3.14 on threads are counted after this, and a program that forks there has chosen to."""
    if _state.paused and sys.version_info < (3, 14):
        start()
    _state.paused = False


def forget() -> None:
    """In a fork: nothing has been read there."""
    _state.readings = []
    _state.stop = None
    _state.paused = False


def listen(function: Any) -> None:
    """Calls it with each reading, in place of whoever listened before; ``None`` for nobody."""
    _state.listener = function


def interval() -> float:
    """Seconds between two readings of a program that runs for a while."""
    try:
        return float(os.environ.get("FAULTBOOK_SAMPLING") or LONGEST)
    except ValueError:
        return LONGEST


def _loop(stop: Any, ended: Any, longest: float) -> None:
    try:
        _state.thread = _thread.get_native_id() if hasattr(_thread, "get_native_id") else 0
        _ignore_signals()
        pause = min(SHORTEST, longest)
        while not stop.acquire(timeout=pause):
            pause = min(pause * 1.5, longest)
            reading = _read()
            _state.readings.append(reading)
            if len(_state.readings) > MOST:
                del _state.readings[: len(_state.readings) - MOST]
            if _state.listener is not None:
                _state.listener(reading)
    except Exception:  # noqa: S110 - readings are not worth a word
        pass
    finally:
        ended.release()


def _ignore_signals() -> None:
    signal = sys.modules.get("_signal")
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))  # type: ignore[union-attr]


def _read(loss: bool = True) -> Reading:
    try:
        found = _loss() if loss else None
    except Exception:
        found = None
    return Reading(time.monotonic(), _host(), _gpu(), found)


def _host() -> Optional[int]:
    from faultbook import _forks

    try:
        file = os.open(f"/proc/{_forks.state.subject}/statm", os.O_RDONLY)
    except OSError:
        return None
    try:
        return int(os.read(file, 200).split()[1]) * os.sysconf("SC_PAGE_SIZE")
    finally:
        os.close(file)


def _gpu() -> Optional[int]:
    """Counters of the allocator, of all GPUs that the process sees; no GPU is asked. A rank computes on one that is not the first."""
    cuda: Any = sys.modules.get("torch.cuda")
    if not getattr(cuda, "_initialized", False):
        return None
    counters: Any = sys.modules["torch"]._C._cuda_memoryStats
    # One generator for each GPU: counting these asks no driver.
    devices = range(max(1, len(getattr(cuda, "default_generators", ()))))
    return sum(int(counters(device)["allocated_bytes"]["all"]["current"]) for device in devices)


def _loss() -> Optional[float]:
    main = sys.modules.get("__main__")
    if main is not None:
        found = _of(vars(main), _names(id(main), tuple(vars(main)) if len(_state.readings) % 8 == 0 else None))
        if found is not None:
            return found
    if sys.version_info < (3, 13):
        # A look at a running function's variables keeps them alive there.
        return None
    main_thread = getattr(_thread, "_get_main_thread_ident", int)()
    frame = sys._current_frames().get(main_thread)
    for _ in range(_DEPTH):
        if frame is None:
            return None
        names = _names(id(frame.f_code), frame.f_code.co_varnames)
        if names:
            found = _of(frame.f_locals, names)
            if found is not None:
                return found
        frame = frame.f_back
    return None


def _names(key: int, variables: Optional[tuple[str, ...]]) -> tuple[str, ...]:
    """Of a loss among these variables, the plainest first."""
    if variables is None:
        return _state.names.get(key, ())
    if key not in _state.names or key == id(sys.modules.get("__main__")):
        if len(_state.names) > 1000:
            _state.names.clear()
        found = [name for name in variables if name in ("loss", "total_loss") or name.endswith("_loss")]
        _state.names[key] = tuple(sorted(found, key=len))
    return _state.names[key]


def _of(variables: Any, names: tuple[str, ...]) -> Optional[float]:
    for name in names:
        value = number(variables.get(name))
        if value is not None:
            return value
    return None


def number(value: Any) -> Optional[float]:
    """A plain number, or a tensor of one element in the host's memory."""
    kind = type(value)
    if kind is float or kind is int:
        return float(value)
    if kind.__module__ == "numpy" and isinstance(value, float):
        return float(value)
    torch = sys.modules.get("torch")
    if torch is not None and kind is getattr(torch, "Tensor", None):
        if value.numel() == 1 and value.device.type == "cpu" and value.layout is torch.strided:
            return float(value.detach())
    return None

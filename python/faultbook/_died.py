"""How the last kernel of a notebook ended, if it ended without leaving.

A kernel has a file with its process, the cell that it runs and its memory, and one into which ``faulthandler`` writes. A
kernel that ends in order removes both; what a dead one left is read by the next kernel of the same notebook.
"""

from __future__ import annotations

import atexit
import json
import os
import time
from pathlib import Path
from typing import Any, Optional

#: What Jupyter says of a kernel that is gone.
_GONE = "The kernel appears to have died. It will restart automatically.\n"

_state: Optional[Path] = None
_stack: Optional[Any] = None
_cell = ""
_memory: Optional[int] = None


def begin() -> Optional[Any]:
    """Starts watching this kernel. The diagnosis of the last one, if it died."""
    global _state, _stack
    import faulthandler

    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    told = _last(folder)
    _state = folder / f"{os.getpid()}.json"
    _stack = open(folder / f"{os.getpid()}.stack", "w", encoding="utf-8")  # noqa: SIM115 - the handler keeps it
    faulthandler.enable(_stack)
    note()
    from faultbook import _samples

    _samples.listen(_remember)
    _samples.start()
    atexit.register(end)
    return told


def end() -> None:
    """This kernel ends in order."""
    global _state, _stack
    import faulthandler
    import sys

    if _state is not None and _stack is not None:
        from faultbook import _samples

        _samples.listen(None)
        faulthandler.disable()
        if sys.__stderr__ is not None:
            try:
                faulthandler.enable(sys.__stderr__)
            except (ValueError, OSError, RuntimeError):
                pass
        _stack.close()
        for path in (_state, _state.with_suffix(".stack")):
            path.unlink() if path.exists() else None
    _state = _stack = None


def note(info: Any = None) -> None:
    """Before each cell: which one it is, and how much memory is used."""
    global _cell, _memory
    if _state is None:
        return
    _cell, _memory = str(getattr(info, "raw_cell", "") or ""), _resident()
    _write()


def _remember(reading: Any) -> None:
    """With each reading of memory, if it has moved: a kernel that the system kills does not come back to say it."""
    global _memory
    if reading.host is not None and abs(reading.host - (_memory or 0)) > 0.05 * reading.host:
        _memory = reading.host
        _write()


def _write() -> None:
    if _state is not None and _state.stem == str(os.getpid()):
        status = {"pid": os.getpid(), "time": time.time(), "cell": _cell[:2000], "memory": _memory}
        beside = _state.with_suffix(".new")
        beside.write_text(json.dumps(status), encoding="utf-8")
        beside.replace(_state)


def _folder() -> Path:
    """One for each notebook of this user."""
    import hashlib

    top = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    notebook = os.environ.get("JPY_SESSION_NAME") or os.getcwd()
    return Path(top) / "faultbook" / "kernels" / hashlib.sha256(notebook.encode("utf-8", "replace")).hexdigest()[:16]


def _resident() -> Optional[int]:
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def _last(folder: Path) -> Optional[Any]:
    """Reads and removes what dead kernels left; the newest is diagnosed."""
    found = []
    for path in folder.glob("*.json"):
        if not path.stem.isdigit() or _lives(int(path.stem)):
            continue
        try:
            status = json.loads(path.read_text(encoding="utf-8"))
            stack = path.with_suffix(".stack")
            words = stack.read_text(encoding="utf-8", errors="replace") if stack.exists() else ""
            found.append((status["time"], status, words))
        except (OSError, ValueError, KeyError):
            pass
        for old in (path, path.with_suffix(".stack")):
            old.unlink() if old.exists() else None
    if not found:
        return None
    _, status, words = max(found, key=lambda one: one[0])
    first = next((line for line in status["cell"].splitlines() if line.strip()), "")
    memory = f" It used {status['memory'] / (1 << 30):.1f} GiB of memory." if status.get("memory") else ""
    where = f" in the cell that begins with: {first}" if first else ""
    print(f"faultbook: the last kernel of this notebook died{where}{'.' if memory else ''}{memory}")
    return _explained(status, words)


def _explained(status: dict[str, Any], stack: str) -> Any:
    """With what was known of the dead process as facts from inside."""
    import tempfile

    from faultbook._api import diagnose
    from faultbook.facts import document, write

    known = {"process.interactive": True, "process.memory.used": status.get("memory")}
    with tempfile.TemporaryDirectory(prefix="faultbook-") as folder:
        path = os.path.join(folder, "facts.json")
        write(document({name: value for name, value in known.items() if value is not None}, {}), path)
        return diagnose(_GONE + stack, facts=path, probe=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True

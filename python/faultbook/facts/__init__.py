"""Facts from inside the failing process, for ``faultbook --facts``.

Each concern is one small module with a function ``collect(failure)`` that yields names of ``kb/facts.toml`` with values.
Collectors run side by side in threads with one deadline; one that is late or raises costs its own facts only. None of
them calls CUDA after a CUDA error, and none reads values of a tensor that is not in this process's own host memory.
"""

from __future__ import annotations

import json
import os
import time

from faultbook.facts._failure import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

__all__ = ["COLLECTORS", "Failure", "document", "gather", "gathered", "write"]

#: Modules of this folder, and the fact that says why nothing was collected.
COLLECTORS = {
    "raised": "exception.type",
    "tensors": "frame.tensors",
    "indices": "frame.index_max",
    "model": "model.name",
    "mode": "mode.grad",
    "allocator": "allocator.allocated",
    "mapped": "mapped.cudnn.copies",
    "process": "process.role",
    "system": "host.memory.peak",
    "distributed": "dist.initialized",
    "versions": "torch.version",
    "files": "file.path",
    "modules": "module.installed",
    "keys": "key.name",
    "checkpoint": "state.missing",
    "loader": "run.num_workers",
    "trend": "run.host_memory.rising",
    "code": "run.commit",
}

#: Seconds for all collectors together.
DEADLINE = 1.5

SCHEMA = "faultbook/facts/1"


def gather(failure: Failure, deadline: float = DEADLINE) -> dict[str, Any]:
    """What can be known within the deadline, in the layout of saved facts."""
    import threading

    known: dict[str, Any] = {}
    unknown: dict[str, str] = {}
    lock = threading.Lock()

    def run(name: str, fact: str) -> None:
        try:
            from importlib import import_module

            for key, value in import_module(f"faultbook.facts.{name}").collect(failure):
                with lock:
                    if value is not None:
                        known[key] = value
        except Exception as problem:
            with lock:
                unknown.setdefault(fact, f"not collected: {type(problem).__name__}: {str(problem)[:120]}")

    end = time.monotonic() + deadline
    threads = []
    for name, fact in COLLECTORS.items():
        thread = threading.Thread(target=run, args=(name, fact), name=f"faultbook-{name}", daemon=True)
        try:
            thread.start()
        except RuntimeError as problem:
            # The interpreter is shutting down.
            unknown[fact] = f"not collected: {problem}"
            continue
        threads.append((thread, fact))
    late = []
    for thread, fact in threads:
        thread.join(max(0.0, end - time.monotonic()))
        if thread.is_alive():
            late.append(fact)
    with lock:
        for fact in late:
            unknown.setdefault(fact, f"not collected: took longer than {deadline} s")
        for fact in set(unknown) & set(known):
            del unknown[fact]
        return document(dict(known), dict(unknown))


def gathered(failure: Failure, text: str) -> dict[str, Any]:
    """The same, completed by what a child recorded whose exception this one passes on."""
    from faultbook import _children

    document = gather(failure)
    try:
        child = _children.recorded(text)
    except Exception:
        child = None
    if child is not None:
        document["facts"].update(child["facts"])
    return document


def document(known: dict[str, Any], unknown: dict[str, str]) -> dict[str, Any]:
    """What a file of facts holds."""
    return {
        "schema": SCHEMA,
        "faultbook": "",
        "vendor": "",
        "taken": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "level": "inside",
        "findings": [],
        "facts": known,
        "cannot_tell": unknown,
    }


def write(document: dict[str, Any], path: str, folder: Optional[str] = None) -> None:
    """Writes the file whole or not at all, readable by this user alone."""
    beside = f"{path}.{os.getpid()}"
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
        json.dump(document, file, default=str)
    os.replace(beside, path)

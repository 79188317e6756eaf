"""The last collective of each rank of this machine, compared: ranks that fail leave a note in the run's folder."""

from __future__ import annotations

import json
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

#: Seconds for which the notes of the other ranks are waited for, and their greatest age.
PATIENCE, OLDEST = 0.6, 120.0


def leave(rank: int, last: Optional[dict[str, Any]]) -> None:
    """Writes this rank's note. Never raises."""
    from faultbook import _once

    try:
        folder = _once.folder()
        if folder is None or last is None:
            return
        path = os.path.join(folder, f"rank-{rank}.note")
        beside = f"{path}.{os.getpid()}"
        with open(beside, "w", encoding="utf-8") as file:
            json.dump({"rank": rank, "pid": os.getpid(), **last}, file)
        os.replace(beside, path)
    except Exception:  # noqa: S110 - the others do without it
        pass


def notes(count: int) -> list[dict[str, Any]]:
    """Those of all ranks that have failed by now, this one's among them, by rank."""
    from faultbook import _once

    end = time.monotonic() + PATIENCE
    while True:
        found = _read(_once.folder())
        if len(found) >= count or time.monotonic() > end:
            return sorted(found, key=lambda one: int(one["rank"]))
        time.sleep(0.05)


def _read(folder: Optional[str]) -> list[dict[str, Any]]:
    found = []
    for name in os.listdir(folder) if folder else ():
        if name.startswith("rank-") and name.endswith(".note"):
            path = os.path.join(folder or "", name)
            try:
                if time.time() - os.stat(path).st_mtime < OLDEST:
                    with open(path, encoding="utf-8") as file:
                        found.append(json.load(file))
            except (OSError, ValueError):
                continue
    return found

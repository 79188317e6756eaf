"""Ranks and collectives, without a call to any of them."""

from __future__ import annotations

import os
import sys

from faultbook.facts._failure import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Optional

#: What ``init_method="env://"`` reads.
_NEEDED = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")

_LAUNCHERS = (
    ("TORCHELASTIC_RUN_ID", "torchrun"),
    ("RAY_JOB_ID", "ray"),
    ("OMPI_COMM_WORLD_RANK", "mpi"),
    ("PMI_RANK", "mpi"),
    ("SLURM_PROCID", "slurm"),
)

#: Collectives that are listed.
_LAST = 5


def collect(failure: Failure) -> Iterator[tuple[str, Any]]:
    """Rank, launcher, backend, what is missing, the last collectives."""
    rank, count = _number("RANK"), _number("WORLD_SIZE")
    launcher = next((name for variable, name in _LAUNCHERS if variable in os.environ), None)
    yield "dist.launcher", launcher
    module: Any = sys.modules.get("torch.distributed")
    initialized: bool = module is not None and bool(getattr(module, "is_initialized", bool)())
    # Only what was started as one of several ranks, or asks for it, lacks a variable.
    asks = any("rendezvous" in frame.f_code.co_filename for frame in failure.frames())
    missing = [name for name in _NEEDED if name not in os.environ]
    if asks or (missing and len(missing) < len(_NEEDED) and "RANK" in os.environ):
        yield "dist.missing", missing
    if asks and "MASTER_PORT" not in missing:
        yield "dist.port_open", _listens(_number("MASTER_PORT"))
    if module is not None:
        yield "dist.initialized", initialized
    if module is not None and initialized:
        rank, count = module.get_rank(), module.get_world_size()
        yield "dist.backend", str(module.get_backend())
        if failure.collectives is not None:
            yield "dist.last_collectives", [_line(entry) for entry in failure.collectives]
            yield from _compared(rank, count, failure.collectives)
    yield from _connection(failure)
    if count is not None:
        yield "rank.number", rank
        yield "rank.count", count
        yield "rank.local", _number("LOCAL_RANK")


def _connection(failure: Failure) -> Iterator[tuple[str, Any]]:
    """The address of a connection that failed, from the frame of the standard library."""
    for frame in failure.frames():
        address = frame.f_locals.get("address") or frame.f_locals.get("addr")
        if frame.f_globals.get("__name__") in ("socket", "urllib3.util.connection", "asyncio.base_events") and address:
            host, port = str(address[0]), int(address[1])
            local = host in ("localhost", "127.0.0.1", "::1", "0.0.0.0")
            yield "net.host", "this machine" if local else "another machine"
            yield "net.port", port
            yield "net.local", local
            if local:
                yield "net.listening", _listens(port)
            return


def _number(variable: str) -> Optional[int]:
    words = os.environ.get(variable, "")
    return int(words) if words.isdigit() else None


def _listens(port: Optional[int]) -> Optional[bool]:
    """From the kernel's table: connecting would disturb whoever listens."""
    if port is None or not os.path.exists("/proc/net/tcp"):
        return None
    wanted = f":{port:04X}"
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        if os.path.exists(table):
            with open(table, encoding="ascii", errors="replace") as file:
                for line in file:
                    words = line.split()
                    if len(words) > 3 and words[1].endswith(wanted) and words[3] == "0A":
                        return True
    return False


def recorded(seconds: float = 0.5) -> Optional[list[dict[str, Any]]]:
    """The last entries of the flight recorder, for the process itself: NCCL's look at events of the GPU, which a copy cannot.

    ``None`` if there are none, or if it does not answer in time.
    """
    module: Any = sys.modules.get("torch.distributed")
    try:
        if module is None or not module.is_initialized():
            return None
        rank = module.get_rank()
    except Exception:
        return None
    import threading

    found: list[Optional[list[dict[str, Any]]]] = []

    def ask() -> None:
        try:
            found.append(_last())
        except Exception:
            found.append(None)

    thread = threading.Thread(target=ask, name="faultbook-recorder", daemon=True)
    thread.start()
    thread.join(seconds)
    entries = found[0] if found else None
    if entries:
        from faultbook import _ranks

        last = entries[-1]
        _ranks.leave(rank, {"call": last.get("profiling_name"), "number": _number_of(last), "sizes": _sizes(last)})
    return entries


def _compared(rank: int, count: int, entries: list[dict[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The last collective of each rank that has failed on this machine."""
    from faultbook import _ranks

    notes = _ranks.notes(min(count, _number("LOCAL_WORLD_SIZE") or count))
    if len(notes) < 2:
        return
    yield "dist.calls", [f"rank {one['rank']}: {one['call']} #{one['number']} {one['sizes']}" for one in notes]
    calls = {(one["call"], one["number"]) for one in notes}
    yield "dist.calls_differ", len(calls) > 1
    yield "dist.sizes_differ", len(calls) == 1 and len({str(one["sizes"]) for one in notes}) > 1


def _number_of(entry: dict[str, Any]) -> int:
    return int(entry.get("collective_seq_id") or entry.get("p2p_seq_id") or 0)


def _sizes(entry: dict[str, Any]) -> list[Any]:
    return list(entry.get("input_sizes") or [])


def _last() -> Optional[list[dict[str, Any]]]:
    """PyTorch's flight recorder: a buffer of the last collectives, with names, numbers, sizes and states."""
    module = getattr(getattr(sys.modules.get("torch"), "_C", None), "_distributed_c10d", None)
    for name in ("_dump_nccl_trace_json", "_dump_fr_trace_json"):
        # The second one is of all other backends.
        dump = getattr(module, name, None)
        if dump is None:
            continue
        import json

        entries: list[dict[str, Any]] = json.loads(dump(True, False)).get("entries", [])
        if entries:
            return entries[-_LAST:]
    return None


def _line(entry: dict[str, Any]) -> str:
    return f"{entry.get('profiling_name')} #{_number_of(entry)} {_sizes(entry)} {entry.get('state')}"

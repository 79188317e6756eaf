"""Writes the logs of a small fleet, the same ones for the same seed, and says what is in them.

    python3 logs.py FOLDER [--jobs 110] [--seed 17]

FOLDER/job-0017/rank-3.log is one process. Healthy lines are those of tests/bench/log.py; failures are composed here.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import random
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Callable

ROOT = Path(__file__).resolve().parents[3]
_spec = importlib.util.spec_from_file_location("bench_log", ROOT / "tests" / "bench" / "log.py")
bench = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(bench)

#: The node whose GPU falls off the bus in job after job.
BAD_NODE = "gpu-node-07"
START = datetime(2026, 11, 21)

Failure = Callable[[random.Random, int], list[str]]


def _traceback(last: str) -> list[str]:
    return [line.split("]: ", 1)[1] for line in bench.traceback(0, last, depth=3)]


#: What the first rank reports, by kind: its last line and those above it.
FAILURES: dict[str, Failure] = {
    "oom": lambda r, gpu: _traceback(
        f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {r.randrange(2, 9)}.00 GiB. GPU {gpu} has a total"
        " capacity of 79.10 GiB of which 1.12 GiB is free."
    ),
    "illegal-address": lambda r, gpu: _traceback("RuntimeError: CUDA error: an illegal memory access was encountered"),
    "shm-exhausted": lambda r, gpu: _traceback(
        f"RuntimeError: DataLoader worker (pid {r.randrange(1000, 99999)}) is killed by signal: Bus error. It is possible"
        " that dataloader's workers are out of shared memory. Please try to raise your shared memory limit."
    ),
    "device-lost": lambda r, gpu: [
        f"kernel: NVRM: Xid (PCI:0000:{0x17 + gpu:02x}:00): 79, pid={r.randrange(1000, 99999)}, GPU has fallen off the bus."
    ],
    # No page has this one.
    "new": lambda r, gpu: _traceback(
        f"fleet.errors.ShardLedgerError: ledger /scratch/run{r.randrange(99)}/ledger.bin disagrees with shard"
        f" '{r.randrange(4096):05}' at offset {r.randrange(10**9)}"
    ),
}


def write(folder: Path, jobs: int = 110, seed: int = 17) -> dict[str, Any]:
    """Writes the logs; to each job's name the kind of its failure, or ``None``, with rank, node and GPU."""
    r = random.Random(seed)
    pool = [r.choice(bench.ORDINARY)(r, "") for _ in range(4000)]
    truth: dict[str, Any] = {}
    for number in range(jobs):
        kind = [None, *FAILURES][number % 6]
        ranks = r.randrange(1, 5)
        first = r.randrange(ranks)
        node = BAD_NODE if kind == "device-lost" and number // 6 % 2 else f"gpu-node-{r.randrange(8, 16):02}"
        name = f"job-{number:04}"
        truth[name] = kind and {"kind": kind, "rank": first, "node": node, "gpu": first}
        at = START + timedelta(minutes=7 * number)
        for rank in range(ranks):
            text = _log(r, pool, at, rank, node, kind if rank == first else "victim" if kind else None)
            file = folder / name / f"rank-{rank}.log"
            file.parent.mkdir(parents=True, exist_ok=True)
            if number % 10 == 3:
                (file.parent / f"{file.name}.gz").write_bytes(gzip.compress(text, mtime=0))
            else:
                file.write_bytes(text)
    return truth


def _log(r: random.Random, pool: list[str], at: datetime, rank: int, node: str, kind: Any) -> bytes:
    def stamped(line: str, seconds: float) -> str:
        return f"{(at + timedelta(seconds=seconds)).isoformat(timespec='milliseconds')}Z {node} [rank{rank}]: {line}"

    lines = [stamped(line.strip(), n * 0.1) for n, line in enumerate(r.sample(pool, r.randrange(200, 900)))]
    if kind == "victim":
        # Rank 0 writes its last line first, but the failure is another's: its watchdog comes ten minutes later.
        lines += [
            stamped(
                "[E ProcessGroupNCCL.cpp:616] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4711,"
                " OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600021 milliseconds before timing"
                " out.",
                700 + rank,
            )
        ]
    elif kind:
        lines += [stamped(line, 100 + n * 0.001) for n, line in enumerate(FAILURES[kind](r, rank))]
    return ("\n".join(lines) + "\n").encode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=110)
    parser.add_argument("--seed", type=int, default=17)
    options = parser.parse_args()
    write(options.folder, options.jobs, options.seed)


if __name__ == "__main__":
    main()

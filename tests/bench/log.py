#!/usr/bin/env python3
"""Writes a log of a training job of any size, always the same one for the same arguments.

    python3 tests/bench/log.py FILE [--bytes 1000000000] [--near-misses 0.01] [--errors-only] [--seed 17]

The mixture is that of a job of several ranks: steps, loaders, checkpoints, NCCL's INFO lines, the system's log; a dozen
incidents with their tracebacks, far apart. A near miss is a line that talks of an error as a healthy run does. The
incidents are composed here; nothing is copied from anybody's log.
"""

import argparse
import random

HOSTS = [f"gpu-node-{n:02}" for n in range(16)]

ORDINARY = [
    lambda r, t: f"{t} INFO [rank{r.randrange(64)}] trainer: step {r.randrange(10**6)} loss {r.random() * 5:.4f} grad_norm {r.random() * 3:.3f} lr {r.random() / 1e3:.3e} tokens/s {r.randrange(9000, 31000)}",
    lambda r, t: f"[rank{r.randrange(64)}]: epoch {r.randrange(9)} iter {r.randrange(10**5)}/{10**5} eta {r.randrange(24)}:{r.randrange(60):02} time {r.random():.4f} data {r.random() / 10:.4f} max mem {r.randrange(80000)}",
    lambda r, t: f"{t} {r.choice(HOSTS)} dataloader[{r.randrange(99999)}]: shard {r.randrange(4096):05}-of-04096 opened in {r.random() * 20:.1f} ms, {r.randrange(50000)} samples",
    lambda r, t: f"{r.choice(HOSTS)}:{r.randrange(9999)}:{r.randrange(9999)} [{r.randrange(8)}] NCCL INFO Channel {r.randrange(32):02}/0 : {r.randrange(64)}[{r.randrange(8)}] -> {r.randrange(64)}[{r.randrange(8)}] via P2P/CUMEM/read",
    lambda r, t: f"{t} DEBUG [rank{r.randrange(64)}] data.pipeline: bucket={r.randrange(512)} tokens={r.randrange(4096)} pad={r.random():.3f} cache=hit",
    lambda r, t: f"Nov 21 {r.randrange(24):02}:{r.randrange(60):02}:{r.randrange(60):02} {r.choice(HOSTS)} systemd[1]: Started session {r.randrange(9999)} of user train.",
    lambda r, t: f"{t} INFO checkpoint: wrote layer {r.randrange(96)} to /ckpt/run7/step-{r.randrange(10**6)}/rank{r.randrange(64)}.pt in {r.random() * 9:.2f} s",
    lambda r, t: f"{{\"ts\": \"{t}\", \"level\": \"info\", \"rank\": {r.randrange(64)}, \"msg\": \"metrics\", \"loss\": {r.random():.5f}, \"mfu\": {r.random():.3f}, \"step\": {r.randrange(10**6)}}}",
    lambda r, t: f" {r.randrange(100)}%|{'#' * r.randrange(20):<20}| {r.randrange(10**4)}/{10**4} [{r.randrange(60):02}:{r.randrange(60):02}<{r.randrange(60):02}:{r.randrange(60):02}, {r.random() * 9:.2f}it/s]",
]

NEAR_MISSES = [
    lambda r, t: f"{t} INFO [rank{r.randrange(64)}] memory: CUDA out of memory retries: 0, peak {r.randrange(80000)} MiB",
    lambda r, t: f"{t} INFO watchdog: no NCCL timeout in the last {r.randrange(900)} s",
    lambda r, t: f"{t} INFO [rank{r.randrange(64)}] eval: num_errors=0 error_rate={r.random() / 9:.4f} failed=0",
    lambda r, t: f"{t} DEBUG health: device {r.randrange(8)} ok, no Xid, no RuntimeError since {r.randrange(900)} s",
    lambda r, t: f"{t} INFO tokenizer: expected {r.randrange(9999)} tokens, got {r.randrange(9999)}, requires padding on gpu {r.randrange(8)}",
]


def traceback(rank, last, depth=6):
    lines = [f"[rank{rank}]: Traceback (most recent call last):"]
    for n in range(depth):
        lines += [f'[rank{rank}]:   File "/workspace/train/module_{n}.py", line {40 + 7 * n}, in call_{n}', f"[rank{rank}]:     return call_{n + 1}(batch)"]
    return lines + [f"[rank{rank}]: {last}"]


def incidents(r):
    oom = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU {} has a total capacity of 79.10 GiB of which 1.12 GiB is free."
    return [
        lambda t: traceback(r.randrange(64), oom.format(r.randrange(8))),
        lambda t: traceback(r.randrange(64), "RuntimeError: CUDA error: an illegal memory access was encountered"),
        lambda t: [f"Nov 21 03:15:22 {r.choice(HOSTS)} kernel: NVRM: Xid (PCI:0000:{r.randrange(99):02}:00): 79, pid=4242, GPU has fallen off the bus."],
        lambda t: [f"[rank{r.randrange(64)}]:[E1121 03:15:22.123456789 ProcessGroupNCCL.cpp:616] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4711, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600021 milliseconds before timing out."],
        lambda t: traceback(r.randrange(64), "RuntimeError: DataLoader worker (pid 31337) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory. Please try to raise your shared memory limit."),
        lambda t: traceback(r.randrange(64), "KeyError: 'pixel_values'"),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--bytes", type=int, default=1_000_000_000)
    parser.add_argument("--near-misses", type=float, default=0.0, help="share of the lines")
    parser.add_argument("--errors-only", action="store_true")
    parser.add_argument("--seed", type=int, default=17)
    options = parser.parse_args()
    r = random.Random(options.seed)
    happen = incidents(r)
    stamp = lambda at: f"2026-11-{21 + at // 86400 % 8:02}T{at // 3600 % 24:02}:{at // 60 % 60:02}:{at % 60:02}.{at * 7919 % 1000:03}Z"
    # Lines are drawn once and repeated in ever new order: Python would need minutes for ten million.
    pool = [r.choice(ORDINARY)(r, stamp(at)) for at in range(40_000)]
    near = [r.choice(NEAR_MISSES)(r, stamp(at)) for at in range(10_000)]
    written = part = 0
    every = max(options.bytes // 12, 1)
    with open(options.file, "wb") as out:
        while written < options.bytes:
            if options.errors_only:
                lines = [line for at in range(300) for line in r.choice(happen)(stamp(at))]
            else:
                lines = r.sample(pool, 20_000)
                for _ in range(int(len(lines) * options.near_misses)):
                    lines[r.randrange(len(lines))] = r.choice(near)
                if written // every != part:
                    part = written // every
                    lines[9000:9000] = happen[part % len(happen)](stamp(written % 86400))
            text = ("\n".join(lines) + "\n").encode()
            out.write(text[: options.bytes - written])
            written += len(text)


if __name__ == "__main__":
    main()

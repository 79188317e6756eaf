#!/usr/bin/env python3
"""Counts the instructions of one `faultbook diagnose` without reports, in texts of several lengths, and fails where there are
more than docs/benchmarks.md allows. Valgrind counts them; without it nothing is measured, loudly.

    python3 tests/bench/start.py --bin target/release/faultbook

The count is the same on a busy machine, which times are not. Debug builds have limits of their own, which are for
CARGO_PROFILE_DEV_OPT_LEVEL=1 as in .ci/run.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def short():
    """A traceback without anything around it."""
    return """Traceback (most recent call last):
  File "train.py", line 12, in <module>
    main()
  File "train.py", line 8, in main
    x = x + y
RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
"""


def pasted():
    with open(os.path.join(HERE, "../../examples/srun-rank-3.log"), encoding="utf-8") as file:
        return file.read()


def out_of_memory():
    """The page with the most causes."""
    return """Traceback (most recent call last):
  File "/home/me/train.py", line 71, in main
    loss = model(batch)
  File "/home/me/model.py", line 40, in forward
    x = self.attn(x)
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 23.65 GiB of \
which 1.12 GiB is free. Including non-PyTorch memory, this process has 22.50 GiB memory in use. Of the allocated memory \
20.11 GiB is allocated by PyTorch, and 1.90 GiB is reserved by PyTorch but unallocated.
"""


def collective():
    """Two hundred lines of eight ranks, and a timeout."""
    lines = []
    for number in range(190):
        rank = number % 8
        peer = (rank + 1) % 8
        lines.append(f"node{rank // 4}:{3000 + rank}:{3100 + rank} [{rank % 4}] NCCL INFO Channel {number % 16:02d}/0 : "
                     f"{rank}[{rank % 4}] -> {peer}[{peer % 4}] via P2P/CUMEM")
    lines.append("[rank3]:[E1012 10:11:12.123456789 ProcessGroupNCCL.cpp:616] [Rank 3] Watchdog caught collective operation "
                 "timeout: WorkNCCL(SeqNum=1204, OpType=ALLREDUCE, NumelIn=26214400, NumelOut=26214400, Timeout(ms)=600000) "
                 "ran for 600049 milliseconds before timing out.")
    lines.append("terminate called after throwing an instance of 'c10::DistBackendError'")
    return "\n".join(lines) + "\n"


# Millions of instructions, some percent more than was measured: of a release build, of a debug build.
TEXTS = {
    "a traceback of six lines": (short, 13, 50),
    "a pasted log of 55 lines": (pasted, 26, 101),
    "out of GPU memory": (out_of_memory, 58, 225),
    "200 lines of NCCL": (collective, 52, 241),
}


def count(binary, text, folder):
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", binary]
    environment = {"PATH": os.environ["PATH"], "HOME": folder}
    done = subprocess.run([*command, "diagnose", "--no-probe", "-"], input=text.encode(), capture_output=True, cwd=folder,
                          env=environment, check=False)
    counted = re.search(rb"I\s+refs:\s+([\d,]+)", done.stderr)
    if counted is None:
        sys.exit(f"valgrind counted nothing: {done.stderr.decode(errors='replace')[-2000:]}")
    return int(counted[1].replace(b",", b"")) / 1e6


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--bin", required=True)
    binary = os.path.abspath(arguments.parse_args().bin)
    if shutil.which("valgrind") is None:
        print("LEFT OUT: the instructions of an answer need valgrind", file=sys.stderr)
        return
    debug = os.path.basename(os.path.dirname(binary)) == "debug"
    failed = False
    print("| text | millions of instructions | at most |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, *limits) in TEXTS.items():
            found, limit = count(binary, text(), folder), limits[debug]
            failed |= found > limit
            print(f"| {name} | {found:.1f} | {limit} |{' TOO MANY' if found > limit else ''}")
    sys.exit(failed)


main()

"""What the package costs a program that does not fail: ``python3 python/bench.py [VENV/bin/python]``.

Processor time, so that other programs do not count: import and installation in fresh interpreters (the median of 21), a loop of training steps with and without the hooks, and what the
samples of memory and loss take from it: the time of one reading, and the processor time of the thread over its share of the loop.
"""

from __future__ import annotations

import statistics
import subprocess
import sys

ONCE = """
import time
start = time.process_time()
import faultbook
imported = time.process_time()
faultbook.install()
print((imported - start) * 1e3, (time.process_time() - imported) * 1e3)
"""

#: A training step: PyTorch's where it is installed, otherwise plain Python of the same length.
LOOP = """
import time
if {hook}:
    import faultbook
    faultbook.install()
try:
    import torch
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(32, 64)
    def step():
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss
except ImportError:
    if {hook}:
        import faultbook._samples as samples
        samples.start()
    def step():
        return float(sum(range(20000)))
step()
used = time.process_time()
count = 0
while time.process_time() - used < {seconds}:
    loss = step()
    count += 1
print((time.process_time() - used) / count * 1e6)
"""

#: Of a process as large as a usual one; the thread's own processor time, after ten seconds beside a busy main thread.
READING = """
import sys, time
try:
    import torch
except ImportError:
    pass
import faultbook._samples as samples
loss, busy = 0.5, [0] * 1000
def timed():
    start = time.process_time()
    samples._read()
    return (time.process_time() - start) * 1e6
print(sorted(timed() for _ in range(1001))[500])
used = time.thread_time
samples.start()
end = time.monotonic() + 10
mine = used()
all_of_us = time.process_time()
while time.monotonic() < end:
    loss = sum(busy)
print((time.process_time() - all_of_us - (used() - mine)) / 10 * 100)
"""


def numbers(python: str, code: str) -> list[float]:
    shown = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout
    return [float(word) for word in shown.split()]


def main() -> None:
    python = sys.argv[1] if len(sys.argv) > 1 else sys.executable
    runs = [numbers(python, ONCE) for _ in range(21)]
    for name, column in zip(("import faultbook", "install()"), zip(*runs)):
        print(f"{name:18} {statistics.median(column):6.2f} ms  (fastest {min(column):.2f})")
    reading, share = numbers(python, READING)
    print(f"one reading        {reading:6.0f} us, every 2 s: {reading / 2e6:.4%} of the time")
    print(f"sampling thread    {share:.4f} % of a processor, beside a busy main thread")
    plain = min(numbers(python, LOOP.format(hook=False, seconds=4))[0] for _ in range(5))
    hooked = min(numbers(python, LOOP.format(hook=True, seconds=4))[0] for _ in range(5))
    print(
        f"a training step    {plain:.1f} us of processor time without, {hooked:.1f} with the hooks ({hooked / plain - 1:+.2%})"
    )


if __name__ == "__main__":
    main()

"""What the package costs a program that does not fail: ``python3 python/bench.py [VENV/bin/python]``.

Import and installation in fresh interpreters (the median of 21), and a loop of imports with and without the hook for them.
"""

from __future__ import annotations

import statistics
import subprocess
import sys

ONCE = """
import time
start = time.perf_counter()
import faultbook
imported = time.perf_counter()
install = faultbook.install
found = time.perf_counter()
install()
print((imported - start) * 1e3, (found - imported) * 1e3, (time.perf_counter() - found) * 1e3)
"""

LOOP = """
import time
if {hook}:
    import faultbook
    faultbook.install()
def step():
    return sum(range(1000))
start = time.perf_counter()
for _ in range(20000):
    step()
print(time.perf_counter() - start)
"""


def numbers(python: str, code: str) -> list[float]:
    shown = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout
    return [float(word) for word in shown.split()]


def main() -> None:
    python = sys.argv[1] if len(sys.argv) > 1 else sys.executable
    runs = [numbers(python, ONCE) for _ in range(21)]
    for name, column in zip(("import faultbook", "load the hooks", "install()"), zip(*runs)):
        print(f"{name:18} {statistics.median(column):6.2f} ms  (fastest {min(column):.2f})")
    plain = min(numbers(python, LOOP.format(hook=False))[0] for _ in range(7))
    hooked = min(numbers(python, LOOP.format(hook=True))[0] for _ in range(7))
    print(f"a loop of 20,000 steps: {plain:.4f} s without, {hooked:.4f} s with the hooks ({hooked / plain - 1:+.2%})")


if __name__ == "__main__":
    main()

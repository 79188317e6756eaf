"""Runs snippets of Python for blocks.py: one JSON string a line in, verdict and reason out. Frameworks are loaded once, and each snippet
runs in a fork with a deadline. A snippet that needs names of the reader's program gets small ones and runs again."""

import contextlib
import io
import json
import os
import re
import signal
import sys
import tempfile

SECONDS = 25
STAND_INS = """
import torch, numpy as np, os, sys, math, time
from torch import nn
import torch.nn.functional as F
device = torch.device("cpu"); rank = 0; world_size = 1; local_rank = 0; epoch = 0; step = 0; i = 0
model = nn.Linear(4, 4); net = model; module = model; layer = model
x = torch.randn(2, 4); y = torch.randint(0, 4, (2,)); target = y; labels = y; inputs = x; data = x; images = x; a = x; b = x.clone(); w = torch.randn(4, 4)
batch = (x, y); loader = [batch]; train_loader = loader; dataloader = loader; dataset = [(x[0], y[0])] * 4; train_dataset = dataset
optimizer = torch.optim.SGD(model.parameters(), lr=0.1); scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
criterion = nn.CrossEntropyLoss(); logits = model(x); output = logits; outputs = logits; out = logits; pred = logits; loss = criterion(logits, y)
scores = logits; mask = torch.ones(2, 4, dtype=torch.bool); hidden = x; tensor = x; t = x; q = k = v = torch.randn(1, 2, 4, 8)
state_dict = model.state_dict(); state = state_dict; checkpoint = {"model": state_dict}; grad = torch.randn(4)
"""


def explain(error, code, stands_in):
    """(verdict, reason) of an exception."""
    kind, message = type(error).__name__, " ".join(str(error).split())
    if isinstance(error, ModuleNotFoundError):
        return "parsed", f"it needs {(error.name or message).split('.')[0]}"
    if isinstance(error, SyntaxError) and re.search(r"not properly in loop|outside (function|loop)", message):
        return "parsed", "a part of a larger statement"
    if re.search(r"(?i)no such file|NoSuchFile|unable to open|failed to find any matching files|incorrect path|no API key", f"{kind} {message}"):
        return "parsed", "it needs files, variables or services of the reader"
    if isinstance(error, ImportError):
        return ("fails" if re.search(r"cannot import name", message) else "parsed"), message[:120]
    if isinstance(error, NameError):
        return "names", message[:80]
    if re.search(r"(?i)cuda|nvidia|gpu|nvml|hip|xpu|mps|accelerator|libcuda|nccl|no backend|tpu", message):
        return "parsed", "it needs a GPU"
    if isinstance(error, IndexError) and re.search(r"(?i)gpu|cuda|devices\(", code):
        return "parsed", "it needs a GPU"
    if isinstance(error, (FileNotFoundError, IsADirectoryError, PermissionError, ConnectionError, KeyError, EOFError)) or isinstance(error, OSError):
        return "parsed", "it needs files, variables or services of the reader"
    if re.search(r"(?i)process group|environment variable|MASTER_ADDR|rendezvous|rank", message):
        return "parsed", "it needs several processes"
    if stands_in:
        return "parsed", "it needs objects of the reader's program"
    if isinstance(error, AttributeError) and "module '" not in message:
        return "parsed", "it needs objects of the reader's program"
    return "fails", f"{kind}: {message[:120]}"


def attempt(code, stands_in):
    space = {"__name__": "__main__"}
    if stands_in:
        exec(STAND_INS, space)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            exec(compile(code, "block", "exec"), space)
    except TimeoutError:
        return "parsed", "it waits or takes long"
    except SystemExit:
        pass
    except BaseException as error:  # noqa: BLE001
        return explain(error, code, stands_in)
    return ("ran with stand-ins" if stands_in else "ran"), ""


def deadline(*_):
    raise TimeoutError


def run(code):
    """The snippet in a fork."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        null = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
        signal.signal(signal.SIGALRM, deadline)
        signal.alarm(SECONDS)
        result = ("parsed", "it ends the process")
        with contextlib.suppress(BaseException):
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                result = attempt(code, False)
                if result[0] == "names":
                    missing = ("parsed", result[1])
                    # What the second attempt does not survive leaves that.
                    result = missing
                    again = attempt(code, True)
                    result = missing if again[0] in ("names", "fails") else again
        os.write(writer, json.dumps(result).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return json.loads(said) if said else ["parsed", "it ends the process"]


def main():
    for name in ("numpy", "torch", "torch.distributed", "torch.utils.data", "torch.utils.checkpoint"):
        with contextlib.suppress(Exception):
            __import__(name)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()

"""A test file for pytest: some tests need a GPU, one may fail, one is slow.

Run with pytest 9, torch 2.15.0 and 2.4.1:   [WIDTH=24] [NEED=1] python -m pytest -v -rs test_gpu_layers.py
Without settings all pass or are skipped; WIDTH spoils a shape; NEED forces the GPU test.
"""
import os, pytest, torch
from torch import nn

need = bool(os.environ.get("NEED"))


@pytest.fixture(params=["float32", "bfloat16"])
def dtype(request):
    return getattr(torch, request.param)


@pytest.mark.skipif(not torch.cuda.is_available() and not need, reason="CUDA out of scope on this runner: no NVIDIA driver found")
def test_illegal_memory_access_is_caught():
    assert nn.Linear(4, 4).cuda()(torch.randn(2, 4).cuda()).is_cuda


def test_shapes(dtype):
    layer = nn.Linear(16, 8, dtype=dtype)
    assert layer(torch.randn(2, int(os.environ.get("WIDTH", 16)), dtype=dtype)).shape == (2, 8)


def test_oom_handler_retries():
    calls = []
    def work(n):
        calls.append(n)
        if n > 16:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB (simulated)")
        return n
    n = 64
    while True:
        try:
            n = work(n)
            break
        except torch.cuda.OutOfMemoryError:
            n //= 2
    assert calls == [64, 32, 16]


def test_nan_guard():
    with pytest.raises(FloatingPointError, match="NaN"):
        raise FloatingPointError("loss is NaN")

"""Numba and CuPy programs over the pretend driver of fakecuda.rs (or none): memory, copies, streams, modules, kernels.

Run with numba 0.68.1 (alone, or with numba-cuda 0.30.4), cupy-cuda12x 14.2.0, Python 3.11:
    FAKE_FAULTS=cuMemcpyDtoH_v2=715 LD_LIBRARY_PATH=/tmp/fake/driver python arrays.py blur
    FAKE_FAULTS=cuInit=802 LD_LIBRARY_PATH=/tmp/fake/driver python arrays.py count
"""
import sys
import numpy as np


def blur():
    from numba import cuda
    frames = cuda.to_device(np.ones((64, 64), dtype=np.float32))
    out = cuda.device_array_like(frames)
    print(cuda.get_current_device().name, out.copy_to_host().sum())


def stream():
    from numba import cuda
    s = cuda.stream()
    a = cuda.to_device(np.ones(1 << 16), stream=s)
    s.synchronize()
    print(a.shape)


def big():
    from numba import cuda
    volumes = [cuda.device_array((1 << 28,), dtype=np.float32) for _ in range(30)]
    print(len(volumes))


def pinned():
    from numba import cuda
    print(cuda.pinned_array(1 << 20).nbytes, cuda.get_current_device().compute_capability)


def kernel():
    from numba import cuda

    @cuda.jit
    def add(a, b):
        i = cuda.grid(1)
        if i < a.size:
            a[i] += b
    a = cuda.to_device(np.ones(1 << 10, dtype=np.float32))
    add[4, 256](a, 2.0)
    print(a.copy_to_host()[:4])


def module():
    from numba import cuda
    ctx = cuda.current_context()
    ctx.create_module_ptx(".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry noop() { ret; }\n")


def field():
    import cupy
    print(cupy.arange(6).reshape(2, 3).sum())


def device():
    import cupy
    with cupy.cuda.Device(4):
        cupy.zeros((4,))


def count():
    import cupy
    print("devices:", cupy.cuda.runtime.getDeviceCount())


if __name__ == "__main__":
    globals()[sys.argv[1]]()

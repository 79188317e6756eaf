"""A library of CUDA that is not installed."""

# fault: library-missing
# cause: library-path

import ctypes

ctypes.CDLL("libcudart.so.11.0")

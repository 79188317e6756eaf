"""A limit of the shell below what the data needs."""

# fault: host-oom
# cause: platform-limit
# needs: numpy

import resource

import numpy as np

resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


def load(samples):
    return [np.ones((1 << 20, 8), dtype=np.float64) for _ in range(samples)]


load(32)

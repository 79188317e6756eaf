"""One array of the wrong size."""

# fault: host-oom
# cause: shape-or-parameter
# needs: numpy

import numpy as np


def mask(tokens):
    return np.zeros((tokens, tokens), dtype=np.float64)


mask(4_000_000)

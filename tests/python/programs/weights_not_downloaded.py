"""Weights that a setup script should have downloaded into the cache."""

# fault: missing-file
# cause: library-path
# needs: numpy

import os
import tempfile

import numpy

cache = os.path.join(tempfile.mkdtemp(), ".cache", "encoder")


def load_weights(path):
    return numpy.load(path)


load_weights(os.path.join(cache, "encoder-base.npz"))

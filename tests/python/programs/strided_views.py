"""A view of a tensor that is not contiguous."""

# fault: shape-mismatch
# cause: code-error
# needs: torch

import torch


def flatten(x):
    return x.transpose(1, 2).view(x.shape[0], -1)


flatten(torch.randn(2, 3, 4))

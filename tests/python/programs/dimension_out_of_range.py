"""A tensor with fewer dimensions than the code expects."""

# fault: index-out-of-range
# cause: shape-or-parameter
# needs: torch

import torch


def pool(x):
    return x.mean(dim=2)


pool(torch.randn(4, 8))

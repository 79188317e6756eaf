"""Tensors of different sizes are concatenated."""

# fault: shape-mismatch
# cause: code-error
# needs: torch

import torch


def fuse(image, text):
    return torch.cat([image, text], dim=1)


fuse(torch.randn(8, 4, 16), torch.randn(6, 4, 16))

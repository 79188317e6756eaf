"""Samples of different lengths in one batch."""

# fault: shape-mismatch
# cause: code-error
# needs: torch

import torch
from torch.utils.data import DataLoader

samples = [torch.zeros(length) for length in (5, 7, 5, 6)]
for batch in DataLoader(samples, batch_size=2):
    print(batch.shape)

"""The square root of zero has no finite derivative."""

# fault: non-finite
# cause: code-error
# needs: torch

import torch

with torch.autograd.detect_anomaly():
    weight = torch.zeros(3, requires_grad=True)
    norm = torch.sqrt((weight ** 2).sum())
    norm.backward()

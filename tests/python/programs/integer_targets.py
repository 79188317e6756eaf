"""Class numbers as floats."""

# fault: dtype-mismatch
# cause: shape-or-parameter
# needs: torch

import torch

scores = torch.randn(4, 10)
targets = torch.tensor([1, 2, 3, 4], dtype=torch.int32)
torch.nn.functional.cross_entropy(scores, targets)

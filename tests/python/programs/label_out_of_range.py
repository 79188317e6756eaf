"""Labels that count from one."""

# fault: index-out-of-range
# cause: index-out-of-range
# needs: torch

import torch

scores = torch.randn(6, 3, requires_grad=True)
labels = torch.tensor([1, 2, 3, 1, 2, 3])
torch.nn.functional.cross_entropy(scores, labels)

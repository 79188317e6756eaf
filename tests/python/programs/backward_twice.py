"""One graph, two backward passes."""

# fault: backward-twice
# cause: code-error
# needs: torch

import torch

weight = torch.randn(3, requires_grad=True)
loss = (weight ** 2).sum()
loss.backward()
loss.backward()

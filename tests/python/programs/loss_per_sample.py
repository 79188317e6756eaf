"""A loss that is no scalar."""

# fault: autograd-no-grad
# cause: shape-or-parameter
# needs: torch

import torch

net = torch.nn.Linear(4, 1)
loss = torch.nn.functional.mse_loss(net(torch.randn(2, 4)), torch.zeros(2, 1), reduction="none")
loss.backward()

"""Every parameter is frozen."""

# fault: autograd-no-grad
# cause: code-error
# needs: torch

import torch

net = torch.nn.Linear(4, 1)
for parameter in net.parameters():
    parameter.requires_grad_(False)
net(torch.randn(2, 4)).mean().backward()

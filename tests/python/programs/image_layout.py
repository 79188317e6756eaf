"""Images with the channels last."""

# fault: shape-mismatch
# cause: shape-or-parameter
# needs: torch

import torch

net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU())
net(torch.randn(2, 32, 32, 3))

"""An optimizer gets an empty list."""

# fault: autograd-no-grad
# cause: shape-or-parameter
# needs: torch

import torch

net = torch.nn.Linear(4, 1).requires_grad_(False)
torch.optim.AdamW([parameter for parameter in net.parameters() if parameter.requires_grad], lr=1e-3)

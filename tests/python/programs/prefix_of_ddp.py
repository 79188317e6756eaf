"""A checkpoint that was saved from a wrapped model."""

# fault: checkpoint-load
# cause: code-error
# needs: torch

import torch

net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 2))
state = {f"module.{name}": value for name, value in net.state_dict().items()}
net.load_state_dict(state)

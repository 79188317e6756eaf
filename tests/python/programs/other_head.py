"""A checkpoint with another number of classes."""

# fault: checkpoint-load
# cause: shape-or-parameter
# needs: torch

import torch

saved = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 1000)).state_dict()
net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 10))
net.load_state_dict(saved)

"""A run is resumed with another optimizer."""

# fault: checkpoint-load
# cause: code-error
# needs: torch

import torch

old = torch.optim.AdamW(torch.nn.Linear(4, 1).parameters())
net = torch.nn.Linear(4, 1)
new = torch.optim.AdamW([{"params": [net.weight]}, {"params": [net.bias], "weight_decay": 0.0}])
new.load_state_dict(old.state_dict())

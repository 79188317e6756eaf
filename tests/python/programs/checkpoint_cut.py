"""A checkpoint whose copy was cut off."""

# fault: checkpoint-load
# cause: network
# needs: torch

import os
import tempfile

import torch

path = os.path.join(tempfile.mkdtemp(), "model.pt")
torch.save(torch.nn.Linear(64, 64).state_dict(), path)
with open(path, "r+b") as file:
    file.truncate(os.path.getsize(path) // 2)
torch.load(path)

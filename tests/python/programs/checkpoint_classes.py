"""A checkpoint that holds an object of the program."""

# fault: checkpoint-load
# cause: toolkit-mismatch
# needs: torch

import os
import tempfile

import torch


class Settings:
    width = 8


path = os.path.join(tempfile.mkdtemp(), "model.pt")
torch.save({"model": torch.nn.Linear(2, 2).state_dict(), "settings": Settings()}, path)
torch.load(path)

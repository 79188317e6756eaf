"""A layer that was never given memory."""

# fault: device-mismatch
# cause: memory-exhausted
# needs: torch

import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Linear(8, 8)
        self.head = torch.nn.Linear(8, 2, device="meta")

    def forward(self, x):
        return self.head(self.encoder(x)).sum().item()


Net()(torch.randn(4, 8))

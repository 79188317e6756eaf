"""A layer gets other features than it was built for."""

# fault: shape-mismatch
# cause: shape-or-parameter
# needs: torch

import torch


class Head(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = torch.nn.Linear(512, 10)

    def forward(self, x):
        return self.proj(x)


Head()(torch.randn(4, 768))

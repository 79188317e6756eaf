"""A branch that depends on a value."""

# fault: graph-capture-failed
# cause: code-error
# needs: torch

import torch


class Net(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x
        return -x


torch.export.export(Net(), (torch.randn(3),))

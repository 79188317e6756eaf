"""One part of the model was cast to bfloat16."""

# fault: dtype-mismatch
# cause: code-error
# needs: torch

import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Linear(8, 8)
        self.head = torch.nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.encoder(x))


net = Net()
net.encoder.to(torch.bfloat16)
net(torch.randn(4, 8, dtype=torch.bfloat16))

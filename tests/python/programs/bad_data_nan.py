"""The data contains a missing value."""

# fault: non-finite
# cause: bad-values
# needs: torch

import torch

features = torch.randn(8, 4)
features[3, 1] = float("nan")


def check(loss):
    if not torch.isfinite(loss):
        raise FloatingPointError(f"loss is {loss.item()}")


net = torch.nn.Linear(4, 1)


def step(batch):
    loss = net(batch).pow(2).mean()
    check(loss)


step(features)

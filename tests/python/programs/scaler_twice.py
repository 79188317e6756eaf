"""The scaler unscales the same gradients twice."""

# fault: grad-scaler
# cause: code-error
# needs: torch

import torch

net = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
scaler.scale(net(torch.randn(2, 4)).sum()).backward()
scaler.unscale_(optimizer)
scaler.unscale_(optimizer)

"""Inputs from NumPy are float64."""

# fault: dtype-mismatch
# cause: shape-or-parameter
# needs: torch

import numpy as np
import torch

net = torch.nn.Linear(8, 2)
net(torch.from_numpy(np.random.rand(4, 8)))

"""A machine without a driver."""

# fault: no-device
# cause: driver-not-loaded
# needs: torch

import torch

torch.zeros(3).cuda()

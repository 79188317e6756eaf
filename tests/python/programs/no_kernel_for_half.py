"""An operation without a kernel for this type."""

# fault: no-operator
# cause: op-unsupported
# needs: torch

import torch

matrix = torch.randn(3, 3, dtype=torch.float16)
torch.linalg.inv(matrix)

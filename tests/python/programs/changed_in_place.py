"""An activation is changed before backward."""

# fault: autograd-inplace
# cause: code-error
# needs: torch

import torch

weight = torch.randn(3, requires_grad=True)
hidden = torch.exp(weight)
hidden += 1
hidden.sum().backward()

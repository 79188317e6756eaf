"""A token that the embedding does not have."""

# fault: index-out-of-range
# cause: index-out-of-range
# needs: torch

import torch

embed = torch.nn.Embedding(1000, 16)
embed(torch.tensor([[5, 999, 1000]]))

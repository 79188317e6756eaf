"""A child of torch.multiprocessing.spawn fails."""

# fault: index-out-of-range
# cause: index-out-of-range
# needs: torch

import torch
import torch.multiprocessing as mp


def train(rank):
    embed = torch.nn.Embedding(10, 4)
    embed(torch.tensor([3, 12]))


if __name__ == "__main__":
    mp.spawn(train, nprocs=2)

"""Native code crashes in a data loader worker."""

# fault: worker-crashed
# cause: library-bug
# needs: torch

import ctypes

import torch
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        if index == 5:
            ctypes.string_at(0)
        return torch.zeros(4)


if __name__ == "__main__":
    for batch in DataLoader(Samples(), batch_size=2, num_workers=1):
        print(batch.shape)

"""A sample of the data set is broken."""

# fault: index-out-of-range
# cause: code-error
# needs: torch

import torch
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    labels = [0, 1, 0]

    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.zeros(4), self.labels[index]


if __name__ == "__main__":
    for batch in DataLoader(Samples(), batch_size=2, num_workers=1):
        print(batch[0].shape)

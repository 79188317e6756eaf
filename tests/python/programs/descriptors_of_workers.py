"""Workers share tensors as files, more than may be open."""

# fault: too-many-open-files
# cause: resource-count
# needs: torch

import resource

import torch
from torch.utils.data import DataLoader, Dataset

resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))


class Samples(Dataset):
    def __len__(self):
        return 400

    def __getitem__(self, index):
        return torch.zeros(4)


if __name__ == "__main__":
    kept = list(DataLoader(Samples(), batch_size=1, num_workers=2))

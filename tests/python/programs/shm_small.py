"""Shared memory of one megabyte."""

# fault: shm-exhausted
# cause: shared-memory-small
# needs: torch
# run: unshare -m sh -c "mount -t tmpfs -o size=1m tmpfs /dev/shm && {python} {file}"

import torch
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.zeros(3, 512, 512)


if __name__ == "__main__":
    for batch in DataLoader(Samples(), batch_size=4, num_workers=1):
        print(batch.shape)

"""A data loader worker is killed from outside."""

# fault: host-oom
# cause: host-memory-exhausted
# needs: torch

import os
import signal

from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        if index == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        return index


if __name__ == "__main__":
    for batch in DataLoader(Samples(), batch_size=2, num_workers=1, collate_fn=list):
        print(batch)

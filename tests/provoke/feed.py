"""DataLoader programs whose workers die, or whose batches do not fit together.

Run with torch 2.15.0 and 2.4.1, Python 3.11:   python feed.py NAME
`full` needs a small /dev/shm:   unshare -m sh -c "mount -t tmpfs -o size=2m tmpfs /dev/shm && python feed.py full"
"""
import ctypes, os, signal, sys, time, torch
from torch.utils.data import DataLoader, Dataset
from tqdm import tqdm


class Frames(Dataset):
    def __init__(self, hit=None, n=96, size=(3, 64, 64)):
        self.hit, self.n, self.size = hit, n, size

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if self.hit and i == 41:
            return self.hit(i)
        return torch.zeros(self.size), i % 10


def run(dataset, **options):
    seen = 0
    for images, labels in tqdm(DataLoader(dataset, batch_size=8, num_workers=2, **options), desc="train"):
        seen += len(labels)
    print("seen", seen)


def signalled(number):
    return lambda i: os.kill(os.getpid(), number)


HITS = {
    "kill": signalled(signal.SIGKILL), "decoder": lambda i: ctypes.string_at(0), "abort": signalled(signal.SIGABRT), "leave": lambda i: os._exit(3),
    "shapes": lambda i: (torch.zeros(3, 64, 63), 1), "missing": lambda i: {"cat": 0}[f"class_{i}"], "nothing": lambda i: None,
    "memory": lambda i: (torch.zeros(3, 1 << 20, 1 << 20), 1),
}


def full(): run(Frames(size=(3, 512, 512)))
def spawned(): run(Frames(lambda i: None), multiprocessing_context="spawn")
def well(): run(Frames(), pin_memory=True)


def handles():
    import resource
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    kept = []
    for images, labels in DataLoader(Frames(n=400), batch_size=1, num_workers=2):
        kept.append(images)


def block():
    from multiprocessing import shared_memory
    import numpy
    area = shared_memory.SharedMemory(create=True, size=64 << 20)
    cache = numpy.ndarray((16, 1 << 20), dtype="f4", buffer=area.buf)
    cache[:] = 1.0
    print("cache ready")


if __name__ == "__main__":
    name = sys.argv[1]
    run(Frames(HITS[name])) if name in HITS else globals()[name]()

"""An object with a lock cannot go to another process."""

# fault: worker-pickling
# cause: code-error

import multiprocessing
import threading


class Dataset:
    def __init__(self):
        self.lock = threading.Lock()

    def __len__(self):
        return 3


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(1) as pool:
        print(pool.map(len, [Dataset()]))

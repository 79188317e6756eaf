"""A file system without room for the checkpoint."""

# fault: disk-full
# cause: platform-limit
# run: unshare -m sh -c "mount -t tmpfs -o size=1m tmpfs {mount} && {python} {file} {mount}"

import os
import sys


def save(folder):
    with open(os.path.join(folder, "epoch-3.ckpt"), "wb") as file:
        for _ in range(64):
            file.write(os.urandom(1 << 16))


save(sys.argv[1])

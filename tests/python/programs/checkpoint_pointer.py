"""A checkpoint that Git LFS did not fetch."""

# fault: checkpoint-load
# cause: network
# needs: torch

import os
import tempfile

import torch

path = os.path.join(tempfile.mkdtemp(), "model.pt")
with open(path, "w") as file:
    file.write("version https://git-lfs.github.com/spec/v1\noid sha256:0123456789abcdef\nsize 438012345\n")
torch.load(path)

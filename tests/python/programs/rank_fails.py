"""One of two ranks has a broken sample."""

# fault: shape-mismatch
# cause: code-error
# needs: torch
# run: {python} -m torch.distributed.run --nproc_per_node 2 --master_port 29517 {file}

import os

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = int(os.environ["RANK"])
x = torch.randn(4 if rank == 0 else 3, 8)
y = x + torch.randn(4, 8)
dist.all_reduce(y)

"""Ranks reduce tensors of different sizes."""

# fault: collective-failed
# cause: shape-or-parameter
# needs: torch
# run: {python} -m torch.distributed.run --nproc_per_node 2 --master_port 29518 {file}

import os
from datetime import timedelta

import torch
import torch.distributed as dist

os.environ["TORCH_DISTRIBUTED_DEBUG"] = "DETAIL"
dist.init_process_group("gloo", timeout=timedelta(seconds=15))
dist.all_reduce(torch.ones(4 + int(os.environ["RANK"])))

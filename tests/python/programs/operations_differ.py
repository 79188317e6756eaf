"""One rank reduces, the other broadcasts."""

# fault: nccl-timeout
# cause: collective-mismatch
# needs: torch
# run: {python} -m torch.distributed.run --nproc_per_node 2 --master_port 29519 {file}

import os
from datetime import timedelta

import torch
import torch.distributed as dist

os.environ["TORCH_DISTRIBUTED_DEBUG"] = "DETAIL"
dist.init_process_group("gloo", timeout=timedelta(seconds=15))
value = torch.ones(4)
if dist.get_rank() == 0:
    dist.all_reduce(value)
else:
    dist.broadcast(value, 0)

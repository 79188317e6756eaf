"""A script for a launcher, started without one."""

# fault: rendezvous-failed
# cause: environment-variable
# needs: torch

import os

import torch.distributed as dist

for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK"):
    os.environ.pop(name, None)
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511")
dist.init_process_group("gloo")

"""Another process listens on the port."""

# fault: rendezvous-failed
# cause: port-in-use
# needs: torch

import os
import socket

import torch.distributed as dist

taken = socket.socket()
taken.bind(("127.0.0.1", 0))
taken.listen()
os.environ.update(RANK="0", WORLD_SIZE="1", MASTER_ADDR="127.0.0.1", MASTER_PORT=str(taken.getsockname()[1]))
dist.init_process_group("gloo")

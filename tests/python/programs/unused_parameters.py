"""A branch of the model is not used."""

# fault: ddp-unused-parameters
# cause: code-error
# needs: torch
# run: {python} -m torch.distributed.run --nproc_per_node 2 --master_port 29520 {file}

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.used = torch.nn.Linear(4, 1)
        self.unused = torch.nn.Linear(4, 1)

    def forward(self, x):
        return self.used(x)


dist.init_process_group("gloo")
net = DistributedDataParallel(Net())
for _ in range(3):
    net(torch.randn(2, 4)).sum().backward()

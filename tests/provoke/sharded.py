"""Programs that mix sharded (DTensor) and plain tensors, load distributed checkpoints, or call FP8 matmuls with the wrong operands, on the CPU.

Run with torch 2.15.0:   torchrun --nproc_per_node=2 sharded.py NAME   or   python sharded.py NAME
"""
import os, shutil, sys
import torch, torch.distributed as dist, torch.nn as nn

FOLDER = "/tmp/work/step-200"


class Block(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(x)))


class Net(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.blocks = nn.ModuleList(Block(width) for _ in range(2))
        self.head = nn.Linear(width, 8)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def start():
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29617")
    os.environ.setdefault("RANK", "0")
    os.environ.setdefault("WORLD_SIZE", "1")
    dist.init_process_group("gloo")
    from torch.distributed.device_mesh import init_device_mesh
    return init_device_mesh("cpu", (dist.get_world_size(),))


def shard(model, root=True):
    from torch.distributed.fsdp import fully_shard
    for block in model.blocks:
        fully_shard(block)
    return fully_shard(model) if root else model


def clip():
    start()
    model = shard(Net(), root=False)
    model(torch.randn(4, 16)).sum().backward()
    print(torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0))


def tied():
    start()
    model = shard(Net())
    hidden = model(torch.randn(4, 16)).detach()
    logits = torch.nn.functional.linear(hidden.new_ones(4, 16), model.blocks[0].up.weight)
    print(logits.shape)


def assign():
    start()
    model = shard(Net())
    model.load_state_dict(Net().state_dict(), assign=True)
    print(model(torch.randn(4, 16)).shape)


def plain_state():
    start()
    model = shard(Net())
    model.load_state_dict(Net().state_dict())


def meta():
    start()
    with torch.device("meta"):
        model = Net()
    print(shard(model)(torch.randn(4, 16)).shape)


def distances():
    from torch.distributed.tensor import Shard, distribute_tensor
    keys = distribute_tensor(torch.randn(8, 4), start(), [Shard(0)])
    print(torch.cdist(keys, keys))


def meshes():
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor
    first = start()
    second = init_device_mesh("cpu", (dist.get_world_size(), 1), mesh_dim_names=("dp", "tp"))
    weight = distribute_tensor(torch.randn(8, 4), first, [Shard(0)])
    delta = distribute_tensor(torch.randn(8, 4), second, [Shard(0), Replicate()])
    print(weight + delta)


def saved():
    import torch.distributed.checkpoint as dcp
    start()
    if dist.get_rank() == 0:
        shutil.rmtree(FOLDER, ignore_errors=True)
    dist.barrier()
    model = shard(Net())
    dcp.save({"model": model.state_dict()}, checkpoint_id=FOLDER)
    return dcp, model


def more_keys():
    dcp, model = saved()
    dcp.load({"model": {**model.state_dict(), "value_head.weight": torch.zeros(3)}}, checkpoint_id=FOLDER)


def wider():
    dcp, _ = saved()
    dcp.load({"model": shard(Net(32)).state_dict()}, checkpoint_id=FOLDER)


def unfinished():
    dcp, model = saved()
    dist.barrier()
    if dist.get_rank() == 0:
        os.remove(FOLDER + "/.metadata")
    dist.barrier()
    dcp.load({"model": model.state_dict()}, checkpoint_id=FOLDER)


def fp8(rows, inner, columns, transposed=True, scale=None):
    f8 = torch.float8_e4m3fn
    a = torch.empty(rows, inner, dtype=f8, device="meta")
    b = torch.empty(columns, inner, dtype=f8, device="meta").t() if transposed else torch.empty(inner, columns, dtype=f8, device="meta")
    one = torch.empty((), device="meta")
    print(torch._scaled_mm(a, b, scale_a=one if scale is None else scale, scale_b=one, out_dtype=torch.bfloat16).shape)


def fp8_size():
    fp8(24, 1002, 4096)


def fp8_layout():
    fp8(32, 64, 128, transposed=False)


def fp8_scale():
    fp8(32, 64, 128, scale=torch.empty((4, 1), device="meta"))


def fp8_cpu_scale():
    f8 = torch.float8_e4m3fn
    a, b = torch.randn(16, 32).to(f8), torch.randn(16, 32).to(f8).t()
    print(torch._scaled_mm(a, b, scale_a=torch.ones((), dtype=torch.half), scale_b=torch.ones((), dtype=torch.half), out_dtype=torch.bfloat16))


if __name__ == "__main__":
    globals()[sys.argv[1]]()

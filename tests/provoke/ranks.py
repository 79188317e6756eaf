"""Programs of several gloo ranks on the CPU, of which one or all go wrong (or none does).

Run with torch 2.15.0 and 2.4.1, Python 3.11:   torchrun --nproc-per-node 8 [--max-restarts 2] [--tee 3] ranks.py NAME
"""
import datetime, logging, os, signal, sys, time, torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

log = logging.getLogger(__name__)


def start(seconds=30):
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=seconds))
    return dist.get_rank(), dist.get_world_size()


def train(rank, steps=4, width=16, on_step=lambda i: None):
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(16, width), nn.ReLU(), nn.Linear(width, 4)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i in range(steps):
        on_step(i)
        loss = model(torch.randn(8, 16)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log.info("rank %d step %d loss %.4f", rank, i, loss.item())


def well():
    rank, _ = start()
    train(rank)
    dist.barrier()
    dist.destroy_process_group()
    log.info("rank %d finished", rank)


def column():
    rank, world = start()
    rows = [{"input_ids": [1, 2], "labels": 0}] * 4
    if rank == world - 3:
        rows[2] = {"input_ids": [1, 2]}
    train(rank, on_step=lambda i: rows[i]["labels"])


def parse():
    rank, _ = start()
    values = ["0.5", "0.25", "n/a" if rank == 1 else "0.1", "1"]
    train(rank, on_step=lambda i: float(values[i]))


def pointer():
    import ctypes
    rank, _ = start()
    def hit(i):
        if i == 2 and rank == 2:
            ctypes.string_at(0)
    train(rank, on_step=hit)


def leave():
    rank, _ = start()
    def hit(i):
        if i == 2 and rank == 1:
            os._exit(7)
    train(rank, on_step=hit)


def killed():
    rank, _ = start()
    def hit(i):
        if i == 2 and rank == 3:
            os.kill(os.getpid(), signal.SIGKILL)
    train(rank, on_step=hit)


def preempted():
    rank, _ = start()
    def hit(i):
        if i == 2 and rank == 0:
            os.kill(os.getppid(), signal.SIGTERM)
            time.sleep(5)
    train(rank, on_step=hit)


def flaky():
    rank, _ = start()
    attempt = int(os.environ["TORCHELASTIC_RESTART_COUNT"])
    log.info("rank %d attempt %d", rank, attempt)
    def hit(i):
        if rank == 1 and i == 1 and attempt < int(os.environ.get("GOOD", "1")):
            raise ConnectionResetError(104, "Connection reset by peer", "feature-store:6379")
    train(rank, on_step=hit)
    dist.barrier()
    log.info("rank %d training complete", rank)


def layers():
    rank, _ = start()
    train(rank, width=16 if rank != 1 else 24)


def extra():
    rank, _ = start()
    model = nn.ModuleList(nn.Linear(8, 8) for _ in range(2 + (rank == 0)))
    DDP(model)


def idle():
    rank, _ = start()
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
        def forward(self, x):
            return self.a(x)
    model = DDP(Two())
    for _ in range(2):
        model(torch.randn(2, 4)).sum().backward()


def order():
    rank, _ = start()
    x = torch.ones(4)
    (dist.all_reduce if rank % 2 else dist.broadcast)(x, **({} if rank % 2 else {"src": 0}))


def sizes():
    rank, world = start()
    part = torch.zeros(4 + (rank == 1))
    parts = [torch.zeros(4) for _ in range(world)]
    dist.all_gather(parts, part)


def uneven():
    rank, _ = start(8)
    train(rank, steps=4 if rank else 2)
    log.info("rank %d finished its shard", rank)


def barrier():
    rank, _ = start()
    if rank == 1:
        time.sleep(12)
    dist.monitored_barrier(timeout=datetime.timedelta(seconds=4))


def stuck():
    rank, world = start(6)
    def hit(i):
        if i == 2 and rank == world - 1:
            log.info("rank %d reads its shard again", rank)
            time.sleep(25)
    train(rank, on_step=hit)


def address():
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29911", rank=0, world_size=1)


if __name__ == "__main__":
    logging.basicConfig(level="INFO", format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S")
    globals()[sys.argv[1]]()

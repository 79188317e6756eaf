"""Image-training programs whose memory runs out (or nearly), on the pretend GPU of fakecuda.rs.

The allocator, its arithmetic and every word are PyTorch's own; the card, its size and the other holders are invented.
Run with torch 2.15.0 and 2.4.1, Python 3.11:
    sh build.sh /tmp/fake
    FAKE_GPU="total=23.64 name=NVIDIA_GeForce_RTX_3090 sm=86 others=17.3 holders=14.2+3.1" \\
    LD_LIBRARY_PATH=/tmp/fake/driver LD_PRELOAD=/tmp/fake/libfakecuda.so python vision.py held
"""
import logging, sys, torch
from torch import nn

torch.backends.cudnn.enabled = False
log = logging.getLogger("vision")
logging.basicConfig(level="INFO", format="%(asctime)s %(name)s %(levelname)s %(message)s", stream=sys.stderr)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(width, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)
        self.norm = nn.GroupNorm(8, width)

    def forward(self, x):
        return x + torch.relu(self.norm(self.conv2(torch.relu(self.conv1(x)))))


class Net(nn.Module):
    def __init__(self, width=64, depth=8):
        super().__init__()
        self.stem, self.blocks = nn.Conv2d(3, width, 7, stride=2, padding=3), nn.Sequential(*[Block(width) for _ in range(depth)])
        self.head = nn.Linear(width, 10)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)).mean((2, 3)))


def train_epoch(model, batch, size, steps, keep=None):
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    for step in range(steps):
        images = torch.empty(batch, 3, size, size, device="cuda")
        loss = nn.functional.cross_entropy(model(images), torch.zeros(batch, dtype=torch.long, device="cuda"))
        if keep is not None:
            keep.append(loss)
            log.info("step %d loss %.4f memory %.2f GiB", step, loss.item(), torch.cuda.memory_allocated() / 2**30)
            continue
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log.info("step %d loss %.4f", step, loss.item())


def batch():  # the batch is too big for the card
    train_epoch(Net().cuda(), 512, 512, 3)


def held():  # a modest batch, the card is full of others
    train_epoch(Net().cuda(), 64, 224, 3)


def grows():  # every loss is kept with its graph
    train_epoch(Net(depth=2).cuda(), 64, 224, 60, keep=[])


def pieces():  # every large block keeps a small living piece
    tiles, crops = [], []
    for _ in range(20):
        torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
        tiles.append(torch.empty(24 << 20, dtype=torch.uint8, device="cuda"))
        crops.append(torch.empty(1000 << 20, dtype=torch.uint8, device="cuda"))
    crops.clear()
    log.info("%d tiles ready", len(tiles))
    canvas = torch.zeros(1280, 1024, 1024, device="cuda")


def fraction():  # a limit set by the program itself
    torch.cuda.set_per_process_memory_fraction(0.25)
    train_epoch(Net().cuda(), 96, 256, 2)


def weights():  # the model alone does not fit
    layers = nn.ModuleList(nn.Linear(8192, 28672, bias=False, device="meta") for _ in range(60))
    layers.to_empty(device="cuda")


def retry():  # runs out, halves the batch, goes on and finishes
    size = 512
    model = Net().cuda()
    while True:
        try:
            train_epoch(model, size, 384, 2)
            break
        except torch.cuda.OutOfMemoryError as error:
            log.warning("batch %d does not fit (%s), halving", size, str(error).split(".")[0])
            torch.cuda.empty_cache()
            size //= 2
    log.info("finished with batch %d", size)


if __name__ == "__main__":
    log.info("torch %s, %s", torch.__version__, torch.cuda.get_device_name(0))
    globals()[sys.argv[1]]()

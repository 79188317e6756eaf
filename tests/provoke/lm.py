"""Language-model programs that meet CUDA, cuBLAS, cuDNN and NCCL status codes, on the pretend GPU of fakecuda.rs.

The code comes from FAKE_FAULTS; where it surfaces, and every word, is PyTorch's. Run with torch 2.15.0 and 2.4.1, Python 3.11, for example:
    sh build.sh /tmp/fake
    FAKE_FAULTS=kernel:index=710 LD_LIBRARY_PATH=/tmp/fake/driver LD_PRELOAD=/tmp/fake/libfakecuda.so python lm.py fit
    FAKE_GPU=devices=2 ... torchrun --nproc-per-node 4 lm.py ranks
"""
import contextlib, datetime, logging, os, sys, time, torch
import torch.distributed as dist
from torch import nn

log = logging.getLogger("lm")


class TinyLM(nn.Module):
    def __init__(self, vocab=1000, width=64):
        super().__init__()
        self.embed, self.head = nn.Embedding(vocab, width), nn.Linear(width, vocab)
        self.mix = nn.ModuleList(nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU()) for _ in range(2))

    def forward(self, tokens):
        h = self.embed(tokens)
        for layer in self.mix:
            h = h + layer(h)
        return self.head(h)


def batches(n, device="cuda"):
    for _ in range(n):
        tokens = torch.randint(0, 1000, (8, 33)).to(device)
        yield tokens[:, :-1], tokens[:, 1:]


def step(model, optimizer, x, y):
    loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def fit(device="cuda", steps=12):  # the loss is read every step
    model = TinyLM().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(batches(steps, device)):
        loss = step(model, optimizer, x, y)
        log.info("step %d/%d loss %.4f", i + 1, steps, loss.item())
    log.info("done")


def lazy():  # nothing is read until the end
    model = TinyLM().cuda()
    optimizer = torch.optim.Adam(model.parameters())
    losses = [step(model, optimizer, x, y).detach() for x, y in batches(6)]
    torch.cuda.synchronize()
    log.info("mean %.3f", torch.stack(losses).mean().item())


def guarded():  # the first error is followed by others in the clean-up
    try:
        fit()
    finally:
        torch.cuda.empty_cache()
        torch.save(TinyLM().cuda().state_dict(), "/tmp/work/last.pt")


def server():  # an inference loop that logs every error and goes on
    model = TinyLM().cuda().eval()
    for request in range(4):
        try:
            with torch.inference_mode():
                tokens = torch.randint(0, 1000, (1, 16)).cuda()
                log.info("request %d -> %d", request, model(tokens)[0, -1].argmax().item())
        except RuntimeError:
            log.exception("request %d failed", request)


def amp():
    model = TinyLM().cuda()
    with torch.autocast("cuda", dtype=torch.float16):
        for x, y in batches(3):
            log.info("loss %s", nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten()).item())


def attend():
    q = torch.randn(2, 4, 32, 16, device="cuda")
    scores = torch.bmm(q.flatten(0, 1), q.flatten(0, 1).transpose(1, 2))
    log.info("scores %s", scores.softmax(-1).sum().item())


def audio():
    front = nn.Conv1d(80, 64, 3, padding=1).cuda()
    log.info("features %s", tuple(front(torch.randn(4, 80, 300, device="cuda")).shape))


def recur():
    rnn = nn.LSTM(32, 64, num_layers=2, batch_first=True).cuda()
    out, _ = rnn(torch.randn(4, 20, 32, device="cuda"))
    log.info("state %s", tuple(out.shape))


def place():
    torch.cuda.set_device(int(os.environ.get("GPU", "5")))


def _child(i):
    return torch.zeros(4, device="cuda").sum().item() + i


def pool():
    import multiprocessing
    TinyLM().cuda()
    with multiprocessing.get_context("fork").Pool(2) as workers:
        log.info("%s", workers.map(_child, range(4)))


class Tokens(torch.utils.data.Dataset):
    def __init__(self):
        self.table = torch.zeros(64, 32, dtype=torch.long, device="cuda")

    def __len__(self):
        return 64

    def __getitem__(self, i):
        return self.table[i] + 1


def loader():
    for batch in torch.utils.data.DataLoader(Tokens(), batch_size=8, num_workers=2, multiprocessing_context="fork"):
        log.info("batch %s", batch.shape)


def mixed():  # the mask is left on the host
    x = torch.randn(8, 32, device="cuda")
    return torch.where(torch.rand(8, 32) > 0.5, x, x.new_zeros(8, 32))


def buffers():  # positions are created on the host
    model = TinyLM().cuda()
    positions = torch.arange(32)
    return model.embed(positions)


def optstate():  # the model is moved after its optimizer got a state
    model = nn.Linear(8, 8)
    optimizer = torch.optim.Adam(model.parameters(), fused=False)
    model(torch.randn(2, 8)).sum().backward()
    optimizer.step()
    model.cuda()
    model(torch.randn(2, 8, device="cuda")).sum().backward()
    optimizer.step()


def twocards():
    model = nn.DataParallel(TinyLM().to("cuda:1"), device_ids=[0, 1])
    model(torch.zeros(4, 8, dtype=torch.long, device="cuda:0"))


def hostop():
    lib = torch.library.Library("ragged", "DEF")
    lib.define("pack(Tensor values, int width) -> Tensor")
    lib.impl("pack", lambda values, width: values.reshape(-1, width), "CPU")
    print(torch.ops.ragged.pack(torch.zeros(12), 3).shape)
    print(torch.ops.ragged.pack(torch.zeros(12, device="cuda"), 3).shape)


def quantized():
    q = torch.quantize_per_tensor(torch.randn(4, 8), 0.1, 0, torch.quint8)
    torch.ops.quantized.add(q.cuda(), q.cuda(), 0.1, 0)


def scaled():
    model, scaler = nn.Linear(8, 8).half().cuda(), torch.amp.GradScaler("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler.scale(model(torch.randn(2, 8, device="cuda", dtype=torch.half)).sum()).backward()
    scaler.unscale_(optimizer)


def _start(backend="nccl", seconds=60):
    dist.init_process_group(backend, timeout=datetime.timedelta(seconds=seconds))
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    return dist.get_rank()


def ranks():
    rank = _start()
    total = torch.ones(1024, device="cuda")
    for i in range(4):
        dist.all_reduce(total)
        torch.cuda.synchronize()
        if rank == 0:
            log.info("reduce %d done", i)
    dist.destroy_process_group()


def rows():  # one rank reads a column that its shard lacks, and takes its time to die; the others wait for it
    rank = _start(seconds=8)
    total = torch.ones(1024, device="cuda")
    try:
        for i in range(4):
            sample = {"text": "a b", "label": 1} if rank != 3 or i < 2 else {"text": "a b"}
            if i == 2:
                os.environ["FAKE_FAULTS"] = "ncclAllReduce=hang"
            total += sample["label"]
            dist.all_reduce(total)
            torch.cuda.synchronize()
            log.info("rank %d batch %d", rank, i)
    except Exception:
        log.exception("rank %d: uploading the logs before the exit", rank)
        time.sleep(11)
        raise


def late():  # rank 0 writes a checkpoint for longer than the others wait
    rank = _start(seconds=8)
    total = torch.ones(1 << 20, device="cuda")
    for i in range(3):
        if i == 1:
            os.environ["FAKE_FAULTS"] = "ncclAllReduce=hang"
            if rank == 0:
                log.info("saving checkpoint-500")
                time.sleep(40)
        dist.all_reduce(total)
        torch.cuda.synchronize()
        log.info("rank %d step %d", rank, i)


if __name__ == "__main__":
    logging.basicConfig(level="INFO", format="[%(levelname)s|%(filename)s:%(lineno)d] %(asctime)s >> %(message)s")
    globals()[sys.argv[1]]()

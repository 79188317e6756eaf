"""One operation each, with a wrong type, an absent kernel, a NaN or a wrong shape, on the CPU.

Run with torch 2.15.0 and 2.4.1, Python 3.11:   python ops.py NAME
"""
import sys, torch
from torch import nn
from torch.nn import functional as F


def project(x, w): return x @ w
def matmul(): project(torch.randn(4, 8), torch.randn(8, 2, dtype=torch.float64))
def batched(): torch.bmm(torch.randn(2, 3, 4).bfloat16(), torch.randn(2, 4, 5))
def gru(): nn.GRU(8, 8)(torch.randn(3, 1, 8, dtype=torch.float64))
def targets(): F.cross_entropy(torch.randn(4, 5), torch.randn(4))
def hard(): F.nll_loss(torch.randn(4, 5), torch.tensor([0.0, 1.0, 2.0, 3.0]))
def tokens(): nn.Embedding(10, 4)(torch.tensor([1.0, 2.0]))
def regress(): F.mse_loss(nn.Linear(4, 1)(torch.randn(8, 4)), torch.randn(8, 1, dtype=torch.float64)).backward()
def weights(): F.conv2d(torch.zeros(1, 3, 8, 8).half(), torch.zeros(4, 3, 3, 3))
def bias(): F.linear(torch.randn(2, 4), torch.randn(3, 4).double())
def scatter(): torch.zeros(4).scatter_add_(0, torch.tensor([0, 1]), torch.ones(2, dtype=torch.double))
def norm(): F.layer_norm(torch.randn(2, 8).bfloat16(), (8,), torch.ones(8).double(), torch.zeros(8).double())
def decompose(): torch.linalg.cholesky(torch.eye(4).half())
def spectrum(): torch.fft.rfft(torch.randn(7).bfloat16())
def packed(): torch.zeros(4, dtype=torch.quint8) + 1
def sparse(): torch.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (4,)).softmax(0)
def channels(): nn.Conv2d(3, 8, 3)(torch.zeros(1, 1, 28, 28))
def reshape(): torch.zeros(4, 6).view(5, 5)
def labels(): F.cross_entropy(torch.randn(4, 5), torch.tensor([0, 1, 2, 5]))
def checkpoint(): nn.Linear(8, 4).load_state_dict({"weight": torch.zeros(4, 9), "bias": torch.zeros(4)})
def graph(): (nn.Linear(2, 2)(torch.randn(1, 2)).sum().detach()).backward()


def root():
    with torch.autograd.set_detect_anomaly(True):
        x = torch.zeros(4, requires_grad=True)
        distance = (x - torch.zeros(4)).pow(2).sum().sqrt()
        (distance * 0 / distance.detach().clamp(min=0)).sum().backward()


def division():
    with torch.autograd.detect_anomaly():
        scores = torch.tensor([1.0, 0.0], requires_grad=True)
        weights = scores / scores.sum(0, keepdim=True).sub(1.0)
        torch.where(weights.isfinite(), weights, 0).sum().backward()


def clip():
    model = nn.Linear(4, 4)
    (model(torch.full((2, 4), 3e38)) ** 2).sum().backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)


def policy():
    actor = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(actor.parameters(), lr=1e38)
    for episode in range(30):
        dist = torch.distributions.Normal(actor(torch.ones(16, 4)), 1.0)
        loss = (dist.log_prob(torch.zeros(16, 2)).square()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"episode {episode} loss {loss.item():.3e}")


def watch():
    model, step = nn.Linear(4, 1), 0
    optimizer = torch.optim.SGD(model.parameters(), lr=50.0)
    while True:
        loss = model(torch.ones(8, 4) * 10).square().mean()
        if not torch.isfinite(loss):
            raise FloatingPointError(f"Loss became infinite or NaN at iteration={step}!\nloss_dict = {{'loss_reg': {loss.item()}}}")
        optimizer.zero_grad(); loss.backward(); optimizer.step()
        step += 1


def sampler():
    logits = torch.full((1, 8), float("-inf"))
    next_token = torch.multinomial(logits.softmax(-1), 1)


def limited():  # with ulimit -v
    activations = [torch.ones(1 << 28) for _ in range(64)]


def whole():
    torch.compile(lambda x: x.cos() + len([print("debug")]), fullgraph=True)(torch.ones(4))


def backend():
    def export(gm, inputs):
        raise NotImplementedError("aten.frobnicate has no lowering in this exporter")
    torch.compile(lambda x: x.cos() + 1, backend=export)(torch.ones(4))


if __name__ == "__main__":
    globals()[sys.argv[1]]()

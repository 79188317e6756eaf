"""Ordinary errors: checkpoints, shapes, a model hub that refuses, code that a compiler cannot capture. `python everyday.py NAME`"""
import json, os, pathlib, sys, threading

WORK = pathlib.Path("runs")


def save(name, state):
    import torch
    WORK.mkdir(exist_ok=True)
    torch.save(state, WORK / name)
    return WORK / name


class Config:
    lr = 0.1


# Checkpoints

def load_prefix():
    import torch
    from torch import nn
    path = save("ddp.pt", nn.DataParallel(nn.Linear(8, 4)).state_dict())
    nn.Linear(8, 4).load_state_dict(torch.load(path))


def load_compiled():
    import torch
    from torch import nn
    path = save("compiled.pt", torch.compile(nn.Sequential(nn.Linear(8, 4), nn.ReLU())).state_dict())
    nn.Sequential(nn.Linear(8, 4), nn.ReLU()).load_state_dict(torch.load(path))


def load_nested():
    import torch
    from torch import nn
    path = save("last.pt", {"epoch": 3, "state_dict": nn.Linear(8, 4).state_dict(), "optimizer": {}})
    nn.Linear(8, 4).load_state_dict(torch.load(path))


def load_classes():
    import torch
    from torch import nn
    head = lambda classes: nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, classes))
    head(10).load_state_dict(torch.load(save("head.pt", head(1000).state_dict())))


def load_class():
    import torch
    torch.load(save("run.pt", {"config": Config(), "weight": torch.zeros(4)}))


def load_numpy():
    import numpy as np, torch
    torch.load(save("metrics.pt", {"best": np.float64(0.91), "weight": torch.zeros(4)}))


def load_truncated():
    import torch
    path = save("epoch_7.pt", {"weight": torch.zeros(1 << 20)})
    path.write_bytes(path.read_bytes()[:3_000_000])
    torch.load(path)


def load_pointer():
    import torch
    WORK.mkdir(exist_ok=True)
    (WORK / "pytorch_model.bin").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:" + "4d" * 32 + "\nsize 440473133\n")
    torch.load(WORK / "pytorch_model.bin")


def load_safe_pointer():
    from safetensors.torch import load_file
    WORK.mkdir(exist_ok=True)
    (WORK / "model.safetensors").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:" + "9a" * 32 + "\nsize 988097824\n")
    load_file(WORK / "model.safetensors")


def load_safe_short():
    import torch
    from safetensors.torch import load_file, save_file
    WORK.mkdir(exist_ok=True)
    save_file({"weight": torch.zeros(64, 64)}, WORK / "adapter.safetensors")
    (WORK / "adapter.safetensors").write_bytes((WORK / "adapter.safetensors").read_bytes()[:5000])
    load_file(WORK / "adapter.safetensors")


def load_vocabulary():
    from transformers import GPT2Config, GPT2LMHeadModel
    small = lambda words: GPT2Config(vocab_size=words, n_layer=1, n_head=2, n_embd=16)
    GPT2LMHeadModel(small(128)).save_pretrained(WORK / "gpt2-small")
    GPT2LMHeadModel.from_pretrained(WORK / "gpt2-small", config=small(130))


def load_sharded():
    import torch, torch.distributed.checkpoint as dcp
    dcp.save({"model": {"weight": torch.zeros(8, 4)}}, checkpoint_id=WORK / "step-100")
    dcp.load({"model": {"weight": torch.zeros(8, 4), "bias": torch.zeros(8)}}, checkpoint_id=WORK / "step-100")


def load_well():
    import torch
    from torch import nn
    path = save("best.pt", nn.DataParallel(nn.Linear(8, 4)).state_dict())
    state = {key.removeprefix("module."): value for key, value in torch.load(path, weights_only=True).items()}
    print("stripped prefix module. from 2 keys")
    print(nn.Linear(8, 4).load_state_dict(state, strict=False))
    print("resumed from", path, "at epoch 3, no size mismatch")


# Shapes

def shape_flatten():
    import torch
    from torch import nn
    nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(16 * 14 * 14, 10))(torch.zeros(8, 3, 32, 32))


def shape_layout():
    import torch
    from torch import nn
    nn.Conv2d(3, 8, 3)(torch.zeros(4, 224, 224, 3))


def shape_last_batch():
    import torch
    hidden = torch.zeros(16, 32)
    for batch in torch.utils.data.DataLoader(torch.ones(40, 32), batch_size=16):
        hidden = hidden + batch
        print("step", tuple(batch.shape))


def shape_cat():
    import torch
    torch.cat([torch.zeros(2, 64, 56, 56), torch.zeros(2, 64, 57, 57)], dim=1)


def shape_loss():
    import torch
    torch.nn.functional.cross_entropy(torch.zeros(32, 10), torch.zeros(64, dtype=torch.long))


def shape_view():
    import torch
    torch.zeros(8, 3, 30, 30).view(8, 12, 16, 16)


def shape_einsum():
    import torch
    torch.einsum("bhid,bhjd->bhij", torch.zeros(2, 8, 16, 64), torch.zeros(2, 8, 16, 32))


def shape_collate():
    import torch
    data = [torch.zeros(3, 224, 224), torch.zeros(1, 224, 224), torch.zeros(3, 224, 224)]
    next(iter(torch.utils.data.DataLoader(data, batch_size=3)))


def shape_compiled():
    import torch
    model = torch.compile(torch.nn.Linear(16, 4), backend="eager")
    model(torch.zeros(2, 24))


def shape_bmm():
    import torch
    torch.bmm(torch.zeros(4, 10, 64), torch.zeros(4, 32, 10))


def shape_lstm():
    import torch
    torch.nn.LSTM(input_size=40, hidden_size=16)(torch.zeros(100, 8, 80))


def shape_jax():
    import jax.numpy as jnp
    print(jnp.ones((8, 16)) + jnp.ones((8, 15)))


def shape_tf():
    import tensorflow as tf
    print(tf.matmul(tf.zeros((32, 20)), tf.zeros((30, 10))))


def shape_keras():
    import keras
    model = keras.Sequential([keras.Input((28, 28, 1)), keras.layers.Conv2D(8, 3), keras.layers.Flatten(), keras.layers.Dense(10)])
    model.predict(keras.ops.zeros((4, 28, 28)).numpy().reshape(4, 784), verbose=0)


def shape_well():
    import torch
    print("expected input [N, 3, 32, 32], got", tuple(torch.zeros(4, 3, 32, 32).shape), "- shapes match")
    print("checking that mat1 and mat2 fit ... ok")
    try:
        torch.ones(2, 3) @ torch.ones(4, 5)
    except RuntimeError:
        print("selftest: the wrong width was rejected as it should be")
    print("all 4 shape checks passed")


# A model hub

def hub(status, code, message):
    """A server that answers every request as the hub does."""
    import http.server

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status)
            self.send_header("X-Error-Code", code)
            self.send_header("X-Error-Message", message)
            self.send_header("Content-Length", "0")
            self.end_headers()
        do_HEAD = do_GET
        log_message = lambda *_: None

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 8899), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.environ.update(HF_ENDPOINT="http://127.0.0.1:8899", HF_HOME="runs/hf-empty")


def hub_gated():
    hub(401, "GatedRepo", "Access to model example/secret-7b is restricted. You must have access to it and be authenticated to access it. Please log in.")
    from transformers import AutoConfig
    AutoConfig.from_pretrained("example/secret-7b")


def hub_gated_file():
    hub(403, "GatedRepo", "Access to model example/secret-7b is restricted and you are not in the authorized list. Visit https://huggingface.co/example/secret-7b to ask for access.")
    from huggingface_hub import hf_hub_download
    hf_hub_download("example/secret-7b", "model.safetensors")


def hub_unknown():
    hub(401, "RepoNotFound", "Repository not found")
    from transformers import AutoModel
    AutoModel.from_pretrained("checkpoints/last")


def hub_entry():
    hub(404, "EntryNotFound", "Entry not found")
    from huggingface_hub import hf_hub_download
    hf_hub_download("example/small", "pytorch_model.bin")


def hub_limit():
    hub(429, "", "We had to rate limit you")
    from huggingface_hub import HfApi
    HfApi().model_info("example/small")


def hub_unreachable():
    os.environ.update(HF_ENDPOINT="http://127.0.0.1:9", HF_HOME="runs/hf-empty")
    from huggingface_hub import hf_hub_download
    hf_hub_download("example/small", "config.json")


def hub_switched_off():
    os.environ.update(HF_HUB_OFFLINE="1", HF_HOME="runs/hf-empty")
    from transformers import AutoModel
    AutoModel.from_pretrained("example/small")


def hub_no_weights():
    from transformers import AutoModel, GPT2Config
    GPT2Config(n_layer=1).save_pretrained(WORK / "only-config")
    AutoModel.from_pretrained("runs/only-config")


def hub_new_model():
    from transformers import AutoConfig
    (WORK / "new-model").mkdir(parents=True, exist_ok=True)
    (WORK / "new-model/config.json").write_text(json.dumps({"model_type": "nextmodel9"}))
    AutoConfig.from_pretrained("runs/new-model")


def hub_remote_code():
    from transformers import AutoConfig
    folder = WORK / "custom"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps({"model_type": "own", "auto_map": {"AutoConfig": "configuration_own.OwnConfig"}}))
    (folder / "configuration_own.py").write_text("from transformers import PretrainedConfig\nclass OwnConfig(PretrainedConfig):\n    model_type = 'own'\n")
    AutoConfig.from_pretrained("runs/custom")


def hub_script():
    from datasets import load_dataset
    (WORK / "corpus").mkdir(parents=True, exist_ok=True)
    (WORK / "corpus/corpus.py").write_text("import datasets\n")
    load_dataset("runs/corpus")


def hub_well():
    from transformers import AutoModel, GPT2Config, GPT2Model
    GPT2Model(GPT2Config(vocab_size=64, n_layer=1, n_head=2, n_embd=16)).save_pretrained(WORK / "tiny")
    os.environ["HF_HUB_OFFLINE"] = "1"
    AutoModel.from_pretrained("runs/tiny")
    print("gated models: none requested; offline mode is on; 0 files missing")


# Capturing a graph

def graph_branch():
    import torch

    @torch.compile(fullgraph=True, backend="eager")
    def step(x):
        return x + 1 if x.sum() > 0 else x - 1

    step(torch.ones(4))


def graph_item():
    import torch

    class Head(torch.nn.Module):
        def forward(self, x):
            count = x.argmax().item()
            return x[:count] * 2 if count > 3 else x

    torch.export.export(Head(), (torch.arange(8.0),))


def graph_limit():
    import torch

    @torch.compile(fullgraph=True, backend="eager", dynamic=False)
    def scale(x):
        return x * 2

    for size in range(2, 20):
        scale(torch.ones(size))


def graph_limit_warned():
    import torch

    @torch.compile(backend="eager", dynamic=False)
    def scale(x):
        return x * 2

    print("sum", sum(float(scale(torch.ones(size)).sum()) for size in range(2, 20)))
    print("training finished")


def graph_dynamic():
    import torch

    class Head(torch.nn.Module):
        def forward(self, x):
            return x.view(4, -1)

    torch.export.export(Head(), (torch.ones(4, 6),), dynamic_shapes={"x": {0: torch.export.Dim("batch")}})


def graph_script():
    import torch

    class Head(torch.nn.Module):
        def forward(self, x, **options):
            return x

    torch.jit.script(Head())


def graph_script_builtin():
    import torch

    @torch.jit.script
    def window(x: torch.Tensor):
        return torch.sinc_window(x)


def graph_onnx():
    import torch

    class Head(torch.nn.Module):
        def forward(self, x):
            return torch.linalg.lstsq(x, x).solution

    torch.onnx.export(Head(), (torch.rand(4, 4),), "runs/head.onnx", dynamo=False)


def graph_jax():
    import jax, jax.numpy as jnp

    @jax.jit
    def count(x, n):
        return jnp.arange(n) + x

    count(1.0, 5)


def graph_tf():
    import tensorflow as tf

    @tf.function(autograph=False)
    def step(x):
        return x + 1 if tf.reduce_sum(x) > 0 else x

    step(tf.ones(4))


def graph_breaks():
    import torch
    torch._logging.set_logs(graph_breaks=True)

    @torch.compile(backend="eager")
    def step(x):
        print("sum is a plain number here:", x.sum().item())
        return x * 2

    print("result", step(torch.ones(2)).tolist(), "- graph breaks are listed above, nothing failed")


def graph_well():
    import torch
    print("compiled", torch.compile(lambda x: x * 2, backend="eager")(torch.ones(2)).tolist(), "0 graph breaks, 1 recompile")


if __name__ == "__main__":
    globals()[sys.argv[1].replace("-", "_")]()

"""Programs that end well, or with ordinary mistakes, and print words that failures use.

Run with Python 3.11, torch 2.15.0, lightning 2.6.6, transformers 5.23.0, accelerate 1.15.0, rich 15:   python plain.py NAME [...]
"""
import logging, os, sys, time, warnings

log = logging.getLogger("job")


def options():
    import argparse
    parser = argparse.ArgumentParser(prog="train.py")
    parser.add_argument("--device", choices=["cuda", "cpu", "mps"], default="cuda")
    parser.add_argument("--oom-retries", type=int, default=3, help="how often to retry after CUDA out of memory")
    parser.add_argument("--nccl-timeout", type=int, default=1800)
    parser.parse_args(sys.argv[2:])


def fields():
    import dataclasses, json
    @dataclasses.dataclass
    class Config:
        cuda_launch_blocking: bool = False
        nccl_timeout_s: int = 600
    print(Config(**json.loads('{"cuda_launch_blocking": true, "nccl_timeot_s": 600}')))


def feature():
    log.info("CUDA_VISIBLE_DEVICES=0,1,2,3 NCCL_DEBUG=WARN TORCH_NCCL_ASYNC_ERROR_HANDLING=1")
    log.info("handlers: on_oom=halve_batch on_nan=skip_step on_ecc_error=drain")
    for epoch in range(3):
        log.info("epoch %d loss %.4f grad_norm %.2f skipped_nan_steps=0 oom_retries=0 ecc_errors=0 xid_events=0", epoch, 2.3 / (epoch + 1), 1.1)
    log.warning("loss scale reduced to 32768 after an overflow, step skipped")
    log.info("watchdog: no collective timed out; heartbeat monitor stopped normally")
    log.info("Training completed successfully, no errors.")


def recover():
    import torch
    model = torch.nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(6):
        try:
            if step == 2:
                raise OSError(5, "Input/output error", "/data/shard-0002.tar")
            loss = model(torch.ones(4, 8)).square().mean()
            optimizer.zero_grad(); loss.backward(); optimizer.step()
            log.info("step %d loss %.5f", step, loss.item())
        except OSError:
            log.exception("step %d failed, retrying with the next shard", step)
    log.info("finished 6 steps, 1 shard skipped")


def scaler():
    import torch
    model, grad = torch.nn.Linear(4, 4), torch.amp.GradScaler("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        with torch.autocast("cuda"):
            loss = model(torch.ones(2, 4)).square().mean()
        grad.scale(loss).backward(); grad.step(optimizer); grad.update(); optimizer.zero_grad()
        print("step", step, "scale", grad.get_scale(), "loss", round(loss.item(), 4))


def lightning():
    import torch, lightning
    class Tiny(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(8, 1)
        def training_step(self, batch, i):
            loss = self.layer(batch[0] if sys.argv[2:] != ["wide"] else batch[0].repeat(1, 2)).square().mean()
            self.log("loss", loss, prog_bar=True)
            return loss
        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1)
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(64, 8)), batch_size=16)
    lightning.Trainer(max_epochs=1, accelerator="auto", logger=False, enable_checkpointing=False).fit(Tiny(), data)


def trainer():
    import torch
    from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
    config = BertConfig(vocab_size=100, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, num_labels=2)
    class Rows(torch.utils.data.Dataset):
        def __len__(self): return 32
        def __getitem__(self, i): return {"input_ids": torch.full((8,), i), "labels": i % 2, **({} if i != 21 or sys.argv[2:] != ["hole"] else {"labels": None})}
    args = TrainingArguments("/tmp/work/out", num_train_epochs=1, per_device_train_batch_size=8, logging_steps=2, report_to=[], save_strategy="no")
    print(Trainer(BertForSequenceClassification(config), args, train_dataset=Rows()).train().metrics["epoch"])


def offline():
    os.environ["HF_HUB_OFFLINE"] = "1"
    from transformers import AutoModelForCausalLM
    AutoModelForCausalLM.from_pretrained("example-org/tiny-model", device_map="cuda:0")


def rich():
    import torch
    from rich.logging import RichHandler
    from rich.traceback import install
    install(show_locals=True, width=120)
    logging.getLogger().handlers[:] = [RichHandler(rich_tracebacks=True)]
    cuda_out_of_memory_policy, nccl_timeout = "retry", 1800
    log.info("policy %s", cuda_out_of_memory_policy)
    tokens = {"train": torch.zeros(4, 8)}
    print(tokens["validation"].shape)


def quota():
    path = "/tmp/work/small/ckpt.pt"
    import torch
    torch.save({"model": torch.zeros(4 << 20)}, path)


def interrupt():
    import signal, threading
    threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    for step in range(100):
        log.info("step %d cuda:0 mem 71.2/79.1 GiB", step)
        time.sleep(0.2)


def crash():
    import faulthandler, ctypes
    faulthandler.enable()
    def load_index(path):
        return ctypes.string_at(8)
    load_index("/data/index.faiss")


if __name__ == "__main__":
    logging.basicConfig(level="INFO", format="%(asctime)s | %(levelname)-8s | %(name)s:%(funcName)s:%(lineno)d - %(message)s")
    globals()[sys.argv[1]]()

"""pytest, logging, MLflow, Weights & Biases, Lightning and torchrun, each with the real package where it is installed."""

from __future__ import annotations

import importlib.util
import io
import logging
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import processes


def has(name: str) -> bool:
    """Whether a package is installed, without importing it."""
    return importlib.util.find_spec(name) is not None


def needs(name: str):
    """Leaves a test out, loudly, where a package is missing."""
    return unittest.skipUnless(has(name), f"LEFT OUT: {name} is not installed")


def run(*words: str, **files: str) -> subprocess.CompletedProcess[str]:
    """Runs a command in a folder with these Python files."""
    quiet = {"WANDB_MODE": "offline", "WANDB_SILENT": "true", "MLFLOW_ALLOW_FILE_STORE": "true"}
    return processes.python(list(words), files, **quiet)


class Logging(unittest.TestCase):
    def test_a_logged_exception_is_told_once(self) -> None:
        from faultbook.log import Handler

        stream = io.StringIO()
        logger = logging.getLogger("faultbook.test")
        logger.propagate = False
        logger.addHandler(Handler(stream))
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(tempfile, "tempdir", folder):
            for _ in range(2):
                try:
                    open("none.csv")
                except OSError:
                    logger.exception("the epoch failed")
            logger.error("no exception")
        self.assertEqual(stream.getvalue().count("Most likely"), 1)


class Attach(unittest.TestCase):
    def test_a_file_and_the_exception_goes_on(self) -> None:
        from faultbook import attach

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "runs", "faultbook.txt")
            with self.assertRaises(FileNotFoundError), attach.on_failure(path):
                open("none.csv")
            self.assertIn("missing-file", Path(path).read_text())

    @needs("mlflow")
    def test_mlflow(self) -> None:
        ended = run(
            "train.py",
            train="""
            import mlflow, faultbook.attach
            mlflow.set_tracking_uri("file:runs")
            try:
                with mlflow.start_run() as active, faultbook.attach.on_failure():
                    open("none.csv")
            except FileNotFoundError:
                pass
            done = mlflow.get_run(active.info.run_id)
            print(done.data.tags["faultbook"], mlflow.artifacts.load_text(done.info.artifact_uri + "/faultbook.txt"))
            """,
        )
        self.assertIn("Most likely", ended.stdout, ended.stderr)

    @needs("wandb")
    def test_wandb(self) -> None:
        ended = run(
            "train.py",
            train="""
            import wandb, faultbook.attach
            run = wandb.init(project="tests")
            try:
                with faultbook.attach.on_failure():
                    open("none.csv")
            except FileNotFoundError:
                print(run.summary["faultbook"])
            """,
        )
        self.assertIn("does not exist", ended.stdout, ended.stderr)


@needs("pytest")
class Pytest(unittest.TestCase):
    TEST = """
    def test_file():
        open("none.csv")

    def test_sum():
        assert 1 + 1 == 3
    """

    def test_a_section_where_the_book_knows_the_failure(self) -> None:
        ended = run("-m", "pytest", "--faultbook", "test_it.py", test_it=self.TEST)
        self.assertEqual(ended.returncode, 1)
        self.assertEqual(ended.stdout.count("Most likely"), 1, ended.stdout + ended.stderr)
        self.assertIn("missing-file", ended.stdout)

    def test_without_the_option_nothing_is_added(self) -> None:
        self.assertNotIn("Most likely", run("-m", "pytest", "test_it.py", test_it=self.TEST).stdout)


@needs("torch")
class Torchrun(unittest.TestCase):
    def test_one_of_four_gloo_ranks_tells(self) -> None:
        ended = run(
            *("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "4", "train.py"),
            train="""
            import faultbook
            faultbook.install()
            import torch, torch.distributed as dist
            dist.init_process_group("gloo")
            torch.nn.Linear(8, 2)(torch.randn(4, 9))
            """,
        )
        self.assertNotEqual(ended.returncode, 0)
        self.assertEqual(ended.stderr.count("Most likely"), 1, ended.stderr)
        self.assertEqual(ended.stderr.count("Do this next"), 1)
        self.assertIn("shape-mismatch", ended.stderr)
        self.assertIn("of 4 failed first", ended.stderr)

    def test_a_corrupted_context_is_not_touched(self) -> None:
        ended = run(
            "train.py",
            train="""
            import torch
            def forbidden(*arguments, **named):
                print("CUDA WAS CALLED", flush=True)
            import faultbook
            faultbook.install()
            for name in ("memory_stats", "memory_snapshot", "synchronize", "current_device", "mem_get_info", "_lazy_init"):
                setattr(torch.cuda, name, forbidden)
            torch.cuda.is_initialized = lambda: True
            def step(x):
                raise RuntimeError("CUDA error: device-side assert triggered")
            step(torch.zeros(3))
            """,
        )
        self.assertNotIn("CUDA WAS CALLED", ended.stdout)
        self.assertIn("device-assert", ended.stderr)


@needs("torch")
class Lightning(unittest.TestCase):
    @unittest.skipUnless(has("lightning") or has("pytorch_lightning"), "LEFT OUT: lightning is not installed")
    def test_a_file_beside_the_logs(self) -> None:
        ended = run(
            "train.py",
            train="""
            import torch, glob
            try:
                import lightning.pytorch as pl
            except ImportError:
                import pytorch_lightning as pl
            from faultbook.lightning import Diagnosis

            class Net(pl.LightningModule):
                def __init__(self):
                    super().__init__()
                    self.layer = torch.nn.Linear(8, 2)
                def training_step(self, batch, index):
                    return self.layer(batch).sum()
                def configure_optimizers(self):
                    return torch.optim.SGD(self.parameters(), lr=0.1)

            trainer = pl.Trainer(max_epochs=1, callbacks=[Diagnosis()], logger=False, enable_progress_bar=False, accelerator="cpu")
            try:
                trainer.fit(Net(), torch.utils.data.DataLoader(torch.randn(4, 9)))
            except RuntimeError:
                print(open("faultbook.txt").read())
            """,
        )
        self.assertIn("shape-mismatch", ended.stdout, ended.stderr)


@needs("torch")
class HuggingFace(unittest.TestCase):
    @unittest.skipUnless(
        has("transformers") and has("accelerate"), "LEFT OUT: transformers and accelerate are not installed"
    )
    def test_the_trainer(self) -> None:
        ended = run(
            "train.py",
            train="""
            import torch, faultbook.attach
            from transformers import Trainer, TrainingArguments

            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.layer = torch.nn.Linear(8, 2)
                def forward(self, x, labels=None):
                    return {"loss": self.layer(x).sum()}

            rows = [{"x": torch.randn(9), "labels": 0} for _ in range(4)]
            trainer = Trainer(Net(), TrainingArguments("out", use_cpu=True, report_to=[]), train_dataset=rows)
            try:
                with faultbook.attach.on_failure("faultbook.txt"):
                    trainer.train()
            except RuntimeError:
                print(open("faultbook.txt").read())
            """,
        )
        self.assertIn("shape-mismatch", ended.stdout, ended.stderr)


class Cluster(unittest.TestCase):
    @unittest.skipIf(os.name == "nt", "the recipe is for Linux")
    def test_the_recipe_for_a_termination_message(self) -> None:
        import faultbook

        program = faultbook.binary()
        with tempfile.TemporaryDirectory() as folder:
            log, message = os.path.join(folder, "train.log"), os.path.join(folder, "termination-log")
            hook = f"{program} --format brief $FAULTBOOK_LOG > {message}"
            words = [program, "run", "--log", log, "--on-failure", hook, "--", sys.executable, "-c", "open('none.csv')"]
            self.assertEqual(subprocess.run(words, capture_output=True, check=False).returncode, 1)
            self.assertIn("missing-file", Path(message).read_text())
            self.assertLess(os.path.getsize(message), 4096)


if __name__ == "__main__":
    unittest.main()

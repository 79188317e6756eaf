"""Launchers and trainers of PyTorch: torchrun, accelerate, Lightning, Hugging Face, Ray Train; left out where they are missing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from processes import has, needs, programs

import faultbook


@needs("torch")
class Torchrun(unittest.TestCase):
    def test_one_of_four_gloo_ranks_tells(self) -> None:
        ended = programs(
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
        ended = programs(
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

    def test_error_files(self) -> None:
        """What `@record` writes, as a log: the error in it is diagnosed."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "train.py").write_text(
                "import torch\nfrom torch.distributed.elastic.multiprocessing.errors import record\n"
                "@record\ndef main():\n    torch.nn.Linear(8, 2)(torch.randn(4, 9))\nmain()\n"
            )
            words = [
                "-m",
                "torch.distributed.run",
                "--nproc_per_node",
                "2",
                "--master_port",
                "29527",
                "--log-dir",
                "logs",
            ]
            subprocess.run(
                [sys.executable, *words, "train.py"], cwd=folder, capture_output=True, timeout=300, check=False
            )
            files = sorted(Path(folder, "logs").rglob("error.json"))
            self.assertTrue(files)
            words = [faultbook.binary(), "diagnose", "--no-probe", "--format", "json", str(files[0])]
            answer = json.loads(subprocess.run(words, capture_output=True, check=False).stdout)
            self.assertEqual(answer["fault"]["id"], "shape-mismatch")

    def test_run_of_a_launcher(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "train.py").write_text(
                "import torch, torch.distributed as dist\ndist.init_process_group('gloo')\n"
                "torch.nn.Linear(8, 2)(torch.randn(4, 9))\n"
            )
            launcher = [
                sys.executable,
                "-m",
                "torch.distributed.run",
                "--standalone",
                "--nproc_per_node",
                "4",
                "train.py",
            ]
            ended = subprocess.run(
                [faultbook.binary(), "run", "--", *launcher],
                cwd=folder,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
            self.assertEqual(ended.returncode, 1)
            self.assertEqual(ended.stderr.count("Most likely"), 1, ended.stderr)
            self.assertIn("Linear(in_features=8, out_features=2", ended.stderr)


@needs("torch", "accelerate")
class Accelerate(unittest.TestCase):
    def test_one_of_two_processes_tells(self) -> None:
        ended = programs(
            *("-m", "accelerate.commands.launch", "--cpu", "--num_processes", "2", "--num_machines", "1"),
            *("--mixed_precision", "no", "--dynamo_backend", "no", "--main_process_port", "29528", "train.py"),
            train="""
            import faultbook
            faultbook.install()
            import torch
            from accelerate import Accelerator
            accelerator = Accelerator(cpu=True)
            model = accelerator.prepare(torch.nn.Linear(8, 2))
            model(torch.randn(4, 9))
            """,
        )
        self.assertNotEqual(ended.returncode, 0)
        self.assertEqual(ended.stderr.count("Most likely"), 1, ended.stderr)
        self.assertIn("shape-mismatch", ended.stderr)


@needs("torch", "ray")
class RayTrain(unittest.TestCase):
    def test_a_training_function_that_fails(self) -> None:
        ended = programs(
            "train.py",
            train="""
            import faultbook
            faultbook.install()
            import os, ray
            ray.init(num_cpus=3, include_dashboard=False, logging_level="ERROR")
            from ray.train import RunConfig, ScalingConfig
            from ray.train.torch import TorchTrainer

            def train(config):
                import torch
                torch.nn.Linear(8, 2)(torch.randn(4, 9))

            run = RunConfig(storage_path=os.getcwd())
            TorchTrainer(train, scaling_config=ScalingConfig(num_workers=2), run_config=run).fit()
            """,
        )
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertEqual(ended.stderr.count("Most likely"), 1, ended.stderr)
        self.assertIn("shape-mismatch", ended.stderr)
        self.assertIn("Linear(in_features=8, out_features=2", ended.stderr)


@needs("torch")
class Lightning(unittest.TestCase):
    @unittest.skipUnless(has("lightning") or has("pytorch_lightning"), "LEFT OUT: lightning is not installed")
    def test_a_file_beside_the_logs(self) -> None:
        ended = programs(
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


@needs("torch", "transformers", "accelerate")
class HuggingFace(unittest.TestCase):
    TRAIN = """
    import torch, {module}
    from transformers import Trainer, TrainingArguments

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(8, 2)
        def forward(self, x, labels=None):
            return {{"loss": self.layer(x).sum()}}

    rows = [{{"x": torch.randn(9), "labels": 0}} for _ in range(4)]
    arguments = TrainingArguments("out", use_cpu=True, report_to=[], disable_tqdm=True)
    """

    def test_the_callback(self) -> None:
        ended = programs(
            "train.py",
            keep=("out/faultbook.txt",),
            train=self.TRAIN.format(module="faultbook.transformers")
            + """
    Trainer(Net(), arguments, train_dataset=rows, callbacks=[faultbook.transformers.Diagnosis()]).train()
    """,
        )
        self.assertEqual(ended.returncode, 1)
        self.assertEqual(ended.stderr.count("Most likely"), 1, ended.stderr)
        self.assertIn("shape-mismatch", ended.stdout, ended.stderr)

    def test_around_the_training(self) -> None:
        ended = programs(
            "train.py",
            train=self.TRAIN.format(module="faultbook.attach")
            + """
    try:
        with faultbook.attach.on_failure("faultbook.txt"):
            Trainer(Net(), arguments, train_dataset=rows).train()
    except RuntimeError:
        print(open("faultbook.txt").read())
    """,
        )
        self.assertIn("shape-mismatch", ended.stdout, ended.stderr)


if __name__ == "__main__":
    unittest.main()

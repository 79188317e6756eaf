"""Facts of the failing process: what is recorded, what must not be touched, what must not be shown."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

from processes import needs, run

import faultbook
from faultbook import _samples

#: A program whose memory and loss grow while it is sampled, and that fails then.
GROWS = """
import time
import faultbook._samples as samples
samples.start()
kept, loss = [], 1.0
for step in range(40):
    kept.append(bytearray(8 << 20))
    loss = 0.5 if step < 8 else loss * 1.3
    time.sleep(0.08)
raise ValueError("it grew")
"""


class Trend(unittest.TestCase):
    def test_memory_and_loss_over_time(self) -> None:
        ended = run(GROWS, FAULTBOOK_SAMPLING="0.1")
        self.assertEqual((ended.code, ended.told), (1, 1), ended.err)
        self.assertTrue(ended.facts["run.loss.rising"])
        self.assertFalse(ended.facts["run.loss.nonfinite"])
        self.assertGreater(ended.facts["run.loss.last"], 3 * ended.facts["run.loss.lowest"])
        if sys.platform == "linux":
            self.assertTrue(ended.facts["run.host_memory.rising"])
            self.assertGreater(ended.facts["run.host_memory.last"], ended.facts["run.host_memory.first"] + (100 << 20))

    def test_a_history_in_the_frames(self) -> None:
        ended = run("def fit(losses):\n    raise ValueError(losses)\nfit([3.0, 1.0, float('nan')])\n")
        self.assertEqual(ended.facts["run.loss.first"], 3.0)
        self.assertEqual(ended.facts["run.loss.last"], 1.0)
        self.assertTrue(ended.facts["run.loss.nonfinite"])

    @unittest.skipIf(
        sys.version_info < (3, 13), "a look at a running function's variables keeps them alive before 3.13"
    )
    def test_the_loss_of_a_running_function(self) -> None:
        ended = run(
            "def train():\n" + "".join(f"    {line}\n" for line in GROWS.splitlines()) + "train()\n",
            FAULTBOOK_SAMPLING="0.1",
        )
        self.assertTrue(ended.facts["run.loss.rising"])

    def test_it_can_be_turned_off(self) -> None:
        ended = run(GROWS, FAULTBOOK_SAMPLING="0")
        self.assertNotIn("run.host_memory.rising", ended.facts)

    @unittest.skipIf(os.name == "nt", "there are no forks")
    def test_a_program_that_forks_sees_no_thread_of_ours(self) -> None:
        """Python 3.12 and newer warn about a fork of a process with threads; here a warning is an error."""
        code = """
        import os, faultbook._samples as samples
        samples.start()
        for _ in range(20):
            child = os.fork()
            if child == 0:
                os._exit(0)
            os.waitpid(child, 0)
        raise SystemExit(len(samples.readings()) == 0)
        """
        ended = run(code, "-W", "error")
        self.assertEqual((ended.code, ended.err), (0, ""))


class Untouched(unittest.TestCase):
    @needs("torch")
    def test_a_file_that_was_cut_after_it_was_mapped(self) -> None:
        """Reading its values would end the process with SIGBUS."""
        ended = run(
            """
            import numpy, os, torch
            numpy.zeros(1 << 16).tofile("weights.bin")
            def step():
                weights = torch.from_file("weights.bin", size=1 << 16, dtype=torch.float64)
                os.truncate("weights.bin", 8)
                raise ValueError("the file was cut")
            step()
            """
        )
        self.assertEqual((ended.code, ended.told), (1, 1), ended.err)
        self.assertIn("weights: float64 [65536] on cpu", ended.facts["frame.tensors"])

    @needs("torch")
    def test_cuda_is_not_called_after_its_error(self) -> None:
        """Nor is anything that would initialize it."""
        ended = run(
            """
            import torch
            def forbidden(*arguments, **named):
                import os
                os.write(1, b"CUDA WAS CALLED")
            for name in ("_cuda_init", "_cuda_memoryStats", "_cuda_memorySnapshot", "_cuda_synchronize", "_cuda_getDevice"):
                setattr(torch._C, name, forbidden)
            torch.cuda._initialized = True
            def step(x):
                raise RuntimeError("CUDA error: device-side assert triggered")
            step(torch.zeros(3))
            """,
            FAULTBOOK_SAMPLING="0",
        )
        self.assertNotIn("CUDA WAS CALLED", ended.out)
        self.assertEqual((ended.code, ended.told), (1, 1), ended.err)
        self.assertNotIn("allocator.allocated", ended.facts)


class Frameworks(unittest.TestCase):
    def test_samples_count_the_memory_of_all_gpus(self) -> None:
        """A rank allocates on its own GPU, which is seldom the first."""
        held = [0, 0, 7 << 30]
        stats = {"_cuda_memoryStats": lambda device: {"allocated_bytes": {"all": {"current": held[device]}}}}
        cuda = types.SimpleNamespace(_initialized=True, default_generators=(None,) * 3)
        fakes = {"torch": types.SimpleNamespace(_C=types.SimpleNamespace(**stats)), "torch.cuda": cuda}
        with mock.patch.dict(sys.modules, fakes):
            self.assertEqual(_samples._gpu(), 7 << 30)

    @needs("torch")
    def test_the_allocator_of_torch(self) -> None:
        """With the layout of PyTorch's counters, since there is no GPU here."""
        ended = run(
            """
            import torch
            counters = {"current": 9 << 30, "peak": 10 << 30}
            torch._C._cuda_memoryStats = lambda device: {
                "allocated_bytes": {"all": counters}, "reserved_bytes": {"all": counters}, "num_alloc_retries": 2,
            }
            blocks = [{"size": 4 << 30, "state": "active_allocated"}, {"size": 1 << 20, "state": "inactive"}]
            torch._C._cuda_memorySnapshot = lambda *arguments: {"segments": [{"device": 0, "blocks": blocks}]}
            torch.cuda._initialized = True
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
            """
        )
        self.assertEqual(ended.facts["allocator.framework"], "torch", ended.err)
        self.assertEqual(ended.facts["allocator.peak"], 10 << 30)
        self.assertEqual(ended.facts["allocator.largest_free"], 1 << 20)
        self.assertEqual(ended.facts["allocator.largest"], ["4096.0 MiB"])
        self.assertTrue(ended.facts["process.cuda"])

    @needs("torch")
    def test_modes_and_model(self) -> None:
        ended = run(
            """
            import torch
            torch.use_deterministic_algorithms(True)
            torch.set_float32_matmul_precision("high")
            scaler = torch.amp.GradScaler("cpu", init_scale=0.5)
            model = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.Linear(4, 2))
            model[0].weight.requires_grad_(False)
            def step(model, scaler):
                scaler.scale(torch.ones(1))
                with torch.autocast("cpu", torch.bfloat16):
                    model(torch.zeros(2, 9))
            step(model, scaler)
            """
        )
        facts = ended.facts
        self.assertEqual((facts["model.parameters"], facts["model.trainable"]), (46, 14), ended.err)
        self.assertEqual((facts["mode.deterministic"], facts["mode.matmul_precision"]), (True, "high"))
        self.assertEqual((facts["grad_scaler.scale"], facts["grad_scaler.enabled"]), (0.5, True))

    @needs("torch")
    def test_a_fork_after_cuda(self) -> None:
        ended = run(
            """
            import os, torch
            torch.cuda._initialized = True
            child = os.fork()
            if child:
                raise SystemExit(os.waitpid(child, 0)[1] != 256)
            raise RuntimeError("Cannot re-initialize CUDA in forked subprocess.")
            """,
            FAULTBOOK_SAMPLING="0",
        )
        self.assertEqual((ended.code, ended.told), (0, 1), ended.err)
        self.assertEqual((ended.facts["process.forked"], ended.facts["process.cuda_before_fork"]), (True, True))

    @needs("torch")
    def test_the_last_collectives(self) -> None:
        """Two ranks of gloo in different collectives: the flight recorder tells, and the ranks are compared."""
        ended = run(
            """
            import os, time, torch
            child = os.fork()
            os.environ.update(RANK=str(int(child == 0)), WORLD_SIZE="2", MASTER_ADDR="127.0.0.1", MASTER_PORT="29531")
            import torch.distributed as dist
            dist.init_process_group("gloo")
            dist.all_reduce(torch.ones(4))
            if child == 0:
                from faultbook.facts import distributed
                work = dist.broadcast(torch.ones(2), 1, async_op=True)
                distributed.recorded()
                open("left", "w").close()
                time.sleep(2)
            while not os.path.exists("left"):
                time.sleep(0.1)
            raise ValueError("out of step")
            """
        )
        self.assertEqual(ended.told, 1, ended.err)
        self.assertTrue(
            any("all_reduce #1 [[4]]" in line for line in ended.facts["dist.last_collectives"]), ended.facts
        )
        self.assertTrue(ended.facts.get("dist.calls_differ"), ended.facts)

    @needs("jax")
    def test_jax(self) -> None:
        ended = run("import jax.numpy as jnp\nx = jnp.ones((1000, 500))\nx @ jnp.ones((3, 3))\n")
        self.assertEqual(ended.facts["allocator.framework"], "jax", ended.err)
        self.assertGreaterEqual(ended.facts["allocator.allocated"], 2_000_000)
        self.assertEqual(ended.facts["allocator.largest"][0], "1.9 MiB float32 [1000, 500]")
        self.assertEqual(ended.facts["jax.platforms"], ["cpu"])

    @needs("tensorflow")
    def test_tensorflow(self) -> None:
        ended = run("import tensorflow as tf\nx = tf.ones((1000, 500))\ntf.matmul(x, tf.ones((3, 3)))\n")
        self.assertEqual(ended.facts["allocator.framework"], "tensorflow", ended.err)
        self.assertGreaterEqual(ended.facts["allocator.peak"], 2_000_000)
        self.assertIn("tensorflow.cpu_only", ended.facts)


class Redaction(unittest.TestCase):
    def test_secrets_in_values_are_not_shown(self) -> None:
        token = "hf_" + "aZ3kQ9xW7mB5vN1cR8tY2uI6oP4sD0fGhJ"
        table = {"image": 1, token: 2}
        try:
            table["label-" + token[:4]]
        except KeyError as error:
            answer = faultbook.diagnose(error)
        self.assertNotIn(token, json.dumps(answer.facts.known, default=str))
        self.assertIn("image", str(answer.facts.known["key.available"].value))
        self.assertNotIn(token, answer._repr_html_())

    def test_files_of_facts_are_this_users_and_go_away(self) -> None:
        code = "import faultbook, glob, os, tempfile\ntry:\n    open('none.csv')\nexcept OSError as error:\n"
        code += "    faultbook.diagnose(error)\nprint(os.listdir(tempfile.gettempdir()))\n"
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run(
                [sys.executable, "-c", code],
                env={**os.environ, "TMPDIR": folder},
                capture_output=True,
                text=True,
                check=True,
            )
            left = list(Path(folder).rglob("*.json"))
        self.assertEqual(left, [], ended.stdout)


if __name__ == "__main__":
    unittest.main()

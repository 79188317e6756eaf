"""pytest, logging, MLflow, Weights & Biases, and the recipes for clusters, each with the real package where it is installed."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from processes import needs, programs

import faultbook


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
        ended = programs(
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
        ended = programs(
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
        ended = programs("-m", "pytest", "--faultbook", "test_it.py", test_it=self.TEST)
        self.assertEqual(ended.returncode, 1)
        self.assertEqual(ended.stdout.count("Most likely"), 1, ended.stdout + ended.stderr)
        self.assertIn("missing-file", ended.stdout)

    def test_without_the_option_nothing_is_added(self) -> None:
        self.assertNotIn("Most likely", programs("-m", "pytest", "test_it.py", test_it=self.TEST).stdout)


@unittest.skipIf(os.name == "nt", "the recipes are for Linux")
class Cluster(unittest.TestCase):
    """The recipes of docs/python.md, word for word; Slurm's programs and the message's file are stand-ins."""

    def recipe(self, language: str, word: str) -> str:
        """The block of that language with that word."""
        document = Path(__file__).resolve().parents[2] / "docs" / "python.md"
        found = re.findall(
            rf"^```{language}\n(.*?)^```", document.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
        )
        return next(block for block in found if word in block)

    def bash(self, script: str, folder: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Runs a script with our program, and this interpreter as `python`, on the path."""
        tools = Path(folder, "tools")
        tools.mkdir(exist_ok=True)
        for name, target in (("faultbook", faultbook.binary()), ("python", sys.executable)):
            if not (tools / name).exists():
                (tools / name).write_text(f'#!/bin/sh\nexec "{target}" "$@"\n')
        # srun runs what follows its options, and then the epilog.
        (tools / "srun").write_text(
            "#!/bin/bash\nwhile [[ $1 == --* ]]; do [[ $1 == --epilog=* ]] && epilog=${1#--epilog=}; shift; done\n"
            '"$@"; code=$?; [ -n "$epilog" ] && "$epilog"; exit $code\n'
        )
        (tools / "scontrol").write_text('#!/bin/sh\necho "JobId=$4 JobState=FAILED StdOut=$PWD/train-$4.log Power="\n')
        for tool in tools.iterdir():
            tool.chmod(0o755)
        environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "TMPDIR": folder, **variables}
        return subprocess.run(
            ["bash", "-c", script],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def test_the_termination_message_of_a_pod(self) -> None:
        command = json.loads(" ".join(self.recipe("yaml", "termination-log").split(":", 1)[1].split()))
        with tempfile.TemporaryDirectory() as folder:
            message = os.path.join(folder, "message")
            Path(folder, "train.py").write_text("open('none.csv')\n")
            words = [word.replace("/tmp/", f"{folder}/").replace("/dev/termination-log", message) for word in command]
            ended = self.bash(shlex.join(words), folder)
            self.assertEqual(ended.returncode, 1, ended.stderr)
            self.assertIn("missing-file", Path(message).read_text())
            self.assertLess(os.path.getsize(message), 4096)

    def test_a_job_of_slurm(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "train.py").write_text("open('none.csv')\n")
            ended = self.bash(self.recipe("sh", "srun faultbook run"), folder)
            self.assertNotEqual(ended.returncode, 0)
            self.assertEqual(ended.stderr.count("Most likely"), 1, ended.stderr)

    def test_the_epilogs_of_slurm(self) -> None:
        for word in ("--epilog=", "scontrol"):
            with self.subTest(word), tempfile.TemporaryDirectory() as folder:
                script = self.recipe("sh", word)
                Path(folder, "epilog.sh").write_text(
                    script if word == "scontrol" else self.recipe("sh", "SLURM_JOB_ID.log")
                )
                os.chmod(os.path.join(folder, "epilog.sh"), 0o755)
                Path(folder, "train.py").write_text("open('none.csv')\n")
                Path(folder, "train-7.log").write_text(
                    "FileNotFoundError: [Errno 2] No such file or directory: 'none.csv'\n"
                )
                ended = self.bash(
                    "./epilog.sh" if word == "scontrol" else script, folder, SLURM_JOB_ID="7", SLURM_JOB_EXIT_CODE="256"
                )
                self.assertIn("missing-file", Path(folder, "train-7.faultbook.txt").read_text(), ended.stderr)
                os.remove(os.path.join(folder, "train-7.faultbook.txt"))
                Path(folder, "train-7.log").write_text("epoch 1 loss 0.1\ndone\n")
                Path(folder, "train.py").write_text("pass\n")
                self.bash(
                    "./epilog.sh" if word == "scontrol" else script, folder, SLURM_JOB_ID="7", SLURM_JOB_EXIT_CODE="0"
                )
                self.assertFalse(os.path.exists(os.path.join(folder, "train-7.faultbook.txt")))


if __name__ == "__main__":
    unittest.main()

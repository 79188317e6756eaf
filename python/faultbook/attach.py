"""Attaches a diagnosis to a run: a file, the active run of MLflow, the active run of Weights & Biases.

Where training is a function, ``with faultbook.attach.on_failure():`` around it is all that is needed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Optional

#: Where the diagnosis of an uncaught exception is written besides standard error; callbacks set it.
asked: Optional[str] = None


@contextmanager
def on_failure(path: Optional[str] = None) -> Iterator[None]:
    """Attaches the diagnosis of what fails inside; the exception goes on."""
    try:
        yield
    except Exception as exception:
        failure(exception, path)
        raise


def failure(exception: BaseException, path: Optional[str] = None) -> None:
    """Attaches the diagnosis of an exception to every run that is active. Never raises."""
    try:
        from faultbook._tell import explain

        _, words = explain(exception)
        if not words:
            return
        for one in (lambda: to_file(path, words), lambda: _mlflow(words), lambda: _wandb(words)):
            try:
                one()
            except Exception as problem:
                print(f"faultbook: not attached: {type(problem).__name__}: {problem}", file=sys.stderr)
    except Exception as problem:
        print(f"faultbook: {type(problem).__name__}: {problem}", file=sys.stderr)


def _title(words: str) -> str:
    return words.strip().splitlines()[0].split("   ")[0].strip()


def to_file(path: Optional[str], words: str) -> None:
    """Writes the answer; its folder is made."""
    if path is not None:
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(words)


def _mlflow(words: str) -> None:
    mlflow = sys.modules.get("mlflow")
    if mlflow is not None and mlflow.active_run() is not None:
        mlflow.set_tag("faultbook", _title(words)[:250])
        mlflow.log_text(words, "faultbook.txt")


def _wandb(words: str) -> None:
    wandb = sys.modules.get("wandb")
    run = getattr(wandb, "run", None)
    if run is not None:
        run.summary["faultbook"] = _title(words)
        run.notes = f"{run.notes or ''}\n{words}".strip()

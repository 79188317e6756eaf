"""A callback for Hugging Face's ``Trainer``: a failed training leaves its diagnosis in the folder of its output.

``Trainer(..., callbacks=[faultbook.transformers.Diagnosis()])``. The trainer tells its callbacks nothing about an exception, so this
one calls ``faultbook.install()``, and the diagnosis of what nobody catches is written to ``faultbook.txt`` as well. A program that
catches the exception of ``train()`` itself uses ``with faultbook.attach.on_failure(path):`` instead.
"""

from __future__ import annotations

import os
from typing import Any

from transformers import TrainerCallback

from faultbook import attach


class Diagnosis(TrainerCallback):  # type: ignore[misc]
    """Installs the hooks when training begins, and takes its file back when training has ended well."""

    def on_train_begin(self, args: Any, state: Any, control: Any, **named: Any) -> None:
        """The folder is known now."""
        from faultbook import install

        install()
        rank = int(os.environ.get("RANK") or 0)
        attach.asked = os.path.join(args.output_dir, "faultbook.txt" if rank == 0 else f"faultbook-rank{rank}.txt")

    def on_train_end(self, args: Any, state: Any, control: Any, **named: Any) -> None:
        """What fails later is no failure of this training."""
        attach.asked = None

"""A callback for Lightning: the diagnosis of a failed run is a file beside its logs, and a text of its logger.

``Trainer(callbacks=[faultbook.lightning.Diagnosis()])``
"""

from __future__ import annotations

import os
from typing import Any

try:
    from lightning.pytorch import Callback
except ImportError:
    from pytorch_lightning import Callback  # type: ignore[no-redef]


class Diagnosis(Callback):  # type: ignore[misc]
    """Writes ``faultbook.txt`` into the run's folder, on the first rank that fails."""

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Lightning calls it before the exception leaves ``fit``."""
        if not isinstance(exception, Exception):
            return
        from faultbook import attach

        folder = getattr(trainer, "log_dir", None) or trainer.default_root_dir
        rank = getattr(trainer, "global_rank", 0)
        name = "faultbook.txt" if rank == 0 else f"faultbook-rank{rank}.txt"
        attach.failure(exception, os.path.join(folder, name))

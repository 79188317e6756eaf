"""What was true when a process was forked; recorded by handlers that ``install`` registers."""

from __future__ import annotations

import os
import sys


class State:
    """Of this process."""

    forked = False
    """Whether it is a fork of another Python process."""
    cuda = False
    """Whether CUDA was in use in the parent."""
    _before = False


state = State()


def watch() -> None:
    """Registers the handlers; they cannot be removed again."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_before, after_in_child=_child)


def _before() -> None:
    # An attribute: nothing is imported, and CUDA is not called.
    cuda = sys.modules.get("torch.cuda")
    state._before = bool(getattr(cuda, "_initialized", False))


def _child() -> None:
    state.forked = True
    state.cuda = state.cuda or state._before

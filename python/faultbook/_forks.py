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
    subject = "self"
    """The process that is examined, as a folder of /proc: a copy of ours examines the one that it copies."""
    _before = False
    _ours = False


state = State()


def watch() -> None:
    """Registers the handlers; they cannot be removed again."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_before, after_in_parent=_parent, after_in_child=_child)


def copy() -> int:
    """``os.fork`` for a copy that examines this process: for the program, nothing has been forked."""
    import warnings

    process = str(os.getpid())
    state._ours = True
    try:
        with warnings.catch_warnings():
            # "This process is multi-threaded": the copy uses no other thread's locks, and is watched by its parent.
            warnings.simplefilter("ignore")
            child = os.fork()
    finally:
        state._ours = False
    if child == 0:
        state.subject = process
    return child


def _before() -> None:
    # An attribute: nothing is imported, and CUDA is not called.
    cuda = sys.modules.get("torch.cuda")
    state._before = bool(getattr(cuda, "_initialized", False))
    samples = sys.modules.get("faultbook._samples")
    if samples is not None:
        samples.pause()


def _parent() -> None:
    samples = sys.modules.get("faultbook._samples")
    if samples is not None:
        samples.resume()


def _child() -> None:
    if state._ours:
        return
    state.forked = True
    state.cuda = state.cuda or state._before
    samples = sys.modules.get("faultbook._samples")
    if samples is not None:
        samples.forget()

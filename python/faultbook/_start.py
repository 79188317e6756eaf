"""Started by faultbook.pth in every Python process of ``faultbook run``, and in no other."""

from __future__ import annotations


def start() -> None:
    """Installs the hooks; a failure to do so is silent."""
    try:
        from faultbook._install import install

        install()
    except Exception:  # noqa: S110 - the program must start
        pass

"""Which GPU or machine learning failure is this, why did it happen here, and what fixes it.

``import faultbook; faultbook.install()`` puts the diagnosis under the traceback of whatever fails afterwards.
``faultbook.diagnose(...)`` answers for a text, an exception or a file. All but the hooks is loaded when it is first used.
"""

from __future__ import annotations

from faultbook._install import install, uninstall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from faultbook._api import FaultbookError, diagnose, new_report, probe
    from faultbook._binary import binary
    from faultbook.answer import Diagnosis

__all__ = [
    "Diagnosis",
    "FaultbookError",
    "__version__",
    "binary",
    "diagnose",
    "install",
    "new_report",
    "probe",
    "uninstall",
]

_PLACES = {
    "Diagnosis": "answer",
    "FaultbookError": "_api",
    "binary": "_binary",
    "diagnose": "_api",
    "new_report": "_api",
    "probe": "_api",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("faultbook")
    place = _PLACES.get(name)
    if place is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{place}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext faultbook``."""
    from faultbook.notebook import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """``%unload_ext faultbook``."""
    from faultbook.notebook import unload

    unload(shell)

"""Runs a function when a module has been imported, so that ``install`` imports none."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType
    from typing import Any, Optional


class _Finder:
    """Asks the other finders, and lets a function see the module after it was executed."""

    def __init__(self) -> None:
        self.waiting: dict[str, Callable[[Any], None]] = {}

    def find_spec(self, name: str, path: Optional[Sequence[str]] = None, target: Optional[ModuleType] = None) -> Any:
        """For any import; nothing but a look into a dictionary for nearly all of them."""
        function = self.waiting.pop(name, None)
        if function is None:
            return None
        from importlib.util import find_spec

        spec = find_spec(name)
        loader = getattr(spec, "loader", None)
        if spec is None or loader is None or not hasattr(loader, "exec_module"):
            return None
        spec.loader = _Loader(loader, function)  # type: ignore[assignment]
        return spec


class _Loader:
    def __init__(self, loader: Any, function: Callable[[Any], None]) -> None:
        self._loader = loader
        self._function = function

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: Any) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        spec = module.__spec__
        spec.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        _quietly(self._function, module)


_finder = _Finder()


def when(name: str, function: Callable[[Any], None]) -> None:
    """Calls ``function`` with the module now, or when it has been imported."""
    module = sys.modules.get(name)
    if module is not None:
        _quietly(function, module)
        return
    _finder.waiting[name] = function
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


def forget() -> None:
    """Waits for no module any more."""
    _finder.waiting.clear()
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)


def _quietly(function: Callable[[Any], None], module: Any) -> None:
    try:
        function(module)
    except Exception:  # noqa: S110 - an import must not fail because of us
        pass

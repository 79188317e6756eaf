"""A module or name that could not be imported: whether it is installed, shadowed, or somewhere else."""

from __future__ import annotations

import os
import re
import sys

from faultbook.facts._failure import Failure, is_own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Optional

_OF_MODULE = re.compile(
    r"module '([\w.]+)' (?:\([^)]*\) )?has no attribute|from (?:partially initialized module )?'([\w.]+)'"
)

#: Folders of a project that are looked at.
_MOST = 2000


def collect(failure: Failure) -> Iterator[tuple[str, Any]]:
    """About the module that the exception names."""
    name = _name(failure)
    if name is None:
        return
    top = name.split(".")[0]
    version = _version(top)
    loaded = getattr(sys.modules.get(top), "__file__", None)
    yield "module.installed", version is not None or _found(top)
    yield "module.release", version
    if isinstance(failure.root, ModuleNotFoundError):
        # Empty where it was looked for and not found.
        yield "module.elsewhere", _elsewhere(top) or ""
        yield "module.other_python", _other_python(top) or ""
    known = version is not None or top in getattr(sys, "stdlib_module_names", ())
    if isinstance(loaded, str):
        yield "module.shadowed_by", loaded if known and is_own(loaded) else ""
    yield "module.similar", _similar(failure, name)


def _similar(failure: Failure, name: str) -> Optional[list[str]]:
    """Names of the module that one typing error makes the missing one."""
    missing = re.search(r"(?:no attribute|cannot import name) '(\w+)'", failure.message)
    if missing is None or name not in sys.modules:
        return None
    import difflib

    wanted = missing.group(1)
    names = [one for one in vars(sys.modules[name]) if abs(len(one) - len(wanted)) <= 1 and not one.startswith("_")]
    return difflib.get_close_matches(wanted, names, 3, 0.85)


def _name(failure: Failure) -> Optional[str]:
    root = failure.root
    if isinstance(root, ImportError) and root.name:
        return root.name
    if isinstance(root, (AttributeError, ImportError)):
        found = _OF_MODULE.search(failure.message)
        if found:
            return found.group(1) or found.group(2)
    return None


def _version(top: str) -> Optional[str]:
    from importlib import metadata

    try:
        return metadata.version(top)
    except metadata.PackageNotFoundError:
        return None


def _found(top: str) -> bool:
    from importlib import util

    try:
        return util.find_spec(top) is not None
    except (ImportError, ValueError):
        return False


def _is_module(folder: str, top: str) -> Optional[str]:
    for path in (os.path.join(folder, f"{top}.py"), os.path.join(folder, top, "__init__.py")):
        if os.path.isfile(path):
            return path
    return None


def _elsewhere(top: str) -> Optional[str]:
    """A folder of the project that has the module and is not searched."""
    searched = {os.path.abspath(path or ".") for path in sys.path}
    script = os.path.dirname(os.path.abspath(getattr(sys.modules.get("__main__"), "__file__", None) or "."))
    left = _MOST
    for start in dict.fromkeys([os.getcwd(), script, os.path.dirname(script)]):
        for folder, folders, _ in os.walk(start):
            depth = folder[len(start) :].count(os.sep)
            folders[:] = [
                one
                for one in folders
                if depth < 3 and not one.startswith(".") and one not in ("site-packages", "node_modules")
            ]
            left -= 1
            if folder not in searched and _is_module(folder, top):
                return folder
            if left < 0:
                return None
    return None


def _other_python(top: str) -> Optional[str]:
    """Another environment of this machine that has it: the one that a virtual environment was made from, the user's."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    own = {os.path.abspath(path) for path in sys.path}
    for folder in (
        os.path.join(sys.base_prefix, "lib", version, "site-packages"),
        os.path.expanduser(os.path.join("~", ".local", "lib", version, "site-packages")),
        "/usr/lib/python3/dist-packages",
    ):
        if folder not in own and _is_module(folder, top):
            return folder
    return None

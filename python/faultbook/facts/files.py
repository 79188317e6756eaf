"""The file that an exception is about: where it is, what it holds, who may use it."""

from __future__ import annotations

import errno
import os
import re
import sys

from faultbook.facts._failure import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Optional

#: Variables that hold the name of a file that is being read or written.
_NAMES = re.compile(
    r"^(f|file|fp|stream|fname|name_or_buffer|filename|file_?path|path|src|dst|ckpt|ckpt_path|checkpoint|checkpoint_file|name|weights)$"
)

#: Messages about a file's content or place, by exceptions that do not name it.
_ABOUT_FILES = re.compile(
    r"(?i)zip|archive|pickle|unpickl|magic|header|safetensors|checkpoint|ran out of input|no space|invalid argument|quota|unexpected eof|"
    r"\.(pt|pth|ckpt|bin|safetensors|json|ya?ml|csv|npz?|onnx|h5)\b"
)

#: Entries of folders that are looked at, and bytes of a text.
_MOST, _MOST_BYTES = 3000, 1 << 22


def collect(failure: Failure) -> Iterator[tuple[str, Any]]:
    """Existence, place, content, rights and room."""
    path = _path(failure)
    if path is None:
        return
    full = os.path.abspath(path)
    yield "file.path", path
    yield "file.relative", not os.path.isabs(path)
    exists = os.path.lexists(full)
    yield "file.exists", exists
    folder = os.path.dirname(full)
    if exists and os.path.isfile(full):
        yield "file.size", os.path.getsize(full)
        kind, truncated = _content(full)
        yield "file.kind", kind
        yield "file.truncated", truncated
    elif not exists:
        # Empty where it was looked for and not found.
        yield "file.missing_parent", _missing_parent(full) or ""
        yield "file.elsewhere", _elsewhere(path) or ""
        yield "file.similar", _similar(full)
    near = full if exists else _nearest(folder)
    yield "file.readable", os.access(near, os.R_OK)
    yield "file.writable", os.access(near, os.W_OK)
    if hasattr(os, "getuid"):
        owner = os.stat(near).st_uid
        yield "file.owner", "this user" if owner == os.getuid() else "root" if owner == 0 else "another user"
    if hasattr(os, "statvfs"):
        system = os.statvfs(near)
        yield "disk.free", system.f_frsize * system.f_bavail
        if system.f_files:
            yield "disk.inodes_free", system.f_favail
        yield "file.read_only", bool(system.f_flag & getattr(os, "ST_RDONLY", 1))


def _path(failure: Failure) -> Optional[str]:
    root = failure.root
    if isinstance(root, OSError):
        for name in (root.filename, root.filename2):
            if isinstance(name, (str, os.PathLike)):
                return os.fspath(name)  # type: ignore[return-value]
        if root.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EINVAL, None):
            return None
    if not isinstance(root, UnicodeDecodeError) and not _ABOUT_FILES.search(f"{type(root).__name__} {failure.message}"):
        return None
    for name, value in failure.locals():
        if not _NAMES.match(name):
            continue
        value = getattr(value, "name", value) if not isinstance(value, (str, os.PathLike)) else value
        if isinstance(value, (str, os.PathLike)):
            words = os.fspath(value)
            if isinstance(words, str) and len(words) < 4096 and "\n" not in words and os.path.exists(words):
                return words
    return None


def _content(full: str) -> tuple[str, Optional[bool]]:
    size = os.path.getsize(full)
    with open(full, "rb") as file:
        head = file.read(512)
        file.seek(max(0, size - 65_557))
        tail = file.read()
    if not head:
        return "empty", None
    if head.startswith(b"PK\x03\x04"):
        return "zip", b"PK\x05\x06" not in tail
    if head.startswith(b"version https://git-lfs"):
        return "lfs pointer", None
    if re.match(rb"(?i)\s*<(!doctype html|html|\?xml)", head):
        return "html", None
    if head[8:9] == b"{" and len(head) > 8:
        length = int.from_bytes(head[:8], "little")
        if length < 1 << 30:
            return "safetensors", _safetensors_truncated(full, length, size)
    if head[:1] == b"\x80" and head[1:2] <= b"\x05":
        return "pickle", None if tail.endswith(b".") else True
    if head.lstrip()[:1] in (b"{", b"["):
        return "json", None
    return ("binary" if b"\0" in head else _encoding(full)), None


def _encoding(full: str) -> str:
    with open(full, "rb") as file:
        words = file.read(_MOST_BYTES)
    try:
        words.decode("utf-8")
    except UnicodeDecodeError as problem:
        # A letter that the end of the part cut is no mistake.
        return "utf-8" if problem.start > len(words) - 4 and len(words) == _MOST_BYTES else "text in another encoding"
    return "utf-8"


def _safetensors_truncated(full: str, length: int, size: int) -> Optional[bool]:
    if size < 8 + length:
        return True
    import json

    with open(full, "rb") as file:
        file.seek(8)
        try:
            header = json.loads(file.read(length))
        except ValueError:
            return None
    ends = [
        entry["data_offsets"][1] for entry in header.values() if isinstance(entry, dict) and "data_offsets" in entry
    ]
    return size < 8 + length + max(ends, default=0)


def _nearest(folder: str) -> str:
    while not os.path.exists(folder):
        folder = os.path.dirname(folder)
    return folder


def _missing_parent(full: str) -> Optional[str]:
    parent = os.path.dirname(full)
    missing = None
    while parent and not os.path.exists(parent):
        missing, parent = parent, os.path.dirname(parent)
    return missing


def _elsewhere(path: str) -> Optional[str]:
    """The same relative path, or a file of the same name, below the script's folder or the working folder."""
    name = os.path.basename(os.path.normpath(path))
    script = os.path.dirname(os.path.abspath(getattr(sys.modules.get("__main__"), "__file__", None) or "."))
    if not os.path.isabs(path) and os.path.exists(os.path.join(script, path)):
        return os.path.join(script, path)
    left = _MOST
    for start in dict.fromkeys([script, os.getcwd()]):
        for folder, folders, files in os.walk(start):
            folders[:] = [
                one for one in folders if not one.startswith(".") and one not in ("node_modules", "site-packages")
            ]
            left -= len(files) + len(folders)
            if name in files or name in folders:
                return os.path.join(folder, name)
            if left < 0:
                return None
    return None


def _similar(full: str) -> list[str]:
    folder = os.path.dirname(full)
    if not os.path.isdir(folder):
        return []
    import difflib

    return difflib.get_close_matches(os.path.basename(full), os.listdir(folder)[:_MOST], 3, 0.75)

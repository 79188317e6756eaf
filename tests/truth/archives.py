"""Reads archives on PyPI without fetching more of them than is asked for; the standard library only."""

import io
import json
import re
import urllib.request

BLOCK = 1 << 20


def get(url, first=None, last=None, accept=None):
    """The bytes at an address, or a range of them."""
    headers = {}
    if first is not None:
        headers["Range"] = f"bytes={first}-{last}"
    if accept:
        headers["Accept"] = accept
    for attempt in range(4):
        try:
            with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as reply:
                return reply.read()
        except OSError:
            if attempt == 3:
                raise
    return b""


class Remote(io.RawIOBase):
    """A file on a server, read in blocks."""

    def __init__(self, url, size):
        self.url, self.size, self.at, self.blocks = url, size, 0, {}

    def seekable(self):
        return True

    def readable(self):
        return True

    def seek(self, offset, whence=0):
        self.at = {0: 0, 1: self.at, 2: self.size}[whence] + offset
        return self.at

    def tell(self):
        return self.at

    def read(self, count=-1):
        end = self.size if count < 0 else min(self.size, self.at + count)
        parts = []
        while self.at < end:
            number = self.at // BLOCK
            if number not in self.blocks:
                first = number * BLOCK
                self.blocks[number] = get(self.url, first, min(first + BLOCK, self.size) - 1)
            begin = self.at - number * BLOCK
            part = self.blocks[number][begin : begin + end - self.at]
            parts.append(part)
            self.at += len(part)
        return b"".join(parts)


def version_of(name, dist):
    """The release as numbers, `None` for pre-releases and files that are no wheels or source archives."""
    plain = re.sub(r"[-_.]+", "[-_.]+", re.escape(dist).replace("\\-", "-").replace("\\_", "-"))
    found = re.match(rf"(?i){plain}-(\d+(?:\.\d+)*)(?:\.post\d+)?(-.*\.whl)$", name)
    return tuple(int(part) for part in found.group(1).split(".")) if found else None


def releases(dist, since):
    """For each minor release its newest version with the smallest wheel, oldest first."""
    text = get(f"https://pypi.org/simple/{dist}/", accept="application/vnd.pypi.simple.v1+json")
    newest = {}
    for file in json.loads(text)["files"]:
        version = version_of(file["filename"], dist)
        if version is None or file.get("yanked") or version < since:
            continue
        minor = (version + (0, 0))[:2]
        kept = newest.get(minor)
        if kept is None or version > kept[0] or version == kept[0] and file["size"] < kept[1]["size"]:
            newest[minor] = (version, file)
    return [(minor, file) for minor, (_, file) in sorted(newest.items())]

"""Releases of packages, each fetched and reduced to the names that it holds.

A release becomes one small JSON file in the cache, then its archive is deleted, so that a run can stop and go on at any time. PyPI's
packages are fetched with `pip download`, Debian's with `apt-get download` from a private list of sources.
"""

import ast
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import warnings
import urllib.error
import zipfile
from pathlib import Path

from pip._vendor.packaging.utils import InvalidSdistFilename, InvalidWheelFilename, parse_sdist_filename, parse_wheel_filename
from pip._vendor.packaging.version import InvalidVersion

import archives

FORMAT = 1
# Bytes of a file that are looked at together; larger ones are binaries.
PIECE = 1 << 26
CAPS = re.compile(r"(?<![A-Za-z0-9_])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![A-Za-z0-9_])")
FLAG = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*")
WORD = re.compile(r"(?<![\w])[A-Za-z_]\w{2,60}(?![\w])")
CAPS_BYTES = re.compile(rb"(?<![A-Za-z0-9_])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![A-Za-z0-9_])")
FLAG_BYTES = re.compile(rb"(?<![\w-])--[A-Za-z][\w-]*")
XLA_BYTES = re.compile(rb"(?<![\w])xla_[a-z0-9_]+(?![\w])")
# PyTorch's wheel indexes, which uv knows by name.
WHEEL_BYTES = re.compile(rb"download\.pytorch\.org/(whl/(?:cu\d+|rocm\d+(?:\.\d+)*|xpu|cpu))")
SOURCE = (".h", ".hpp", ".c", ".cc", ".cpp", ".cu", ".cuh", ".cmake", ".sh", ".json", ".yaml", ".yml", ".toml", ".cfg", ".ini", ".go", ".rs")
DOCUMENT = (".md", ".rst", ".txt", "METADATA", "PKG-INFO")
PYTHONS = ("3.12", "3.11", "3.13", "3.10", "3.9", "3.8")
PLATFORMS = [
    *(f"manylinux_2_{n}_x86_64" for n in range(39, 4, -1)),
    "manylinux2014_x86_64",
    "manylinux2010_x86_64",
    "manylinux1_x86_64",
    "linux_x86_64",
]


class Index:
    """What a release holds."""

    def __init__(self):
        self.code = set()
        self.text = set()
        self.flags = set()
        self.words = set()
        self.programs = set()
        self.modules = {}

    def file(self, path, stream):
        """One file of the release, of which only so much is in memory at once."""
        data = stream.read(PIECE)
        name = path.rsplit("/", 1)[-1]
        if name.endswith(".gz") and len(data) < 4_000_000:
            try:
                data, name = gzip.decompress(data), name[:-3]
            except OSError:
                return
        if name.endswith((".py", ".pyi")):
            self.python(path, data.decode("utf-8", "replace"))
        elif name.endswith(SOURCE):
            text = data.decode("utf-8", "replace")
            self.code.update(CAPS.findall(text))
            self.flags.update(FLAG.findall(text))
            self.words.update(WORD.findall(text[:400_000]))
        elif name == "entry_points.txt":
            self.programs.update(re.findall(r"^([\w.-]+)\s*=", data.decode("utf-8", "replace"), re.M))
        elif name.endswith(DOCUMENT) or re.search(r"\.[1-8]$", name):
            text = data.decode("utf-8", "replace").replace("\\-", "-").replace("\\fB", "").replace("\\fR", "").replace("\\fI", "").replace("\\fP", "")
            self.text.update(CAPS.findall(text))
            self.flags.update(FLAG.findall(text))
            if re.search(r"\.[1-8]$", name):
                self.words.update(WORD.findall(text))
        elif data[:4] == b"\x7fELF" or data[:2] == b"#!" or "/bin/" in f"/{path}" or name.endswith((".bc", ".dll")) or b"completion" in path.encode():
            for chunk in pieces(data, stream):
                self.code.update(f.decode() for f in CAPS_BYTES.findall(chunk) if len(f) < 80)
                self.flags.update(f.decode() for f in FLAG_BYTES.findall(chunk) if len(f) < 60)
                self.words.update(f.decode() for f in XLA_BYTES.findall(chunk))
                self.words.update(f.decode() for f in WHEEL_BYTES.findall(chunk))
        if "/bin/" in f"/{path}" or "/sbin/" in f"/{path}" or "/scripts/" in path:
            self.programs.add(name)
        if re.search(r"\.[1-8]$", name):
            self.programs.add(name.rsplit(".", 1)[0])

    def python(self, path, source):
        self.text.update(CAPS.findall(source))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError):
            self.code.update(CAPS.findall(source))
            self.flags.update(FLAG.findall(source))
            self.words.update(WORD.findall(source))
            return
        documentation = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                documentation.add(id(node.value))
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                self.flags.update(FLAG.findall(node.value))
                if id(node) not in documentation:
                    self.code.update(CAPS.findall(node.value))
                    if len(node.value) < 2000:
                        self.words.update(WORD.findall(node.value))
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                # A field that its annotation makes an option of the command line, as SGLang's.
                annotation = getattr(node.annotation, "value", None)
                if isinstance(annotation, ast.Name) and annotation.id in ("A", "Annotated"):
                    self.flags.add("--" + node.target.id.replace("_", "-"))
            elif isinstance(node, ast.Attribute):
                self.words.add(node.attr)
                if CAPS.fullmatch(node.attr):
                    self.code.add(node.attr)
            elif isinstance(node, ast.Name) and CAPS.fullmatch(node.id):
                self.code.add(node.id)
            elif isinstance(node, ast.keyword) and node.arg:
                self.words.add(node.arg)
            elif isinstance(node, ast.arg):
                self.words.add(node.arg)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self.words.add(node.name)
        dotted = re.sub(r"\.pyi?$", "", path).replace("/", ".")
        package = dotted.endswith(".__init__")
        dotted = dotted.removesuffix(".__init__")
        self.words.update(dotted.split("."))
        module = self.modules.setdefault(dotted, {"n": {}, "i": {}, "s": [], "c": {}})
        scan(tree.body, module, dotted, package)

    def dump(self):
        return {
            "code": sorted(self.code),
            "text": sorted(self.text - self.code),
            "flags": sorted(self.flags),
            "words": sorted(self.words),
            "programs": sorted(self.programs),
            "modules": self.modules,
        }


def pieces(data, stream):
    """Parts of a large file that overlap a little, from the one that was read."""
    while data:
        yield data
        more = stream.read(PIECE)
        data = more and data[-128:] + more


def scan(body, module, dotted, package):
    """The names that a module defines or imports."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            module["n"][node.name] = arguments(node)
        elif isinstance(node, ast.ClassDef):
            members = {}
            for item in ast.walk(node):
                if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    members[item.name] = 1
                elif isinstance(item, ast.Attribute) and isinstance(item.value, ast.Name) and item.value.id == "self":
                    members[item.attr] = 1
                elif isinstance(item, ast.Assign):
                    members.update((t.id, 1) for t in item.targets if isinstance(t, ast.Name))
                elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                    members[item.target.id] = 1
            bases = [ast.unparse(b) for b in node.bases]
            module["n"][node.name] = []
            module["c"][node.name] = {"b": bases, "m": sorted(members)}
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                for leaf in ast.walk(target):
                    if isinstance(leaf, ast.Name):
                        module["n"][leaf.id] = []
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
            if isinstance(node.target, ast.Name):
                module["n"][node.target.id] = []
        elif isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.split(".")[0]
                module["i"][name] = alias.name if alias.asname else alias.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom):
            base = dotted if package else dotted.rpartition(".")[0]
            for _ in range(node.level - 1):
                base = base.rpartition(".")[0]
            source = ".".join(p for p in ((base if node.level else ""), node.module or "") if p)
            for alias in node.names:
                if alias.name == "*":
                    module["s"].append(source)
                else:
                    module["i"][alias.asname or alias.name] = f"{source}.{alias.name}"
        else:
            for part in ("body", "orelse", "finalbody", "handlers"):
                inner = getattr(node, part, None)
                for item in inner or []:
                    scan([item] if not isinstance(item, ast.ExceptHandler) else item.body, module, dotted, package)


def arguments(node):
    a = node.args
    return [x.arg for x in (*a.posonlyargs, *a.args, *a.kwonlyargs)]


def files_of(archive):
    """(path, stream) of the files of a wheel or a source archive."""
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as opened:
            for item in opened.infolist():
                if not item.is_dir() and interesting(item.filename):
                    yield item.filename, opened.open(item)
    else:
        with tarfile.open(archive) as opened:
            for item in opened:
                if item.isfile() and interesting(item.name):
                    yield item.name.split("/", 1)[-1], opened.extractfile(item)


def interesting(path):
    return not re.search(r"/(tests?|testing/_internal|docs/_build|node_modules)/|\.(png|jpg|gif|npz|npy|a|cubin|ipynb|js|css|map|svg)$", path) and not re.search(
        r"(include/(ATen/ops|tensorflow/)|libcudnn_engines|libcublasLt_static|thirdparty|third_party)", path
    )


def run(command, **options):
    return subprocess.run(command, check=False, capture_output=True, text=True, **options)


def newest(package):
    """The newest release on PyPI, whatever the Python version."""
    binary = [["--python-version", python, "--only-binary=:all:"] for python in PYTHONS]
    for options in [*binary, []]:
        found = run([sys.executable, "-m", "pip", "index", "versions", package, "--no-color", *options])
        match = re.search(rf"^{re.escape(package)} \((\d[^)]*)\)", found.stdout, re.M | re.I)
        if match:
            return match[1]
    return None


def versions(package):
    """All final releases of a package that PyPI has and that are not withdrawn."""
    try:
        page = json.loads(archives.get(f"https://pypi.org/simple/{package}/", accept="application/vnd.pypi.simple.v1+json"))
    except urllib.error.HTTPError:
        return []
    out = set()
    for file in page["files"]:
        try:
            wheel = file["filename"].endswith(".whl")
            version = parse_wheel_filename(file["filename"])[1] if wheel else parse_sdist_filename(file["filename"])[1]
        except (InvalidSdistFilename, InvalidWheelFilename, InvalidVersion):
            continue
        if not file.get("yanked") and not version.is_prerelease:
            out.add(str(version))
    return sorted(out)


def download(package, version, sdist, folder):
    """The archive of a release, or nothing."""
    base = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-cache-dir", "-d", str(folder), f"{package}=={version}"]
    attempts = []
    if sdist:
        attempts.append([*base, f"--no-binary={package}", "--no-build-isolation"])
        attempts.append([*base, f"--no-binary={package}"])
    for python in PYTHONS:
        platforms = [word for platform in PLATFORMS for word in ("--platform", platform)]
        attempts.append([*base, "--only-binary=:all:", "--python-version", python, *platforms])
    for attempt in [*attempts, *attempts[:1]]:
        run(attempt, env={**os.environ, "DS_BUILD_OPS": "0"})
        found = [f for f in folder.iterdir() if f.name.endswith((".whl", ".tar.gz", ".zip"))]
        if found:
            return found[0]
    return None


def place(cache, package, version):
    """Where the cache has the index of a release."""
    return cache / "releases" / f"{package}-{version}.json.gz"


def index_release(cache, package, version, sdist=False):
    """Sees to it that a release is in the cache. False if there is no such release."""
    target = place(cache, package, version)
    if not target.exists():
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            archive = download(package, version, sdist, Path(folder))
            if archive is None:
                print(f"  {package} {version}: not to be had", file=sys.stderr)
                return False
            index = Index()
            for path, stream in files_of(archive):
                index.file(path, stream)
        store(target, index.dump())
    return True


def store(target, value):
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(".part")
    with gzip.open(part, "wt", compresslevel=3) as out:
        json.dump({"format": FORMAT, **value}, out)
    part.rename(target)


def load(target, wanted=None):
    """An index; of its long lists only what is wanted, if something is."""
    with gzip.open(target, "rt") as opened:
        index = json.load(opened)
    for key in ("code", "text", "flags", "words"):
        index[key] = set(index[key]) if wanted is None else wanted.intersection(index[key])
    return index


class Debian:
    """Packages of Debian unstable, main and non-free, through an apt of our own that leaves the system's alone."""

    def __init__(self, cache):
        self.cache = cache
        self.root = cache / "apt"
        for part in ("etc/apt/apt.conf.d", "etc/apt/preferences.d", "etc/apt/trusted.gpg.d", "lists/partial", "archives/partial", "state"):
            (self.root / part).mkdir(parents=True, exist_ok=True)
        key = "/usr/share/keyrings/debian-archive-keyring.gpg"
        (self.root / "etc/apt/sources.list").write_text(
            "".join(f"deb [signed-by={key}] http://deb.debian.org/debian {suite} main contrib non-free non-free-firmware\n" for suite in ("sid",))
        )
        (self.root / "state/status").touch()
        self.options = [
            *("-o", f"Dir::Etc={self.root}/etc/apt", "-o", f"Dir::State={self.root}/state", "-o", f"Dir::State::lists={self.root}/lists"),
            *("-o", f"Dir::State::status={self.root}/state/status", "-o", f"Dir::Cache={self.root}/archives", "-o", "APT::Sandbox::User=root"),
        ]
        self.ready = False

    def index(self, package, offline=False, refresh=False, wanted=None):
        """(version, index) of a package, from the cache or the mirror."""
        done = sorted((self.cache / "releases").glob(f"deb-{package}_*.json.gz"), key=lambda p: p.stat().st_mtime)
        if done and (offline or not refresh):
            return done[-1].name.removeprefix(f"deb-{package}_").removesuffix(".json.gz"), load(done[-1], wanted)
        if offline:
            return None, None
        if not self.ready:
            run(["apt-get", *self.options, "update"])
            self.ready = True
        with tempfile.TemporaryDirectory(dir=self.cache) as folder:
            run(["apt-get", *self.options, "download", package], cwd=folder)
            found = list(Path(folder).glob("*.deb"))
            if not found:
                print(f"  Debian {package}: not to be had", file=sys.stderr)
                return None, None
            version = found[0].name.split("_")[1].replace("%3a", ":").split(":")[-1]
            unpacked = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(found[0])], stdout=subprocess.PIPE)
            index = Index()
            with unpacked.stdout, tarfile.open(fileobj=unpacked.stdout, mode="r|") as opened:
                for item in opened:
                    if item.isfile() and interesting(item.name):
                        index.file(item.name.removeprefix("./"), opened.extractfile(item))
                    elif item.issym() and re.search(r"/s?bin/", item.name):
                        index.programs.add(item.name.rsplit("/", 1)[-1])
                # What follows the last file, so that dpkg-deb does not fail to write it.
                unpacked.stdout.read()
            if unpacked.wait():
                raise OSError(f"dpkg-deb cannot read {found[0].name}")
        target = self.cache / "releases" / f"deb-{package}_{version}.json.gz"
        store(target, index.dump())
        return version, load(target, wanted)


def clear(cache):
    shutil.rmtree(cache, ignore_errors=True)

#!/usr/bin/env python3
"""Which releases of a package have which names: reads the released wheels and writes kb/lifetimes.csv.

    python3 tests/truth/lifetimes.py [PACKAGE...]      # without names: every package of lifetimes.txt

For each package the newest file of every minor release is read from PyPI, only the parts of the archive that hold Python
sources (HTTP ranges), and only as syntax: nothing is installed or run. A name counts as there if a module defines, imports
or lazily exports it. Rows are written only where a name came or went between two releases that were read. What cannot be
told from the sources is left out: functions and classes that take `**kwargs` (no argument is refused there), classes with
`__getattr__` or with bases outside the package, and names that came and went more than once.

Only the standard library is needed, of a Python that is as new as the packages: a file that it cannot parse counts as absent,
and is reported. Downloads are kept under ~/.cache/faultbook-lifetimes.
"""

import ast
import copy
import csv
import hashlib
import io
import pickle
import re
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from archives import BLOCK, Remote, get, releases

HERE = Path(__file__).resolve().parent
TABLE = HERE.parent.parent / "kb" / "lifetimes.csv"
CACHE = Path.home() / ".cache" / "faultbook-lifetimes"
# Folders whose names nobody imports.
INNER = {"test", "tests", "testing", "_vendor", "benchmarks", "examples", "benchmark", "scripts", "commands", "cli", "_internal"}
# Names that every module has for itself.
COMMON = {"logger", "log", "main", "parser", "args"}
# Modules that hold the names of others for whoever imports everything.
GATHERED = {"all", "basics"}
# Modules below this depth hold implementations; names are listed of those down to the second.
DEEPEST, LISTED = 4, 2


class Module:
    """What one source file holds."""

    # Whether the stub beside it lists what it loads on demand, and what its `__getattr__` and its tables name.
    stubbed, tabled = False, frozenset()

    def __init__(self, source, is_package):
        # `names` are the module's own, `brought` come from elsewhere.
        self.names, self.brought, self.stars, self.exported, self.lazy = set(), set(), [], set(), False
        self.classes, self.functions, self.is_package = {}, {}, is_package
        self.tabled = set()
        for node in ast.parse(source).body:
            self.read(node)
        if "__getattr__" not in self.names:
            self.tabled = set()

    def read(self, node):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.names.add(node.name)
            self.functions[node.name] = arguments(node)
            if node.name == "__getattr__":
                self.lazy = True
                self.tabled |= strings(node)
        elif isinstance(node, ast.ClassDef):
            self.names.add(node.name)
            self.classes[node.name] = Class(node)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    self.stars.append((node.level, node.module or ""))
                else:
                    (self.names if self.is_package and node.level else self.brought).add(alias.asname or alias.name)
        elif isinstance(node, ast.Import):
            self.brought.update((alias.asname or alias.name.split(".")[0]) for alias in node.names)
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                self.assigned(target, node.value)
        elif type(node).__name__ == "TypeAlias":
            self.names.add(node.name.id)
        elif isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
            for inner in ast.iter_child_nodes(node):
                self.read(inner)
        elif isinstance(node, ast.ExceptHandler):
            for inner in node.body:
                self.read(inner)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            # `__all__.extend([...])`, `_import_structure["x"].append("Y")`.
            if re.search(r"__all__|import_structure", ast.dump(node.value.func)):
                self.exported |= strings(node.value)

    def assigned(self, target, value):
        if isinstance(target, (ast.Tuple, ast.List)):
            for one in target.elts:
                self.assigned(one, value)
        elif isinstance(target, ast.Name):
            self.names.add(target.id)
            if target.id == "__getattr__":
                self.tabled |= strings(value)
            if target.id == "__all__" or "import_structure" in target.id:
                self.exported |= strings(value)
        elif isinstance(target, ast.Subscript) and "import_structure" in ast.dump(target.value):
            self.exported |= strings(value)
        if value is not None and "_LazyModule" in ast.dump(value):
            self.lazy = True
        # `__getattr__, __dir__, __all__ = lazy_loader.attach(...)`, and the tables of a `__getattr__` of one's own.
        if isinstance(value, ast.Call) and re.search(r"attach(_stub)?$", ast.unparse(value.func)):
            self.stubbed = ast.unparse(value.func).endswith("_stub")
            self.exported |= strings(value)
        elif isinstance(value, (ast.Dict, ast.List, ast.Set, ast.Tuple)) and isinstance(target, ast.Name):
            self.tabled |= strings(value)


class Class:
    """Arguments and attributes of a class, as far as its own body tells."""

    def __init__(self, node):
        self.bases = [base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "?") for base in node.bases]
        self.dataclass = any("dataclass" in ast.dump(one) for one in node.decorator_list)
        # `body` holds what the class itself names, `attributes` also what its methods set.
        self.init, self.fields, self.body, self.attributes, self.open = None, set(), set(), set(), bool(node.keywords)
        for item in node.body:
            if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.body.add(item.name)
                self.open |= item.name in ("__getattr__", "__getattribute__")
                if item.name == "__init__":
                    self.init = arguments(item)
                for inner in ast.walk(item):
                    if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and inner.value.id == "self":
                        if isinstance(inner.ctx, ast.Store):
                            self.attributes.add(inner.attr)
                    elif isinstance(inner, ast.Call) and getattr(inner.func, "id", "") in ("setattr", "vars"):
                        self.open = True
                    self.open |= isinstance(inner, ast.Attribute) and inner.attr == "__dict__"
            elif isinstance(item, (ast.Assign, ast.AnnAssign)):
                for target in item.targets if isinstance(item, ast.Assign) else [item.target]:
                    if isinstance(target, ast.Name):
                        self.body.add(target.id)
                        if isinstance(item, ast.AnnAssign):
                            self.fields.add(target.id)


def arguments(node):
    """The names of a function's arguments; `None` where it takes any, or is wrapped."""
    given = node.args
    wrapped = any("overload" in ast.dump(one) for one in node.decorator_list)
    if given.kwarg is not None or wrapped:
        return None
    return {one.arg for one in given.posonlyargs + given.args + given.kwonlyargs} - {"self", "cls"}


def strings(node):
    """All names within an expression; not the `_` of `[name for name in dir() if name[0] != "_"]`."""
    found = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)) if node else ()
    return {one for one in found if one.isidentifier() and one.strip("_")}


PARSED = {}


def module_of(source, is_package):
    key = hashlib.sha1(source).digest() + bytes([is_package])
    if key not in PARSED:
        try:
            PARSED[key] = Module(source, is_package)
        except (SyntaxError, ValueError, RecursionError):
            PARSED[key] = None
    return PARSED[key]


def modules(file, root):
    """The modules of a wheel by their dotted names."""
    cached = CACHE / (file["filename"] + ".pickle")
    if cached.exists():
        return pickle.loads(cached.read_bytes())
    source = io.BytesIO(get(file["url"])) if file["size"] < 30 * BLOCK else Remote(file["url"], file["size"])
    found, stubs = {}, {}
    with zipfile.ZipFile(source) as archive:
        for name in archive.namelist():
            parts = re.sub(r"\.pyi?$", "", name).split("/")
            if name.endswith((".py", ".pyi")) and parts[0] == root and not INNER & set(parts) and len(parts) <= DEEPEST + 1:
                is_package = parts[-1] == "__init__"
                path = ".".join(parts[:-1] if is_package else parts)
                read = module_of(archive.read(name), is_package)
                if read is None:
                    print(f"  {file['filename']}: {name} is no Python of {sys.version_info[0]}.{sys.version_info[1]}", file=sys.stderr)
                if read is not None and (path not in found or name.endswith(".py")):
                    found[path] = read
                if read is not None and name.endswith(".pyi"):
                    stubs[path] = read
    for path, module in found.items():
        if module.stubbed and path in stubs:
            # The same source may stand beside another stub in another release.
            found[path] = module = copy.copy(module)
            module.names = module.names | stubs[path].names
            module.stars = module.stars + stubs[path].stars
            module.exported = module.exported | stubs[path].exported
    CACHE.mkdir(parents=True, exist_ok=True)
    cached.write_bytes(pickle.dumps(found))
    return found


def namespace(path, found, inside, seen=()):
    """The names that can be imported from a module; `inside` are the modules of each package."""
    module = found[path]
    names = module.names | module.exported | module.brought
    for level, target in module.stars:
        base = path.split(".") if module.is_package else path.split(".")[:-1]
        base = base[: len(base) - max(level - 1, 0)] if level else []
        inner = ".".join([*base, *([target] if target else [])])
        if inner in found and inner not in seen and "dummy" not in inner:
            listed = found[inner].exported
            names |= listed or {name for name in namespace(inner, found, inside, (*seen, path)) if not name.startswith("_")}
    return names | inside.get(path, set())


def resolved(name, classes, what, seen=()):
    """Arguments or attributes of a class with those of its bases; `None` where they cannot be known."""
    one = classes.get(name)
    if one is None or name in seen or one.open and what == "attributes":
        return None
    if what == "arguments" and "__init__" in one.body:
        return one.init
    if what == "arguments" and not one.dataclass and not one.bases:
        return set()
    own = set(one.fields if what == "arguments" else one.attributes | one.body)
    if what == "arguments" and not one.dataclass:
        own = set()
    for base in one.bases:
        if base in ("object", "ABC", "Generic", "Protocol"):
            continue
        inherited = resolved(base, classes, what, (*seen, name))
        if inherited is None:
            return None
        own |= inherited
    return own


def names_of(found, root, options):
    """Every (kind, name) of a release, and those about which nothing can be said."""
    names, unknown, own = set(), set(), set()
    classes, functions = {}, {}
    doubled = set()
    for path, module in found.items():
        for group, into in ((module.classes, classes), (module.functions, functions)):
            for name, one in group.items():
                doubled |= {name} if name in into else set()
                into[name] = one
    # Which of two of the same name is meant cannot be told.
    unknown |= doubled
    inside = {}
    for path in found:
        package, _, name = path.rpartition(".")
        inside.setdefault(package, set()).add(name)
    everything = set().union(*(module.exported for module in found.values())) if found else set()
    for path, module in found.items():
        if "dummy" in path:
            continue
        below = path[len(root) + 1 :]
        if below and not private(below):
            names.add(("module", below))
        if path.endswith("_pb2"):
            # protobuf makes its names when it is imported.
            continue
        here = namespace(path, found, inside)
        if "lazy" in options and module.lazy and path == root:
            here |= everything
        asked = module.tabled if "asked" in options else set()
        here |= asked
        for name in here:
            if not name.startswith("__"):
                names.add(("import", f"{below}.{name}" if below else name))
        # Where every module passes on the names of all others, people import them from the packages.
        passed = "starred" in options and not module.is_package and path.rpartition(".")[2] not in GATHERED
        mine = module.names | module.exported if passed else here - module.brought - (asked - module.names - module.exported)
        own.update(f"{below}.{name}" if below else name for name in mine)
        if path.count(".") > 1:
            continue
        for name in here:
            if name.startswith("_") or name in doubled:
                continue
            if name in functions:
                given = functions[name]
                (unknown.add(name) if given is None else names.update(("argument", f"{name}.{one}") for one in given))
            if name in classes:
                for kind, what in (("argument", "arguments"), ("attribute", "attributes")):
                    given = resolved(name, classes, what)
                    if given is None:
                        unknown.add((kind, name))
                    else:
                        names.update((kind, f"{name}.{one}") for one in given if not one.startswith("_"))
                own.update(f"{name}.{one}" for one in classes[name].body)
    # Where a function is defined: another one of the same name is not the same function.
    defined = dict.fromkeys(classes, "")
    for path, module in found.items():
        defined.update((name, path) for name in module.functions)
    return names, unknown, defined, own


def private(path):
    return any(part.startswith("_") for part in path.split("."))


def lifetimes(root, dist, since, options):
    """The rows of one package: kind, name, since, removed_in."""
    listed = releases(dist, since)
    read = []
    with ThreadPoolExecutor(4) as pool:
        for (minor, _), found in zip(listed, pool.map(lambda one: attempt(one[1], root), listed)):
            if found:
                read.append((minor, *names_of(found, root, options)))
    history, owners, own = {}, {}, set()
    for number, (_, names, unknown, defined, here) in enumerate(read):
        own |= here
        for one in names:
            history.setdefault(one, set()).add(number)
        owners[number] = (unknown, defined)
    rows = []
    last = len(read) - 1
    for (kind, name), there in history.items():
        first, end = min(there), max(there)
        if first == 0 and end == last or len(there) != end - first + 1:
            continue
        owner = name.split(".")[0] if kind in ("argument", "attribute") else None
        # The release before the first and the one after the last; not those of which nothing is known.
        def lacks(number, there):
            unknown, defined = owners[number]
            same = owner in defined and defined[owner] == owners[there][1].get(owner)
            return not owner or same and owner not in unknown and (kind, owner) not in unknown
        came, went = first > 0 and lacks(first - 1, first), end < last and lacks(end + 1, end)
        if not came and not went:
            continue
        # Private names count only where they are gone: others imported them all the same.
        leaf = name.rsplit(".", 1)[-1]
        if leaf.startswith("_") and (end == last or kind != "import") or private(name.rpartition(".")[0]):
            continue
        # What a module only imports is nothing to import from it, and what methods set is for the class alone.
        if kind in ("import", "attribute") and (name not in own or leaf.lower() in COMMON or len(leaf) < 3):
            continue
        if kind in ("import", "module") and name.count(".") > LISTED:
            continue
        # A package that lists nothing repeats its names below.
        if "lazy" in options and kind == "import" and name.startswith("models."):
            continue
        # Of inner modules people import classes, and of classes they use those that the package itself exports.
        if kind == "import" and name.count(".") == LISTED and not leaf[0].isupper():
            continue
        if kind == "attribute" and ("import", owner) not in history:
            continue
        since, gone = dotted(read[first][0]) if came else "", dotted(read[end + 1][0]) if went else ""
        # Before that release the package gathered its names while it was imported, which its sources do not show.
        if kind == "import" and any(f"gathers-until={release}" in options for release in (since, gone) if release):
            continue
        rows.append((kind, name, since, gone))
    return outermost(rows), [dotted(minor) for minor, *_ in read]


def outermost(rows):
    """Without what another row says already: names of a module that came or went as a whole, or that the package above
    exports too."""
    modules_of = {(name, since, gone) for kind, name, since, gone in rows if kind == "module"}
    def told(row):
        kind, name, since, gone = row
        if kind not in ("import", "module"):
            return False
        parts = name.split(".")
        return any((".".join(parts[:length]), since, gone) in modules_of for length in range(1, len(parts)))
    modules_only = {name for kind, name, *_ in rows if kind == "module"}
    imports = {row[1:] for row in rows if row[0] == "import"}
    def exported_above(row):
        kind, name, since, gone = row
        path, _, leaf = name.rpartition(".")
        above = path.rpartition(".")[0]
        return kind == "import" and path and (f"{above}.{leaf}" if above else leaf, since, gone) in imports
    kept = [row for row in rows if not told(row) and not (row[0] == "import" and row[1] in modules_only)]
    return [row for row in kept if not exported_above(row)]


def attempt(file, root):
    try:
        return modules(file, root)
    except (OSError, zipfile.BadZipFile, KeyError) as error:
        print(f"  {file['filename']}: {error}", file=sys.stderr)
        return None


def dotted(minor):
    return ".".join(map(str, minor))


def main(wanted):
    rows, written = [], []
    if wanted and TABLE.exists():
        with TABLE.open() as file:
            lines = [line for line in file if not line.startswith("#")]
        rows = [row for row in csv.reader(lines[1:]) if row[0] not in wanted]
    for line in (HERE / "lifetimes.txt").read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        root, dist, since, *options = line.split()
        if wanted and root not in wanted:
            continue
        found, versions = lifetimes(root, dist, tuple(int(part) for part in since.split(".")), options)
        print(f"{root}: {len(found)} names, {len(versions)} releases, {versions[0]} to {versions[-1]}" if versions else root, flush=True)
        rows += [[root, name, kind, since_, gone, dist] for kind, name, since_, gone in found]
        PARSED.clear()
    with TABLE.open("w", newline="") as file:
        file.write("# Written by tests/truth/lifetimes.py from the released wheels; do not edit. What the columns mean: kb/removed.csv; `distribution` is the name on PyPI.\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["package", "name", "kind", "since", "removed_in", "distribution"])
        writer.writerows(sorted(rows))


if __name__ == "__main__":
    main(set(sys.argv[1:]))

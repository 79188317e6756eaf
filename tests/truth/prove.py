"""Looks names up in the indexes of releases and gives each its verdict.

Verdicts: `exists` (in the newest release that was looked at), `gone` (in an older one only), `documented` (no package holds it; a source that
a person read says so), `example` (a name that the reader replaces), `unproved` (with the reason), `does not exist`.
"""

import re
import sys
from dataclasses import dataclass

from pip._vendor.packaging.specifiers import SpecifierSet
from pip._vendor.packaging.version import InvalidVersion, Version


@dataclass
class Row:
    """A row of the table."""

    name: str
    kind: str
    owner: str
    first: str = ""
    last: str = ""
    verdict: str = "unproved"
    note: str = ""


def absent(packages, releases):
    """Why a name was not found in the packages that should have it."""
    had = [package for package in packages if releases.get(package)]
    return f"not in {', '.join(had)}" if had else f"{', '.join(packages)} could not be had"


class Library:
    """The indexes of all releases, oldest first within a package."""

    def __init__(self, config, releases):
        self.config = config
        # package -> [(version, index)]
        self.releases = releases

    def where(self, packages, found):
        """The first package whose newest release has the name, else the first that had it: (package, first version, last version, whether
        it is in the newest, how)."""
        older = None
        for package in packages:
            hits = []
            for version, index in self.releases.get(package, []):
                how = found(index, package)
                if how:
                    hits.append((version, how))
            if hits:
                newest = self.releases[package][-1][0]
                hit = package, hits[0][0], hits[-1][0], hits[-1][0] == newest, hits[-1][1]
                if hit[3]:
                    return hit
                older = older or hit
        return older

    def row(self, name, packages, found, reason="no package that was looked at has it"):
        hit = self.where(packages, found)
        if hit is None:
            return Row(name.name, name.kind, name.owner, note=reason)
        package, first, last, newest, how = hit
        note = "" if how is True else how
        if not newest:
            note = "; ".join(filter(None, [f"not in {self.releases[package][-1][0]}", note]))
        return Row(name.name, name.kind, package, first, last, "exists" if newest else "gone", note)

    # ---------------------------------------------------------------- variables

    def variable(self, name):
        text = name.name
        prefixes = sorted((p for p in self.config["prefixes"] if text.startswith(p)), key=len, reverse=True)
        own = [package for prefix in prefixes for package in self.config["prefixes"][prefix]]
        rest = [package for package in self.releases if package not in own]
        code = lambda index, _: text in index["code"]
        mention = lambda index, _: "in its documents or comments only" if text in index["text"] else None
        derived = self.derived(text)
        searches = [(own, code), (rest, code), (own, mention), (rest, mention)]
        if derived:
            package, word = derived
            how = f"made from {word}"
            searches.insert(1, ([package], lambda index, _: how if word in index["words"] or word in index["flags"] else None))
        rows = [self.row(name, packages, found) for packages, found in searches]
        return next((row for row in rows if row.verdict == "exists"), next((row for row in rows if row.first), rows[-1]))

    def derived(self, variable):
        """The option that a program makes the variable from: JAX_DEBUG_NANS is jax_debug_nans in upper case."""
        for rule in self.config["derived"]:
            match = re.fullmatch(rule["variable"], variable)
            if match:
                return rule["package"], match.expand(rule["option"]).lower().replace("_", rule.get("joint", "_"))
        return None

    # ---------------------------------------------------------------- flags and commands

    def flag(self, name):
        text = name.name
        forms = {text, "--" + text[2:].replace("_", "-"), "--" + text[2:].replace("-", "_")}
        field = text[2:].replace("-", "_")
        own = self.config["programs"].get(name.owner, "").split()

        def found(index, package):
            if forms & index["flags"]:
                return True
            # Options that argparse makes from the fields of a class, and Go's, whose names are stored without dashes.
            return field in index["words"] if not package.startswith("deb:") else None

        if own:
            row = self.row(name, own, found, absent(own, self.releases))
            row.owner = name.owner if row.verdict == "unproved" else row.owner
            return row
        if name.owner == "script":
            row = self.row(name, ["hydra-core", "transformers", "trl", "lightning", "pytorch-lightning", "deepspeed", "diffusers"], found)
            if row.verdict == "unproved":
                return Row(text, "flag", "", verdict="example", note="an option of the reader's own program")
            return row
        if name.owner:
            return Row(text, "flag", name.owner, note=f"no package of {name.owner} was looked at")
        every = lambda index, package: bool(forms & index["flags"]) or (
            field in index["words"] and (field.startswith("xla_") or package == "transformers")
        )
        return self.row(name, list(self.releases), every)

    def command(self, name):
        own = self.config["programs"].get(name.name, "").split()
        if own:
            return self.row(name, own, lambda index, _: name.name in index["programs"] or None, absent(own, self.releases))
        return self.row(name, list(self.releases), lambda index, _: name.name in index["programs"] or None)

    # ---------------------------------------------------------------- Python

    def attribute(self, name):
        root, _, rest = name.name.partition(".")
        full = self.config["aliases"].get(root, root) + "." + rest
        package = self.config["roots"].get(full.split(".")[0], "")
        if not package:
            return Row(name.name, name.kind, full.split(".")[0], note="its package is not looked at")
        # TensorFlow's Keras is the package keras from 2.16 on.
        keras = "keras" + full.removeprefix("tensorflow.keras") if full.startswith("tensorflow.keras.") else None

        def found(index, package):
            if Resolver(index["modules"]).path(keras if package == "keras" and keras else full):
                return True
            leaf = full.rsplit(".", 1)[1]
            if re.fullmatch(r"__(version|file|path|doc|name)__", leaf):
                return True
            return "as a word only" if leaf in index["words"] else None

        packages = [package, "keras"] if keras else [package]
        return self.row(name, packages, found, absent(packages, self.releases))

    def option(self, name):
        def parameter(index, _):
            cached = index.get("parameters")
            if cached is None:
                cached = index["parameters"] = {a for m in index["modules"].values() for args in m["n"].values() for a in args} | {
                    a for m in index["modules"].values() for c in m["c"].values() for a in c["m"]
                }
            return name.name in cached or None

        word = lambda index, _: name.name in index["words"] or None
        rows = [self.row(name, list(self.releases), found) for found in (parameter, word)]
        return next((row for row in rows if row.verdict == "exists"), next((row for row in rows if row.first), rows[-1]))

    # ---------------------------------------------------------------- packages

    def package(self, name, known):
        match = re.match(r"[A-Za-z][\w.-]*", name.name)
        package, spec = match[0], name.name[match.end() :]
        versions = []
        for text in known(package):
            try:
                versions.append(Version(text))
            except InvalidVersion:
                continue
        if not versions:
            return Row(name.name, name.kind, "", note="not on PyPI")
        try:
            chosen = sorted(v for v in versions if SpecifierSet(spec).contains(v, prereleases=True))
        except ValueError:
            return Row(name.name, name.kind, "", note="not a requirement")
        if not chosen:
            return Row(name.name, name.kind, package, verdict="does not exist", note="no release of PyPI fits")
        return Row(name.name, name.kind, package, str(chosen[0]), str(chosen[-1]), "exists")


    # ---------------------------------------------------------------- builds of frameworks

    def wheel(self, name, known):
        """A build on PyPI is a release there; of PyTorch's own indexes uv knows the names. The rest is looked up by people."""
        row = name.row
        requirement = row["requirement"].split()[0]
        if row["url"] == "" and "://" not in requirement:
            package = re.match(r"[A-Za-z][\w.-]*", requirement)[0]
            found = [text for text in known(package) if Version(text).release[:3] == Version(row["version"]).release] if row["version"] else []
            if found:
                return Row(name.name, name.kind, package, found[0], found[-1], "exists", "a release of PyPI")
            return Row(name.name, name.kind, package, note="no such release of PyPI")
        if row["url"].startswith("https://download.pytorch.org/"):
            word = row["url"].removeprefix("https://download.pytorch.org/")
            proved = self.row(name, ["uv"], lambda index, _: word in index["words"] or None, "not among the indexes that uv knows")
            if proved.verdict == "exists":
                proved.note = f"{word} is an index that uv knows"
            return proved
        return Row(name.name, name.kind, "", note="not an index that can be reached")

    def image(self, name):
        """Container images are looked up by people."""
        return Row(name.name, name.kind, "", note="no registry of images is asked")


class Resolver:
    """Follows a dotted name through the modules of one release, without importing anything."""

    def __init__(self, modules):
        self.modules = modules

    def path(self, dotted):
        return self.walk(dotted.split("."), 0)

    def walk(self, parts, depth):
        if depth > 12:
            return False
        for cut in range(len(parts), 0, -1):
            module = ".".join(parts[:cut])
            if module in self.modules:
                return True if cut == len(parts) else self.member(module, parts[cut:], depth + 1)
        return False

    def member(self, module, rest, depth):
        if depth > 12:
            return False
        data = self.modules.get(module)
        if data is None:
            return False
        head = rest[0]
        if head in data["i"]:
            target = data["i"][head]
            if self.walk([*target.split("."), *rest[1:]], depth + 1):
                return True
            if len(rest) == 1:
                return True
        if head in data["n"]:
            if len(rest) == 1:
                return True
            return self.inside(module, head, rest[1], depth + 1)
        if any(self.walk([*star.split("."), *rest], depth + 1) for star in data["s"] if star != module):
            return True
        # Modules that export lazily: the name is defined somewhere below.
        if len(rest) == 1 and "__getattr__" in data["n"] or "_import_structure" in data["n"] or "_LazyModule" in data["i"]:
            return any(head in m["n"] for name, m in self.modules.items() if name.startswith(module + "."))
        return False

    def inside(self, module, name, member, depth):
        """A member of a class, or of an object whose class the static reading does not know."""
        owner = self.modules[module]["c"].get(name)
        if owner is None:
            return False
        if member in owner["m"]:
            return True
        return any(self.member(module, [*base.split("[") [0].split("."), member], depth + 1) for base in owner["b"])


def prove(names, library, known, outside):
    """A row for each name. `outside` holds what people looked up: (name, kind, owner) -> Row."""
    rows = []
    for name in names:
        if name.kind == "code":
            row = Row(name.name, "code", "", verdict="documented", note="kb/codes")
        elif name.kind in ("package", "wheel"):
            row = getattr(library, name.kind)(name, known)
        else:
            row = getattr(library, name.kind)(name)
        by_hand = outside.get((name.name, name.kind, name.owner)) or outside.get((name.name, name.kind, ""))
        if by_hand and (row.verdict in ("unproved", "does not exist", "example", "gone") or by_hand.verdict in ("example", "gone")):
            row = Row(name.name, name.kind, by_hand.owner or row.owner, "", "", by_hand.verdict, by_hand.note)
        elif by_hand and name.kind == "wheel":
            # That uv knows an index does not say which files are in it.
            row.note = f"{row.note}; {by_hand.note}"
        rows.append(row)
        if row.verdict == "unproved":
            print(f"unproved: {row.kind} {row.name} ({row.owner}): {row.note}  [{sorted(name.files)[0]}]", file=sys.stderr)
        elif row.verdict == "does not exist":
            print(f"DOES NOT EXIST: {row.kind} {row.name}: {row.note}  [{', '.join(sorted(name.files))}]", file=sys.stderr)
    return rows

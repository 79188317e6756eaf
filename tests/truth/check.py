#!/usr/bin/env python3
"""Looks up every name that the book prints in the packages that own it, and writes kb/truth.csv. See README.md."""

import argparse
import csv
import datetime
import json
import os
import sys
import tomllib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.dont_write_bytecode = True
import names as book
import prove
import releases

HERE = Path(__file__).parent
KB = HERE.parents[1] / "kb"
HEAD = """# What the book names and where a machine found it, written by tests/truth/check.py: do not edit. Columns: the name; its kind
# (attribute, command, flag, image, option, package, variable, wheel); the package that has it (deb: a package of Debian); the first and the last of the
# releases looked at that have it; the month; the verdict (exists; gone, from the newest release; documented, where the note says; example,
# a word that the reader replaces; unproved; does not exist); a note.
"""


def main():
    options = argparse.ArgumentParser(description=__doc__)
    home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    options.add_argument("--cache", type=Path, default=home / "faultbook-truth", help="where indexes of releases are kept (default: %(default)s)")
    options.add_argument("--offline", action="store_true", help="use the cache only")
    options.add_argument("--changed", action="store_true", help="look up only names that the table lacks, in the cache, in outside.csv and in what --fetch names; the other rows stay")
    options.add_argument("--fetch", metavar="PACKAGE", nargs="+", default=[], help="with --changed: packages whose releases may be fetched")
    options.add_argument("--refresh", action="store_true", help="ask the registries for newer releases; the default keeps what is in the cache")
    options.add_argument("--jobs", type=int, default=(os.cpu_count() or 1) + 1, help="how many releases are fetched at once (default: %(default)s)")
    options.add_argument("--date", default=datetime.date.today().strftime("%Y-%m"), help="the month to write (default: now)")
    args = options.parse_args()
    (args.cache / "newest").mkdir(parents=True, exist_ok=True)
    (args.cache / "versions").mkdir(parents=True, exist_ok=True)
    if args.offline and not args.changed and not any((args.cache / "newest").iterdir()):
        sys.exit(f"{args.cache} is empty, so that every name would become unproved: run it once without --offline")
    config = tomllib.loads((HERE / "releases.toml").read_text())
    found = book.collect(KB, config)
    kept = []
    if args.changed:
        args.offline = True
        named = {(name.kind, name.name) for name in found}
        by_hand = {(kind, name) for name, kind, _ in outside()}
        def stays(row):
            key = row["kind"], row["name"]
            return key in named and row["verdict"] != "unproved" and not (row["verdict"] == "gone" and key in by_hand)
        kept = [row for row in book.rows(KB / "truth.csv") if stays(row)]
        known = {(row["kind"], row["name"]) for row in kept}
        found = [name for name in found if (name.kind, name.name) not in known]
    library = prove.Library(config, fetch(config, args, leaves(found, config)))
    rows = prove.prove(found, library, lambda package: versions(package, args), outside())
    merged = {}
    for row in rows:
        key = (row.kind, row.name, row.owner)
        if key not in merged or merged[key].verdict == "unproved":
            merged[key] = row
    table = [*kept, *({**vars(row), "date": args.date} for row in merged.values())]
    with open(KB / "truth.csv", "w", newline="") as out:
        out.write(HEAD)
        writer = csv.DictWriter(out, ["name", "kind", "owner", "first", "last", "date", "verdict", "note"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(table, key=lambda r: (r["kind"], r["name"].lower(), r["name"], r["owner"])))
    counts = {}
    for row in merged.values():
        counts[row.verdict] = counts.get(row.verdict, 0) + 1
    print(", ".join(f"{n} {verdict}" for verdict, n in sorted(counts.items())))
    return 1 if counts.get("does not exist") else 0


def leaves(found, config):
    """Every word of the names, in the spellings under which an index may have them: an index holds a hundred thousand others."""
    out = set()
    derive = prove.Library(config, {}).derived
    for name in found:
        text = name.name
        if name.row and name.row["url"]:
            out.add(name.row["url"].removeprefix("https://download.pytorch.org/"))
        out |= set((derive(text) or ())[1:])
        bare = text.lstrip("-")
        out |= {text, bare, text.rsplit(".", 1)[-1], bare.replace("-", "_"), "--" + bare.replace("-", "_"), "--" + bare.replace("_", "-")}
    return out


def fetch(config, args, wanted_words):
    """The indexes of all releases: package -> [(version, index)], oldest first. What the cache lacks is fetched by several processes."""
    out = {}
    online = {p for p in config["packages"] if not args.offline or p in args.fetch}
    with ProcessPoolExecutor(args.jobs) as pool:
        asked = [p for p in config["packages"] if p in online and (args.refresh or not (args.cache / "newest" / p).exists())]
        for package, newest in zip(asked, pool.map(releases.newest, asked)):
            if newest:
                (args.cache / "newest" / package).write_text(newest)
        groups = {}
        for package, settings in config["packages"].items():
            kept = args.cache / "newest" / package
            newest = kept.read_text() if kept.exists() else ""
            if not newest and (package in online or not args.changed):
                print(f"  {package}: the newest release is not known", file=sys.stderr)
            wanted = sorted({v for v in [newest, *settings.get("older", [])] if v}, key=prove.Version)
            groups[package] = [
                (version, pool.submit(releases.index_release, args.cache, package, version, settings.get("sdist", False)) if package in online else None)
                for version in wanted
            ]
        for package, wanted in groups.items():
            group = []
            for version, fetched in wanted:
                target = releases.place(args.cache, package, version)
                if fetched.result() if fetched else target.exists():
                    group.append((version, releases.load(target, wanted_words)))
            if group:
                out[package] = group
    debian = releases.Debian(args.cache)
    owners = [owner for value in config["programs"].values() for owner in value.split()]
    wanted = {owner[4:] for owner in owners if owner.startswith("deb:")} | set(config["debian"]["packages"])
    for package in sorted(wanted):
        version, index = debian.index(package, args.offline, args.refresh, wanted_words)
        if index:
            out[f"deb:{package}"] = [(version, index)]
    return out


def versions(package, args):
    """All releases of a package on PyPI, kept in the cache."""
    kept = args.cache / "versions" / f"{package.lower()}.json"
    if not kept.exists() or (args.refresh and not args.offline):
        if args.offline and not args.changed:
            return []
        kept.write_text(json.dumps(releases.versions(package)))
    return json.loads(kept.read_text())


def outside():
    """What people looked up, from outside.csv."""
    out = {}
    for row in book.rows(HERE / "outside.csv"):
        out[row["name"], row["kind"], row["program"]] = prove.Row(row["name"], row["kind"], row["owner"], verdict=row["verdict"], note=row["note"])
    return out


if __name__ == "__main__":
    sys.exit(main())

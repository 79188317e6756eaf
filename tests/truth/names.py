"""The names that the book prints and a machine can check.

`collect(kb)` reads fault pages, recipes, notices, the vendors' files, `errors`, the replacements of
`removed.csv` and the builds of `hardware/wheels.csv`, and returns every name with its kind, its owner as far as the text shows it, and the files that print it. The rules for
variables, flags and attributes are those of `src/check/names.rs`: code blocks (except `text`) and inline code only, because prose has no
names to type. Change both together.
"""

import ast
import csv
import re
import textwrap
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

VARIABLE = re.compile(r"(?<![\w%<{/-])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![\w*])")
FLAG = re.compile(r"(?<![\w-])--[a-zA-Z][\w-]+(?![\w*-])")
DOTTED = re.compile(r"(?<![\w./-])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?![\w/*])")
REQUIREMENT = re.compile(r"(?<![\w./-])([A-Za-z][\w.-]*)(?:\[[\w,.-]+\])?((?:==|>=|<=|~=|<|>)\d[\w.]*(?:\*)?(?:,(?:==|>=|<=|<|>|!=)\d[\w.]*)*)")
KEYWORD = re.compile(r"(?<![\w.-])([a-z]\w*_\w+)\s?=(?!=)")
CALL = re.compile(r"[\w.]+\(([^()]*)")
FENCE = re.compile(r"^[ \t]*(```+)(\w*)[^\n]*\n(.*?)^[ \t]*\1", re.S | re.M)
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=\S*$")
# Words before the program that is run.
WRAPPERS = {"sudo", "nohup", "time", "nice", "env", "exec", "!", "then", "do", "else"}
# A here document.
HERE = re.compile(r"^[^\n]*<<\s*['\"]?(\w+)['\"]?[^\n]*\n(.*?)^\1$", re.S | re.M)
# Words of the shell itself, and flags that every program has.
BUILTIN = {*"cd echo export for done source set unset until ulimit command printf sh which import if fi while read true bash".split()}
EVERYWHERE = {"--help", "--version"}
SHELL = {"sh", "bash", "console"}


@dataclass
class Name:
    """A name, what it is, and where the book prints it."""

    name: str
    kind: str
    owner: str = ""
    files: set = field(default_factory=set)
    # The row of kb/hardware/wheels.csv that a build or an image is from.
    row: dict | None = None


class Names:
    """Names found so far, by name, kind and owner."""

    def __init__(self, config, codes):
        self.found = {}
        self.programs_known = {*config["programs"], "script"}
        self.aliases = config["aliases"]
        self.roots = set(config["roots"])
        self.codes = codes

    def add(self, name, kind, owner, file):
        key = (name, kind, owner)
        self.found.setdefault(key, Name(name, kind, owner)).files.add(file)

    def block(self, language, code, file):
        """A fenced block or a span of inline code (`span`)."""
        if language == "text":
            return
        code = re.sub(r"\{\{.*?\}\}|\{%.*?%\}", "…", code)
        if language in SHELL:
            for inner in HERE.finditer(code):
                self.block("python" if "python" in inner[0].split("<<")[0] else "text", inner[2], file)
            code = HERE.sub(lambda m: m[0].split("\n")[0].split("<<")[0] + "\n", code)
        for found in VARIABLE.finditer(code):
            self.add(found[0], "code" if found[0] in self.codes else "variable", "", file)
        for found in DOTTED.finditer(code):
            self.attribute(found[0], file)
        for found in REQUIREMENT.finditer(code):
            self.add(found[1] + found[2], "package", "", file)
        if language == "python":
            self.python(code, file)
        elif language in SHELL or language == "span":
            for line in code.replace("\\\n", " ").splitlines():
                self.command(line, file, whole=language != "span")
        for found in FLAG.finditer(code):
            if found[0] not in EVERYWHERE and not any(key[0] == found[0] and key[1] == "flag" for key in self.found):
                self.add(found[0], "flag", "", file)
        if language == "span":
            for call in CALL.finditer(code):
                for found in re.finditer(r"(?:^|[,\s*])([a-z]\w*)=(?!=)", call[1]):
                    self.add(found[1], "option", "", file)
            for found in KEYWORD.finditer(code):
                self.add(found[1], "option", "", file)

    def attribute(self, dotted, file):
        root, rest = dotted.split(".", 1)
        full = self.aliases.get(root, root)
        if full.split(".")[0] in self.roots and not re.search(r"\.(py|md|json|sh|txt|so|com|org|io|yaml|git|cpp|gguf|conf)$", dotted):
            self.add(dotted, "attribute", full.split(".")[0], file)

    def python(self, code, file):
        """Keywords of calls, and the owner that the call's name shows."""
        try:
            tree = ast.parse(code)
        except SyntaxError:
            for found in KEYWORD.finditer(code):
                if "(" in code[: found.start()]:
                    self.add(found[1], "option", "", file)
            return
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                for keyword in node.keywords:
                    if keyword.arg:
                        self.add(keyword.arg, "option", "", file)
            elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in self.roots:
                for alias in node.names:
                    self.add(f"{node.module}.{alias.name}", "attribute", node.module.split(".")[0], file)

    def command(self, line, file, whole):
        """A shell line: its programs and their flags."""
        for part in parts(line):
            words = part.split()
            while words and (words[0] in WRAPPERS or ASSIGNMENT.match(words[0])):
                words.pop(0)
            if not words:
                continue
            program = words[0].strip("`'\"()")
            if not re.fullmatch(r"[a-z][\w.+-]*", program):
                continue
            if not whole and (len(words) < 2 or program not in self.programs_known):
                continue
            if whole and program not in BUILTIN:
                self.add(program, "command", "", file)
            owner = "" if program in BUILTIN else program
            for word in words[1:]:
                plain = word.strip("`'\"(),[]")
                if plain == "torchrun":
                    owner = plain
                elif owner in ("python", "python3") and re.fullmatch(r"ipykernel|jupyter", plain):
                    owner = plain
                elif owner in ("python", "python3", "torchrun", "accelerate", "deepspeed", "srun", "sudo", "docker") or plain.endswith(".py"):
                    if plain.endswith(".py"):
                        owner = "script"
                    elif plain in ("torchrun", "python", "python3", "accelerate", "deepspeed", "nvidia-smi", "pip") and not word.startswith("-"):
                        owner = plain
                    elif owner in ("python", "python3") and re.fullmatch(r"(torch|pip|vllm|sglang|accelerate|deepspeed)(\.\w+)*", plain):
                        owner = plain.split(".")[0]
                        owner = "torchrun" if owner == "torch" else owner
                flag = FLAG.match(plain)
                if flag and flag[0] not in EVERYWHERE:
                    self.add(flag[0], "flag", owner, file)
            if program == "pip" and "install" in words[:3]:
                self.packages(words[words.index("install") + 1 :], file)

    def packages(self, words, file):
        skip = False
        for word in words:
            plain = word.strip("`'\"(),")
            if skip:
                skip = False
            elif plain.startswith("-"):
                skip = plain in ("--index-url", "--find-links", "--extra-index-url", "-r", "-f", "-c", "-e", "--target", "-i")
            elif re.fullmatch(r"[A-Za-z][\w.-]*(\[[\w,.-]+\])?", plain) and not re.fullmatch(r"[A-Z_0-9]+", plain):
                self.add(re.sub(r"\[.*", "", plain), "package", "", file)

    def markdown(self, text, file):
        for found in FENCE.finditer(text):
            self.block(found[2], textwrap.dedent(found[3]), file)
        for found in SPAN.finditer(FENCE.sub("", text)):
            self.block("span", found[1], file)


def parts(line):
    """The commands of a shell line: split at `|`, `;`, `&&` and `$(` outside of quotes, up to a comment."""
    out, quote, start, at = [], "", 0, 0
    while at < len(line):
        c = line[at]
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c == "#" and (at == 0 or line[at - 1].isspace()):
            line = line[:at]
            break
        elif c in "|;&" or line.startswith("$(", at):
            out.append(line[start:at])
            start = at + (2 if line.startswith(("||", "&&", "$("), at) else 1)
            at = start - 1
        at += 1
    return [part for part in [*out, line[start:]] if part.strip()]


def status_codes(kb):
    """Names in `kb/codes`, which have tests of their own."""
    out = set()
    for path in sorted((kb / "codes").glob("*.csv")):
        for row in csv.DictReader(line for line in path.read_text().splitlines() if not line.startswith("#")):
            out.update(value for value in row.values() if value and re.fullmatch(r"[A-Z][A-Z0-9_]+", value))
    short = {re.sub(r"^[A-Z]+_(STATUS|ERROR)_", "", code) for code in out}
    return out | short


def rows(path):
    """A CSV with comment lines, as dictionaries."""
    return csv.DictReader(line for line in path.read_text().splitlines() if not line.startswith("#"))


def collect(kb, config):
    """All names of the folder `kb`, sorted."""
    names = Names(config, status_codes(kb))
    pages = [*kb.glob("faults/*/*.md"), *kb.glob("fixes/*.md"), *kb.glob("notices/*.md")]
    for path in sorted(pages):
        text = path.read_text()
        head, body = ("", text)
        if text.startswith("---\n"):
            head, body = text[4:].split("\n---\n", 1)
        file = str(path.relative_to(kb))
        # The sections that are composed texts, not advice.
        body = re.sub(r"^## Example\n.*?(?=^## |\Z)", "", body, flags=re.S | re.M)
        names.markdown(body, file)
        for line in head.splitlines():
            if re.match(r"\s*(- )?(says|title):", line):
                names.markdown(line, file)
    for path in sorted(kb.glob("errors/*.toml")):
        file = str(path.relative_to(kb))
        for row in tomllib.loads(path.read_text()).get("error", []):
            for action in row.get("action", []):
                for key in ("title", "detail"):
                    names.markdown(action.get(key, ""), file)
                for block in action.get("commands", []):
                    names.block("python" if is_python(block) else "sh", block, file)
    for path in sorted(kb.glob("vendors/*.toml")):
        file = str(path.relative_to(kb))
        for text in strings(tomllib.loads(path.read_text())):
            if "`" in text:
                names.markdown(text, file)
    for row in rows(kb / "removed.csv"):
        names.markdown(row["replacement"] or "", "removed.csv")
        pin = row["pin"] or ""
        if pin and not pin.startswith("python"):
            names.add(pin, "package", "", "removed.csv")
    for row in rows(kb / "hardware" / "wheels.csv"):
        wheel(names, row)
    return sorted(names.found.values(), key=lambda n: (n.kind, n.name.lower(), n.name, n.owner))


def wheel(names, row):
    """A build that an answer has installed, and its image. `src/book/wheels.rs` has the same rule for the name."""
    build = " ".join(row[column] for column in ("framework", "index", "version", "cuda") if row[column])
    for name, kind in ((build, "wheel"), (row["image"], "image")):
        if name:
            names.add(name, kind, "", "hardware/wheels.csv")
            names.found[name, kind, ""].row = row


def is_python(block):
    """Whether a block without a language is Python: it parses, and no line could be a command."""
    try:
        tree = ast.parse(block)
    except SyntaxError:
        return bool(re.search(r"^(from|import|try:|except|with|class|def|@)\b|^\w[\w.]*(, \w+)* = |^\w[\w.]*\(.*\)\s*(#.*)?$", block, re.M))
    return any(isinstance(node, (ast.Call, ast.Import, ast.ImportFrom, ast.Assign, ast.Subscript)) for node in ast.walk(tree))


def strings(value):
    """All strings in nested tables."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


if __name__ == "__main__":
    here = Path(__file__).parent
    config = tomllib.loads((here / "releases.toml").read_text())
    for name in collect(here.parents[1] / "kb", config):
        print(name.kind, name.name, name.owner, sorted(name.files)[0], sep="\t")

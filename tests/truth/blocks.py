#!/usr/bin/env python3
"""Runs the blocks of code that the book prints, as far as that is possible without a GPU, and writes blocks.csv. See README.md.

    python3 tests/truth/blocks.py --python VENV/bin/python

Verdicts: `ran`; `ran with stand-ins` (a small model, batch or script took the place of the reader's); `checked` (the program's own parser
takes the options); `in part`; `parsed` with the reason why it was not run; `fails`. Commands run in an empty folder, and only programs
that read: nothing is installed, removed or stopped, and what is started is an empty `train.py`.
"""

import argparse
import ast
import collections
import csv
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.dont_write_bytecode = True
import names as book

HERE = Path(__file__).parent
KB = HERE.parents[1] / "kb"
HEAD = "# What became of each block of code of the book, written by tests/truth/blocks.py: do not edit.\n"
# Programs that only read, and the words that make them change something.
READERS = set(
    "nproc free df ls uname lscpu ulimit ps env printenv grep egrep head tail sort uniq wc cat awk cut tr find ip ss getent locale hostname"
    " date stat id who uptime vmstat ldd ldconfig readelf nm objdump strings file which command type echo true test du findmnt lsblk ipcs getconf"
    " pgrep dmesg lspci lsmod modinfo gcc g++ cmake sysctl printf tee c++filt sed numactl lsof export unset xxd groups ipcs hash".split()
)
# Programs that start a script, and words of it that only its own run knows.
LAUNCHERS = {"python", "python3", "torchrun", "accelerate"}
SCRIPT = re.compile(r"(?<!\S)(?:[\w./-]*/)?(?:train|main|script|your_script|run|app|finetune|server|infer|test|bench|worker)\w*\.py(?!\S)")
# Subcommands of pip that only read.
PIP_READS = {"list", "show", "check", "freeze", "debug", "cache", "config", "index", "help", "inspect"}
CHANGES = re.compile(
    r"(?<!\S)(-delete|-exec|-i|-w|--write|-k|-C|-c|--clear)(?!\S)|(?<![&2])>(?!&|\s*/dev/null)|\bsudo\b|\btee\s+/|\b(pip3?|uv|conda) (install|uninstall|cache purge|sync)"
)
NETWORK = re.compile(r"from_pretrained|load_dataset|snapshot_download|hf_hub_download|urlopen|requests\.|torch\.hub|download\(|rmtree|os\.(remove|unlink|kill|system)|subprocess")


def blocks():
    """(file, language, code) of everything that people are told to run or to write."""
    for path in sorted([*KB.glob("faults/*/*.md"), *KB.glob("fixes/*.md"), *KB.glob("notices/*.md")]):
        text = re.sub(r"^## Example\n.*?(?=^## |\Z)", "", path.read_text(), flags=re.S | re.M)
        for found in book.FENCE.finditer(text):
            yield str(path.relative_to(KB)), found[2], textwrap.dedent(found[3])
    for path in sorted(KB.glob("errors/*.toml")):
        for row in tomllib.loads(path.read_text()).get("error", []):
            for action in row.get("action", []):
                for block in action.get("commands", []):
                    yield str(path.relative_to(KB)), language(block), block + "\n"


def language(block):
    """The language of an entry's command, which has no label."""
    first = next((line for line in block.splitlines() if line.strip() and not line.startswith("#")), "")
    if re.match(r"\[[\w.\[-]+\]", first):
        return "toml"
    if re.match(r"[!%]\w", first) or re.search(r"^[!%]\w", block, re.M):
        return "notebook"
    if re.search(r"%[A-Z_]{3,}%|\b[A-Z]:\\", block) and not book.is_python(block):
        return "bat"
    if re.search(r"(::|\{\}).*;$", block, re.M):
        return "cpp"
    if re.match(r"(find_package|target_\w+|set_\w+|add_\w+|set|if|project|include)\(", first):
        return "cmake"
    if re.match(r"(python3?|pip|sed|file|export|sudo|hf|head|conda|uv|docker) ", first):
        return "sh"
    return "python" if book.is_python(block) else "sh"


def filled(code):
    """Facts and words in angle brackets, which the answer or the reader replaces, as plain words."""
    code = re.sub(r"\{\{.*?\}\}", "FACT", re.sub(r"\{%.*?%\}", "", code))
    return re.sub(r"<([a-z][a-z _-]*)>", lambda found: found[1].upper().replace(" ", "_").replace("-", "_"), code)


# ---------------------------------------------------------------------------------------------------------------- Python


class Runner:
    """A Python that has the frameworks loaded and runs each snippet in a process of its own."""

    def __init__(self, python):
        self.folder = tempfile.TemporaryDirectory()
        self.lock = threading.Lock()
        environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
        self.child = subprocess.Popen(
            [python, str(HERE / "snippets.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=self.folder.name, env=environment
        )

    def run(self, code):
        with self.lock:
            self.child.stdin.write(json.dumps(code) + "\n")
            self.child.stdin.flush()
            return json.loads(self.child.stdout.readline())


def python(code, runner):
    """(verdict, reason) of a snippet."""
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        # A line beside another: an argument list, a method chain of a longer call.
        for around in ("f({})", "{}\ndef f(): ...", "async def f():\n{}", "def f():\n{}", "class C:\n{}"):
            try:
                ast.parse(around.format(code.strip().rstrip(",") if around[0] in "f{" else textwrap.indent(code, "    ")))
                return "parsed", "a part of a larger statement"
            except SyntaxError:
                continue
        return "fails", f"{error.msg} in line {error.lineno}"
    if NETWORK.search(code):
        return "parsed", "it needs files, the network or other processes"
    if runner is None:
        return "parsed", "no Python with the frameworks was given"
    # Names that the code itself defines are no stand-ins.
    del tree
    return tuple(runner.run(code))


# ----------------------------------------------------------------------------------------------------------------- shell


def shell(code, runner, path):
    """(verdict, reason) of commands: the syntax, then each line that only reads."""
    code = re.sub(r"^# [^\n]*(?:Windows|PowerShell|cmd\b)[^\n]*\n(?:(?!# ).*\n?)*", "", code, flags=re.M)
    if not code.strip():
        return "parsed", "PowerShell is not here"
    checked = subprocess.run(["bash", "-n"], input=code, capture_output=True, text=True)
    if checked.returncode:
        return "fails", checked.stderr.strip().splitlines()[-1].removeprefix("bash: ")
    wrong = shellcheck(code, path)
    if wrong:
        return "fails", wrong
    lines = [line for line in code.replace("\\\n", " ").splitlines() if line.strip() and not line.lstrip().startswith("#")]
    here = re.fullmatch(r"(?:[A-Z_]+=\S+ )*python3? - <<\s*'?(\w+)'?\n(.*?)\n\1\s*", code.strip() + "\n", re.S)
    if here:
        return python(here[2], runner)
    if re.search(r"<<|^\s*(for|while|if|case)\b|\\$|\{$", code, re.M) or unbalanced(lines):
        return command(code, runner, path, whole=True)
    return summary([command(line, runner, path) for line in lines])


def shellcheck(code, path):
    """The first error that shellcheck finds, where it is installed."""
    program = shutil.which("shellcheck", path=path)
    if not program:
        return ""
    # 1091, 2148: other files and the first line; 2239: the same.
    found = subprocess.run([program, "-s", "bash", "-S", "error", "-e", "SC1091,SC2148,SC2239", "-f", "gcc", "-"], input=code, capture_output=True, text=True)
    return found.stdout.splitlines()[0].split(": ", 1)[-1] if found.stdout else ""


def unbalanced(lines):
    try:
        for line in lines:
            shlex.split(line, comments=True)
    except ValueError:
        return True
    return False


def pip(line, path):
    """(verdict, reason) of a command of pip that changes the environment: its own parser takes the options and the requirements."""
    words = shlex.split(line, comments=True)
    at = next(n for n, word in enumerate(words) if re.fullmatch(r"pip3?", word))
    words = words[at + 1 :]
    while words and words[-1] in ("&&", ";"):
        words.pop()
    code = (
        "import sys\nfrom pip._internal.commands import create_command\nfrom pip._vendor.packaging.requirements import Requirement\n"
        "name, *rest = sys.argv[1:]\noptions, names = create_command(name).parse_args(rest)\n"
        "[Requirement(n) for n in names if not any(s in n for s in ('/', '://', '.whl')) and n != '.']\n"
    )
    python = shutil.which("python", path=path) or sys.executable
    ran = subprocess.run([python, "-c", code, *words], capture_output=True, text=True, timeout=30)
    if ran.returncode == 0:
        return "checked", ""
    said = (ran.stderr.strip().splitlines() or ["?"])[-1]
    return "fails", f"pip: {said[:120]}"


def launch(line, path):
    """(verdict, reason) of a command that starts the reader's script: an empty one takes its place."""
    with tempfile.TemporaryDirectory() as folder:
        for script in SCRIPT.findall(line):
            target = Path(folder, script)
            if script.startswith(("/", "~", "..")):
                return "parsed", "it has a word for the reader to replace"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("")
        environment = {"PATH": path, "HOME": folder, "LANG": "C", "OMP_NUM_THREADS": "1", "MASTER_ADDR": "127.0.0.1"}
        child = subprocess.Popen(
            ["bash", "-c", line], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL, env=environment, start_new_session=True
        )
        try:
            _, said = child.communicate(timeout=40)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            return "parsed", "it waits or takes long"
    if child.returncode == 0:
        return "ran with stand-ins", ""
    if re.search(r"unrecognized arguments|ambiguous option|unknown option|[Uu]sage:|No module named|bash: line", said):
        return "fails", said.strip().splitlines()[-1][:120]
    return "parsed", "it needs more than an empty script: " + (said.strip().splitlines() or ["?"])[-1][:80]


def command(line, runner, path, whole=False):
    snippet = re.fullmatch(r"(?:[A-Z_]+=\S+ )*python3? -c \"((?:[^\"\\]|\\.)*)\"\s*(#.*)?", line.strip()) or re.fullmatch(
        r"python3? -c '([^']*)'\s*(#.*)?", line.strip()
    )
    if snippet:
        return python(re.sub(r"\\(.)", r"\1", snippet[1]), runner)
    programs = []
    if os.geteuid() == 0:
        line = re.sub(r"(?<![\w/-])sudo (?:-[EnH] )*(?!-)", "", line)
    for part in book.parts(line):
        words = part.split()
        if whole and words and words[0] in ("for", "case", "done", "fi", "esac", "if", "while"):
            words = words[1:] if words[0] in ("if", "while") else []
        while words and (book.ASSIGNMENT.match(words[0]) or words[0] in ("!", "time", "then", "do")):
            words.pop(0)
        if words:
            programs.append(words[0].strip("`'\"()"))
    missing = [program for program in programs if program not in book.BUILTIN and not shutil.which(program, path=path)]
    if missing:
        return "parsed", f"{missing[0]} is not here"
    bare = re.sub(r"\s#.*", "", line)
    reads_pip = re.search(r"(?<!\S)pip3? (\w+)", bare)
    placeholder = re.search(r"(?<![$\w{])(?!TORCH|CUDA|NCCL|HF)[A-Z]{3,}(?:_[A-Z]+)*(?![\w=(])", re.sub(r"\S+=\S+ ", "", bare))
    launched = [program for program in programs if program not in READERS and program not in book.BUILTIN]
    if launched and set(launched) <= {"pip", "pip3"} and reads_pip:
        if reads_pip[1] in PIP_READS and not re.search(r"pip3? (cache (purge|remove)|config (set|unset))", bare):
            launched = []
        elif len(programs) == 1 and "$(" not in bare and not re.search(r"[|;&$<>`]", re.sub(r"\"[^\"]*\"|'[^']*'", "", bare)):
            return pip(line, path)
    if launched and set(launched) <= LAUNCHERS and SCRIPT.search(bare) and not whole:
        others = set(programs) - set(launched) - {"export", "unset", "tail", "head", "grep", "tee", "echo"}
        if not others and not placeholder and not re.search(r"<<|>(?!&|\s*/dev/null)|&\s*$", bare):
            return launch(line, path)
    if not programs or launched:
        return "parsed", "it changes something or belongs to a running job"
    if CHANGES.search(re.sub(r"\s#.*", "", line)):
        return "parsed", "it changes something or belongs to a running job"
    if re.search(r"\b(PID|NODE|FILE|PACKAGE|MODEL|POD|NAME|JOBID|HOST|PATH_TO|FACT|DEVICE)\b|/path/to|X\.\w+", line):
        return "parsed", "it has a word for the reader to replace"
    with tempfile.TemporaryDirectory() as folder:
        try:
            ran = subprocess.run(
                ["bash", "-c", line], cwd=folder, capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL, env={"PATH": path, "HOME": folder, "LANG": "C", "USER": os.environ.get("USER", "root")}
            )
        except subprocess.TimeoutExpired:
            return "parsed", "it waits or takes long"
    said = ran.stderr.strip().splitlines()
    if ran.returncode == 0 or not said:
        return "ran", ""
    if re.search(r"(invalid|unrecognized|unknown) (option|argument)|syntax error|[Uu]sage:", ran.stderr):
        return "fails", said[0]
    return "parsed", f"not on this machine: {said[-1][:80]}"


def yaml(code, runner):
    """(verdict, reason) of a configuration in YAML; documents of a template in braces are only shown."""
    if runner is None or "{{" in code:
        return "parsed", "a configuration"
    verdict, reason = runner.run(f"import yaml\ntry:\n    list(yaml.safe_load_all({code!r}))\nexcept yaml.YAMLError as error:\n    raise SystemError(error)")
    return ("fails", reason) if verdict == "fails" else ("parsed", "a configuration")


def toml(code):
    try:
        tomllib.loads(code)
    except tomllib.TOMLDecodeError as error:
        return "fails", str(error)
    return "parsed", "a configuration"


def config(code):
    """(verdict, reason) of a configuration in JSON."""
    try:
        json.loads(code)
    except ValueError as error:
        return "fails", str(error)
    return "parsed", "a configuration"


def summary(results):
    """What the lines of a block together are."""
    results = list(dict.fromkeys(results))
    order = ["checked", "ran", "ran with stand-ins"]
    failed = [reason for verdict, reason in results if verdict == "fails"]
    if failed:
        return "fails", failed[0]
    verdicts = {verdict for verdict, _ in results}
    if verdicts <= set(order) and results:
        return ("checked" if "checked" in verdicts else max(verdicts, key=order.index)), ""
    reason = "; ".join(sorted({reason for verdict, reason in results if verdict == "parsed"}))
    reason = re.sub(r"/tmp/tmp\w+", "FOLDER", reason)[:160]  # it is called otherwise in every run
    return ("in part" if verdicts & set(order) else "parsed"), reason or "comments only"


def judged(kind, code, runner, path):
    """(verdict, reason) of a block."""
    if kind == "notebook":
        return python(re.sub(r"^[!%][^\n]*", "", code, flags=re.M), runner)
    if kind == "python":
        return python(code, runner)
    if kind == "toml":
        return toml(code)
    if kind in ("yaml", "yml"):
        return yaml(code, runner)
    if kind == "json":
        return config(code)
    if kind in book.SHELL:
        return shell(code, runner, path)
    return "parsed", f"{kind} is not run here"


def digest(code):
    return hashlib.sha1(code.encode()).hexdigest()[:8]


def table():
    """The verdicts of blocks.csv by language and code; what failed is tried again."""
    rows = (HERE / "blocks.csv").read_text().splitlines()
    return {(row["language"], row["block"]): (row["verdict"], row["reason"]) for row in csv.DictReader(line for line in rows if not line.startswith("#")) if row["verdict"] != "fails"}


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--python", help="a Python with torch, numpy, transformers, jax and others; without it, snippets are only parsed")
    options.add_argument("--changed", action="store_true", help="keep the verdicts of blocks that the table has, and judge the others")
    options.add_argument("--only", help="a part of the file names to look at; nothing is written then")
    args = options.parse_args()
    runner = Runner(args.python) if args.python else None
    path = os.pathsep.join(filter(None, [os.path.dirname(args.python) if args.python else "", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]))
    rows, counts = [], collections.Counter()
    chosen = [(file, kind, filled(code)) for file, kind, code in blocks() if not args.only or args.only in file]
    chosen = [block for block in chosen if block[1] not in ("text", "")]
    known = table() if args.changed else {}
    with ThreadPoolExecutor(4) as pool:
        verdicts = list(pool.map(lambda block: known.get((block[1], digest(block[2]))) or judged(block[1], block[2], runner, path), chosen))
    for (file, kind, code), (verdict, reason) in zip(chosen, verdicts):
        counts[kind, verdict] += 1
        if verdict == "fails":
            print(f"FAILS: {file}: {reason}\n{textwrap.indent(code, '    ')}", file=sys.stderr)
        rows.append([file, digest(code), kind, verdict, reason])
    if not args.only:
        with open(HERE / "blocks.csv", "w", newline="") as out:
            out.write(HEAD)
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(["file", "block", "language", "verdict", "reason"])
            writer.writerows(rows)
    print(", ".join(f"{n} {kind} {verdict}" for (kind, verdict), n in sorted(counts.items())))
    return 1 if any(verdict == "fails" for _, verdict in counts) else 0


if __name__ == "__main__":
    sys.exit(main())

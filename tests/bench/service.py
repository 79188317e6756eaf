#!/usr/bin/env python3
"""Measures the servers under sustained work, and prints the figures for docs/benchmarks.md: how many pasted texts a second
`faultbook mcp` and `faultbook lsp` diagnose, and whether their memory stays flat. (tests/browser/load.mjs does it for the
page.) Meanwhile a report of the project changes again and again, so that the reports are read again too.

    python3 tests/bench/service.py --bin target/release/faultbook [--diagnoses 100000] [--reports 100]

The texts are those of tests/corpus that are up to 4 KiB long, in their order, again and again.
"""

import argparse
import glob
import json
import os
import subprocess
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
WINDOW = 32  # requests under way at a time
LONGEST = 4096


def texts():
    """Pasted texts of the labeled corpus."""
    found = []
    for path in sorted(glob.glob(os.path.join(HERE, "../corpus/**/*.txt"), recursive=True)):
        with open(path, "rb") as file:
            text = file.read()
        if 0 < len(text) <= LONGEST:
            found.append(text.decode("utf-8", "replace"))
    return found


def resident(pid):
    """Resident memory in MiB."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))


def processor(pid):
    """Seconds of processors so far."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def project(reports):
    """A folder with reports, one of which `disturb` changes."""
    folder = tempfile.TemporaryDirectory(prefix="faultbook-service-")
    os.makedirs(os.path.join(folder.name, ".git"))
    place = os.path.join(folder.name, "docs/bug_reports")
    os.makedirs(place)
    for number in range(reports):
        write(place, number, "The batch is too large.")
    return folder


def write(place, number, cause):
    name = f"BUG-20260504-{number + 1:03}"
    with open(os.path.join(place, name + ".md"), "w", encoding="utf-8") as file:
        file.write(f"---\ntitle: Out of memory in step {number}\ndate: 2026-05-04\ntype: bug_report\nstatus: resolved\n"
                   f"bug_id: {name}\n---\n# {name}\n\n## Logs\n```\ntorch.cuda.OutOfMemoryError: CUDA out of memory. "
                   f"Tried to allocate {number + 2}.00 GiB\n```\n\n## Root Cause\n{cause}\n")


class Mcp:
    """Tool calls of an agent."""

    command = ["mcp", "--no-probe"]
    ends = b"\n"

    def hello(self):
        client = {"name": "bench", "version": "1"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        return {"method": "initialize", "params": params}

    def question(self, number, text):
        return [{"id": number, "method": "tools/call", "params": {"name": "diagnose", "arguments": {"text": text}}}]

    def is_answer(self, message):
        return "result" in message and "content" in message["result"] and not message["result"].get("isError")

    def write(self, stream, body):
        stream.write(body + b"\n")

    def read(self, stream):
        line = stream.readline()
        return json.loads(line) if line else None


class Lsp:
    """A log that is opened in an editor, and closed when its findings have arrived."""

    command = ["lsp"]

    def hello(self):
        return {"method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}}

    def question(self, number, text):
        document = {"uri": f"file:///tmp/run-{number}.log", "languageId": "log", "version": 1, "text": text}
        return [{"method": "textDocument/didOpen", "params": {"textDocument": document}}]

    def is_answer(self, message):
        if message.get("method") != "textDocument/publishDiagnostics":
            return False
        # What is closed is told to have no findings.
        return message["params"].get("version") == 1

    def after(self, message):
        uri = message["params"]["uri"]
        return [{"method": "textDocument/didClose", "params": {"textDocument": {"uri": uri}}}]

    def write(self, stream, body):
        stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def read(self, stream):
        length = None
        while (line := stream.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(stream.read(length)) if length is not None else None


def measure(binary, client, diagnoses, reports, samples):
    """Diagnoses a second by the clock and by processors, and memory at evenly spread moments."""
    folder = project(reports)
    environment = {**os.environ, "XDG_CACHE_HOME": os.path.join(folder.name, "cache")}
    server = subprocess.Popen([os.path.abspath(binary), *client.command], cwd=folder.name, env=environment,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    lock = threading.Lock()

    def send(message):
        with lock:
            client.write(server.stdin, json.dumps({"jsonrpc": "2.0", **message}).encode())
            server.stdin.flush()

    def next_message():
        message = client.read(server.stdout)
        if message is None:
            raise SystemExit(f"{client.command[0]} ended too early")
        return message

    send({"id": "hello", **client.hello()})
    while next_message().get("id") != "hello":
        pass
    method = "notifications/initialized" if isinstance(client, Mcp) else "initialized"
    send({"method": method, "params": {}})

    pasted = texts() or exit("tests/corpus has no texts")
    room = threading.Semaphore(WINDOW)

    def ask():
        for number in range(diagnoses):
            room.acquire()
            for message in client.question(number, pasted[number % len(pasted)]):
                send(message)

    ended = threading.Event()

    def disturb():
        change = 0
        while not ended.wait(2):
            change += 1
            write(os.path.join(folder.name, "docs/bug_reports"), change % reports, f"The batch is too large, {change}.")

    start, used = time.monotonic(), processor(server.pid)
    for work in (ask, disturb):
        threading.Thread(target=work, daemon=True).start()
    memory, answered, wrong = [], 0, 0
    while answered < diagnoses:
        message = next_message()
        if not client.is_answer(message):
            wrong += "error" in message or "result" in message
            if "id" not in message or "method" in message:
                continue
        for following in getattr(client, "after", lambda _: [])(message):
            send(following)
        answered += 1
        room.release()
        if answered % max(diagnoses // samples, 1) == 0:
            memory.append(resident(server.pid))
    seconds, used = time.monotonic() - start, processor(server.pid) - used
    ended.set()
    server.kill()
    server.wait()
    folder.cleanup()
    return diagnoses / seconds, diagnoses / used, memory, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--diagnoses", type=int, default=100_000, help="at least ten")
    parser.add_argument("--reports", type=int, default=100)
    parser.add_argument("--only", choices=["mcp", "lsp"])
    asked = parser.parse_args()
    print("| server | diagnoses/s | of a processor's second | MiB after each tenth | refused |")
    print("| --- | --- | --- | --- | --- |")
    for client in (Mcp(), Lsp()):
        if asked.only not in (None, client.command[0]):
            continue
        rate, own, memory, wrong = measure(asked.bin, client, asked.diagnoses, asked.reports, 10)
        print(f"| `faultbook {client.command[0]}` | {rate:.0f} | {own:.0f} | {', '.join(f'{one:.0f}' for one in memory)} | {wrong} |")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Diagnoses texts of growing size, one family of repetition after another, and prints seconds of CPU, memory, and how both
grow: `tests/growth/measure.py --bin target/release/faultbook --sizes 1,2,4,16,64`. A family is marked that takes more
than 50 ms and 0.2 s/MB, more than 2.3 times as long for twice the text, more than ten times its text beyond the 60 MB
that any answer may take, or more than 400 MB in all. The families are texts that failing runs print, and what broke an
earlier version. `--how plot` also draws the run over time, `--how run` has a command print the text under `faultbook run`,
`--how lsp` opens it in the language server and measures the answer to a change of its last line."""

import argparse
import json
import math
import os
import random
import resource
import subprocess
import tempfile

R = random.Random
TB = (
    "Traceback (most recent call last):\n"
    '  File "/home/u/train.py", line 7, in main\n    loss = f(x)\n'
    '  File "/opt/torch/nn/modules/module.py", line 1511, in _call_impl\n    return forward_call(*args, **kwargs)\n'
)


def rep(piece):
    """The same piece again and again."""
    return lambda n, _: piece * (n // len(piece) + 1)


def num(piece):
    """Numbered pieces."""

    def text(n, _):
        out, number, length = [], 0, 0
        while length < n:
            out.append(piece(number))
            length += len(out[-1])
            number += 1
        return "".join(out)

    return text


W="the of gpu memory train error loss nan nccl timeout rank data worker batch cuda kernel step epoch fail torch lr grad".split()
def words(seed):
    r=R(seed)
    return num(lambda k:" ".join(r.choice(W) for _ in range(12))+"\n")
FAM={
"xid_line":rep("NVRM: Xid (PCI:0000:01:00): 99999999999, "),
"xid_kernlog":num(lambda k:f"[{k*0.37:12.6f}] NVRM: Xid (PCI:0000:{k%256:02x}:00): {13+k%100}, pid={k}, name=python\n"),
"xid_same":rep("[  100.0] NVRM: Xid (PCI:0000:01:00): 79, pid=1, GPU has fallen off the bus.\n"),
"oom_same":rep("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.00 GiB is free.\n"),
"oom_num":num(lambda k:f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {k}.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.00 GiB is free.\n"),
"tb_same":rep(TB+"RuntimeError: CUDA error: device-side assert triggered\n\n"),
"tb_num":num(lambda k:TB+f"RuntimeError: CUDA error: device-side assert triggered {k}\n\n"),
"tb_diff_types":num(lambda k:TB+f"my.Error{k}Error: bad thing {k}\n\n"),
"tb_chain":num(lambda k:TB+f"ValueError: {k}\n\nDuring handling of the above exception, another exception occurred:\n\n"),
"tb_cause":num(lambda k:TB+f"KeyError: '{k}'\n\nThe above exception was the direct cause of the following exception:\n\n"),
"tb_deep":lambda n,t:"Traceback (most recent call last):\n"+num(lambda k:f"  File \"/a/b{k}.py\", line {k}, in f{k}\n    g(x{k})\n")(n,t)+"RecursionError: maximum recursion depth exceeded\n",
"tb_deep_same":lambda n,t:"Traceback (most recent call last):\n"+rep("  File \"/a/b.py\", line 3, in f\n    g(x)\n")(n,t)+"RecursionError: maximum recursion depth exceeded\n",
"json":num(lambda k:f'{{"ts":"2026-01-01T00:00:{k%60:02}Z","level":"ERROR","msg":"CUDA out of memory. item {k}","rank":{k%8}}}\n'),
"json_tb":num(lambda k:'{"log":"'+TB.replace('"','\\"').replace("\n","\\n")+f'ValueError: {k}","stream":"stderr"}}\n'),
"json_one":lambda n,t:"["+rep('{"a":[1,2,{"b":"CUDA error"}]},')(n,t)+"]",
"json_nest":lambda n,t:'{"a":'*(n//5),
"ranks64":num(lambda k:"".join(f"[rank{k%64}]: {l}\n" for l in (TB+f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {k}.00 GiB").splitlines())),
"ranks20000":num(lambda k:f"[rank{k%20000}]: RuntimeError: NCCL error in: unhandled system error {k}\n"),
"ranks20000_tb":num(lambda k:"".join(f"[rank{k%20000}]: {l}\n" for l in (TB+"ValueError: x").splitlines())),
"rich":num(lambda k:"╭──────────── Traceback (most recent call last) ────────────╮\n│ /home/u/train.py:%d in main                               │\n│ ❱ 7 │   loss = f(x)                                        │\n╰───────────────────────────────────────────────────────────╯\nRuntimeError: CUDA error: an illegal memory access was encountered %d\n"%(k,k)),
"rich_open":rep("╭──────────── Traceback (most recent call last) ────────────╮\n│ x │\n"),
"nccl":num(lambda k:f"host{k%50}:{k}:{k+1} [{k%8}] NCCL WARN [Service thread] Connection closed by localRank {k%8}\n"),
"nccl_info":num(lambda k:f"host:{k}:{k+1} [{k%8}] NCCL INFO Channel {k%32:02}/0 : {k%8}[{k%8}] -> {(k+1)%8}[{(k+1)%8}] via P2P/CUMEM\n"),
"nccl_watchdog":num(lambda k:f"[rank{k%8}]:[E101 00:00:00.{k%1000:03} ProcessGroupNCCL.cpp:629] [Rank {k%8}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={k}, OpType=ALLREDUCE, NumelIn={k}, NumelOut={k}, Timeout(ms)=600000) ran for 600{k%1000:03} milliseconds before timing out.\n"),
"utf16":"utf16","timestamps":num(lambda k:f"2026-01-01 {k//3600%24:02}:{k//60%60:02}:{k%60:02},123 ERROR trainer: step {k} loss nan\n"),
"k8s":num(lambda k:f"2026-01-01T00:{k//60%60:02}:{k%60:02}.{k%1000000000:09}Z stderr F RuntimeError: CUDA error: unspecified launch failure\n"),
"backslash":num(lambda k:f"torchrun --nproc_per_node {k} \\\n"),"backslash_same":rep("\\\n"),"backslash_x":rep("a \\\n"),
"newlines":rep("\n"),"crlf":rep("\r\n"),"cr":rep("progress 10%\r"),"cr_tqdm":num(lambda k:f" {k%100}%|###   | {k}/10000 [00:10<00:20, 3.2it/s]\r"),
"password":rep("password="),"password_lines":rep("password=abc123def\n"),"a_at":rep("a@"),"home":rep("/home/"),"home_users":num(lambda k:f"/home/user{k}/x "),
"emails":num(lambda k:f"user{k}@example.com "),"ids":num(lambda k:f"BUG-202601{k%28+1:02}-{k%1000:03} "),
"nul":rep("\0"),"ff":rep("\x0c"),"spaces":rep(" "),"tabs":rep("\t"),"a":rep("a"),"digits":rep("1234567890"),"open_brackets":rep("(["),"quotes":rep("\"'"),"backticks":rep("```\n"),"fence_text":rep("```text\nx\n"),
"esc":rep("\x1b[31m"),"esc_open":rep("\x1b]0;"),"combining":rep("e\u0301"),"wide":rep("漢字"),"bidi":rep("\u202e"),
"pip_list":num(lambda k:f"package-{k}            {k%10}.{k%7}.{k%5}\n"),"pip_freeze":num(lambda k:f"package_{k}=={k%10}.{k%7}\n"),"pip_real":rep("torch==2.1.0\nnumpy==1.26\ntransformers==4.40.0\n"),
"conda":num(lambda k:f"pkg{k}    1.{k%9}.0    py311_{k%3}    conda-forge\n"),
"env":num(lambda k:f"NCCL_X{k}=1\n"),"export":num(lambda k:f"export CUDA_V{k}=1\n"),"prompts":num(lambda k:f"(env) u@h:~/p$ python train{k}.py --lr {k}\n"),
"nvidia_smi":rep("+-----------------------------------------------------------------------------------------+\n| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |\n|   0  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    0 |\n| N/A   30C    P0             70W /  700W |   1000MiB /  81559MiB |      0%      Default |\n"),
"nvidia_proc":num(lambda k:f"|    0   N/A  N/A     {k:7}      C   python                          {k%80000}MiB |\n"),
"patch":num(lambda k:f"+++ b/f{k}.py\n@@ -1 +{k} @@\n-a\n+b\n"),"cuassert":num(lambda k:f"/p/x.cu:{k}: f: block: [{k},0,0], thread: [2,0,0] Assertion `i < {k}` failed.\n"),
"segv":rep("Segmentation fault (core dumped)\n"),"gdb":num(lambda k:f"#{k}  0x{k:016x} in f{k} () from /lib/libc.so.{k%9}\n"),"cframes":num(lambda k:f"frame #{k}: c10::Error::Error(...) + 0x{k:x} (0x7f{k:010x} in /a/libc10.so)\n"),
"asan":num(lambda k:f"    #{k} 0x{k:x} in f{k} /a/b.c:{k}\n"),"dmesg_oom":num(lambda k:f"[{k}.0] Out of memory: Killed process {k} (python) total-vm:{k}kB, anon-rss:{k}kB\n"),
"slurm":num(lambda k:f"slurmstepd: error: Detected {k} oom-kill event(s) in StepId={k}.0\n"),"make":num(lambda k:f"x{k}.cu({k}): error: identifier \"a{k}\" is undefined\n"),"ninja":num(lambda k:f"[{k}/99999] /usr/bin/nvcc -c a{k}.cu -o a{k}.o -I/x{k}\n"),
"warnings":num(lambda k:f"/a/b{k}.py:{k}: UserWarning: thing {k} is deprecated\n  warnings.warn(\n"),"loss":num(lambda k:f"step {k} loss {1/(k+1):.5f} lr 1e-4 mem {k%80}GB\n"),"hf_dict":num(lambda k:f"{{'loss': {k%10}.1, 'grad_norm': nan, 'epoch': {k}}}\n"),
"kv":num(lambda k:f"key{k}: value {k}\n"),"yaml":num(lambda k:f"{'  '*(k%20)}k{k}:\n"),"md":num(lambda k:f"## Heading {k}\n\n- item **x**\n> quote\n"),"quote":rep("> "),"quote_lines":rep("> > > RuntimeError: CUDA error: out of memory\n"),"table":num(lambda k:f"| a{k} | b | c |\n|---|---|---|\n"),
"list_nest":lambda n,t:"".join("  "*min(k,2000)+"- x\n" for k in range(max(2,int((n)**.5)))),"urls":num(lambda k:f"https://h/{k}?a=b&c={k} "),"paths":num(lambda k:f"/a/b/c{k}.py:{k} "),"uuid":num(lambda k:f"{k:08x}-0000-4000-8000-{k:012x}\n"),"base64":lambda n,t:"".join(R(1).choices("ABCDEFabcdef0123456789+/",k=n)),"b64lines":num(lambda k:"QUJDREVG"*9+"\n"),
"words":words(1),"sentences":num(lambda k:f"I tried restarting number {k} and it still crashes with an error. Then it hangs. "),"advice":rep("consider setting this. "),"error_word":rep("error "),"Error_colon":rep("Error: "),"errors_lines":num(lambda k:f"ERROR: thing number {k} failed\n"),"runtimeerror_oneline":rep("RuntimeError: CUDA error: "),"exc_types":num(lambda k:f"E{k}Error: m\n"),
"imports":num(lambda k:f"ImportError: cannot import name 'Name{k}'\n"),"imports_same":rep("ImportError: cannot import name 'FlattenDictWrapper'\n"),"torchrun":num(lambda k:f"  rank      : {k} (local_rank: {k%8})\n  exitcode  : 1 (pid: {k})\n  error_file: <N/A>\n"),"elastic":num(lambda k:f"E0101 00:00:00.000000 140 torch/distributed/elastic/multiprocessing/api.py:{k}] failed (exitcode: -{k%15}) local_rank: {k%8} (pid: {k}) of binary: /usr/bin/python\n"),
"gha":num(lambda k:f"##[group]Run {k}\n##[error]Process completed with exit code {k%255}.\n"),"jupyter":rep("---------------------------------------------------------------------------\nRuntimeError                              Traceback (most recent call last)\nCell In[3], line 1\n----> 1 f(x)\n\nRuntimeError: CUDA error: out of memory\n"),
"ray":num(lambda k:f"\x1b[36m(TrainWorker pid={k}, ip=10.0.0.{k%255})\x1b[0m RuntimeError: CUDA error {k}\n"),"lightning":num(lambda k:f"Epoch {k}: 100%|██████████| 10/10 [00:0{k%10}<00:00, 1.0it/s, v_num={k}]\n"),"jax":num(lambda k:f"E0000 00:00:{k}.0 1 cuda_dnn.cc:{k}] Unable to register cuDNN factory {k}\n"),"xla":num(lambda k:f"2026-01-01 00:00:00.0: E external/xla/f.cc:{k}] failed to allocate {k}B\n"),
}


def gen(name, size):
    """The text of a family."""
    if FAM[name] == "utf16":
        text = num(lambda k: f"RuntimeError: CUDA error {k}\r\n")(size // 2, 0)[: size // 2]
        return "\ufeff".encode("utf-16-le") + text.encode("utf-16-le")
    return FAM[name](size, 0).encode()[:size]


def write(path, name, size):
    """Writes the text of a family, in another process: a child's memory begins with that of its parent."""
    if os.fork() == 0:
        with open(path, "wb") as file:
            file.write(gen(name, size))
        os._exit(0)
    os.wait()


def slowness(size, seconds, before):
    """How so many seconds for so many MB are too many, after the size and seconds measured before."""
    marks = set()
    if seconds > (0.05 + 0.2 * size if size >= 1 else 0.3):
        marks.add("TIME")
    if before and seconds > 0.2 and seconds / before[1] > 2.3 ** math.log2(size / before[0]):
        marks.add("GROWTH")
    return marks


def run(binary, path, limit, how):
    """Seconds of CPU, MB, and how it ended."""
    if how == "lsp":
        return edit(binary, path, limit)
    words = {
        "diagnose": ["diagnose", "--no-probe", "-"],
        "plot": ["diagnose", "--no-probe", "--plot", "-"],
        "run": ["run", "--no-probe", "--", "sh", "-c", f"cat {path}; exit 3"],
    }[how]
    pid = os.fork()
    if pid == 0:
        nothing = os.open("/dev/null", os.O_WRONLY)
        os.dup2(os.open(path, os.O_RDONLY), 0)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        os.execv(binary, [binary, *words])
    _, status, usage = os.wait4(pid, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, status


def edit(binary, path, limit):
    """Opens the text in the language server, changes its last line; seconds of CPU of the change, MB of the server."""
    set_limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (2 * limit, 2 * limit))
    server = subprocess.Popen(
        [binary, "lsp", "--no-probe"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=set_limit,
    )

    def send(method, params, number=None):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if number is not None:
            message["id"] = number
        body = json.dumps(message).encode()
        server.stdin.write(f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        server.stdin.flush()

    def wait(is_it):
        while True:
            length = 0
            while (line := server.stdout.readline().strip()) or not length:
                if not line:
                    raise EOFError
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            message = json.loads(server.stdout.read(length))
            if is_it(message):
                return message

    def worked():
        fields = open(f"/proc/{server.pid}/stat").read().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak():
        # What `wait4` reports begins with the memory of this process.
        line = next(line for line in open(f"/proc/{server.pid}/status") if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1024

    uri = "file:///tmp/growth.log"
    marks = lambda message: message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri
    seconds, memory = 0.0, 0.0
    try:
        send("initialize", {"capabilities": {}, "processId": None, "rootUri": None}, 1)
        wait(lambda message: message.get("id") == 1)
        send("initialized", {})
        raw = open(path, "rb").read()
        text = raw.decode("utf-16" if raw[:2] == b"\xff\xfe" else "utf-8", "replace")
        send("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "log", "version": 1, "text": text}})
        wait(marks)
        before = worked()
        last = {"line": text.count("\n"), "character": 0}
        change = {"range": {"start": last, "end": last}, "text": "ValueError: x\n"}
        send("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [change]})
        wait(marks)
        seconds = worked() - before
        memory = peak()
        send("shutdown", None, 2)
        wait(lambda message: message.get("id") == 2)
        send("exit", None)
    except (EOFError, BrokenPipeError):
        pass
    _, status = os.waitpid(server.pid, 0)
    server.returncode = status
    return seconds, memory, status


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default="target/release/faultbook")
    parser.add_argument("--sizes", default="0.5,1,2,4,8,16,64", help="in MB")
    parser.add_argument("--families", help="only these")
    parser.add_argument("--how", choices=["diagnose", "plot", "run", "lsp"], default="diagnose")
    parser.add_argument("--limit", type=int, default=120, help="seconds of CPU")
    arguments = parser.parse_args()
    marked = 0
    names = arguments.families.split(",") if arguments.families else list(FAM)
    for name in names:
        cells, marks, before = [], set(), None
        for size in map(float, arguments.sizes.split(",")):
            with tempfile.NamedTemporaryFile() as file:
                write(file.name, name, int(size * 2**20))
                # A busy machine only makes it slower: the fastest of three runs counts.
                runs, slow = [], {"never run"}
                while slow and len(runs) < 3:
                    runs.append(run(os.path.abspath(arguments.bin), file.name, arguments.limit, arguments.how))
                    seconds, memory, status = min(runs)
                    slow = slowness(size, seconds, before)
            marks |= slow
            if memory > min(60 + 10 * size, 400):
                marks.add("MEMORY")
            # `run` ends as its command does.
            if os.WIFSIGNALED(status) or os.WEXITSTATUS(status) > (3 if arguments.how == "run" else 1):
                marks.add("FAILED")
            before = (size, seconds)
            cells.append(f"{size:g} MB: {seconds:.2f} s {memory:.0f} MB")
        marked += bool(marks)
        print(f"{name:22}", " | ".join(cells), " ".join(sorted(marks)), flush=True)
    print(f"{len(names)} families, {marked} marked")


if __name__ == "__main__":
    main()

"""Runs the programs of this folder and writes their output, word for word, as cases of tests/corpus.

    sh build.sh /tmp/fake && python3 run.py [--only PART,PART] [--list FILE.jsonl]

Environments (each a folder below ENVS, default /opt/envs): ml (torch 2.15.0+cu132, lightning, transformers, accelerate), torch24 (torch 2.4.1+cu121),
jax (jax 0.10.2, numba 0.68.1 + numba-cuda 0.30.4), tf (tensorflow-cpu 2.21.0), gpu (cupy-cuda12x 14.2.0, numba 0.68.1, onnxruntime 1.31.1,
xgboost-cpu, lightgbm, catboost). The programs are copied to /tmp/work/provoke and run there. A line of CASES is
    id | fault | cause | environment | shell command
where fault `none` is a negative, `none+` a healthy one, and cause `?` is unknown. In a command, `python` and `torchrun` are the environment's;
`GPU` before it turns the pretend GPU on (FAKE_FAULTS and FAKE_GPU set what it does). A fault forced by a code alone has no known cause.
"""
import argparse, json, os, pathlib, shutil, subprocess, time

HERE = pathlib.Path(__file__).resolve().parent
ENVS = os.environ.get("ENVS", "/opt/envs")
R3090 = 'FAKE_GPU="total=23.64 name=NVIDIA_GeForce_RTX_3090 sm=86{}"'
T4 = 'FAKE_GPU="total=14.58 name=Tesla_T4 sm=75 mps=40{}"'
CASES = (HERE / "cases.txt").read_text()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--list")
    args = parser.parse_args()
    work = pathlib.Path("/tmp/work/provoke")
    work.mkdir(parents=True, exist_ok=True)
    for file in HERE.glob("*.py"):
        shutil.copy(file, work)
    listed = []
    for line in CASES.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, fault, cause, env, command = (part.strip() for part in line.split(" | ", 4))
        healthy, negative = fault == "none+", fault.startswith("none")
        mark = ".healthy" if healthy else "" if cause == "?" else f".{cause}"
        out = HERE.parent / "corpus" / ("_negative" if negative else fault) / f"{name}{mark}.txt"
        if not args.only or any(part in name for part in args.only.split(",")):
            variables = {**os.environ, "PATH": f"{ENVS}/{env}/bin:{os.environ['PATH']}", "TRITON_CACHE_DIR": "/tmp/work/triton", "PYTHONUNBUFFERED": "1"}
            for gone in ("FAKE_FAULTS", "FAKE_GPU", "LD_PRELOAD"):
                variables.pop(gone, None)
            command = command.replace("R3090", R3090.format("")).replace("T4", T4.format(""))
            gpu = command.startswith("GPU ")
            if gpu:
                command = command[4:].replace("python ", "LD_LIBRARY_PATH=/tmp/fake/driver LD_PRELOAD=/tmp/fake/libfakecuda.so python ").replace(
                    "torchrun ", "LD_LIBRARY_PATH=/tmp/fake/driver LD_PRELOAD=/tmp/fake/libfakecuda.so torchrun ")
            began = time.time()
            done = subprocess.run(["nice", "-n", "10", "bash", "-c", command], cwd=work, env=variables, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240)
            for old in [*(HERE.parent / "corpus").glob(f"*/{name}.txt"), *(HERE.parent / "corpus").glob(f"*/{name}.*.txt")]:
                old.unlink()
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_bytes(done.stdout)
            print(f"{name:28} {len(done.stdout):7} bytes  exit {done.returncode:4}  {time.time() - began:5.1f} s", flush=True)
        out = next((f for f in (HERE.parent / "corpus").glob(f"*/{name}.*") if f.name.split(".")[0] == name), out)
        if out.exists():
            listed.append({"id": name, "framework": {"ml": "pytorch", "torch24": "pytorch", "gpu": "other"}.get(env, env), "input": out.read_bytes().decode("utf-8", "replace"),
                           "fault": "none" if negative else fault, "cause": "unknown" if cause == "?" else cause, "secondary": [],
                           "kind": "negative" if negative else "positive", "healthy": healthy, "how": command})
    if args.list:
        pathlib.Path(args.list).write_text("".join(json.dumps(case) + "\n" for case in listed))


if __name__ == "__main__":
    main()

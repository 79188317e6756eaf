"""Puts each line of standard input into the shape of a log collector:  program 2>&1 | python wrap.py docker|iso|srun|journal|pod|loki|crlf|quote"""
import datetime, json, sys

mode = sys.argv[1]
for n, raw in enumerate(sys.stdin.buffer):
    line, now = raw.decode("utf-8", "replace").rstrip("\n"), datetime.datetime.now(datetime.timezone.utc)
    match mode:
        case "docker": text = json.dumps({"log": line + "\n", "stream": "stderr", "time": now.isoformat().replace("+00:00", "Z")})
        case "iso": text = f"{now:%Y-%m-%dT%H:%M:%S.%f}000Z stderr F {line}"
        case "srun": text = f"{sys.argv[2]}: {line}"
        case "journal": text = f"{now:%b %d %H:%M:%S} node01 train[4711]: {line}"
        case "pod": text = f"[pod/{sys.argv[2]}/trainer] {line}"
        case "loki": text = f'ts={now:%H:%M:%S.%f} level=error job=train stream=stderr line={json.dumps(line)}'
        case "crlf": text = line + "\r"
        case "quote": text = "> " + line
    print(text, flush=True)

"""The recipes for Slurm, Kubernetes and log shippers, on the real programs where they can be had, without a network."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional

INTEGRATIONS = Path(__file__).resolve().parents[1]
FAULTBOOK = os.environ.get("FAULTBOOK", str(INTEGRATIONS.parent / "target" / "debug" / "faultbook"))
TOOLS = Path(os.environ.get("FAULTBOOK_TOOLS", INTEGRATIONS.parent / "target" / "integrations"))
LIBRARIES = "usr/lib/x86_64-linux-gnu"
EPILOG = INTEGRATIONS / "slurm" / "epilog.sh"

FAULT = "RuntimeError: CUDA error: an illegal memory access was encountered\n"


def wait(until: Callable[[], Any], seconds: float = 60) -> Any:
    """The first value that is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := until():
            return value
        time.sleep(0.1)
    raise AssertionError(f"nothing came within {seconds:g} s")


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


class Place(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix="faultbook-recipes-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def program(self, name: str, text: str) -> str:
        """A program of that name, before all others on the path."""
        file = self.folder / "bin" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)
        return str(file)

    def start(self, *command: str, **options: Any) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(command, start_new_session=True, **options)
        self.addCleanup(process.wait)
        self.addCleanup(lambda: process.poll() is None and os.killpg(process.pid, signal.SIGKILL))
        return process


class SlurmEpilog(Place):
    """Slurm's own programs and variables as stand-ins."""

    def epilog(self, show: str, **variables: str) -> list[dict[str, Any]]:
        me = pwd.getpwuid(os.getuid()).pw_name
        self.program("scontrol", f"cat <<'END'\n{show}\nEND")
        environment = {
            "PATH": str(self.folder / "bin"),
            "FAULTBOOK": FAULTBOOK,
            "FAULTBOOK_FINDINGS": str(self.folder / "found" / "findings.jsonl"),
            "SLURM_JOB_ID": "4711",
            "SLURM_JOB_USER": me,
            **variables,
        }
        ended = subprocess.run([str(EPILOG)], env=environment, cwd="/", capture_output=True, timeout=60, check=False)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return lines(self.folder / "found" / "findings.jsonl")

    def job(self, number: int = 4711, text: str = FAULT) -> str:
        log = self.folder / f"a 'log' of $HOME {number} {len(text)}.out"
        log.write_text(text)
        return f"JobId={number} JobName=StdOut=/none\n   BatchHost=node7\n   StdOut={log}\n   Power="

    def test_a_fault_with_its_job(self) -> None:
        (found,) = self.epilog(self.job(), SLURMD_NODENAME="node7")
        self.assertEqual((found["job"], found["fault"]), ("4711", "illegal-address"))
        self.assertTrue(found["first"]["file"].endswith(f"a 'log' of $HOME 4711 {len(FAULT)}.out"))

    def test_on_the_controller_and_a_task_of_an_array(self) -> None:
        other = self.job(4712, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n")
        (found,) = self.epilog(f"{other}\n\n{self.job()}")
        self.assertEqual(found["fault"], "illegal-address")

    def test_nothing_to_say(self) -> None:
        hangs = self.program("hangs", "trap '' TERM\nwhile :; do sleep 1; done")
        for name, show, variables in (
            ("another machine of the job", self.job(), {"SLURMD_NODENAME": "node8"}),
            ("a healthy log", self.job(text="step 1\n"), {}),
            ("no log", "JobId=4711\n   BatchHost=node7", {}),
            ("a log that is gone", "JobId=4711\n   StdOut=/none/train.log", {}),
            ("Slurm does not answer", "slurm_load_jobs error: Invalid job id specified", {}),
            ("no job", self.job(), {"SLURM_JOB_ID": ""}),
            ("a job that is no number", self.job(), {"SLURM_JOB_ID": '1","x":"$(id)'}),
            ("no program", self.job(), {"FAULTBOOK": "/none/faultbook"}),
            ("a program that hangs", self.job(), {"FAULTBOOK": hangs, "FAULTBOOK_SECONDS": "1"}),
            ("a file that cannot be written", self.job(), {"FAULTBOOK_FINDINGS": "/proc/none/findings.jsonl"}),
        ):
            with self.subTest(name):
                self.assertEqual(self.epilog(show, **variables), [])

    def test_many_at_once_write_whole_lines(self) -> None:
        self.epilog(self.job())
        environment = {**os.environ, "PATH": f"{self.folder}/bin", "FAULTBOOK": FAULTBOOK, "SLURM_JOB_ID": "4711"}
        environment["FAULTBOOK_FINDINGS"] = str(self.folder / "found" / "findings.jsonl")
        environment["SLURM_JOB_USER"] = pwd.getpwuid(os.getuid()).pw_name
        for process in [subprocess.Popen([str(EPILOG)], env=environment) for _ in range(8)]:
            self.assertEqual(process.wait(60), 0)
        self.assertEqual(len(lines(self.folder / "found" / "findings.jsonl")), 9)


@unittest.skipUnless((TOOLS / "slurm/usr/sbin/slurmd-wlm").exists() and os.getuid() == 0, "no Slurm, or not root")
class RealSlurm(Place):
    """slurmctld and slurmd of Debian's packages on this machine, with the epilog in slurm.conf."""

    def test_a_job_that_fails(self) -> None:
        slurm = TOOLS / "slurm"
        with socket.socket() as one, socket.socket() as two:
            for free in (one, two):
                free.bind(("127.0.0.1", 0))
            ports = one.getsockname()[1], two.getsockname()[1]
        (self.folder / "state").mkdir()
        findings, conf = self.folder / "findings.jsonl", self.folder / "slurm.conf"
        environment = {
            **os.environ,
            "SLURM_CONF": str(conf),
            "LD_LIBRARY_PATH": f"{slurm / LIBRARIES}:{slurm / LIBRARIES / 'slurm-wlm'}",
        }
        self.program(
            "epilog",
            f"export SLURM_CONF={conf} LD_LIBRARY_PATH={environment['LD_LIBRARY_PATH']} PATH={slurm}/usr/bin\n"
            f"export FAULTBOOK={FAULTBOOK} FAULTBOOK_FINDINGS={findings}\nexec {EPILOG}",
        )
        conf.write_text(
            f"ClusterName=test\nSlurmctldHost=localhost\nSlurmctldPort={ports[0]}\nSlurmdPort={ports[1]}\n"
            "AuthType=auth/none\nCredType=cred/none\nSlurmUser=root\nSlurmdUser=root\n"
            f"StateSaveLocation={self.folder}/state\nSlurmdSpoolDir={self.folder}/spool\n"
            f"SlurmctldPidFile={self.folder}/controller.pid\nSlurmdPidFile={self.folder}/machine.pid\n"
            f"PluginDir={slurm / LIBRARIES}/slurm-wlm\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n"
            "SelectType=select/linear\nSwitchType=switch/none\nMpiDefault=none\nSchedulerType=sched/builtin\n"
            "JobAcctGatherType=jobacct_gather/none\nReturnToService=2\nSlurmdParameters=config_overrides\n"
            f"Epilog={self.folder}/bin/epilog\nNodeName=localhost CPUs=1\nPartitionName=all Nodes=ALL Default=YES\n"
        )
        log = open(self.folder / "daemons.log", "wb")  # noqa: SIM115
        self.addCleanup(log.close)
        quiet: dict[str, Any] = {"env": environment, "stdout": log, "stderr": log}
        daemons = slurm / "usr" / "sbin"
        self.start(str(daemons / "slurmctld-wlm"), "-D", **quiet)
        self.start(str(daemons / "slurmd-wlm"), "-D", "-N", "localhost", "-d", str(daemons / "slurmstepd-wlm"), **quiet)

        def slurms(name: str, *arguments: str) -> str:
            command = [str(slurm / "usr" / "bin" / name), *arguments]
            return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60).stdout

        wait(lambda: "idle" in slurms("sinfo", "-h", "-o", "%t"))
        job = self.folder / "job.sh"
        job.write_text(f"#!/bin/sh\necho step 1\necho '{FAULT.strip()}'\nexit 1\n")
        self.assertIn("Submitted batch job 1", slurms("sbatch", "-o", f"{self.folder}/train %j.log", str(job)))
        (found,) = wait(lambda: lines(findings))
        self.assertEqual((found["job"], found["fault"], found["first"]["line"]), ("1", "illegal-address", 2))
        self.assertEqual(found["first"]["file"], f"{self.folder}/train 1.log")
        # The epilog did not take the machine down.
        wait(lambda: "idle" in slurms("sinfo", "-h", "-o", "%t"))


class Kubernetes(Place):
    def test_the_manifests_fit_the_published_schemas(self) -> None:
        try:
            import kubernetes_validate
            import yaml
        except ImportError:
            self.skipTest("kubernetes-validate is not installed")
        for name in ("sidecar", "daemonset"):
            resource = yaml.safe_load((INTEGRATIONS / "kubernetes" / f"{name}.yaml").read_text())
            for version in ("1.30", kubernetes_validate.latest_version()):
                kubernetes_validate.validate(resource, version, strict=True)

    def test_the_sidecars_command(self) -> None:
        """Started before the log exists, as a sidecar is."""
        import yaml

        resource = yaml.safe_load((INTEGRATIONS / "kubernetes" / "sidecar.yaml").read_text())
        (sidecar,) = resource["spec"]["template"]["spec"]["initContainers"]
        log, found = self.folder / "train.log", self.folder / "found.jsonl"
        shell, option, script = sidecar["command"]
        # The first process of its container: SIGTERM reaches it only through a handler.
        first = ["unshare", "--pid", "--fork"] if os.getuid() == 0 and shutil.which("unshare") else []
        environment = {**os.environ, "PATH": f"{Path(FAULTBOOK).parent}:{os.environ['PATH']}"}
        command = [*first, shell, option, script.replace("/logs/train.log", str(log))]
        with found.open("wb") as out:
            process = self.start(*command, env=environment, stdout=out)
            time.sleep(0.5)
            log.write_text("step 1\n" + FAULT)
            self.assertEqual(wait(lambda: lines(found))[0]["fault"], "illegal-address")
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        self.end(process, int(children.read_text().split()[0]) if first else process.pid)

    def end(self, process: subprocess.Popen[bytes], first: int) -> None:
        """The container's first process alone is told to end, as kubelet does."""
        os.kill(first, signal.SIGTERM)
        process.wait(10)

    def test_the_loop_of_the_daemonset(self) -> None:
        import yaml

        resource = yaml.safe_load((INTEGRATIONS / "kubernetes" / "daemonset.yaml").read_text())
        (container,) = resource["spec"]["template"]["spec"]["containers"]
        pods, found = self.folder / "pods", self.folder / "found.jsonl"
        for pod in ("a_train-0_1", "b_faultbook-x_2"):
            (pods / pod / "main").mkdir(parents=True)
        stamped = lambda at, line: time.strftime("%Y-%m-%dT%H:%M:%S.123456789Z stderr F ", time.gmtime(at)) + line  # noqa: E731
        log = pods / "a_train-0_1" / "main" / "0.log"
        log.write_text(stamped(time.time() - 3600, "torch.OutOfMemoryError: CUDA out of memory.\n"))
        (pods / "b_faultbook-x_2" / "main" / "0.log").write_text(stamped(time.time(), FAULT))
        shell, option, script = container["command"]
        environment = {**os.environ, "PATH": f"{Path(FAULTBOOK).parent}:{os.environ['PATH']}", "PAUSE": "2"}
        with found.open("wb") as out:
            loop = self.start(shell, option, script.replace("/pods/", f"{pods}/"), env=environment, stdout=out)
            time.sleep(1)
            with log.open("a") as more:
                more.write(stamped(time.time(), FAULT))
            wait(lambda: lines(found))
            time.sleep(5)
        self.end(loop, loop.pid)
        # The old one is not reported, the new one by one round or the two that it falls between.
        self.assertEqual({line["fault"] for line in lines(found)}, {"illegal-address"})
        self.assertLessEqual(len(lines(found)), 2)


class Shippers(Place):
    def follow(self, config: str) -> tuple[Path, Path]:
        """Faultbook follows a log into the file that shippers read; that file, and the log."""
        log, findings = self.folder / "train.log", self.folder / "findings.jsonl"
        with findings.open("wb") as out:
            self.start(FAULTBOOK, "scan", "--follow", "--format", "jsonl", str(log), stdout=out)
        (self.folder / "config").write_text(config.replace("/var/log/faultbook", str(self.folder)))
        return findings, log

    @unittest.skipUnless((TOOLS / "rsyslog/usr/sbin/rsyslogd").exists(), "no rsyslog (integrations/run --install)")
    def test_rsyslog(self) -> None:
        rsyslog = TOOLS / "rsyslog"
        _, log = self.follow((INTEGRATIONS / "shippers" / "rsyslog.conf").read_text())
        main = self.folder / "main.conf"
        main.write_text(
            f'global(workDirectory="{self.folder}" maxMessageSize="64k")\ninclude(file="{self.folder}/config")\n'
        )
        environment = {**os.environ, "LD_LIBRARY_PATH": str(rsyslog / LIBRARIES)}
        command = [str(rsyslog / "usr/sbin/rsyslogd"), "-f", str(main), "-M", str(rsyslog / LIBRARIES / "rsyslog")]
        check = subprocess.run([*command, "-N1"], env=environment, capture_output=True, check=False)
        self.assertEqual(check.returncode, 0, check.stderr)
        self.start(*command, "-n", "-i", str(self.folder / "pid"), env=environment)
        log.write_text("[rank3]: step 1\n")
        time.sleep(1)
        with log.open("a") as more:
            more.write("2026-11-21T03:15:22Z [rank3]: " + FAULT)
        (found,) = wait(lambda: lines(self.folder / "faults.jsonl"))
        self.assertEqual(
            {name: found[name] for name in ("fault", "rank", "time", "log")},
            {"fault": "illegal-address", "rank": "3", "time": "2026-11-21T03:15:22", "log": str(log)},
        )

    def test_vectors_program(self) -> None:
        """Vector's language as its own compiler reads it; the source and the sink are not run."""
        try:
            import vrl_python
            import yaml
        except ImportError:
            self.skipTest("vrl-python is not installed")
        config = yaml.safe_load((INTEGRATIONS / "shippers" / "vector.yaml").read_text())
        text = "2026-11-21T03:15:22Z [rank3]: " + FAULT + "Traceback (most recent call last):\nfleet.Lost: ledger 17\n"
        for event, wanted in zip(
            self.scan(text),
            ({"name": "illegal-address", "rank": 3, "severity": "error"}, {"name": "unlisted", "rank": None}),
        ):
            done = vrl_python.VRLRuntime.run(config["transforms"]["faults"]["source"], event, "UTC").processed_event
            self.assertEqual({name: done[name] for name in wanted}, wanted)
            self.assertIn(event["title"], done["message"])
        command = config["sources"]["faultbook"]["command"]
        self.assertEqual(command[:-1], ["faultbook", "scan", "--follow", "--format", "jsonl"])

    def scan(self, text: str) -> list[dict[str, Any]]:
        command = [FAULTBOOK, "scan", "--format", "jsonl", "-"]
        ended = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
        return [json.loads(line) for line in ended.stdout.splitlines()]

    def test_the_unit_of_systemd(self) -> None:
        program: Optional[str] = shutil.which("systemd-analyze")
        if not program:
            self.skipTest("systemd-analyze is not installed")
        unit = self.folder / "faultbook-scan.service"
        text = (INTEGRATIONS / "shippers" / "faultbook-scan.service").read_text()
        unit.write_text(text.replace("/usr/local/bin/faultbook", FAULTBOOK))
        ended = subprocess.run([program, "verify", str(unit)], capture_output=True, text=True, check=False)
        mine = [line for line in ended.stderr.splitlines() if "faultbook-scan" in line]
        self.assertEqual((ended.returncode, mine), (0, []), ended.stderr)

    def test_the_collectors_components_are_wired(self) -> None:
        """OpenTelemetry's collector is not run: every component that a pipeline names is configured, and the other way."""
        try:
            import yaml
        except ImportError:
            self.skipTest("pyyaml is not installed")
        config = yaml.safe_load((INTEGRATIONS / "shippers" / "otel-collector.yaml").read_text())
        (pipeline,) = config["service"]["pipelines"].values()
        self.assertEqual(set(config["receivers"]), set(pipeline["receivers"]))
        self.assertEqual(set(config["exporters"]), set(pipeline["exporters"]))
        self.assertEqual(set(config["extensions"]), set(config["service"]["extensions"]))


class Scripts(unittest.TestCase):
    def test_shellcheck(self) -> None:
        program = shutil.which("shellcheck") or str(Path(sys.executable).with_name("shellcheck"))
        if not Path(program).exists():
            self.skipTest("shellcheck is not installed")
        ended = subprocess.run(
            [program, str(EPILOG), str(INTEGRATIONS / "run")], capture_output=True, text=True, check=False
        )
        self.assertEqual(ended.returncode, 0, ended.stdout)


if __name__ == "__main__":
    unittest.main()

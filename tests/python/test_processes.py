"""Who tells, and how a process ends: ranks, workers, threads, tasks, signals, exits; and hooks that break."""

from __future__ import annotations

import os
import re
import sys
import unittest

from processes import needs, run

FAIL = "def step(path):\n    return open(path)\n\n\nstep('none.csv')\n"


@unittest.skipIf(os.name == "nt", "forks and signals are those of POSIX")
class OneOfMany(unittest.TestCase):
    def test_one_of_64_ranks_tells(self) -> None:
        ended = run(
            """
            import os
            children = []
            for rank in range(64):
                child = os.fork()
                if child == 0:
                    os.environ.update(RANK=str(rank), WORLD_SIZE="64")
                    raise ValueError("all ranks fail alike")
                children.append(child)
            raise SystemExit(sum(os.waitpid(child, 0)[1] != 256 for child in children))
            """
        )
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(ended.err.count("Traceback"), 64)
        self.assertEqual(ended.told, 1)
        self.assertIn("of 64 failed first", ended.err)

    def test_the_first_rank_tells_and_later_ones_are_silent(self) -> None:
        ended = run(
            """
            import os, time
            child = os.fork()
            if child:
                os.waitpid(child, 0)
                raise ValueError("a victim")
            raise KeyError("the first")
            """
        )
        self.assertEqual(ended.told, 1)
        self.assertEqual(ended.facts["exception.type"], "KeyError")


@unittest.skipIf(os.name == "nt", "forks and signals are those of POSIX")
class BrokenHooks(unittest.TestCase):
    #: What the hook does instead of gathering facts.
    BREAKS = {
        "hangs": "import time; time.sleep(60)",
        "hangs and holds the interpreter": "import re; re.match('(a+)+$', 'a' * 64 + 'b')",
        "raises": "1 / 0",
        "exits": "import sys; sys.exit(9)",
        "leaves": "import os; os._exit(9)",
        "crashes": "import ctypes; ctypes.string_at(0)",
        "aborts": "import os; os.abort()",
        "is killed": "import os; os.kill(os.getpid(), 9)",
        "writes": "import os; os.write(1, b'seen'); os.write(2, b'seen'); 1 / 0",
    }
    ROLES = {
        "main": (FAIL, 1),
        "thread": (
            "import threading\nthread = threading.Thread(target=open, args=('none.csv',))\n"
            "thread.start(); thread.join()\nraise SystemExit(3)\n",
            3,
        ),
        "child": (
            "import multiprocessing\nif __name__ == '__main__':\n    context = multiprocessing.get_context('fork')\n"
            "    child = context.Process(target=open, args=('none.csv',))\n    child.start(); child.join()\n"
            "    raise SystemExit(child.exitcode + 4)\n",
            5,
        ),
    }

    def test_neither_traceback_nor_exit_code_changes(self) -> None:
        for role, (code, expected) in self.ROLES.items():
            plain = run("pass\n" + code, install=False)
            self.assertEqual(plain.code, expected, plain.err)
            for name, what in self.BREAKS.items():
                with self.subTest(f"{role} {name}"):
                    broken = f"import faultbook, faultbook.facts; faultbook.install()\ndef broken(*a):\n    {what}\n"
                    broken += "faultbook.facts.gathered = broken\n"
                    ended = run(broken + code, install=False, FAULTBOOK_DEADLINE="1")
                    self.assertEqual(ended.code, expected, ended.err)
                    self.assertEqual(lines(ended.err), lines(plain.err))
                    self.assertEqual((ended.out, ended.told), ("", 0))

    def test_a_closed_or_missing_standard_error(self) -> None:
        for how in ("sys.stderr.close()", "sys.stderr = None", "os.close(2)"):
            with self.subTest(how):
                self.assertEqual(run(f"import sys, os\n{how}\n{FAIL}").code, 1)


def lines(stderr: str) -> list[str]:
    """A traceback without what differs between two runs: numbers of lines, names of processes and threads."""
    words = (re.sub(r" at 0x\w+", "", line).strip() for line in stderr.splitlines())
    return [line for line in words if line and not line.startswith(("File ", "Process ", "Exception in thread", "^"))]


class Ends(unittest.TestCase):
    @unittest.skipIf(os.name == "nt", "signals are those of POSIX")
    def test_signals(self) -> None:
        for signal, kills, stack in (("SIGSEGV", 11, True), ("SIGABRT", 6, True), ("SIGTERM", 15, False)):
            with self.subTest(signal):
                ended = run(f"import os, signal\nos.kill(os.getpid(), signal.{signal})\n")
                self.assertEqual(ended.code, -kills)
                self.assertEqual("most recent call first" in ended.err, stack)
                self.assertEqual(ended.told, 0)

    def test_at_interpreter_shutdown(self) -> None:
        for name, code in {
            "atexit": "import atexit\natexit.register(open, 'none.csv')\n",
            "finalizer": "class Late:\n    def __del__(self):\n        open('none.csv')\nlate = Late()\n",
            "daemon": "import threading, time\nthreading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n",
            "samples": "import faultbook._samples as samples\nsamples.start()\n",
        }.items():
            with self.subTest(name):
                plain, ended = run(code, install=False), run(code)
                self.assertEqual((ended.code, ended.told), (plain.code, 0))
                self.assertEqual(lines(ended.err), lines(plain.err))

    def test_a_thread_that_outlives_the_main_thread(self) -> None:
        ended = run(
            """
            import threading, time
            def late():
                time.sleep(0.3)
                open("none.csv")
            threading.Thread(target=late).start()
            """
        )
        self.assertEqual((ended.code, ended.told), (0, 1), ended.err)

    def test_main_and_then_a_thread(self) -> None:
        """Two failures of one process within two minutes are one."""
        ended = run(
            """
            import threading, time
            def late():
                time.sleep(1)
                open("none.csv")
            threading.Thread(target=late).start()
            raise KeyError("batch")
            """
        )
        self.assertEqual((ended.code, ended.told), (1, 1), ended.err)


class Tasks(unittest.TestCase):
    def test_an_awaited_task(self) -> None:
        ended = run(
            """
            import asyncio
            async def fail():
                open("none.csv")
            async def main():
                await asyncio.gather(fail(), asyncio.sleep(9))
            asyncio.run(main())
            """
        )
        self.assertEqual((ended.code, ended.told), (1, 1), ended.err)
        self.assertEqual(ended.facts["file.path"].rsplit(os.sep, 1)[-1], "none.csv")

    @unittest.skipIf(sys.version_info < (3, 11), "groups of tasks are new in Python 3.11")
    def test_a_group_of_tasks(self) -> None:
        ended = run(
            """
            import asyncio
            async def fail():
                open("none.csv")
            async def main():
                async with asyncio.TaskGroup() as group:
                    group.create_task(fail())
            asyncio.run(main())
            """
        )
        self.assertEqual((ended.code, ended.told), (1, 1), ended.err)
        self.assertEqual(ended.facts["exception.type"], "FileNotFoundError")


class Workers(unittest.TestCase):
    """Their exceptions arrive in the parent without frames: the facts are those of the worker."""

    POOL = """
    import multiprocessing
    def work(item):
        table = {{"image": 1}}
        return table["label"]
    if __name__ == "__main__":
        with multiprocessing.get_context("{}").Pool(2) as pool:
            pool.map(work, range(4))
    """
    EXECUTOR = """
    import concurrent.futures, multiprocessing
    def work(item):
        table = {{"image": 1}}
        return table["label"]
    if __name__ == "__main__":
        context = multiprocessing.get_context("{}")
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
            list(pool.map(work, range(4)))
    """

    def test_pools(self) -> None:
        methods = ("spawn",) if os.name == "nt" else ("fork", "spawn", "forkserver")
        for code in (self.POOL, self.EXECUTOR):
            for method in methods:
                with self.subTest(f"{method} {code[:40].strip()}"):
                    ended = run(code.format(method))
                    self.assertEqual((ended.code, ended.told), (1, 1), ended.err)
                    self.assertEqual(ended.facts["process.role"], "worker")
                    self.assertEqual(ended.facts["key.available"], ["image"])

    def test_a_worker_that_is_expected_to_fail_is_no_failure(self) -> None:
        ended = run(
            """
            import multiprocessing
            def work(item):
                raise ValueError(item)
            if __name__ == "__main__":
                with multiprocessing.get_context().Pool(2) as pool:
                    for one in [pool.apply_async(work, (item,)) for item in range(20)]:
                        try:
                            one.get()
                        except ValueError:
                            pass
            """
        )
        self.assertEqual((ended.code, ended.told), (0, 0), ended.err)

    def test_a_worker_that_is_expected_to_fail_is_not_the_failure(self) -> None:
        """Its message, "0", stands in the words of another exception."""
        ended = run(
            """
            import multiprocessing
            def work(item):
                return {"image": 1}[item]
            if __name__ == "__main__":
                with multiprocessing.get_context().Pool(2) as pool:
                    try:
                        pool.apply(work, (0,))
                    except KeyError:
                        pass
                raise ValueError("10 epochs are too many")
            """
        )
        self.assertEqual((ended.code, ended.told), (1, 1), ended.err)
        self.assertEqual(ended.facts["exception.type"], "ValueError")

    @needs("torch")
    def test_workers_of_a_data_loader(self) -> None:
        for method in ("fork", "spawn"):
            with self.subTest(method):
                ended = run(
                    f"""
                    import torch
                    class Rows(torch.utils.data.Dataset):
                        def __len__(self):
                            return 8
                        def __getitem__(self, index):
                            row = torch.zeros(3)
                            return {{"image": row}}["label"]
                    if __name__ == "__main__":
                        for _ in torch.utils.data.DataLoader(Rows(), 4, num_workers=2, multiprocessing_context="{method}"):
                            pass
                    """
                )
                self.assertEqual((ended.code, ended.told), (1, 1), ended.err)
                self.assertEqual(ended.facts["process.role"], "loader")
                self.assertEqual(ended.facts["run.num_workers"], 2)
                self.assertIn("row: float32 [3] on cpu", ended.facts["frame.tensors"])

    @needs("torch")
    def test_spawned_ranks_of_torch(self) -> None:
        ended = run(
            """
            import torch
            def work(rank):
                x = torch.zeros(2, 3)
                torch.nn.Linear(4, 1)(x)
            if __name__ == "__main__":
                torch.multiprocessing.spawn(work, nprocs=2)
            """
        )
        self.assertEqual((ended.code, ended.told), (1, 1), ended.err)
        self.assertIn("Linear(in_features=4", ended.facts["frame.module"])

    @needs("ray")
    def test_workers_of_ray(self) -> None:
        ended = run(
            """
            import ray
            ray.init(num_cpus=1, include_dashboard=False, logging_level="ERROR")
            @ray.remote(max_retries=0)
            def work():
                table = {"image": 1}
                return table["label"]
            ray.get(work.remote())
            """,
            RAY_DISABLE_IMPORT_WARNING="1",
        )
        self.assertEqual((ended.code, ended.told), (1, 1), ended.err)
        self.assertEqual(ended.facts["key.available"], ["image"])
        self.assertEqual(ended.facts["process.role"], "worker")


if __name__ == "__main__":
    unittest.main()

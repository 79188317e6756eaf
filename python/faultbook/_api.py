"""``diagnose``, ``new_report`` and ``probe``."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any, Optional, Union

from faultbook._binary import call
from faultbook.answer import Diagnosis

Subject = Union[str, BaseException, "os.PathLike[str]"]


class FaultbookError(RuntimeError):
    """The program could not answer; the message is the program's own."""


def diagnose(
    subject: Subject,
    *,
    facts: Optional[os.PathLike[str] | str] = None,
    probe: bool = False,
    before: str = "",
    timeout: Optional[float] = 60.0,
) -> Diagnosis:
    """Which failure a text, an exception or a log shows.

    A string is a text, unless it is the name of a file. For an exception that was just caught, the facts of its frames
    are recorded too. ``facts`` is a file of saved facts, ``probe`` examines this machine as well, and ``before`` is what the
    program printed before the subject.
    """
    return Diagnosis.from_json(
        json.loads(_ask(["diagnose", "--format", "json"], subject, facts, probe, timeout, before))
    )


def new_report(
    subject: Subject,
    *,
    title: Optional[str] = None,
    folder: Optional[os.PathLike[str] | str] = None,
    facts: Optional[os.PathLike[str] | str] = None,
    timeout: Optional[float] = 60.0,
) -> Path:
    """Drafts a bug report about a failure in the project's folder of reports: its path."""
    arguments = ["new", "--no-input", "--format", "json"]
    if title is not None:
        arguments += ["--title", title]
    if folder is not None:
        arguments += ["--reports", os.fspath(folder)]
    return Path(json.loads(_ask(arguments, subject, facts, False, timeout))["path"])


def probe(level: str = "quick", *, timeout: Optional[float] = 120.0) -> dict[str, Any]:
    """What this machine is and whether it works: ``facts``, ``cannot_tell`` (with reasons) and ``findings``."""
    code, out, errors = call(["probe", "--level", level, "--format", "json"], timeout=timeout)
    if not out.strip():
        raise FaultbookError(errors.strip() or f"faultbook probe ended with {code}")
    answer: dict[str, Any] = json.loads(out)
    return answer


def _ask(
    arguments: list[str],
    subject: Subject,
    facts: Optional[os.PathLike[str] | str],
    probe: bool,
    timeout: Optional[float],
    before: str = "",
) -> str:
    arguments = list(arguments)
    text: Optional[str] = None
    written: Optional[str] = None
    if isinstance(subject, BaseException):
        from faultbook.facts import Failure, gathered, write

        failure = Failure.of(subject)
        text = before + failure.text()
        if facts is None:
            handle, written = tempfile.mkstemp(prefix="faultbook-", suffix=".json")
            os.close(handle)
            write(gathered(failure, text), written)
            facts = written
    elif isinstance(subject, str) and not _is_file(subject):
        text = before + subject
    else:
        arguments.append(os.fspath(subject))
    if text is not None:
        arguments.append("-")
    if facts is not None:
        arguments += ["--facts", os.fspath(facts)]
    arguments.append("--probe" if probe else "--no-probe")
    try:
        code, out, errors = call(arguments, text, timeout)
    finally:
        if written is not None:
            os.unlink(written)
    if not out.strip():
        raise FaultbookError(errors.strip() or f"faultbook ended with {code}")
    return out


def _is_file(words: str) -> bool:
    if "\n" in words or len(words) > 4096:
        return False
    try:
        return os.path.isfile(words)
    except ValueError:
        return False

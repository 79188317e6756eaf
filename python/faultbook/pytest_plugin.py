"""``pytest --faultbook``: a section with the diagnosis under each failed test that a page of the book explains.

Without the option this module does nothing but define it.
"""

from __future__ import annotations

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

#: Failures of one session that are diagnosed; the rest repeat them.
MOST = 20


def pytest_addoption(parser: pytest.Parser) -> None:
    """Defines ``--faultbook``."""
    parser.getgroup("faultbook").addoption(
        "--faultbook", action="store_true", help="put the diagnosis of faultbook under failed tests"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Watches reports if the option is given."""
    if config.getoption("--faultbook"):
        config.pluginmanager.register(_Watcher(), "faultbook-watcher")


class _Watcher:
    def __init__(self) -> None:
        self.told = 0

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Generator[None, Any, None]:
        """After the report of a test was made."""
        outcome = yield
        report = outcome.get_result()
        if report.failed and call.excinfo is not None and self.told < MOST:
            words = _words(call.excinfo.value)
            if words:
                self.told += 1
                report.sections.append(("faultbook", words))


def _words(exception: BaseException) -> str:
    from faultbook._tell import explain

    try:
        known, words = explain(exception)
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    # A failed assertion is the test's own affair.
    return words if known else ""

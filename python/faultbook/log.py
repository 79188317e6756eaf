"""A handler for ``logging``: what is logged with an exception is followed by its diagnosis.

``logging.getLogger().addHandler(faultbook.log.Handler())``
"""

from __future__ import annotations

import logging
import sys
from typing import Optional, TextIO

from faultbook import _once


class Handler(logging.Handler):
    """Writes the diagnosis of a logged exception to a stream, standard error by default.

    One failure is told once, by the first process of a run on this machine; the same holds with ``faultbook.install()``.
    """

    def __init__(self, stream: Optional[TextIO] = None, level: int = logging.ERROR) -> None:
        super().__init__(level)
        self._stream = stream
        self._busy = False

    def emit(self, record: logging.LogRecord) -> None:
        """Looks at records with an exception only."""
        exception = record.exc_info[1] if record.exc_info else None
        if exception is None or not isinstance(exception, Exception) or self._busy:
            return
        self._busy = True
        try:
            if not _once.is_first():
                return
            from faultbook._tell import explain

            known, words = explain(exception)
            if known:
                stream = self._stream or sys.stderr
                stream.write(f"\nfaultbook:\n\n{words}")
                stream.flush()
        except Exception:
            self.handleError(record)
        finally:
            self._busy = False

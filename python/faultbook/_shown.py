"""How an answer shows itself: as words, and as HTML in a notebook."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from faultbook.answer import Diagnosis


class Shown:
    """The base of ``Diagnosis``."""

    @property
    def title(self) -> str:
        """What failed, in one line."""
        this: Diagnosis = self  # type: ignore[assignment]
        if this.fault is not None:
            return this.fault.title
        if this.error is not None:
            return f"{this.error.type}: {this.error.message}" if this.error.message else this.error.type
        return "No failure found"

    def __str__(self) -> str:
        this: Diagnosis = self  # type: ignore[assignment]
        lines = [self.title]
        if this.causes:
            lines.append(f"Most likely: {this.causes[0].title} ({this.causes[0].probability:.0%})")
        if this.actions:
            lines.append(f"Do this next: {this.actions[0].title}")
        return "\n".join(lines)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        from faultbook._html import render

        return render(self)  # type: ignore[arg-type]

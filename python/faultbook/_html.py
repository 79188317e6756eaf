"""An answer as HTML for notebooks: it needs no script of the page, and follows its light or dark colours.

The copy buttons are the only script; a front end that removes scripts shows the commands all the same.
"""

from __future__ import annotations

import re
from html import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from faultbook.answer import Action, Diagnosis, RankedCause

#: Causes and actions that are shown unfolded.
_CAUSES, _ACTIONS = 4, 3

#: Colours on light and on dark pages: what speaks for and against a cause, bars, links.
COLOURS = {
    "light": {"for": "#1b7a41", "against": "#b03a2e", "bar": "#2471a3", "edge": "#c0392b"},
    "dark": {"for": "#58d68d", "against": "#f1948a", "bar": "#5dade2", "edge": "#e74c3c"},
}

#: How front ends mark a dark page: JupyterLab and Notebook 7, VS Code, Colab, and the browser where nobody says.
_DARK = (
    "[data-jp-theme-light='false'] .faultbook",
    "body.vscode-dark .faultbook",
    "html[theme='dark'] .faultbook",
    "[data-theme='dark'] .faultbook",
)


def _variables(theme: str) -> str:
    return "".join(f"--faultbook-{name}:{value};" for name, value in COLOURS[theme].items())


_STYLE = f"""
.faultbook{{{_variables("light")}}}
@media (prefers-color-scheme:dark){{:root:not([data-jp-theme-light]):not([theme]) body:not([data-jp-theme-light]):not(.vscode-light)
.faultbook{{{_variables("dark")}}}}}
{",".join(_DARK)}{{{_variables("dark")}}}
.faultbook{{font:14px/1.45 system-ui,sans-serif;max-width:52em;border-left:4px solid var(--faultbook-edge);padding:.4em 1em;
color:inherit;background:rgba(127,127,127,.08)}}
.faultbook h4{{margin:.2em 0 .4em;font-size:1.1em}}.faultbook p{{margin:.3em 0}}
.faultbook .id,.faultbook .dim{{opacity:.75;font-weight:normal}}
.faultbook table{{border-collapse:collapse;margin:.3em 0}}
.faultbook td{{padding:.1em .6em .1em 0;text-align:left;vertical-align:top;border:0;background:none;color:inherit}}
.faultbook .bar{{display:inline-block;height:.7em;background:var(--faultbook-bar);border-radius:2px;min-width:2px}}
.faultbook .track{{display:inline-block;width:7em;background:rgba(127,127,127,.25);border-radius:2px;line-height:.7em}}
.faultbook pre{{position:relative;margin:.3em 0;padding:.4em 4.5em .4em .6em;background:rgba(127,127,127,.15);
color:inherit;white-space:pre-wrap;border:0}}
.faultbook code{{color:inherit;background:none}}
.faultbook pre button{{position:absolute;top:.3em;right:.3em;font-size:.8em;cursor:pointer;color:inherit;
background:rgba(127,127,127,.2);border:1px solid rgba(127,127,127,.5);border-radius:3px}}
.faultbook summary{{cursor:pointer}}.faultbook .for{{color:var(--faultbook-for)}}
.faultbook .against{{color:var(--faultbook-against)}}
"""

#: A page that was not served over HTTPS or from this machine has no clipboard: there the command is selected and copied.
_COPY = (
    "var b=this,c=b.parentNode.querySelector('code'),t=c.textContent,d=function(){b.textContent='copied'},"
    "o=function(){var r=document.createRange();r.selectNodeContents(c);var s=getSelection();s.removeAllRanges();"
    "s.addRange(r);if(document.execCommand('copy'))d()};"
    "navigator.clipboard?navigator.clipboard.writeText(t).then(d,o):o()"
)


def render(answer: Diagnosis) -> str:
    """The answer as one element."""
    parts = [f"<style>{_STYLE}</style><div class='faultbook'>"]
    name = f" <span class='id'>{escape(answer.fault.id)}</span>" if answer.fault is not None else ""
    parts.append(f"<h4>{_marks(answer.title)}{name}</h4>")
    where = answer.fault.span if answer.fault is not None else None
    text = answer.fault.text if answer.fault is not None else ""
    if where is not None and text:
        parts.append(f"<p class='dim'>line {where.start.line}: {escape(text[:300])}</p>")
    if answer.causes:
        parts.append("<table>" + "".join(_bar(cause) for cause in answer.causes[:_CAUSES]) + "</table>")
        parts.append(_reasons(answer.causes[0]))
    for place, action in enumerate(answer.actions[:1]):
        parts.append(f"<p><b>Do this next:</b> {_marks(action.title)}</p>{_action(action, place)}")
    if answer.next_check is not None:
        command = _command(answer.next_check.command) if answer.next_check.command else ""
        parts.append(f"<p><b>To be sure:</b> {_marks(answer.next_check.says)}</p>{command}")
    parts.append(_more(answer))
    parts.append("</div>")
    return "".join(parts)


def _bar(cause: RankedCause) -> str:
    percent = 100 * cause.probability
    shown = "&lt;1 %" if percent < 1 else "&gt;99 %" if percent > 99 else f"{percent:.0f} %"
    bar = f"<span class='track'><span class='bar' style='width:{percent:.0f}%'></span></span>"
    status = f" <span class='dim'>{escape(cause.status)}</span>" if cause.status != "unverified" else ""
    return f"<tr><td>{bar}</td><td>{shown}</td><td>{_marks(cause.title)}{status}</td></tr>"


def _reasons(cause: RankedCause) -> str:
    rows = []
    for reason in cause.reasons:
        sign, kind = ("+", "for") if reason.for_ else ("&minus;", "against")
        rows.append(f"<div><span class='{kind}'>{sign}</span> {_marks(reason.says)}</div>")
    return "".join(rows)


def _action(action: Action, place: int) -> str:
    parts = [f"<p>{_marks(action.detail)}</p>"] if action.detail else []
    parts.extend(_command(command) for command in action.commands)
    parts.extend(f"<p class='dim'>Trade-off: {_marks(words)}</p>" for words in action.trade_offs)
    return "".join(parts)


def _command(command: str) -> str:
    return f'<pre><button onclick="{_COPY}">copy</button><code>{escape(command)}</code></pre>'


def _more(answer: Diagnosis) -> str:
    parts = []
    for action in answer.actions[1:]:
        parts.append(f"<details><summary>{_marks(action.title)}</summary>{_action(action, 1)}</details>")
    dead = [end for cause in answer.causes[:_CAUSES] for end in cause.dead_ends]
    if dead:
        parts.append("<p>Does not help: " + "; ".join(_marks(end) for end in dict.fromkeys(dead)) + "</p>")
    for report in answer.reports:
        parts.append(
            f"<p>Your report {escape(report.id)}: {_marks(report.title)} <span class='dim'>{escape(report.path)}</span></p>"
        )
    if answer.environment:
        rows = "".join(
            f"<tr><td>{escape(name)}</td><td>{escape(str(value))}</td></tr>"
            for name, value in answer.environment.items()
        )
        parts.append(f"<details><summary>Environment</summary><table>{rows}</table></details>")
    return f"<details><summary>More</summary>{''.join(parts)}</details>" if parts else ""


def _marks(words: str) -> str:
    """Markdown's code, bold and links; everything else is shown as it is."""
    safe = escape(words)
    safe = re.sub(r"`([^`]+)`", r"<code>\1</code>", safe)
    safe = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", safe)
    return re.sub(r"(?<![\"'>=])(https?://[^\s<,;)]+)", r"<a href='\1'>\1</a>", safe)

"""The answer as dataclasses. Written by python/generate.py from schemas/diagnosis-2.json; change that instead.

Names that are words of Python end in ``_`` here. Fields that this version does not know are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Optional, Union

from faultbook._shown import Shown

Axis = Literal["step", "epoch", "seconds", "line"]
"""What curves are drawn over."""

CauseStatus = Literal["confirmed", "supported", "refuted", "unverified"]
"""What the probe shows about a cause."""

Cost = Literal["setting", "code", "reinstall", "machine", "hardware"]
"""How much effort a fix is, least first."""

Finding = Literal["rising-memory", "fragmentation", "memory-jump", "not-finite", "zero", "diverging", "slowdown", "straggler", "first-failure", "silence"]
"""The rules by which a plot shows something. Trends are taken from the medians of at most forty stretches of a
curve, so that single readings do not count, and the first quarter is skipped as warm-up.
"""

PlotKind = Literal["memory", "host-memory", "loss", "throughput", "gradient-norm", "learning-rate"]
"""What a plot draws."""

Source = Literal["catalogue", "report", "text", "saved", "probe"]
"""Where a fact comes from."""

Value = Union[bool, float, str, list[str]]
"""A value of a fact."""

Verdict = Literal["known-fault", "ordinary-error", "unlisted-error", "no-error"]
"""What kind of answer it is."""


@dataclass(frozen=True)
class Action:
    """Something to do about the failure. In the list of actions it appears once, in the words of its likeliest
    cause; among the fixes of a cause it is in the words of that cause.
    """

    causes: list[str]
    """Ids of all causes that it helps against, the likeliest first."""
    commands: list[str]
    """Commands, adapted to the text where it allows."""
    cost: Optional[Cost]
    """How much effort it is; `null` if the page does not say."""
    detail: str
    """How and why, as markdown."""
    id: str
    """The same in every answer: a recipe's id (`reduce-batch`), else the page, the cause, and the words of the
    title up to the first full stop, comma or colon, six at most (`xid#hardware-fault#check-power-and-
    cooling`).
    """
    of_message: bool
    """Whether it is for this very message and not for every one of its kind."""
    solved: Optional[Solved]
    """How often it solved known public cases; `null` if it solved none."""
    title: str
    """What to do, in the imperative."""
    trade_offs: list[str]
    """What it costs."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Action:
        """Reads one from parsed JSON."""
        return cls(
            causes=data["causes"],
            commands=data["commands"],
            cost=data["cost"],
            detail=data["detail"],
            id=data["id"],
            of_message=data["of_message"],
            solved=None if data["solved"] is None else Solved.from_json(data["solved"]),
            title=data["title"],
            trade_offs=data["trade_offs"],
        )


@dataclass(frozen=True)
class Consequence:
    """A fault that followed from another."""

    id: str
    """The page's id."""
    span: Span
    """Where in the text."""
    text: str
    """The words there."""
    title: str
    """The page's title."""
    why: str
    """Why it counts as a consequence: "teardown", "the same chain", "other ranks"."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Consequence:
        """Reads one from parsed JSON."""
        return cls(
            id=data["id"],
            span=Span.from_json(data["span"]),
            text=data["text"],
            title=data["title"],
            why=data["why"],
        )


@dataclass(frozen=True)
class Curve:
    """One curve."""

    name: str
    """The name in the log, with the rank or the GPU where there are several."""
    points: list[Point]
    """At most 400, in order: of more readings, each stretch keeps its lowest and its highest."""
    rank: Optional[int]
    """Whose it is."""
    readings: int
    """How many readings it was made from."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Curve:
        """Reads one from parsed JSON."""
        return cls(
            name=data["name"],
            points=[Point.from_json(one) for one in data["points"]],
            rank=data["rank"],
            readings=data["readings"],
        )


@dataclass(frozen=True)
class Fact:
    """One known value with its origin."""

    line: Optional[int]
    """The physical line (from 1) of the pasted text that says so."""
    source: Source
    """Where it comes from."""
    value: Value
    """The value."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Fact:
        """Reads one from parsed JSON."""
        return cls(
            line=data["line"],
            source=data["source"],
            value=data["value"],
        )


@dataclass(frozen=True)
class Facts:
    """Everything known, by dotted name."""

    known: dict[str, Fact]
    """Values, by name."""
    unknown: dict[str, str]
    """Why a value cannot be known, by name."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Facts:
        """Reads one from parsed JSON."""
        return cls(
            known={name: Fact.from_json(one) for name, one in data["known"].items()},
            unknown=data["unknown"],
        )


@dataclass(frozen=True)
class Fault:
    """The primary fault."""

    circumstances: list[str]
    """Circumstances worth a line: phase, step, epoch."""
    confidence: float
    """How sure the match is, from 0 to 1, calibrated."""
    id: str
    """The page's id."""
    lookalikes: list[str]
    """What it is easily confused with and how to distinguish them, as markdown, closest first."""
    page: str
    """The page's path as shown."""
    rank: Optional[int]
    """The rank that failed first, where known."""
    span: Span
    """Where in the text."""
    text: str
    """The words there."""
    title: str
    """The page's title."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Fault:
        """Reads one from parsed JSON."""
        return cls(
            circumstances=data["circumstances"],
            confidence=data["confidence"],
            id=data["id"],
            lookalikes=data["lookalikes"],
            page=data["page"],
            rank=data["rank"],
            span=Span.from_json(data["span"]),
            text=data["text"],
            title=data["title"],
        )


@dataclass(frozen=True)
class FrameRef:
    """A place in source code."""

    file: str
    """The file as written."""
    function: str
    """The function, empty when unknown."""
    line: int
    """Its line, 0 when unknown."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> FrameRef:
        """Reads one from parsed JSON."""
        return cls(
            file=data["file"],
            function=data["function"],
            line=data["line"],
        )


@dataclass(frozen=True)
class Gap:
    """A stretch of silence."""

    from_: Moment
    """The last line before it."""
    to: Moment
    """The first line after it."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Gap:
        """Reads one from parsed JSON."""
        return cls(
            from_=Moment.from_json(data["from"]),
            to=Moment.from_json(data["to"]),
        )


@dataclass(frozen=True)
class LikeCase:
    """A resolved public case, in our own terms."""

    at: str
    """The address of the thread."""
    cause: str
    """The cause: an id of `kb/causes.csv`, or `unknown`."""
    clues: list[str]
    """What in the text pointed to the cause."""
    solved_by: str
    """What solved it."""
    with_: str
    """Framework, versions, GPU and platform, as far as known."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> LikeCase:
        """Reads one from parsed JSON."""
        return cls(
            at=data["at"],
            cause=data["cause"],
            clues=data["clues"],
            solved_by=data["solved_by"],
            with_=data["with"],
        )


@dataclass(frozen=True)
class Mark:
    """A failure on a timeline."""

    is_primary: bool
    """Whether it is the primary failure."""
    moment: Moment
    """When."""
    says: str
    """The error in a few words."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Mark:
        """Reads one from parsed JSON."""
        return cls(
            is_primary=data["is_primary"],
            moment=Moment.from_json(data["moment"]),
            says=data["says"],
        )


@dataclass(frozen=True)
class Moment:
    """A place in the log."""

    at: float
    """On the timeline's axis."""
    line: int
    """Physical line."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Moment:
        """Reads one from parsed JSON."""
        return cls(
            at=data["at"],
            line=data["line"],
        )


@dataclass(frozen=True)
class NearPage:
    """A page that resembles the error."""

    id: str
    """Its id."""
    score: float
    """Likeness, or the probability that a told problem is about it, 0 to 1."""
    title: str
    """Its title."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> NearPage:
        """Reads one from parsed JSON."""
        return cls(
            id=data["id"],
            score=data["score"],
            title=data["title"],
        )


@dataclass(frozen=True)
class NextCheck:
    """The next best check."""

    command: Optional[str]
    """The command."""
    says: str
    """What to do."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> NextCheck:
        """Reads one from parsed JSON."""
        return cls(
            command=data["command"],
            says=data["says"],
        )


@dataclass(frozen=True)
class NoticeHit:
    """A harmless line."""

    count: int
    """How often it appears."""
    line: int
    """Physical line of its first appearance."""
    title: str
    """What it means, in one clause."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> NoticeHit:
        """Reads one from parsed JSON."""
        return cls(
            count=data["count"],
            line=data["line"],
            title=data["title"],
        )


@dataclass(frozen=True)
class Observation:
    """What a plot shows, and by which rule."""

    finding: Finding
    """The rule."""
    says: str
    """In a sentence."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Observation:
        """Reads one from parsed JSON."""
        return cls(
            finding=data["finding"],
            says=data["says"],
        )


@dataclass(frozen=True)
class Plot:
    """One or several curves over one axis."""

    axis: Axis
    """What the curves are drawn over."""
    curves: list[Curve]
    """The curves; memory in the order used, reserved, allocated, free."""
    failure: Optional[float]
    """Where on the axis the primary failure is."""
    kind: PlotKind
    """What is drawn."""
    limit: Optional[float]
    """What memory can reach: the GPU's size, where the log says it."""
    more: int
    """How many curves more the log has."""
    shows: Optional[Observation]
    """What it shows."""
    title: str
    """The same for readers: "GPU memory"."""
    unit: str
    """`bytes`, `steps/s`, `tokens/s`, `samples/s`; empty for plain numbers."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Plot:
        """Reads one from parsed JSON."""
        return cls(
            axis=data["axis"],
            curves=[Curve.from_json(one) for one in data["curves"]],
            failure=data["failure"],
            kind=data["kind"],
            limit=data["limit"],
            more=data["more"],
            shows=None if data["shows"] is None else Observation.from_json(data["shows"]),
            title=data["title"],
            unit=data["unit"],
        )


@dataclass(frozen=True)
class Point:
    """One reading."""

    line: int
    """Physical line."""
    x: float
    """On the axis."""
    y: Optional[float]
    """In the plot's unit; `null` for NaN and infinity."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Point:
        """Reads one from parsed JSON."""
        return cls(
            line=data["line"],
            x=data["x"],
            y=data["y"],
        )


@dataclass(frozen=True)
class Position:
    """One place: line and column, both from 1."""

    column: int
    """Column in Unicode scalar values, from 1."""
    line: int
    """Physical line of the original text, from 1."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Position:
        """Reads one from parsed JSON."""
        return cls(
            column=data["column"],
            line=data["line"],
        )


@dataclass(frozen=True)
class PrimaryError:
    """The primary error as the text has it."""

    frame: Optional[FrameRef]
    """The innermost frame in the user's own code, else the innermost frame."""
    message: str
    """The message without advice."""
    rank: Optional[int]
    """The rank, where known."""
    span: Span
    """Where in the text."""
    type: str
    """Exception type, signal or status word; may be empty."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PrimaryError:
        """Reads one from parsed JSON."""
        return cls(
            frame=None if data["frame"] is None else FrameRef.from_json(data["frame"]),
            message=data["message"],
            rank=data["rank"],
            span=Span.from_json(data["span"]),
            type=data["type"],
        )


@dataclass(frozen=True)
class ProbeSummary:
    """How the machine was probed."""

    findings: list[str]
    """One sentence per finding."""
    level: str
    """`quick`, `functional`, `stress` or `saved`."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ProbeSummary:
        """Reads one from parsed JSON."""
        return cls(
            findings=data["findings"],
            level=data["level"],
        )


@dataclass(frozen=True)
class RankSpan:
    """The lines of one rank."""

    failure: Optional[Mark]
    """Its first failure."""
    first: Moment
    """Its first line."""
    last: Moment
    """Its last line."""
    name: str
    """"rank 3", or the name of a pod or a process."""
    rank: Optional[int]
    """Its number, where known."""
    step: Optional[float]
    """The last step that it printed."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RankSpan:
        """Reads one from parsed JSON."""
        return cls(
            failure=None if data["failure"] is None else Mark.from_json(data["failure"]),
            first=Moment.from_json(data["first"]),
            last=Moment.from_json(data["last"]),
            name=data["name"],
            rank=data["rank"],
            step=data["step"],
        )


@dataclass(frozen=True)
class RankedCause:
    """One cause with its probability and status."""

    cases: int
    """The known public cases of the fault that had this cause."""
    check: str
    """How to confirm it here."""
    check_command: Optional[str]
    """The command for it."""
    dead_ends: list[str]
    """What does not help, and why."""
    fixes: list[Action]
    """What helps, cheapest first, adapted to the text; fixes in force are left out."""
    id: str
    """From the closed list."""
    prior: float
    """How common the cause is before any evidence, in log-odds."""
    probability: float
    """Calibrated probability, 0 to 1."""
    reasons: list[Reason]
    """Reasons for and against, strongest first."""
    status: CauseStatus
    """What the probe shows about it."""
    status_says: Optional[str]
    """Why the status is what it is, if known."""
    tied: bool
    """Whether the text does not separate it from the likeliest cause; of that one, whether there is such a
    cause.
    """
    title: str
    """In words, for this fault."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RankedCause:
        """Reads one from parsed JSON."""
        return cls(
            cases=data["cases"],
            check=data["check"],
            check_command=data["check_command"],
            dead_ends=data["dead_ends"],
            fixes=[Action.from_json(one) for one in data["fixes"]],
            id=data["id"],
            prior=data["prior"],
            probability=data["probability"],
            reasons=[Reason.from_json(one) for one in data["reasons"]],
            status=data["status"],
            status_says=data["status_says"],
            tied=data["tied"],
            title=data["title"],
        )


@dataclass(frozen=True)
class Reason:
    """One reason."""

    for_: bool
    """For the cause (true) or against it."""
    says: str
    """In words."""
    source: Source
    """Where it comes from."""
    span: Optional[Span]
    """Where in the text."""
    weight: float
    """How far it moved the cause, in log-odds."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Reason:
        """Reads one from parsed JSON."""
        return cls(
            for_=data["for"],
            says=data["says"],
            source=data["source"],
            span=None if data["span"] is None else Span.from_json(data["span"]),
            weight=data["weight"],
        )


@dataclass(frozen=True)
class ReportHit:
    """A matching report of the project."""

    command: Optional[str]
    """That solution's first command."""
    id: str
    """Its id."""
    path: str
    """Its path."""
    score: float
    """Likeness, 0 to 1."""
    solution: Optional[str]
    """Its recommended (else first) solution."""
    status: str
    """Its status word."""
    title: str
    """Its title."""
    why: list[str]
    """In which ways it is alike."""
    copies: Optional[list[str]] = None
    """Where copies of it lie; omitted if there are none."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ReportHit:
        """Reads one from parsed JSON."""
        return cls(
            command=data["command"],
            id=data["id"],
            path=data["path"],
            score=data["score"],
            solution=data["solution"],
            status=data["status"],
            title=data["title"],
            why=data["why"],
            copies=data.get("copies"),
        )


@dataclass(frozen=True)
class RunPicture:
    """What a log shows of a run over time."""

    plots: list[Plot]
    """What was printed over time: memory first, then loss, throughput, gradient norm, learning rate."""
    timeline: Optional[Timeline]
    """Who wrote when; `null` where the log shows neither ranks nor a silence."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RunPicture:
        """Reads one from parsed JSON."""
        return cls(
            plots=[Plot.from_json(one) for one in data["plots"]],
            timeline=None if data["timeline"] is None else Timeline.from_json(data["timeline"]),
        )


@dataclass(frozen=True)
class Solved:
    """How often an action solved known cases."""

    cases: int
    """Cases that it solved."""
    nearest: list[str]
    """Addresses of the cases most like this one, the most alike first."""
    of: int
    """Cases that were looked at: all of this failure, or those on the platform."""
    platform: Optional[str]
    """The platform that these cases have in common; `null` for all."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Solved:
        """Reads one from parsed JSON."""
        return cls(
            cases=data["cases"],
            nearest=data["nearest"],
            of=data["of"],
            platform=data["platform"],
        )


@dataclass(frozen=True)
class Span:
    """A stretch of text; `end` is the first place after it."""

    end: Position
    """The first place after."""
    start: Position
    """The first place inside."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Span:
        """Reads one from parsed JSON."""
        return cls(
            end=Position.from_json(data["end"]),
            start=Position.from_json(data["start"]),
        )


@dataclass(frozen=True)
class Timeline:
    """When each rank wrote, and when it failed."""

    axis: Axis
    """`seconds` since the first time stamp, or `line` in a log without time stamps."""
    end: float
    """Where the axis ends."""
    gaps: list[Gap]
    """Stretches in which nobody wrote, the longest five, in their order."""
    more: int
    """How many ranks more the log has."""
    more_failed: int
    """How many of them failed."""
    ranks: list[RankSpan]
    """The ranks: the one that failed first, the one that the sentence calls late, those that failed in their
    order, then the others.
    """
    shows: Optional[Observation]
    """What it shows."""
    start: float
    """Where the axis begins and ends."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Timeline:
        """Reads one from parsed JSON."""
        return cls(
            axis=data["axis"],
            end=data["end"],
            gaps=[Gap.from_json(one) for one in data["gaps"]],
            more=data["more"],
            more_failed=data["more_failed"],
            ranks=[RankSpan.from_json(one) for one in data["ranks"]],
            shows=None if data["shows"] is None else Observation.from_json(data["shows"]),
            start=data["start"],
        )


@dataclass(frozen=True)
class Diagnosis(Shown):
    """A diagnosis of Faultbook, as printed by `faultbook diagnose --format json`. Readers ignore fields that
    they do not know. Lines and columns count from 1, columns in Unicode scalar values; the end of a span is
    the first place after it.
    """

    actions: list[Action]
    """What to do, the most useful first: the fixes of the causes that are still possible."""
    cascade: list[Consequence]
    """What followed from the primary fault."""
    causes: list[RankedCause]
    """Causes of the fault, most probable first."""
    environment: dict[str, str]
    """The known facts in words with units: `gpu`, `torch` and other packages by their names, everything else by
    its dotted name. docs/facts.md lists all names, with types, units and meanings.
    """
    error: Optional[PrimaryError]
    """The primary error as the text has it, known or not."""
    facts: Facts
    """What is known about run and machine."""
    fault: Optional[Fault]
    """The primary fault, if the book has a page for it."""
    like_cases: list[LikeCase]
    """Resolved public cases of the fault whose clues resemble the text, the most alike first; three at most."""
    lines_read: int
    """Physical lines of the text."""
    nearest: list[NearPage]
    """The nearest pages when the book has none for the error."""
    next_check: Optional[NextCheck]
    """The one check that would best distinguish the remaining causes."""
    notes: list[str]
    """What the reader of the answer should know about how the text was read."""
    notices: list[NoticeHit]
    """Harmless lines that look alarming."""
    probe: Optional[ProbeSummary]
    """Whether and how the machine was probed."""
    reports: list[ReportHit]
    """The project's own reports, best first."""
    schema: Literal["faultbook/diagnosis/2"]
    """The name and version of the format."""
    silent: list[NearPage]
    """Faults that print nothing and fit the versions and operations that the text names."""
    verdict: Verdict
    """What kind of answer it is."""
    input: Optional[str] = None
    """The file, or the member of an archive, that was read; only where one of several answers is printed."""
    picture: Optional[RunPicture] = None
    """The run over time; omitted unless it was asked for."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Diagnosis:
        """Reads one from parsed JSON."""
        return cls(
            actions=[Action.from_json(one) for one in data["actions"]],
            cascade=[Consequence.from_json(one) for one in data["cascade"]],
            causes=[RankedCause.from_json(one) for one in data["causes"]],
            environment=data["environment"],
            error=None if data["error"] is None else PrimaryError.from_json(data["error"]),
            facts=Facts.from_json(data["facts"]),
            fault=None if data["fault"] is None else Fault.from_json(data["fault"]),
            like_cases=[LikeCase.from_json(one) for one in data["like_cases"]],
            lines_read=data["lines_read"],
            nearest=[NearPage.from_json(one) for one in data["nearest"]],
            next_check=None if data["next_check"] is None else NextCheck.from_json(data["next_check"]),
            notes=data["notes"],
            notices=[NoticeHit.from_json(one) for one in data["notices"]],
            probe=None if data["probe"] is None else ProbeSummary.from_json(data["probe"]),
            reports=[ReportHit.from_json(one) for one in data["reports"]],
            schema=data["schema"],
            silent=[NearPage.from_json(one) for one in data["silent"]],
            verdict=data["verdict"],
            input=data.get("input"),
            picture=None if data.get("picture") is None else RunPicture.from_json(data.get("picture")),
        )

"""Collects the runs of a log: where each begins, and the facts that its records state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from benchledger.definitions.log_format import QUOTED, STATED, FactDefinition, LogFormat
from benchledger.definitions.names import load_names
from benchledger.definitions.vocabulary import vocabulary
from benchledger.scanning.launchers import Command, agreeing_commands, read_command
from benchledger.scanning.layout import Layout
from benchledger.scanning.leads import rank_in
from benchledger.scanning.rows import Row
from benchledger.scanning.segment import Segment, Statement, items_of, shows_progress, starts_run


class SegmentCollector:
    """Collects the segments of one log, record by record in log order."""

    def __init__(self) -> None:
        self.segments: list[Segment] = []
        self._waiting: list[Command] = []
        # Lines of the first and last command where no other record has been seen.
        self._first_command: tuple[int, int] | None = None

    def note_record(self, kind: str, line: int) -> Segment:
        return self.note_records((kind,), line, line)

    def note_records(self, kinds: Iterable[str], first: int, last: int) -> Segment:
        """Notes records of these kinds, on lines from the first to the last."""
        if not self.segments:
            self._open(Segment(1, self._first_command[0] if self._first_command else first, last))
        segment = self.segments[-1]
        segment.last_record_line = last
        segment.kinds.update(kinds)
        return segment

    def begin_run(self, line: int) -> None:
        self._open(Segment(line, line, line))

    def _open(self, segment: Segment) -> None:
        segment.commands, self._waiting = self._waiting, []
        self.segments.append(segment)

    def add(self, row: Row, log_format: LogFormat) -> None:
        """Notes a row, which may begin a run, state facts, or indicate the status of a run."""
        if any(fact.launcher for _, fact, _ in row.layout.facts):
            self._see_command(row)
            return
        record = row.layout.record
        # Settings of a run take many lines; each summary is a run of its own.
        alike = set() if record.kind == "summary" else {record.kind}
        if record.name in log_format.run_starts and self.segments and self.segments[-1].kinds - alike:
            self.begin_run(row.line)
        segment = self.note_record(record.kind, row.line)
        if record.status is not None:
            segment.note_event(_event(record.status, row))
        is_start, is_progress = starts_run(record, log_format), shows_progress(row.layout)
        if is_start or is_progress:
            step, epoch, rank = (_whole(row.columns.get(name)) for name in ("step", "epoch", "rank"))
            rank = rank_in(row.lead) if rank is None else rank
            if is_start:
                segment.note_start(row.layout, row.values, row.texts, rank)
            if is_progress:
                segment.note_step(row.layout, row.values, row.line, step, epoch, rank)
        if row.layout.facts:
            self.add_statements(segment, row.layout, row.values, row.texts, row.line)

    def _see_command(self, row: Row) -> None:
        # A command does not show the progress of a run, so it adds no kind. It belongs to the run whose steps follow.
        if self.segments:
            self.segments[-1].last_record_line = row.line
        else:
            self._first_command = (self._first_command or (row.line, row.line))[0], row.line
        lead = row.lead or ""
        if lead and not lead.endswith("+"):
            return
        strength = STATED if lead else QUOTED
        waits = not self.segments or bool(self.segments[-1].kinds & {"step", "summary"})
        commands = self._waiting if waits else self.segments[-1].commands
        for ordinal, fact, trust in row.layout.facts:
            text = row.texts[ordinal] if row.texts else None
            if fact.launcher is None or text is None:
                continue
            found = read_command(fact.launcher, f"-{text}", lead not in ("", "+") or "rank" in row.columns)
            if found is not None:
                value = {"gpus": found.gpus, "nodes": found.nodes}[fact.name]
                stated = None if value is None else str(value)
                commands.append(Command(fact.name, stated, text[:1000], row.line, trust, strength))

    def add_statements(
        self, segment: Segment, layout: Layout, values: list[float | None], texts: list[str | None] | None, line: int,
        times: int = 1,
    ) -> None:  # fmt: skip
        """Notes the facts that the values of a record state, also for `times - 1` equal records behind it."""
        stated, statements, known = segment.stated, segment.statements, _CACHE.get
        for place, (ordinal, fact, trust) in enumerate(layout.facts):
            number, text = values[ordinal], texts[ordinal] if texts else None
            if fact.launcher:
                continue
            if fact.is_plain:
                # Equal statements of many lines are stored once, and cached, since logs of one program are similar.
                logged, value = known((layout, place, number, text)) or _read(layout, place, number, text)
                if logged is not None and (trust, logged) not in stated:
                    stated.add((trust, logged))
                    if value is not None:
                        said = Statement(
                            fact.name, value, logged[:1000], line, trust, fact.least, strength=fact.strength
                        )
                        statements.append(said)
                continue
            logged = _logged(layout, number, text)
            if fact.joined:
                _, parts, _ = segment.joined.setdefault(trust, (fact, {}, line))
                if logged is not None:
                    parts.setdefault(layout.values[ordinal].name, logged)
            elif fact.names is not None:
                segment.statements += _facts_of_path(fact.names, logged or "", line, trust)
            elif logged not in fact.unless:
                if trust not in segment.repeats:
                    segment.repeats[trust] = (fact, Counter(), line)
                segment.repeats[trust][1][logged or ""] += times

    def close(self, log_format: LogFormat | None = None) -> None:
        """Turns counts into statements, adds the constants of the format and drops duplicates."""
        if not self.segments and self._first_command is not None:
            self.note_records(("parameter",), *self._first_command)
        if self.segments:
            self.segments[-1].commands += [replace(command, is_late=True) for command in self._waiting]
        runs: list[Segment] = []
        for segment in self.segments:
            if runs and runs[-1].goes_on_in(segment):
                runs[-1].add(segment)
            else:
                runs.append(segment)
        self.segments = runs
        for segment in self.segments:
            if segment.repeats or segment.joined:
                self._sum_up(segment)
            segment.statements += [
                Statement(said.name, said.value or "", said.value_logged, said.line, said.trust, strength=said.strength)
                for said in agreeing_commands(segment.commands)
            ]
            segment.statements += _constants(log_format, segment) if log_format else []
            once: dict[tuple[str, str, int], Statement] = {}
            for statement in segment.statements:
                once.setdefault((statement.name, statement.value, statement.trust), statement)
            segment.statements = _without_more_than_least(list(once.values()))

    def _sum_up(self, segment: Segment) -> None:
        # Facts that several records state together. Values that occur a different number of times give no count.
        for trust, (fact, count, line) in segment.repeats.items():
            # Of equally frequent values the first.
            most = max(count, key=lambda text: count[text])
            logged = most if fact.usual else str(count[most])
            value = vocabulary().facts[fact.name].canonical(logged)
            if value is not None and (fact.usual or min(count.values()) == count[most]):
                segment.statements.append(Statement(fact.name, value, logged, line, trust, strength=fact.strength))
        for trust, (fact, parts, line) in segment.joined.items():
            logged = ", ".join(parts.get(name, "") for name in fact.joined)
            value = _calculated(fact, parts) if fact.operators else (fact.values or {}).get(logged)
            if value is not None:
                segment.statements.append(Statement(fact.name, value, logged, line, trust, strength=fact.strength))


def _constants(log_format: LogFormat, segment: Segment) -> list[Statement]:
    # What a line states counts before them.
    least = len(log_format.facts)
    return [
        Statement(name, value, f"constant of format {log_format.name}", segment.first_record_line, least)
        for name, value in log_format.constants.items()
    ]


def _logged(layout: Layout, number: float | None, text: str | None) -> str | None:
    # A record without values states only its name.
    return layout.record.name if layout.bare else _spelling(number, text)


# A fact of a layout with the value that states it, and the cached result.
_Key = tuple[Layout, int, float | None, str | None]
_CACHE: dict[_Key, tuple[str | None, str | None]] = {}
_CACHED = 20_000
_CACHED_LENGTH = 200


def _read(layout: Layout, place: int, number: float | None, text: str | None) -> tuple[str | None, str | None]:
    """Returns the spelling of a value, and the fact that it states; cached."""
    logged = _logged(layout, number, text)
    found = logged, None if logged is None else _stated(layout.facts[place][1], logged)
    if text is None or len(text) < _CACHED_LENGTH:
        if len(_CACHE) >= _CACHED:
            _CACHE.clear()
        _CACHE[layout, place, number, text] = found
    return found


def _without_more_than_least(statements: list[Statement]) -> list[Statement]:
    if not any(statement.least for statement in statements):
        return statements
    least: dict[str, Statement] = {}
    for statement in statements:
        if statement.least:
            known = least.get(statement.name)
            if known is None or float(statement.value) < float(known.value):
                least[statement.name] = statement
    return [s for s in statements if not s.least or least[s.name] is s]


EVENT_TEXT = 200


def _event(status: str, row: Row) -> tuple[str, int, str]:
    text, name = " ".join(text for text in row.texts or () if text), row.layout.record.name
    return status, row.line, f"{name}: {text[:EVENT_TEXT]}" if text else name


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _spelling(number: float | None, text: str | None) -> str | None:
    if number is None:
        return text
    return str(int(number)) if number == int_or_none(number) else repr(number)


def int_or_none(number: float) -> int | None:
    return int(number) if number == number and abs(number) < 2**62 and number == int(number) else None


def _calculated(fact: FactDefinition, parts: dict[str, str]) -> str | None:
    if not all(parts.get(name, "").isascii() and parts.get(name, "").isdigit() for name in fact.joined):
        return None
    result, *others = (Fraction(parts[name]) for name in fact.joined)
    for operator, by in zip(fact.operators, others, strict=True):
        if operator == "/" and not by:
            return None
        result = result / by if operator == "/" else result * by
    return vocabulary().facts[fact.name].canonical(str(result))


def _facts_of_path(path: str, logged: str, line: int, trust: int) -> list[Statement]:
    found = load_names().match(path.replace("{}", logged)).facts
    return [Statement(fact.name, fact.value, logged[:1000], line, trust) for fact in found]


def _stated(fact: FactDefinition, logged: str) -> str | None:
    if logged in fact.unless:
        return None
    if fact.always is not None:
        return fact.always
    if fact.values is not None:
        return fact.values.get(logged)
    if fact.contains is not None:
        found = {value for part, value in fact.contains.items() if part in logged}
        return found.pop() if len(found) == 1 else None
    if fact.items:
        count = items_of(logged)
        return None if count is None else vocabulary().facts[fact.name].canonical(str(count))
    return vocabulary().facts[fact.name].canonical(logged)

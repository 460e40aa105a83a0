"""Checks formats by their samples, which must state every value and reach every template and ignore."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from benchledger.definitions.definition_cache import Proofs, cached, files_in
from benchledger.definitions.folders import definition_files, only_packed
from benchledger.definitions.log_format import LogFormat, Sample
from benchledger.definitions.template import LIST, Hole, Skip, Written, leads_files
from benchledger.definitions.toml_table import Table
from benchledger.definitions.vocabulary import vocabulary
from benchledger.errors import DefinitionError
from benchledger.scanning.file_reader import FileReader
from benchledger.scanning.leads import LeadReader
from benchledger.scanning.lines import LineReader
from benchledger.scanning.near_miss import near_misses
from benchledger.scanning.patterns import compiled, whole_pattern
from benchledger.scanning.readers import reader_of
from benchledger.scanning.rows import Pieces
from benchledger.scanning.sample_toml import entries_of, expect_lines, with_expect
from benchledger.scanning.values import to_time

# The folders of formats, and of the definitions that they name.
_READ_FROM = ("ingest", "ingest/formats", "ingest/names", "queries/rules", "schema/vocabulary")

# Stands for a `{*}` where its text is looked at.
_SKIP = "*"
_NAMED_NUMBER = re.compile(rb"[A-Za-z][A-Za-z0-9_./@-]*['\"]? ?[:=] ?['\"]?[+-]?\.?[0-9]++(?![0-9:])")


@cache
def known_formats() -> dict[str, LogFormat]:
    """Returns every format by name, not proved: `load_formats` proves them. Raises DefinitionError with file, line."""
    return cached("formats", files_in(*_READ_FROM), read_formats)


def read_formats() -> dict[str, LogFormat]:
    # Imported late: the reader is half of the imports of a small ingest.
    from benchledger.definitions import format_file

    return format_file.read_formats()


@cache
def load_formats() -> dict[str, LogFormat]:
    """Returns every format by name, proved by its samples. Raises DefinitionError with file and line."""
    formats = known_formats()
    if only_packed():
        return formats
    proofs = Proofs("formats")
    unproved = [log_format for log_format in formats.values() if log_format.definitions_hash not in proofs]
    for log_format in unproved:
        for problem in check_format(log_format):
            raise DefinitionError(problem)
    leads = hashlib.blake2b(b"".join(file.path.read_bytes() for file in leads_files()), digest_size=16).hexdigest()
    for problem in check_leads() if leads not in proofs else ():
        raise DefinitionError(problem)
    proofs.add([leads, *(log_format.definitions_hash for log_format in unproved)])
    return formats


def check_files(paths: list[Path], fill: bool = False) -> list[str]:
    """Returns every problem of the formats in these files, which may use known formats and one another as base.

    `fill`: samples that state no `expect` first get what is read, in the file.
    """
    from benchledger.definitions import format_file
    from benchledger.definitions.format_dependencies import GivenFormats

    wanted = {path.resolve() for path in paths}
    shipped = definition_files("ingest/formats", ".toml")
    others = [path for path in shipped if path.resolve() not in wanted]
    # One of them may be the base of another shipped one.
    known = {path.resolve() for path in shipped}
    given_shipped = [path for path in paths if path.resolve() in known]
    given = GivenFormats(paths)
    problems: list[str] = []
    for path in paths:
        try:
            bases = given.bases_of(path)
            if len(others) == len(shipped):
                # The known formats come from the cache.
                found = format_file.read_formats([*bases, path], known_formats())
            else:
                found = format_file.read_formats(list(dict.fromkeys([*others, *given_shipped, *bases, path])))
        except DefinitionError as error:
            problems += str(error).split("\n")
            continue
        for log_format in found.values():
            if log_format.path == path:
                filled, near = _fill(log_format) if fill else (False, [])
                problems += near + (check_files([path]) if filled else check_format(log_format))
    return list(dict.fromkeys(problems))


def _fill(log_format: LogFormat) -> tuple[bool, list[str]]:
    # Writes what is read into samples that state nothing. Returns whether there are any, and how their rejects miss.
    empty = [
        (sample, LineReader(log_format).read(sample.text.strip("\n").encode()))
        for sample in log_format.samples
        if log_format.kind == "lines" and sample.text and not sample.expect
    ]
    if empty:
        text = with_expect(log_format, [(sample, entries_of(pieces, log_format)) for sample, pieces in empty])
        log_format.path.write_text(text, encoding="utf-8", newline="\n")
    place = f"{log_format.path}:{{}}: {{}}"
    return bool(empty), [
        place.format(log_format.file.line_of(sample.place), near)
        for sample, pieces in empty
        for near in near_misses(log_format, pieces.rejects)
    ]


def check_format(log_format: LogFormat) -> list[str]:
    problems: list[str] = []
    if not log_format.samples:
        problems.append(f"{log_format.path}:1: no [[sample]]: give some lines of a real log, and all that they hold")
    if (file_reader := reader_of(log_format)) is not None:
        for sample in log_format.samples:
            problems += _check_sample(log_format, sample, _read_file(file_reader, sample))
        return problems
    reader = LineReader(log_format)
    for sample in log_format.samples:
        problems += _check_sample(log_format, sample, reader.read(sample.text.strip("\n").encode()))
    problems += _unreached(log_format, reader.reached)
    problems += _swallowed(log_format)
    return problems + [problem for sample in log_format.base_samples for problem in _stolen(reader, sample)]


def _unreached(log_format: LogFormat, reached: set[tuple[str, str]]) -> list[str]:
    # For templates with names, each template and each name must be reached, but not each combination.
    own = log_format.own_templates
    proved = {written.place for key, places in own.items() if key in reached for written in places}
    problems: dict[str, str] = {}
    for (owner, _), places in sorted(own.items()):
        for written in places:
            if written.place not in proved:
                line = log_format.file.line_of(written.place)
                problems[written.place] = (
                    f"{log_format.path}:{line}: no sample reaches {written.what} {written.text!r} of {owner!r}:"
                    " add a [[sample]]"
                )
    return list(problems.values())


def _swallowed(log_format: LogFormat) -> list[str]:
    # A `{*}` before the end of a template must not skip values.
    problems: dict[Written, str] = {}
    lines = [line.encode() for sample in log_format.samples for line in sample.text.splitlines()]
    for record in log_format.records:
        for template in record.templates:
            places = log_format.own_templates.get((record.name, template.source))
            parts = tuple(Hole(_SKIP, LIST) if isinstance(part, Skip) else part for part in template.parts[:-1])
            probe = replace(template, parts=(*parts, template.parts[-1]))
            if places is None or probe == template:
                continue
            for match in (found for line in lines for found in compiled(whole_pattern(probe)).finditer(line)):
                skipped = [raw for hole, raw in zip(probe.holes, match.groups(), strict=True) if hole.name == _SKIP]
                if value := next((named for raw in skipped if (named := _NAMED_NUMBER.search(raw))), None):
                    problems[places[0]] = f"skips {value.group(0).decode()!r}: write {{pairs}} for {{*}}"
    return [
        f"{log_format.path}:{log_format.file.line_of(written.place)}: {written.what} {written.text!r} {why}"
        for written, why in problems.items()
    ]


def check_leads() -> list[str]:
    """Returns every problem of the samples of ingest/leads.toml."""
    reader = LeadReader()
    problems = []
    for file in leads_files():
        for sample in Table(file, "", file.data, ("templates", "sample")).tables("sample", ("text", "columns")):
            text, columns = sample.text("text"), sample.any_values("columns")
            found, rest = reader.read(text.encode())
            shown = {name: str(value) if name == "logged_at" else value for name, value in found.items()}
            if (shown, rest) != (columns, None):
                line = file.line_of(sample.place)
                problems.append(
                    f"{file.path}:{line}: lead {text!r} reads {shown}, and leaves {rest!r}; {columns} is expected"
                )
    return problems


def _stolen(reader: LineReader, sample: Sample) -> list[str]:
    # A line that is a record of the base by its sample must not become another record here.
    log_format = reader.format
    reader.reached.clear()
    pieces = reader.read(sample.text.strip("\n").encode())
    expected = {entry["record"] for entry in sample.expect if "record" in entry}
    problems = []
    for owner, source in sorted(reader.reached & set(log_format.own_templates)):
        is_record = any(row.layout.record.name == owner for row in pieces.rows)
        if owner not in expected if is_record else not any("ignored" in entry for entry in sample.expect):
            line = log_format.file.line_of(log_format.own_templates[owner, source][0].place)
            problems.append(
                f"{log_format.path}:{line}: template {source!r} of {owner!r} takes a sample of"
                f" {' and '.join(map(repr, sorted(expected)))} in the base: make it narrower"
            )
    return problems


def _read_file(reader: FileReader, sample: Sample) -> Pieces:
    from benchledger.scanning.sqlite_rows import made_file

    text = made_file(sample.tables) if sample.tables else sample.data or _text_of(sample)
    pieces = Pieces()
    reader.name = sample.name
    if reader.fits(text, complete=True) or reader.fits_late(text, complete=True):
        reader.begin(text)
        reader.read(text, 0, 1, pieces)
    return pieces


def _text_of(sample: Sample) -> bytes:
    # With the end of its last line: without it, a program may be writing that line.
    return sample.text.strip("\n").encode() + b"\n"


def _check_sample(log_format: LogFormat, sample: Sample, pieces: Pieces) -> list[str]:
    found = entries_of(pieces, log_format)
    expected = [entry for entry in sample.expect if "ignored" not in entry]
    # Ignored pieces are counted without their places, so their order is free.
    expected += sorted(
        (entry for entry in sample.expect if "ignored" in entry), key=lambda entry: str(entry["ignored"])
    )
    problems = []
    if len(found) != len(expected):
        problems = [f"the sample holds {len(found)} pieces, {len(expected)} are expected"]
    for number, (is_, should) in enumerate(zip(found, expected, strict=False) if not problems else (), start=1):
        # A log begins with the training, so a sample need not state it for a record whose phase is "current".
        stated = {"phase": "train", **should} if is_.get("phase") == "train" else should
        problems += [f"piece {number}: {problem}" for problem in _differences(is_, stated)]
    if problems:
        problems += near_misses(log_format, pieces.rejects)
        problems.append("\n".join(["the sample reads, as TOML:", *expect_lines(found)]))
    problems += _impossible_units(pieces)
    return [f"{log_format.path}:{log_format.file.line_of(sample.place)}: {problem}" for problem in problems]


def _impossible_units(pieces: Pieces) -> list[str]:
    values = {(value.name, value.quantity, value.unit) for row in pieces.rows for value in row.layout.values}
    return [
        f"{name} is logged in {unit}, which {quantity} cannot be: give it another quantity, or map it in `units`"
        for name, quantity, unit in sorted(values, key=str)
        if not vocabulary().can_have(quantity, unit)
    ]


def _differences(found: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    if "record" in found and "record" in expected and found["record"] != expected["record"]:
        cure = f"make its templates narrower, or put those of {expected['record']!r} first"
        return [f"record {found['record']!r} takes a sample of {expected['record']!r}: {cure}"]
    if "reject" in found and "reject" in expected:
        same = found["reject"].startswith(str(expected["reject"]))
        return [] if same else [f"reject is {found['reject']!r}, expected {expected['reject']!r}"]
    problems = []
    for key in sorted({*found, *expected}, key=str):
        if key not in expected:
            problems.append(f"{key} = {_shown(found[key])} is not stated by the sample")
        elif key not in found:
            problems.append(f"{key} = {expected[key]!r} is expected, but not found")
        elif not _equal(found[key], expected[key]):
            problems.append(f"{key} is {_shown(found[key])}, expected {expected[key]!r}")
    return problems


def _equal(found: Any, expected: Any) -> bool:
    if isinstance(found, datetime):
        return found == (to_time(expected.encode("ascii", "replace")) if isinstance(expected, str) else expected)
    if isinstance(found, float) and isinstance(expected, int | float):
        return found == expected or (found != found and expected != expected)
    return bool(found == expected)


def _shown(value: Any) -> str:
    return f'"{value}"' if isinstance(value, datetime) else repr(value)

"""The known formats: the programs whose logs bench recognises, and how."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.definitions.format_file import read_formats
from benchledger.definitions.log_format import LogFormat
from benchledger.errors import unknown_name
from benchledger.scanning.samples import check_files, check_format, check_leads, load_formats

if TYPE_CHECKING:
    import polars as pl


def formats() -> pl.DataFrame:
    """Returns every format: framework, role, base, number of records and samples, and its file.

    Raises DefinitionError for the first format that fails its samples.
    """
    import polars as pl

    return pl.DataFrame(
        [
            {
                "format": known.name, "version": known.version, "kind": known.kind, "role": known.role,
                "framework": known.framework, "implementation": known.implementation,
                "default_rule": known.default_rule, "detectable": known.detectable,
                "records": len(known.records), "samples": len(known.samples), "file": str(known.path),
            }
            for known in sorted(load_formats().values(), key=lambda known: known.name)
        ],
        schema_overrides={"framework": pl.String, "implementation": pl.String, "default_rule": pl.String},
    )  # fmt: skip


def show_format(name: str) -> str:
    """Returns the TOML of one format, below comments that state its file and how its logs are recognised."""
    known = _format(name)
    lines = [f"# {known.path}"]
    lines += [f"# recognised by a line with {' ... '.join(map(repr, proof))}" for proof in known.proofs]
    lines += [f"# recognised as a JSON document with {', '.join(paths)}" for paths in known.keys]
    lines += [f"# recognised as an SQLite file with {', '.join(names)}" for names in known.tables]
    for part in (known.columns, known.table, known.csv):
        lines += [f"# recognised by a header with {', '.join(names)}" for names in part.headers] if part else []
    if known.csv is not None:
        lines += [f"# recognised by a header on any line with {', '.join(names)}" for names in known.csv.search]
        lines += [
            f"# recognised without a header by the columns {', '.join(column.name for column in one)}"
            for one in known.csv.headerless
        ]
    if known.tracker is not None:
        lines.append("# recognised by its first bytes, its keys or its name: docs/trackers.md")
    elif known.self_describing is not None:
        lines.append(f"# recognised, if nothing else is, by {known.self_describing.lines} lines of training")
    if not known.detectable:
        lines.append("# a base: no log is of this format itself")
    return "\n".join([*lines, "", known.path.read_text(encoding="utf-8").rstrip()])


def check_formats(*files: Path | str, fill: bool = False) -> list[str]:
    """Returns the problems of the formats in these files, or of all known formats, with file and line; none if valid.

    `fill`: samples without `expect` first get what is read, in the file. Raises DefinitionError for a file that is not
    a format.
    """
    if files:
        return check_files([Path(file) for file in files], fill)
    return [problem for known in read_formats().values() for problem in check_format(known)] + check_leads()


def _format(name: str) -> LogFormat:
    known = read_formats()
    if name not in known:
        raise unknown_name("format", name, known, "bench formats list")
    return known[name]

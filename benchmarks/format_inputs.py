"""The logs that show what many formats cost: each log of the corpus, copied with one byte changed, by format.

Where the corpus is absent, logs are made of the formats' own samples. Nothing in a copy was measured.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import tarfile
import tomllib
from itertools import islice
from pathlib import Path

from benchledger.definitions.log_format import all_formats_hash
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.content import content_hash
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.samples import known_formats
from benchmarks.limit import FORMATS, TOP

VERSION = 2  # raise it when the copies change, so that kept inputs are made anew
CORPUS = TOP.parent / "shared" / "corpus" / "logs.tar.xz"
MADE_BYTES = 65_536
# The number of which a copy changes the last digit: one with a fraction, as times have it, else a whole one.
_WITH_FRACTION = re.compile(rb"[0-9]\.[0-9]+")
_WHOLE = re.compile(rb"[0-9]{2,}(?![0-9.])")


def make_families(folder: Path, megabytes: int, corpus: Path = CORPUS) -> str:
    """Fills `folder` with logs in a folder for each format, unless it holds just these; returns what they are."""
    source = "the corpus" if corpus.is_file() else "the formats' own samples (the corpus is absent)"
    stamp = folder / "made-with.json"
    wanted = json.dumps([VERSION, megabytes, source, all_formats_hash(known_formats())])
    if stamp.is_file() and stamp.read_text() == wanted:
        return source
    shutil.rmtree(folder, ignore_errors=True)
    found = by_format(logs_of(corpus) if corpus.is_file() else logs_of_samples())
    total = sum(len(content) for logs in found.values() for content in logs.values())
    made: set[str] = set()
    for name, logs in found.items():
        for number in range(max(1, round(megabytes * 1_000_000 / total))):
            for path, content in logs.items():
                copy = changed(content, number)
                # A copy of one short log may be what another one is.
                if copy is not None and (digest := content_hash(copy)) not in made:
                    made.add(digest)
                    target = folder / name / f"copy{number:03d}" / path
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(copy)
    stamp.write_text(wanted)
    return source


def changed(content: bytes, number: int) -> bytes | None:
    """Copy `number` of a log (0: the log itself): one digit is another one, the last of a number near its beginning.

    None where the log has no more numbers. Nine copies change the same number.
    """
    if number == 0:
        return content
    which, step = divmod(number - 1, 9)
    ends = [match.end() for match in islice(_WITH_FRACTION.finditer(content), which + 1)]
    if len(ends) <= which:
        ends += [match.end() for match in islice(_WHOLE.finditer(content), which + 1 - len(ends))]
    if len(ends) <= which:
        return None
    place = ends[which] - 1
    digit = b"%d" % ((int(content[place : place + 1]) + 1 + step) % 10)
    return content[:place] + digit + content[place + 1 :]


def by_format(logs: dict[str, bytes]) -> dict[str, dict[str, bytes]]:
    """The logs that are of a format, each content once."""
    reader, found, seen = LogReader(known_formats()), dict[str, dict[str, bytes]](), set[bytes]()
    for path, content in logs.items():
        log = reader.read(io.BytesIO(content), RecordColumns(), lambda _: False)
        if log.format is not None and content not in seen:
            seen.add(content)
            found.setdefault(log.format, {})[path] = content
    return dict(sorted(found.items()))


def logs_of(corpus: Path) -> dict[str, bytes]:
    """Every file of an archive."""
    with tarfile.open(corpus) as archive:
        files = ((member.name, archive.extractfile(member)) for member in archive if member.isfile())
        return {name: stream.read() for name, stream in files if stream is not None}


def logs_of_samples() -> dict[str, bytes]:
    """Logs that hold the samples of each format again and again; of formats of other kinds each sample once."""
    logs: dict[str, bytes] = {}
    for known in known_formats().values():
        texts = [sample.text.strip("\n") + "\n" for sample in known.samples if sample.text]
        if known.kind == "lines" and texts:
            once = "".join(texts)
            texts = [once * max(1, MADE_BYTES // len(once))]
        logs |= {f"{known.name}-{number}.log": text.encode() for number, text in enumerate(texts)}
    return logs


def only(name: str, root: Path) -> Path:
    """A folder of definitions that has one format, with those that it is based on, and everything else as it is."""
    shutil.rmtree(root, ignore_errors=True)
    (root / "ingest" / "formats").mkdir(parents=True)
    for path in (TOP / "schema", TOP / "queries"):
        (root / path.name).symlink_to(path)
    for path in (TOP / "ingest").iterdir():
        if path != FORMATS:
            (root / "ingest" / path.name).symlink_to(path)
    formats = {}
    for path in FORMATS.glob("*.toml"):
        read = tomllib.loads(path.read_text(encoding="utf-8"))
        formats[read["format"]] = (path, read.get("base"))
    wanted: str | None = name
    while wanted is not None:
        path, wanted = formats[wanted]
        (root / "ingest" / "formats" / path.name).symlink_to(path)
    return root

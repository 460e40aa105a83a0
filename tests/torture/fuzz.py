"""Fuzzes each reader of bytes for a time: `make fuzz SECONDS=600`; `--reader NAME` takes one of them.

With atheris, which sees which branches a file reaches; without it, by random changes of the seeds. A failure is an
exception, one of ours that hides as the reason of a file, or more time than the size explains. Its bytes are kept.
"""

from __future__ import annotations

import argparse
import importlib.util
import io
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path

HAS_ATHERIS = importlib.util.find_spec("atheris") is not None


def _seen_by_atheris() -> AbstractContextManager[object]:
    # What is imported within tells atheris which branches a file reaches. All of Python would take a minute to prepare.
    if not HAS_ATHERIS or __name__ != "__main__" or "--reader" not in sys.argv:
        return nullcontext()
    import atheris

    parts = ("archives", "scanning", "redaction", "definitions.toml_file", "ingestion.facts_file")
    chosen: AbstractContextManager[object] = atheris.instrument_imports(
        include=["tarfile", "zipfile", "tomllib", *(f"benchledger.{part}" for part in parts)]
    )
    return chosen


with _seen_by_atheris():
    from benchledger.archives.limits import Limits
    from benchledger.archives.walk import Archive
    from benchledger.definitions.redaction import redaction_files
    from benchledger.ingestion.facts_file import FactsFiles
    from benchledger.redaction.line_redactor import LineRedactor
    from benchledger.redaction.redactor import Redactor
    from benchledger.redaction.samples import known_redaction
    from tests.torture.materials import FACTS, archive, logs, sidecars, tracker_folders
    from tests.torture.mutation import mutated
    from tests.torture.readers import Reader
    from tests.trackers.made import event_file, tf_record, wandb_file

MOST_BYTES = 64 * 1024
# Errors that no bytes explain: a reader made them.
_OURS = re.compile(
    r"\b(?:Type|Attribute|Key|Index|Assertion|UnboundLocal|Name|Memory|ZeroDivision|NotImplemented)Error\b"
)
_KINDS = {"zip": ".zip", "tar": ".tar", "gzip": ".gz", "bzip2": ".bz2", "xz": ".xz", "zstd": ".zst"}
# What an ingest reads under each name.
_NAMES = {
    "json": "run.json", "json lines": "steps.jsonl", "csv": "ok.csv", "log": "ok.log", "pairs": "steps.txt",
    "sqlite": "nsys.sqlite", "yaml": "mlruns/1/0123456789abcdef0123456789abcdef/meta.yaml",
    "tfevents": "events.out.tfevents.1767322800.node7.4242.0",
    "wandb": "wandb/offline-run-20260102_030000-a1b2c3d4/run-a1b2c3d4.wandb",
}  # fmt: skip
READERS = (*_KINDS, *_NAMES, "tfevents records", "wandb records", "facts.toml", "redaction")


@cache
def _reader() -> Reader:
    return Reader()


@cache
def _redactor() -> Redactor:
    return Redactor(known_redaction(), b"k" * 32)


def _walk(data: bytes) -> Iterator[str]:
    for member in Archive(io.BytesIO(data), len(data), "x", 0, Limits(total_bytes=20_000_000)).members():
        while member.stream is not None and member.stream.read(1 << 20):
            pass
        yield str(member.problem or (member.stream and member.stream.problem))


def _ingest(name: str, data: bytes) -> Iterator[str]:
    base = _reader().read(name, {name: data}, is_checked=False)
    wrong, _reader().counts.wrong = _reader().counts.wrong, []
    assert not wrong, wrong
    yield from (str(reason) for reason in base.tables["sighting"].column("reason").to_pylist())


def _pieces(data: bytes) -> list[bytes]:
    return data.split(b"\xfe\xfe")


def read(reader: str, data: bytes) -> None:
    """Reads bytes by one reader. Raises AssertionError, or what the reader raises, for a failure."""
    began = time.process_time()
    if reader in _KINDS:
        reasons = [*_walk(data)]
    elif reader == "facts.toml":
        facts = FactsFiles()
        facts.provide("/t/facts.toml", data)
        facts.declared("/t/x/run.log")
        reasons = [*facts.problems.values()]
    elif reader == "redaction":
        once = LineRedactor(_redactor()).redact(data)
        reasons = []
        assert once.count(b"\n") == data.count(b"\n"), "lines"
    else:
        # What follows the checksums of a record is reached only with right ones.
        framed = {
            "tfevents records": lambda: event_file(*map(tf_record, _pieces(data))),
            "wandb records": lambda: wandb_file(*_pieces(data)),
        }
        name = _NAMES.get(reader) or _NAMES[reader.partition(" ")[0]]
        reasons = [*_ingest(name, framed[reader]() if reader in framed else data)]
    took = time.process_time() - began
    assert took < max(3.0, 3.0 * len(data) / 1e6), f"{took:.1f} s for {len(data)} bytes"
    assert not (ours := [reason for reason in reasons if _OURS.search(reason)]), ours


def seeds(reader: str) -> list[bytes]:
    """Files that the reader reads whole."""
    rng, sources = random.Random(28), logs()
    files = {name: data for folder in [sidecars(), *tracker_folders(), sources] for name, data in folder.items()}
    if reader in _KINDS:
        packed = (archive({name: sources[name] for name in ("ok.log", "ok.csv")}, rng) for _ in range(200))
        return [data for name, data in packed if name.endswith(_KINDS[reader])][:8]
    if reader == "facts.toml":
        return [FACTS]
    if reader == "redaction":
        return [file.text.encode()[:MOST_BYTES] for file in redaction_files()]
    name = _NAMES.get(reader) or _NAMES[reader.partition(" ")[0]]
    return [files[name], *(data for one, data in sources.items() if reader == "log" and len(data) < MOST_BYTES)]


def by_chance(reader: str, seconds: float, kept: Path, seed: int) -> int:
    """Reads random changes of the seeds; returns their number. The bytes of a failure are in `kept`."""
    rng, given, ended, count = random.Random(seed), seeds(reader), time.monotonic() + seconds, 0
    while count == 0 or time.monotonic() < ended:
        data = mutated(rng.choice(given), rng)[:MOST_BYTES]
        (kept / "last").write_bytes(data)
        read(reader, data)
        count += 1
    return count


def _by_atheris(reader: str, seconds: float, kept: Path) -> None:
    import atheris

    corpus = kept / "corpus"
    corpus.mkdir()
    for number, data in enumerate(seeds(reader)):
        (corpus / str(number)).write_bytes(data)
    read(reader, seeds(reader)[0])
    options = [f"-max_total_time={int(seconds)}", f"-max_len={MOST_BYTES}", "-rss_limit_mb=3000", "-timeout=60"]
    atheris.Setup([reader, str(corpus), *options, f"-artifact_prefix={kept}/"], lambda data: read(reader, data))
    atheris.Fuzz()


def main() -> int:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--seconds", type=float, default=60)
    given.add_argument("--reader", choices=READERS)
    given.add_argument("--kept", type=Path, help="a folder for the bytes of failures")
    asked = given.parse_args()
    kept = asked.kept or Path(tempfile.mkdtemp(prefix="fuzz"))
    if asked.reader and HAS_ATHERIS:
        _by_atheris(asked.reader, asked.seconds, kept)
    elif asked.reader:
        print(f"Done {by_chance(asked.reader, asked.seconds, kept, int(time.time()))} runs")
        return 0
    wrong = 0
    for reader in READERS:
        mine = kept / reader.replace(" ", "_")
        mine.mkdir(parents=True)
        words = [sys.executable, "-m", "tests.torture.fuzz", "--reader", reader, "--kept", str(mine), "--seconds"]
        done = subprocess.run([*words, str(asked.seconds / len(READERS))], capture_output=True, text=True, check=False)
        said = (done.stderr + done.stdout).strip().splitlines()
        print(f"{reader}: {next((line for line in said if line.startswith('Done ')), 'failed')}", flush=True)
        if done.returncode:
            wrong += 1
            print("\n".join(said[-30:]), f"\nits bytes: {mine}", flush=True)
    print(f"{wrong} wrong, by {'atheris' if HAS_ATHERIS else 'chance: pip install atheris sees more'}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())

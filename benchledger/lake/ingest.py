"""Reads logs into a lake: units for an executor, and at the end the list of them."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchledger.definitions.folders import own_folders
from benchledger.errors import BenchledgerError, UsageError, missing_extra
from benchledger.ingestion.discover import given_place
from benchledger.ingestion.outcomes import FileOutcome
from benchledger.ingestion.remote import is_remote
from benchledger.ingestion.seams import inputs_of
from benchledger.ingestion.worker_processes import end_with_parent
from benchledger.lake.objects import LISTS, now_text, open_lake
from benchledger.lake.units import (
    DERIVED,
    KNOWN,
    LEASE_S,
    LEASED,
    READ,
    Choices,
    Unit,
    UnitOutcome,
    derived_digests,
    key_from,
    read_into_lake,
    units_of,
)

UNIT_BYTES = 512 * 1024 * 1024
_LOCAL = "local:"
_POLL_S = 1.0


@dataclass(frozen=True)
class LakeIngest:
    """Result of an ingest into a lake: files and units, how many of these this driver had read or only derived again.

    `left_out` are the files of these units that are in no table: unrecognised, unreadable and empty ones. `recognised`:
    some file is in a table, or some unit was read before.
    """

    lake: str
    files: int
    units: int
    read: int
    derived: int
    seconds: float
    left_out: tuple[FileOutcome, ...] = ()
    recognised: bool = True


def lake_ingest(
    *paths: Path | str,
    lake: Path | str,
    cluster: str = "local:1",
    key_file: Path | str | None = None,
    campaign_name: str | None = None,
    unit_bytes: int = UNIT_BYTES,
    lease_s: float = LEASE_S,
    progress: Callable[[int, int], None] = lambda _, __: None,
) -> LakeIngest:
    """Reads all logs under the paths into a lake, by many processes, each unit of folders once.

    `cluster` is local:N, N processes of this machine, or the address of a dask scheduler. A unit whose files and
    definitions are as before is not read again; of two drivers at once each reads a part. `progress` is called with the
    number of units that are done, and of all. Raises UsageError without a key or for another one than the lake's.
    """
    began = time.monotonic()
    key = key_from(key_file)
    opened = open_lake(str(lake), make=True)
    opened.need_key(key)
    started = now_text()
    inputs = list(inputs_of(*paths))
    place = opened.place if is_remote(opened.place) else str(Path(opened.place).resolve())
    keys_at = str(Path(key_file).resolve()) if key_file else None
    choices = Choices(place, keys_at, datetime.now(UTC), campaign_name, tuple(own_folders()))
    units = list(units_of(inputs, key, unit_bytes, choices))
    known = opened.markers()
    derived = derived_digests(unit.digest for unit in units)
    due = [unit for unit in units if not {unit.digest, derived[unit.digest]} <= known]
    outcomes: Counter[str] = Counter()
    # A facts.toml belongs to the units of all folders below it.
    left_out: dict[str | None, FileOutcome] = {}
    recognised = len(due) < len(units)
    if due:
        with executor_of(cluster) as executor:
            for number, outcome in enumerate(_all_read(due, executor, lease_s), start=len(units) - len(due) + 1):
                outcomes[outcome.how] += 1
                left_out |= {one.place: one for one in outcome.left_out}
                recognised |= outcome.recognised
                progress(number, len(units))
    # The list counts from the time at which its files were listed: a driver that began earlier loses.
    named = sorted(given if is_remote(given) else str(Path(given).resolve()) for given in map(given_place, paths))
    source = hashlib.blake2b("\n".join(named).encode("utf-8", "surrogateescape"), digest_size=16, key=key).hexdigest()
    digests = json.dumps(sorted(unit.digest for unit in units)).encode()
    if opened.listed().get(source) != json.loads(digests):
        opened.put_new(f"{LISTS}/{source}/{started}", digests)
    return LakeIngest(
        str(lake), len(inputs), len(units), outcomes[READ], outcomes[DERIVED], time.monotonic() - began,
        tuple(left_out[place] for place in sorted(left_out, key=str)), recognised,
    )  # fmt: skip


@contextmanager
def executor_of(cluster: str) -> Iterator[Executor]:
    """The executor of local:N, or of a dask scheduler's address. Raises UsageError for another word."""
    if cluster.startswith(_LOCAL):
        count = cluster.removeprefix(_LOCAL)
        if not count.isdecimal() or not int(count):
            raise UsageError(f"--cluster {cluster}: must be local:N, such as local:8, or a dask scheduler's address")
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        # Started anew: this process has threads by now.
        with ProcessPoolExecutor(int(count), get_context("spawn"), end_with_parent) as processes:
            yield processes
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise missing_extra(f"--cluster {cluster} needs dask.distributed", error, "cluster") from error
    try:
        client: Any = Client(cluster, timeout=30)  # type: ignore[no-untyped-call, unused-ignore]
    except Exception as error:
        raise UsageError(f"--cluster {cluster}: no dask scheduler answers: {error}") from error
    with client, client.get_executor(pure=False) as remote:
        yield remote


def _all_read(units: list[Unit], executor: Executor, lease_s: float) -> Iterator[UnitOutcome]:
    """The outcome of each unit. One that another driver reads is asked for again, until it has read it or is gone."""
    due = {executor.submit(read_into_lake, unit, lease_s): unit for unit in units}
    while due:
        done, _ = wait(due, return_when="FIRST_COMPLETED")
        again = []
        for future in done:
            unit = due.pop(future)
            try:
                outcome = future.result()
            except BenchledgerError:
                raise
            except Exception as error:
                raise BenchledgerError(
                    f"a worker ended: {type(error).__name__} {error}. Units that were read stay; run the same command "
                    f"again for the others"
                ) from error
            if outcome.how == LEASED:
                again.append(unit)
            else:
                assert outcome.how in (READ, DERIVED, KNOWN)
                yield outcome
        if again:
            time.sleep(_POLL_S)
            due.update({executor.submit(read_into_lake, unit, lease_s): unit for unit in again})

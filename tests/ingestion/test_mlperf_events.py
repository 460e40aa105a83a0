"""MLPerf's events as other releases and programs print them: in mid-line, by every rank, in another order, of v0.6."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchledger import ingest
from tests.ingestion.logs import ask

AT = 1_700_000_000_000
VALUES = """
select name, coalesce(text, value::varchar) from measurement
where name in ('submission_benchmark', 'submission_org', 'seed', 'global_batch_size', 'eval_accuracy', 'epoch_num')
    and (phase = 'validation' or name <> 'epoch_num')
group by all order by all"""
EXPECTED = [
    ("epoch_num", "2.0"), ("eval_accuracy", "0.72"), ("global_batch_size", "64.0"), ("seed", "7.0"),
    ("submission_benchmark", "ssd"), ("submission_org", "Us"),
]  # fmt: skip


def events(status: str = "success") -> list[dict[str, object]]:
    told = [
        (0, "POINT_IN_TIME", "cache_clear", True, {}),
        *[
            (1, "POINT_IN_TIME", key, value, {})
            for key, value in {
                "submission_benchmark": "ssd", "submission_org": "Us", "seed": 7, "global_batch_size": 64,
            }.items()
        ],
        (2, "INTERVAL_START", "run_start", None, {}),
        (50, "POINT_IN_TIME", "eval_accuracy", 0.72, {"epoch_num": 2}),
        (62, "INTERVAL_END", "run_stop", None, {"status": status}),
    ]  # fmt: skip
    return [
        {"namespace": "", "time_ms": AT + 1000 * at, "event_type": kind, "key": key, "value": value, "metadata": more}
        for at, kind, key, value, more in told
    ]


def plain(status: str = "success") -> list[str]:
    return [f":::MLLOG {json.dumps(event)}" for event in events(status)]


def of_v06(*keys: str) -> list[str]:
    return [
        f":::MLL {int(str(one['time_ms'])) / 1000:.3f} {one['key']}: " + json.dumps({key: one[key] for key in keys})
        for one in events()
    ]


PRINTED = {
    "plain": plain(),
    "ranks of srun": [f" {rank}: {line}" for line in plain() for rank in range(2)],
    "ranks in brackets": [f"[{rank}] {line}" for line in plain() for rank in range(2)],
    "mpirun": [f"[1,{rank}]<stdout>:{line}" for line in plain() for rank in range(2)],
    "python logging": [f"INFO:mllog:{line}" for line in plain()],
    "glued behind other output": [f"step 3 loss 0.2{line}" for line in plain()],
    "two on a line": ["".join(plain())],
    "keys in order": [f":::MLLOG {json.dumps(event, sort_keys=True)}" for event in events()],
    "without blanks": [f":::MLLOG {json.dumps(event, separators=(',', ':'))}" for event in events()],
    "of v0.6": of_v06("value", "metadata"),
    "of v0.6, metadata first": of_v06("metadata", "value"),
}


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each of these, and some odd ones, as a log of its own."""
    home = tmp_path_factory.mktemp("events")
    logs = {name: "\n".join(lines) for name, lines in PRINTED.items()}
    logs["twice"] = "\n".join([*plain(), *plain("aborted")])
    logs["no clock"] = "\n".join(plain()).replace(f'"time_ms": {AT},', '"time_ms": 0,')
    for name, text in logs.items():
        (home / "logs" / name).mkdir(parents=True)
        # Not the same bytes as those of another.
        (home / "logs" / name / "train.log").write_text(f"{name}\n{text}\n")
    ingest(home / "logs", db=home / "bench.duckdb")
    return home / "bench.duckdb"


@pytest.mark.parametrize("name", PRINTED)
def test_events_are_read_however_they_are_printed(ledger: Path, name: str) -> None:
    runs = "select run_id from run_log join sighting using (log_id) where campaign = 'logs/' || $name"
    found = ask(ledger, VALUES.replace("where", f"where run_id in ({runs}) and", 1).replace("$name", f"'{name}'"))
    minutes = ask(
        ledger,
        f"select run_speed.value, run.status from run_speed join run using (run_id) where rule = 'mlperf.minutes' and run_id in ({runs})".replace(
            "$name", f"'{name}'"
        ),
    )

    assert found == EXPECTED
    assert minutes == [(1.0, "ok")]


def test_two_runs_in_one_log_of_which_one_was_aborted(ledger: Path) -> None:
    runs = "select status from run join kept.run_campaign using (run_id) where campaign = 'logs/twice' order by all"

    assert ask(ledger, runs) == [("failed",), ("ok",)]


def test_a_time_of_0_is_none(ledger: Path) -> None:
    began = "select started_at from run join kept.run_campaign using (run_id) where campaign = 'logs/no clock'"

    assert [at.year for (at,) in ask(ledger, began)] == [2023]

"""An earlier state of a log, wherever it lies, and a copy with other line ends are of the run of the whole log."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path

import duckdb
import pytest

from benchledger import forget, ingest
from benchledger.ingestion.load import sql_text
from tests.cli.bench import run_bench
from tests.ingestion.logs import ask, one, put, run_text, stable_tables
from tests.ingestion.packing import tar
from tests.proportion import assert_in_proportion

RUNS = "select count(*) from run"
ROLES = "select role, count(*) from run_log group by all order by all"
PATHS = "select role, path from run_log join sighting using (sighting_id) order by all"
LOSSES = [10.95 - 0.06137 * step for step in range(40)]


def begun(text: str, parts: int = 2) -> str:
    return text[: len(text) // parts]


# What lies beside the whole log, by the path there: each is a run of its own without it.
COPIES: dict[str, Callable[[str], str | bytes]] = {
    "run.log.bak": begun,
    "old/run.log.1.gz": lambda text: gzip.compress(begun(text, 3).encode()),
    "moved/other.log": lambda text: begun(text, 4),
    "old.tar": lambda text: tar({"in/run.log": begun(text, 5)}),
    "windows.log": lambda text: text.replace("\n", "\r\n"),
    "windows.log.old": lambda text: begun(text).replace("\n", "\r\n"),
    "tee.log": lambda text: f"started by a script\n{text}",
    "tee2.log": lambda text: f"{text}ended\n",
    "slurm-7.out": lambda text: text.replace("\n", "\nx.py:136: UserWarning: a\n  warnings.warn(a)\n", 40),
    "srun-l.out": lambda text: "".join(f"0: {line}\n" for line in text.splitlines()),
}


def put_copies(top: Path) -> list[Path]:
    """One run per kind of copy; and the folders with the copies, and those with the whole logs."""
    for number, (path, made) in enumerate(COPIES.items()):
        text = run_text(seed=number, at=5000.0 * number).log
        put(top / "whole" / str(number) / "run.log", text)
        put(top / "copies" / str(number) / path, made(text))
    return [top / "copies", top / "whole"]


def test_a_copy_is_of_the_run_of_the_whole_log_in_whatever_order_they_come(db: Path, db2: Path, tmp_path: Path) -> None:
    copies, whole = put_copies(tmp_path)
    ingest(copies, whole, db=db)
    ingest(copies, db=db2)
    ingest(whole, db=db2)

    # Pseudonyms have another key in each ledger.
    runs = "select run_id, run_key, status, steps_done from run order by all"
    assert ask(db, runs) == ask(db2, runs)
    run_bench("ingest", "--refresh", copies, whole, db=db2)
    assert ask(db, runs) == ask(db2, runs)
    assert ask(db, ROLES) == [("copy", len(COPIES)), ("train", len(COPIES))]
    # But for those with a line more, which stay the runs, each was a run before the whole log came: its key stays valid.
    assert one(db2, "select count(*) from kept.run_alias where old_key <> run_key") == 6
    assert [status for (status,) in ask(db, "select distinct status from run")] == ["ok"]
    assert one(db, "select count(distinct log_id) from measurement where value is not null") == len(COPIES)
    # In the campaigns of both places, once each.
    assert ask(db, "select split_part(campaign, '/', 1) as root, count(*) from kept.run_campaign group by all order by all") == [
        ("copies", len(COPIES)), ("whole", len(COPIES)),
    ]  # fmt: skip
    assert not run_bench("db", "check", db=db).exit_code


def test_the_longer_log_forgotten_the_earlier_state_counts_again(db: Path, db2: Path, tmp_path: Path) -> None:
    text = run_text().log
    put(tmp_path / "logs" / "run.log", begun(text))
    ingest(tmp_path / "logs", db=db2)
    put(tmp_path / "logs" / "later" / "run.log", text)
    ingest(tmp_path / "logs", db=db)
    assert one(db, RUNS) == 1

    forget("later/run.log", db=db)

    alone, again = stable_tables(db2), stable_tables(db)
    assert alone["measurement"] == again["measurement"]
    assert (one(db, "select status from run"), len(again["run"])) == ("truncated", 1)
    assert not run_bench("db", "check", db=db).exit_code
    ingest(tmp_path / "logs", db=db)
    assert ask(db, "select status from run") == [("ok",)]


def test_an_excluded_run_stays_excluded_when_a_copy_or_a_longer_state_comes(db: Path, tmp_path: Path) -> None:
    text = run_text().log
    for number, state in enumerate((begun(text), text, text.replace("\n", "\r\n"))):
        put(tmp_path / str(number) / "run.log", state)
        ingest(tmp_path / str(number), db=db)
        if number == 0:
            run_bench("exclude", one(db, "select run_key from run"), "--reason", "wrong clock", db=db)

        assert ask(db, "select excluded_run.reason from run join kept.excluded_run using (run_id)") == [
            ("wrong clock",)
        ]
        assert one(db, RUNS) == 1


def test_a_log_sent_by_standard_input_while_it_grows_is_one_run(db: Path) -> None:
    text = run_text().log
    for parts in (3, 1, 2):
        run_bench("ingest", "-", db=db, stdin=begun(text, parts).encode())

    assert ask(db, ROLES) == [("copy", 2), ("train", 1)]


def test_show_and_explain_tell_of_a_copy(db: Path, tmp_path: Path) -> None:
    text = run_text().log
    put(tmp_path / "logs" / "run.log", text)
    put(tmp_path / "logs" / "run.log.bak", begun(text))
    ingest(tmp_path / "logs", db=db)
    key = one(db, "select run_key from run")

    shown = run_bench("show", key, db=db).output
    explained = run_bench("explain", "run.log.bak", db=db).output

    assert "run.log.bak" in shown
    assert "copy" in shown
    assert key in explained
    assert "same records, up to its end" in explained


def nano(losses: Iterable[float], seed: int, *, digits: int = 2) -> str:
    noise = random.Random(seed)
    lines = [
        f"iter {10 * step}: loss {loss:.4f}, time {noise.uniform(900, 950):.{digits}f}ms, mfu 30.12%"
        for step, loss in enumerate(losses)
    ]
    return "tokens per iteration will be: 491,520\n" + "".join(f"{line}\n" for line in lines)


def with_header(text: str, header: str) -> str:
    return header + text[text.index(FIRST_STEP) :]


FIRST_STEP = "Iteration:"
HEADER = run_text(seed=1).log.partition(FIRST_STEP)[0]

# Each pair is two runs.
OTHERS = {
    "two trials with one seed": (nano(LOSSES, 1), nano(LOSSES, 2)),
    "an earlier end of another trial with the seed": (nano(LOSSES[:20], 1), nano(LOSSES, 2)),
    "few records": (nano(LOSSES[:7], 1), nano(LOSSES, 1)),
    "times of three digits": (nano(LOSSES[:20], 1, digits=0), nano(LOSSES, 1, digits=0)),
    "the header alone": (with_header(run_text(seed=2).log, HEADER), with_header(run_text(seed=3).log, HEADER)),
    "a restart in a new file": (run_text(seed=1, ends="oom").log, run_text(seed=1, at=600).log),
    "a short trial that failed, and a rerun": (begun(run_text(seed=1).log), run_text(seed=1, at=600, speed=210).log),
}


def test_logs_that_only_begin_alike_are_two_runs(db: Path, tmp_path: Path) -> None:
    for name, texts in OTHERS.items():
        for number, text in enumerate(texts):
            put(tmp_path / name / str(number) / "run.log", text)
    ingest(*(tmp_path / name for name in OTHERS), db=db)

    runs = "select campaign, count(*) from kept.run_campaign group by all order by all"
    assert ask(db, runs) == [(name, 2) for name in sorted(OTHERS)]


def test_trials_with_the_same_losses_are_not_compared(db: Path, tmp_path: Path) -> None:
    lines = [{"loss": round(loss, 4), "grad_norm": 1.25, "learning_rate": 5e-05, "epoch": 0.1} for loss in LOSSES]
    for trial in range(2):
        put(tmp_path / "logs" / f"{trial}.log", "".join(f"{line}\n" for line in [*lines, {**lines[0], "loss": trial}]))
    ingest(tmp_path / "logs", db=db)

    # By it each would be compared with each: thousands of trials of a sweep have one seed.
    assert ask(db, "select beginning, count(*) from kept.segment group by all") == [(None, 2)]


def test_times_of_evaluations_tell_a_log_without_times_and_speeds(db: Path, tmp_path: Path) -> None:
    lines = [
        f"{{'loss': {loss:.4f}, 'grad_norm': 1.25, 'learning_rate': 5e-05, 'epoch': 0.1}}\n"
        f"{{'eval_loss': {loss:.3f}, 'eval_runtime': {60 + nth / 9:.4f}, 'epoch': 0.1}}\n"
        for nth, loss in enumerate(LOSSES)
    ]
    put(tmp_path / "logs" / "a.log", "".join(lines[:20]))
    put(tmp_path / "logs" / "b" / "a.log", "".join(lines))
    ingest(tmp_path / "logs", db=db)

    assert ask(db, PATHS) == [("copy", "a.log"), ("train", "b/a.log")]


def test_speeds_of_many_digits_tell_a_log_without_times(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "a.log", nano(LOSSES[:20], 1))
    put(tmp_path / "logs" / "b" / "a.log", nano(LOSSES, 1))
    ingest(tmp_path / "logs", db=db)

    assert ask(db, PATHS) == [("copy", "a.log"), ("train", "b/a.log")]


def state(losses: list[float], *, ended: bool = False, indent: int | None = 2) -> str:
    """A trainer_state.json as Hugging Face's Trainer writes it, after a loss each 10 steps."""
    history = [
        {"epoch": n / 10, "grad_norm": loss / 3, "learning_rate": 5e-05, "loss": loss, "step": 10 * n}
        for n, loss in enumerate(losses, start=1)
    ]
    steps = 10 * len(losses)
    if ended:
        history.append({"epoch": 4.0, "step": steps, "train_loss": 9.7, "train_runtime": 273.0149,
                        "train_samples_per_second": 3.663, "train_steps_per_second": 0.007})  # fmt: skip
    said = {"best_metric": None, "epoch": steps / 100, "global_step": steps, "is_world_process_zero": True,
            "log_history": history, "max_steps": 400, "num_train_epochs": 4, "train_batch_size": 8}  # fmt: skip
    return json.dumps(said, indent=indent, sort_keys=True)


def test_checkpoints_are_of_the_run_that_wrote_them(db: Path, tmp_path: Path) -> None:
    # On one line, too.
    for number, (also, indent) in enumerate(product(("", "state", "log", "state and log"), (2, None))):
        losses = [loss + number / 7 for loss in LOSSES]
        output = tmp_path / "logs" / str(number) / "out"
        for done in (1, 10, 20, 40):
            put(output / f"checkpoint-{10 * done}" / "trainer_state.json", state(losses[:done], indent=indent))
        if "state" in also:
            put(output / "trainer_state.json", state(losses, ended=True, indent=indent))
        if "log" in also:
            lines = [
                {"loss": round(loss, 4), "grad_norm": 1.25, "learning_rate": 5e-05, "epoch": 0.1} for loss in losses
            ]
            put(output / "train.log", "".join(f"{line}\n" for line in lines))

    ingest(tmp_path / "logs", db=db)

    assert (
        ask(db, "select count(*) from measurement where quantity = 'loss' and kind = 'step' group by run_id")
        == [(40,)] * 8
    )
    assert ask(db, ROLES) == [("copy", 28), ("duplicate_stream", 4), ("train", 8)]


def test_a_checkpoint_of_another_run_in_the_same_folder_stays_a_run(db: Path, tmp_path: Path) -> None:
    output = tmp_path / "logs" / "out"
    put(output / "trainer_state.json", state(LOSSES, ended=True))
    put(output / "checkpoint-100" / "trainer_state.json", state(LOSSES[:10]))
    put(output / "checkpoint-200" / "trainer_state.json", state([loss + 0.25 for loss in LOSSES[:20]]))
    ingest(tmp_path / "logs", db=db)

    assert ask(db, PATHS) == [
        ("copy", "out/checkpoint-100/trainer_state.json"),
        ("train", "out/checkpoint-200/trainer_state.json"),
        ("train", "out/trainer_state.json"),
    ]


def test_what_lies_beside_an_earlier_state_is_of_the_run(db: Path, tmp_path: Path) -> None:
    listed, by_stem = (run_text(seed=seed, at=5000.0 * seed) for seed in (1, 2))
    for name, made in (("listed", listed), ("by_stem", by_stem)):
        put(tmp_path / name / "run.log", begun(made.log))
        put(tmp_path / name / "run.csv", made.telemetry)
        put(tmp_path / "later" / name / "moved.log", made.log)
    said = {"benchledger_manifest": 1, "files": ["run.log", "run.csv"], "trial": 3}
    put(tmp_path / "listed" / "run.json", json.dumps(said))
    ingest(*(tmp_path / name for name in ("listed", "by_stem", "later")), db=db)

    assert ask(db, ROLES) == [("copy", 2), ("manifest", 1), ("telemetry", 2), ("train", 2)]
    assert ask(db, "select trial, status from run order by trial") == [(3, "ok"), (None, "ok")]


def test_the_same_run_twice_in_one_file_is_one_run(db: Path, tmp_path: Path) -> None:
    text = run_text(seed=1).log
    put(tmp_path / "logs" / "twice.log", text * 2)
    put(tmp_path / "logs" / "cut" / "first.log", begun(run_text(seed=2, at=9000).log) + run_text(seed=2, at=9000).log)
    ingest(tmp_path / "logs", db=db)

    assert ask(db, "select role, first_line > 1, path from run_log join sighting using (sighting_id) order by all") == [
        ("copy", False, "cut/first.log"), ("copy", True, "twice.log"),
        ("train", False, "twice.log"), ("train", True, "cut/first.log"),
    ]  # fmt: skip
    assert one(db, "select count(*) from measurement where quantity = 'loss' and name = 'step_loss'") == 238
    assert not run_bench("db", "check", db=db).exit_code


# Logs that begin alike: by how many, of how many records each.
GROUPS = {
    "no copies": "select n, 9, n from range({}) as t (n)",
    "copies": "select n, 9, 0 from range({}) as t (n)",
    "of many lengths": "select n, 9 + n % 400, 0 from range({}) as t (n)",
}
TABLES = """
create schema kept;
create table live_segment as
select
    log_id, 1 as segment, 'train' as role, 1 as first_line, records as last_line, 1 as first_record_line,
    records as last_record_line, records, 7.5 as beginning, [8.25, 8.0] as losses
from member;
create table log as select log_id, 1 as load_number, 'titan' as format, records as lines, records as bytes from member;
create table active_sighting (
    log_id bigint, sighting_id bigint, folder bigint, folders bigint[], stem varchar, replaced_at timestamp, of_copy boolean
);
create table sighting (sighting_id bigint, folder_path varchar);
create table listed_log (listing bigint, log_id bigint);
create table kept.shape (shape_id bigint, ordinal bigint, name varchar, kind varchar, unit varchar, quantity varchar);
create table kept.record as
select
    log_id, 1 as load_number, 1 as shape_id, line, line as byte_offset, line as step, null as epoch, null as device,
    null as label, timestamp '2026-01-02' + to_seconds(line) as logged_at, null as clock_s,
    [line::double, if(line = 2, noise, 0)] as "values", null as texts
from (select *, unnest(range(1, records + 1)) as line from member);
create table copy_of (
    log_id bigint, segment bigint, first_line bigint, last_line bigint, whole_id bigint, whole_segment bigint,
    role varchar, paired_by varchar
)
"""


def find_copies(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("begin")
    for name in ("derive_alike", "derive_copies"):
        con.execute(sql_text(name))
    con.execute("rollback")


def group_of(members: str, logs: int) -> duckdb.DuckDBPyConnection:
    con = duckdb.connect(config={"threads": 1})
    con.execute(
        f"create table member as select * from ({members.format(logs)}) as m (log_id, records, noise); {TABLES}"
    )
    return con


@pytest.mark.parametrize("members", GROUPS.values(), ids=GROUPS)
def test_logs_that_begin_alike_cost_time_in_proportion_to_their_number(members: str) -> None:
    assert_in_proportion(find_copies, group_of(members, 500), group_of(members, 4_000), floor_s=0.02)

"""Which logs belong to one run, how it ended, and which runs are trials of one series."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from benchledger import ingest
from benchledger.ingestion import derive
from benchledger.scanning.content import content_hash
from tests.ingestion.conftest import Files, Given, given
from tests.ingestion.logs import ask, put, run_text

CASE = "ngc_bert_base_sp_bs32_fp32"


BOTH = [run_text(gpus=1, batch=32, seed=1).log, run_text(gpus=8, batch=48, speed=1500, at=600, seed=2).log]


@given({"both.log": "".join(BOTH)})
def test_two_runs_in_one_file_are_two_runs_with_their_own_lines(own: Given) -> None:
    runs = own.ask(
        "select batch_size_per_gpu, gpus, status, steps_done from run join bench_case using (case_id) order by all"
    )
    assert runs == [(32, 1, "ok", 120), (48, None, "ok", 120)]
    assert own.ask("select value from fact where name = 'gpus' and strength = 'counted'") == [("8",)]
    (_, end), (start, last) = own.ask("select first_line, last_line from run_log order by first_line")
    assert end + 1 == start
    assert last == "".join(BOTH).count("\n")
    speeds = own.ask("select value from run_speed where is_default order by value")
    assert len(speeds) == 2
    assert speeds[0][0] < 300 < speeds[1][0]


def test_ids_of_runs_are_derived_in_the_type_in_which_tables_keep_them(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As any other number they are right too, but each join with a large table casts its column, row by row.
    kinds, keep = [], derive.keep

    def look(con: duckdb.DuckDBPyConnection, runs: str) -> None:
        kinds.extend(str(kind) for kind in con.sql(runs).types)
        keep(con, runs)

    monkeypatch.setattr(derive, "keep", look)
    put(tmp_path / "logs" / CASE / "train.log", run_text().log)
    ingest(tmp_path / "logs", db=db)

    assert kinds == ["BIGINT"]


def test_a_text_log_and_its_json_twin_are_one_run_in_whichever_order_they_come(db: Path, tmp_path: Path) -> None:
    orders = ("log first", "twin first", "together")
    runs = {order: run_text(seed=number, at=1000.0 * number) for number, order in enumerate(orders)}
    for late in (False, True):
        for order, run in runs.items():
            folder = tmp_path / "logs" / order.replace(" ", "_") / CASE
            if late or order != "twin first":
                put(folder / "train.log", run.log)
            if late or order != "log first":
                put(folder / "dllogger.json", run.twin)
        ingest(tmp_path / "logs", db=db)

    logs = """
        select campaign.campaign, list(role order by role), bool_and(role <> 'train' or run_key[:12] = content_hash[:12])
        from run_log join run using (run_id) join log using (log_id) join kept.run_campaign as campaign using (run_id)
        group by run_id, campaign.campaign"""
    expected = [(f"logs/{order.replace(' ', '_')}", ["duplicate_stream", "train"], True) for order in orders]
    assert sorted(ask(db, logs)) == sorted(expected)
    counts = "select count(*) from {} where name = 'step_loss' group by run_id order by run_id"
    assert ask(db, counts.format("measurement")) == [(119,)] * 3
    assert ask(db, counts.format("kept.measurement_all")) == [(238,)] * 3
    aliases = "select run_key[:12], old_key[:12] from kept.run_alias"
    log, twin = (content_hash(text.encode())[:12] for text in (runs["twin first"].log, runs["twin first"].twin))
    assert ask(db, aliases) == [(log, twin)]


def cut_log() -> Files:
    run = run_text(seed=3)
    return {
        f"{CASE}/train.log": run.log[: run.log.index("Training Iteration: 60 ")],
        f"{CASE}/dllogger.json": run.twin,
    }


@given(cut_log)
def test_what_a_cut_log_lacks_is_taken_from_its_twin(own: Given) -> None:
    assert own.one("select status, steps_done from run") == ("ok", 120)
    assert own.one("select count(*) from measurement where name = 'step_loss'") == 119
    assert own.one("select count(distinct step) from measurement where kind = 'step'") == 120


@given(lambda: {"a/train.log": run_text(seed=4).log, "b/dllogger.json": run_text(seed=4).twin})
def test_a_stream_with_the_fine_times_of_a_log_is_of_its_run_in_another_folder_too(own: Given) -> None:
    roles = own.ask("select role, count(*) from run_log group by all order by role")
    assert roles == [("duplicate_stream", 1), ("train", 1)]


@given(
    {
        "04-11-2020_00-27-41.txt": run_text(seed=5).log,
        "04-11-2020_00-27-41_monitor.csv": "42, 5 %, 904 MiB\n43, 90 %, 33622 MiB\n41, 0 %, 3 MiB\n",
    }
)
def test_telemetry_is_paired_by_folder_and_stem(own: Given) -> None:
    assert own.unpaired == 0
    assert own.one("select definition, value_mib from run_memory") == ("device", 33622.0)
    assert own.one("select paired_by from run_log where role = 'telemetry'") == "same folder and stem"


def watched() -> Files:
    runs = [run_text(batch=32, at=0, seed=6), run_text(batch=48, at=300, seed=7)]
    header, *rows = runs[0].telemetry.splitlines()
    rows += [line.replace(" 14000 MiB", " 17000 MiB") for line in runs[1].telemetry.splitlines()[1:]]
    return {
        "nvidia_smi/all.csv": "\n".join([header, *rows]) + "\n",
        "ngc_bert_base_sp_bs32_fp32/a.log": runs[0].log,
        "ngc_bert_base_sp_bs48_fp32/b.log": runs[1].log,
    }


@given(watched)
def test_a_monitor_of_the_machine_serves_each_run_in_its_time(own: Given) -> None:
    memory = "select batch_size_per_gpu, value_mib, device from run_memory join bench_case using (case_id) order by 1"
    assert own.ask(memory) == [(32, 14000.0, "0"), (48, 17000.0, "0")]
    assert own.ask("select distinct gpu_model from run join environment using (environment_id)") == [("MADE-40GB",)]


def watched_at_once() -> Files:
    runs = [run_text(batch=32, at=0, seed=8), run_text(batch=48, at=1, seed=9)]
    return {
        "nvidia_smi/all.csv": runs[0].telemetry,
        "ngc_bert_base_sp_bs32_fp32/a.log": runs[0].log,
        "ngc_bert_base_sp_bs48_fp32/b.log": runs[1].log,
    }


@given(watched_at_once)
def test_a_monitor_beside_two_runs_at_once_belongs_to_neither(own: Given) -> None:
    assert own.unpaired == 1
    assert own.ask("select * from run_memory") == []
    assert own.one("select count(*) from measurement where kind = 'sample' and run_id is not null") == 0


def three_trials() -> Files:
    runs = [run_text(speed=200.0 + trial, at=300 * trial, seed=10 + trial) for trial in (1, 2, 3)]
    folders = (CASE, f"{CASE}_run2", f"{CASE}_run3")
    logs = {f"{folder}/train.log": run.log for folder, run in zip(folders, runs, strict=True)}
    return {**logs, f"{CASE}/train.csv": runs[0].telemetry}


@given(three_trials)
def test_three_trials_of_one_case_are_one_series_though_only_one_states_its_gpu(own: Given) -> None:
    table = "select gpu_model, trials, trials_dropped from speed_table where is_default"
    assert own.one(table) == ("MADE-40GB", 3, 0)
    assert own.ask("select trial from kept.series_run order by 1") == [(1,), (2,), (3,)]


EVIDENCE = [
    ("ok", 120, "", "ok"),
    # A traceback or a SIGTERM that follows a good summary changes nothing.
    ("ok", 120, "Traceback (most recent call last):\n", "ok"),
    ("ok", 120, "slurmstepd: error: *** JOB 1 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***\n", "ok"),
    ("terminated", 66, "", "too_few_steps"),
    ("killed", 53, "", "truncated"),
    # DONE! stands in crashed logs too.
    ("killed", 53, "DONE!\n", "truncated"),
    ("killed", 53, "slurmstepd: error: *** JOB 1 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***\n", "timeout"),
    ("killed", 53, "Traceback (most recent call last):\n", "failed"),
    ("killed", 53, "RuntimeError: CUDA out of memory. Tried to allocate 1 GiB\nTraceback (most recent call last):\n", "oom"),
    ("oom", 0, "", "oom"),
]  # fmt: skip


def ended() -> Files:
    texts = [
        run_text(ends=ends, steps=steps, seed=20 + number, at=9000 * number).log + more
        for number, (ends, steps, more, _) in enumerate(EVIDENCE)
    ]
    return {f"{number}/run.log": text for number, text in enumerate(texts)}


@given(ended)
def test_status_is_evidence_weighed(own: Given) -> None:
    found = own.ask(
        """select run.status from run join run_log using (run_id) join sighting using (log_id)
           order by split_part(path, '/', 1)::integer"""
    )
    assert [status for (status,) in found] == [status for _, _, _, status in EVIDENCE]


def without_loss() -> Files:
    text = run_text(seed=41).log
    start = text.rindex("final_loss : ") + len("final_loss : ")
    return {"run.log": text[:start] + "nan" + text[text.index("  ", start) :]}


@given(without_loss)
def test_a_run_whose_last_loss_is_no_number_is_nan_and_its_speed_is_no_trial(own: Given) -> None:
    assert own.one("select status from run") == "nan"
    assert own.one("select status, trials, value from speed_table where is_default") == ("nan", 0, None)


@given({"run.log": run_text(ends="oom", seed=42).log})
def test_a_failed_run_is_a_status_and_never_zero(own: Given) -> None:
    assert own.ask("select value, status from run_speed where is_default") == [(None, "oom")]
    assert own.one("select value, status from speed_table where is_default") == (None, "oom")
    assert own.one("select text from kept.failure_table").startswith("out_of_memory: Tried to allocate 1.50 GiB")


def tail() -> Files:
    text = run_text(gpus=8, speed=1500, seed=43).log
    return {"run.log": text[text.index("Training Iteration: 50 ") - 60 :]}


@given(tail)
def test_a_tail_of_a_log_states_no_gpus_and_gets_none(own: Given) -> None:
    case = "select gpus, nodes, precision, batch_size_per_gpu, model from run join bench_case using (case_id)"
    assert own.one(case) == (None,) * 5
    assert own.ask("select status, reason from run_speed where rule = 'steps.median_skip20'") == [
        ("missing_fact", "global_batch_size")
    ]


DAY = 86400.0


def after_a_day(seconds: float) -> str:
    return run_text(seed=52, at=DAY + seconds).telemetry.replace(" 14000 MiB", " 17000 MiB")


@given(
    {
        "twin/run.log": run_text(seed=51).log,
        "twin/run.json": run_text(seed=52, at=3000).twin,
        "other day/run.log": run_text(seed=53).log,
        "other day/run.csv": after_a_day(0),
        "appended/run.log": run_text(seed=54).log,
        "appended/run.csv": run_text(seed=54).telemetry + "".join(after_a_day(7).splitlines(keepends=True)[1:]),
    }
)
def test_a_companion_by_name_is_none_where_its_times_are_those_of_another_run(own: Given) -> None:
    roles = "select path, list(role order by role) from run_log join sighting using (sighting_id) group by path order by path"
    assert own.ask(roles) == [
        ("appended/run.csv", ["telemetry"]),
        ("appended/run.log", ["train"]),
        ("other day/run.log", ["train"]),
        ("twin/run.json", ["train"]),
        ("twin/run.log", ["train"]),
    ]
    assert own.ask("select max(value_mib) < 17000 from run_memory where definition = 'device'") == [(True,)]


def test_a_monitor_log_that_was_written_again_counts_once(db: Path, tmp_path: Path) -> None:
    run = run_text(seed=55)
    put(tmp_path / "run.log", run.log)
    for mib in (17000, 14000):
        put(tmp_path / "run.csv", run.telemetry.replace(" 14000 MiB", f" {mib} MiB"))
        ingest(tmp_path, db=db)

    assert ask(db, "select max(value_mib) < 17000 from run_memory where definition = 'device'") == [(True,)]

"""A tracker's files and the text log of the same execution are one run; alone they are a run by themselves."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from benchledger import ingest
from tests.ingestion.conftest import made
from tests.ingestion.logs import ask, put, run_text, stable_tables
from tests.trackers.made import START, put_events, put_mlflow, put_wandb

LOSSES = [4.0, 2.0, 1.0, 0.5, 0.25]
RUN = "0123456789abcdef0123456789abcdef"
ROLES = """
select format, role, count(distinct run_id), count(*), any_value(paired_by) from run_log join log using (log_id)
group by all order by all
"""


def text_of(seed: int = 1) -> str:
    return run_text(seed=seed).log


@pytest.fixture(scope="module")
def told(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger of trackers' files: what each test asks about is a root, and a campaign, of its own, with other losses."""
    home = tmp_path_factory.mktemp("told")
    roots = home / "roots"

    def losses(number: int) -> dict[str, list[float]]:
        return {"train/loss": [loss * (1 + number / 64) for loss in LOSSES]}

    below = roots / "below"
    put_events(below / "one", losses(1))
    put_events(below / "one" / "hparams", {"best": [0.25]}, START + 41)
    put_events(below / "one" / "again", losses(2), START + 9_000)
    near = roots / "near"
    put(near / "train.log", text_of(11))
    put_events(near / "runs" / "one", losses(3))
    put_events(near / "runs" / "two", losses(4), START + 9_000)
    pair = roots / "pair"
    put(pair / "one.log", text_of(12))
    put(pair / "two.log", text_of(13))
    put_events(pair, losses(5))
    console = put_wandb(roots / "console", "c0c0c0c0", losses(6))
    put(console / "files" / "output.log", text_of(14))
    for version in (0, 1):
        folder = roots / "lightning" / "lightning_logs" / f"version_{version}"
        put(folder / "hparams.yaml", "layers: 24\n")
        put(folder / "metrics.csv", f"epoch,step,train_loss\n0,1,{version}.5\n0,2,{version}.25\n")
    ended = roots / "ended"
    put(ended / "train.log", text_of(15))
    put_wandb(ended, "e0e0e0e0", losses(7))
    said = {"benchledger_manifest": 1, "files": ["train.log"], "exit_code": 139}
    put(ended / "manifest.json", json.dumps(said))
    put_events(roots / "utc", losses(8))
    db = made(defined_ledger, home / "ledger")
    ingest(*sorted(roots.iterdir()), db=db)
    return db


def of(root: str) -> str:
    """The condition that a run, or a log of one, is of this root or of a folder in it."""
    return f"run_id in (select run_id from kept.run_campaign where campaign = '{root}' or campaign like '{root}/%')"


def test_text_log_events_and_wandb_are_one_run_with_its_speeds_once(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "alone" / "train.log", text_of())
    ingest(tmp_path / "alone", db=tmp_path / "alone.duckdb")
    speeds = ask(tmp_path / "alone.duckdb", "select rule, unit, value from run_speed order by all")
    logs = tmp_path / "logs"
    put(logs / "train.log", text_of())
    put_events(logs / "runs" / "one", {"train/loss": LOSSES, "samples_per_second": [100.0] * 5})
    console = put_wandb(logs, "a1b2c3d4", {"train/loss": LOSSES, "samples_per_second": [100.0] * 5})
    put(console / "files" / "output.log", text_of() + "wandb: the end\n")

    result = ingest(logs, db=db)

    assert (result.files, result.rejects, result.unpaired) == ({"loaded": 4}, 0, 0)
    assert ask(db, ROLES) == [
        ("ngc-pytorch-bert", "tracker", 1, 1, "console output of its tracker"),
        ("ngc-pytorch-bert", "train", 1, 1, "its own log"),
        ("tensorboard", "tracker", 1, 1, "alone in a folder above"),
        ("wandb", "tracker", 1, 1, "alone in a folder above"),
    ]
    assert ask(db, "select count(*) from run") == [(1,)]
    assert speeds
    assert ask(db, "select rule, unit, value from run_speed order by all") == speeds
    assert ask(
        db,
        "select format, count(value) from measurement join log using (log_id) where name = 'train/loss' group by all order by all",
    ) == [("tensorboard", 5), ("wandb", 5)]


def test_trackers_without_a_text_log_are_a_run(db: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    put_events(logs / "a", {"train/loss": LOSSES})
    put_wandb(logs / "b", "a1b2c3d4", {"train/loss": LOSSES})
    put_mlflow(logs / "c", RUN, {"train/loss": LOSSES, "val/acc": [0.5]}, {"layers": "24", "same": "24"})

    result = ingest(logs, db=db)

    assert (result.files, result.rejects) == ({"loaded": 8}, 0)
    assert ask(db, "select count(*) from run") == [(3,)]
    assert ask(db, "select name, losses, lowest from kept.loss order by all") == [("train/loss", 5, 0.25)] * 3
    assert ask(db, "select count(*) from run_speed where value is not null") == [(0,)]
    assert ask(db, "select distinct value from fact where name = 'tracker_run' order by all") == [(RUN,), ("a1b2c3d4",)]
    run = f"run_id = (select run_id from fact where name = 'tracker_run' and value = '{RUN}' limit 1)"
    assert ask(db, f"select name, value from measurement where {run} and name in ('layers', 'same', 'val/acc') order by 1") == [
        ("layers", 24.0), ("same", 24.0), ("val/acc", 0.5),
    ]  # fmt: skip


def test_yolo_s_results_belong_to_the_text_log_beside_them_and_are_else_a_run(db: Path, tmp_path: Path) -> None:
    header, row = "epoch,  train/box_loss, metrics/mAP50(B),  val/box_loss", "1,  1.125,  0.5,  1.25"
    log = """
      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size
        1/1      4.25G      1.125        2.5        1.5         19        640: 100%|██████████| 8/8 [00:04<00:00,  2.50it/s]
"""
    put(tmp_path / "logs" / "with" / "train.log", log)
    put(tmp_path / "logs" / "with" / "results.csv", f"{header}\n{row}\n")
    put(tmp_path / "logs" / "without" / "results.csv", f"{header}\n{row.replace('1.25', '1.5')}\n")

    assert ingest(tmp_path / "logs", db=db).rejects == 0
    assert ask(db, ROLES) == [
        ("ultralytics", "train", 1, 1, "its own log"),
        ("yolo-results", "tracker", 1, 1, "alone in its folder"),
        ("yolo-results", "train", 1, 1, "its own log"),
    ]
    assert ask(db, "select phase, value from measurement where name in ('metrics/mAP50(B)', 'val/box_loss') order by all") == [
        ("validation", 0.5), ("validation", 0.5), ("validation", 1.25), ("validation", 1.5),
    ]  # fmt: skip


def test_two_trackers_of_one_time_are_one_run(db: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    put_events(logs / "runs" / "one", {"train/loss": LOSSES})
    put_wandb(logs, "a1b2c3d4", {"train/loss": LOSSES})
    put_mlflow(logs, RUN, {"train/loss": LOSSES}, {})
    put_events(logs / "later" / "runs" / "two", {"train/loss": LOSSES}, START + 90_000)
    put_wandb(logs / "later", "e5f6a7b8", {"train/loss": LOSSES})

    ingest(logs, db=db)

    assert ask(db, "select count(*) from run") == [(3,)]


def test_files_of_tensorboard_below_another_are_of_its_run_while_it_lasts(told: Path) -> None:
    files = f"select count(*) as files from run_log where {of('below')} group by run_id order by 1"
    assert ask(told, files) == [(1,), (2,)]


def test_a_text_log_near_two_runs_of_one_tracker_is_of_neither(told: Path) -> None:
    assert ask(told, f"select count(*) from run where {of('near')}") == [(3,)]
    assert ask(told, f"select count(*) from run_log where role = 'tracker' and {of('near')}") == [(0,)]


def test_two_text_logs_in_a_folder_leave_a_tracker_alone(told: Path) -> None:
    assert ask(told, f"select count(*) from run where {of('pair')}") == [(3,)]


def test_console_output_is_the_text_log_where_there_is_no_other(told: Path) -> None:
    roles = "select role, format, paired_by from run_log join log using (log_id)"
    assert ask(told, f"{roles} where {of('console')} order by all") == [
        ("tracker", "wandb", "console output of its tracker"),
        ("train", "ngc-pytorch-bert", "its own log"),
    ]


def test_equal_settings_of_two_lightning_runs_belong_to_both(told: Path) -> None:
    layers = f"select count(distinct run_id), count(*) from measurement where name = 'layers' and {of('lightning')}"
    assert ask(told, layers) == [(2, 2)]
    roles = f"select role, count(*) from run_log where {of('lightning')} group by all order by all"
    assert ask(told, roles) == [("tracker", 2), ("train", 2)]


@pytest.mark.parametrize("together", [8, pytest.param(1, marks=pytest.mark.long)])
def test_order_and_number_of_ingests_change_nothing(tmp_path: Path, together: int) -> None:
    logs = tmp_path / "logs"
    put(logs / "a" / "train.log", text_of())
    put_events(logs / "a" / "runs" / "one", {"train/loss": LOSSES})
    put_events(logs / "a" / "runs" / "one" / "hparams", {"best": [0.25]}, START + 41)
    console = put_wandb(logs / "a", "a1b2c3d4", {"train/loss": LOSSES})
    put(console / "files" / "output.log", text_of() + "wandb: the end\n")
    put_mlflow(logs / "b", RUN, {"train/loss": LOSSES, "val/acc": [0.5]}, {"layers": "24", "same": "24"})
    put_events(logs / "b" / "runs", {"train/loss": LOSSES[:4]})
    whole = tmp_path / "whole.duckdb"
    ingest(logs, db=whole)
    files = sorted(path for path in logs.rglob("*") if path.is_file())

    for name, order in (("forwards", files), ("backwards", files[::-1])):
        db = tmp_path / f"{name}.duckdb"
        for first in range(0, len(order), together):
            # The root is the whole folder, of which the files come one by one, or a few at a time.
            ingest(*order[first : first + together], db=db)
        ingest(logs, db=db)
        assert stable_tables(db) == stable_tables(whole), name
        pairs = "select run_key, role, content_hash, paired_by from run_log join run using (run_id) join log using (log_id) order by all"
        assert ask(db, pairs) == ask(whole, pairs)


def test_a_run_keeps_its_key_when_its_text_log_comes(db: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    put_events(logs / "runs" / "one", {"train/loss": LOSSES})
    ingest(logs, db=db)
    ((old,),) = ask(db, "select run_key from run")
    put(logs / "train.log", text_of())

    ingest(logs, db=db)

    ((new,),) = ask(db, "select run_key from run")
    assert new != old
    assert ask(db, "select old_key, run_key from kept.run_alias") == [(old, new)]


def test_a_growing_event_file_replaces_its_older_self(db: Path, tmp_path: Path) -> None:
    file = put_events(tmp_path / "logs", {"train/loss": LOSSES})
    whole = file.read_bytes()
    file.write_bytes(whole[:-20])
    ingest(tmp_path / "logs", db=db)
    assert ask(db, "select count(*) from reject") == [(1,)]
    file.write_bytes(whole)

    ingest(tmp_path / "logs", db=db)

    assert ask(db, "select status, count(*) from sighting group by all order by all") == [
        ("loaded", 1),
        ("superseded", 1),
    ]
    values = "select count(value) from measurement where name = 'train/loss' and run_id in (select run_id from run)"
    assert ask(db, values) == [(5,)]


def test_a_copied_folder_is_the_same_run(db: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    put_events(logs / "a", {"train/loss": LOSSES})
    put_mlflow(logs / "a", RUN, {"train/loss": LOSSES[:2]}, {"layers": "24"})
    shutil.copytree(logs / "a", logs / "b")

    result = ingest(logs, db=db)

    assert result.files == {"loaded": 5, "duplicate": 5}
    assert ask(db, "select count(*) from run") == [(1,)]


def test_a_manifests_exit_code_counts_more_than_that_of_wandb(told: Path) -> None:
    codes = f"select source, value, used from fact where name = 'exit_code' and {of('ended')} order by all"
    assert ask(told, codes) == [("log", "0", False), ("manifest", "139", True)]


def test_an_archive_of_a_folder_is_the_same_run(db: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    put(logs / "train.log", text_of())
    put_events(logs / "runs" / "one", {"train/loss": LOSSES})
    put_mlflow(logs, RUN, {"train/loss": LOSSES, "val/acc": [0.5]}, {"layers": "24"})
    packed = shutil.make_archive(str(tmp_path / "packed"), "gztar", tmp_path, "logs")
    ingest(packed, db=db)
    pairs = (
        "select run_key, role, content_hash from run_log join run using (run_id) join log using (log_id) order by all"
    )
    first = ask(db, pairs)

    result = ingest(logs, db=db)

    assert len({key for key, _, _ in first}) == 1
    assert result.files == {"duplicate": 7}
    assert ask(db, pairs) == first


def test_runs_of_one_store_are_in_one_campaign(db: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    put_mlflow(logs / "autumn", RUN, {"val/acc": [0.5], "loss": LOSSES}, {"layers": "24"})
    put_mlflow(logs / "autumn", RUN[::-1], {"loss": LOSSES[:3]}, {})
    put_wandb(logs / "autumn", "a1b2c3d4", {"loss": LOSSES[:2]})

    ingest(logs, db=db)

    assert ask(db, "select distinct campaign from sighting") == [("logs/autumn",)]


def test_no_person_of_a_tracker_is_in_the_ledger(db: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    put_events(logs, {"train/loss": LOSSES})
    put_wandb(logs, "a1b2c3d4", {"train/loss": LOSSES})
    run = put_mlflow(logs, RUN, {"train/loss": LOSSES}, {})
    put(run / "tags" / "mlflow.user", "somebody")

    ingest(logs, db=db)

    for table, column in (("measurement", "text"), ("sighting", "path"), ("fact", "value"), ("reject", "text")):
        assert (
            ask(db, f"select {column} from {table} where {column} like '%somebody%' or {column} like '%node7%'") == []
        )


def test_times_are_those_of_utc(told: Path) -> None:
    start = datetime.fromtimestamp(START, UTC).replace(tzinfo=None)
    times = ask(told, f"select started_at, ended_at from run where {of('utc')}")
    assert times == [(start, start + timedelta(seconds=40))]


@pytest.mark.parametrize("cut", ["1700000012000 17", "1700000012000 1.75 1", "1700000012000 1.75 12"])
def test_the_last_line_of_a_metric_without_its_end_is_no_value(tmp_path: Path, db: Path, cut: str) -> None:
    lines = "".join(f"{1700000000000 + 1000 * step} {2.5 - step / 20} {step}\n" for step in range(12))
    put(tmp_path / "logs/mlruns/0" / RUN / "metrics/train_loss", lines + cut)
    put(tmp_path / "logs/lightning_logs/version_0/metrics.csv", "train_loss,epoch,step\n2.5,0,10\n2.25,0,11\n1.75,0,1")
    ingest(tmp_path / "logs", db=db)

    assert ask(db, "select count(*), max(step) from kept.record where step is not null") == [(14, 11)]
    assert ask(db, "select sum(pieces) from kept.ignored_piece where reason = 'unfinished last line'") == [(2,)]


@pytest.mark.parametrize("name", ["training.csv", "lightning_logs/version_0/metrics.csv"])
def test_a_resumed_run_that_appends_other_columns_is_read_by_its_own_header(
    tmp_path: Path, db: Path, name: str
) -> None:
    first = "".join(f"{5 - at / 10},{at},{5.5 - at / 10}\n" for at in range(8))
    resumed = "".join(f"0.{50 + at},{4 - at / 10},{at}\n" for at in range(8, 16))
    put(tmp_path / "logs" / name, f"loss,step,val_loss\n{first}accuracy,loss,step\n{resumed}")
    ingest(tmp_path / "logs", db=db)

    found = "select name, count(*), min(value), max(value), max(step) from measurement group by all order by all"
    assert ask(db, found) == [("accuracy", 8, 0.58, 0.65, 15), ("loss", 16, 2.5, 5.0, 15), ("val_loss", 8, 4.8, 5.5, 7)]
    assert ask(db, "select count(*) from reject") == [(0,)]

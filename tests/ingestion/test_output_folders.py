"""A program's streams in its output folder are of the run whose console log lies in another folder near it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from benchledger import forget, ingest
from tests.ingestion.logs import ask, one, put, run_text, stable_tables
from tests.ingestion.test_twins_without_times import LOSSES, printed, state


def shifted(number: int) -> list[float]:
    return [loss + number / 10 for loss in LOSSES]


def llama(losses: list[float]) -> str:
    lines = [
        {"current_steps": 10 * step, "total_steps": 400, "loss": float(f"{loss:.4g}"), "lr": 5e-05, "epoch": step / 10,
         "percentage": step / 0.4, "elapsed_time": f"0:0{step % 10}:00", "remaining_time": "0:01:00"}
        for step, loss in enumerate(losses, start=1)
    ]  # fmt: skip
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def mmengine(losses: list[float]) -> tuple[str, str]:
    log = "".join(
        f"2023/06/13 15:{step:02d}:00 - mmengine - INFO - Iter(train) [{step * 50:4d}/2000]  lr: 9.9960e-03  eta: 0:34:24"
        f"  time: 0.50{step:02d}  data_time: 0.0367  memory: 4796  loss: {loss:.4f}\n"
        for step, loss in enumerate(losses, start=1)
    )
    scalars = [
        {"lr": 0.009996, "data_time": 0.0367, "loss": loss, "time": 0.5, "iter": step * 50, "step": step * 50}
        for step, loss in enumerate(losses, start=1)
    ]
    return log, "".join(f"{json.dumps(line)}\n" for line in scalars)


def detectron2(losses: list[float]) -> tuple[str, str]:
    log = "".join(
        f"[09/01 12:{step:02d}:00 d2.utils.events]:  eta: 1:05:12  iter: {step * 20 - 1}  total_loss: {loss:.4g}"
        f"  loss_cls: 0.512  time: 0.36{step:02d}  data_time: 0.0072  lr: 0.02  max_mem: 3402M\n"
        for step, loss in enumerate(losses, start=1)
    )
    metrics = [
        {
            "data_time": 0.0072,
            "iteration": step * 20 - 1,
            "loss_cls": 0.512,
            "lr": 0.02,
            "time": 0.36,
            "total_loss": loss,
        }
        for step, loss in enumerate(losses, start=1)
    ]
    return log, "".join(f"{json.dumps(line)}\n" for line in metrics)


MMENGINE, DETECTRON2 = mmengine(shifted(20)), detectron2(shifted(21))
SEED = shifted(30)
# Files, and of each run how many logs and how many losses. Each case has losses of its own, except for trials of one seed.
CASES: dict[str, tuple[dict[str, str], list[tuple[int, int]]]] = {
    "output below": ({"train.log": printed(shifted(1)), "out/trainer_state.json": state(shifted(1))}, [(2, 40)]),
    "deep": ({"train.log": printed(shifted(2)), "a/b/c/trainer_state.json": state(shifted(2))}, [(2, 40)]),
    "log below": ({"logs/train.log": printed(shifted(3)), "trainer_state.json": state(shifted(3))}, [(2, 40)]),
    "two streams": (
        {"run.log": printed(shifted(4)), "s/trainer_state.json": state(shifted(4)), "s/trainer_log.jsonl": llama(shifted(4))},
        [(3, 40)],
    ),
    "log cut off": (
        {"run.log": printed(shifted(5)[:9], ended=False), "s/trainer_state.json": state(shifted(5)),
         "s/trainer_log.jsonl": llama(shifted(5))},
        [(3, 40)],
    ),
    "streams alone": ({"trainer_state.json": state(shifted(6)), "trainer_log.jsonl": llama(shifted(6))}, [(2, 40)]),
    "streams of two runs": (
        {"trainer_state.json": state(shifted(7)), "trainer_log.jsonl": llama(shifted(8))}, [(1, 40), (1, 40)],
    ),
    "streams of a seed": (
        {"a.json": state(shifted(31)), "b.json": state(shifted(31)) + "\n", "trainer_log.jsonl": llama(shifted(31))},
        [(1, 40)] * 3,
    ),
    "mmengine": ({"ts/ts.log": MMENGINE[0], "ts/vis_data/scalars.json": MMENGINE[1]}, [(2, 40)]),
    "detectron2": ({"log.txt": DETECTRON2[0], "metrics.json": DETECTRON2[1]}, [(2, 40)]),
    "seeds": (
        {f"seed{n}/{name}": text + n * "\n" for n in range(3)
         for name, text in (("train.log", printed(SEED)), ("out/trainer_state.json", state(SEED)))},
        [(2, 40)] * 3,
    ),
    "trials of a seed, one log": (
        {"train.log": printed(SEED) + 8 * "\n", "a/trainer_state.json": state(SEED) + 8 * "\n",
         "b/trainer_state.json": state(SEED) + 9 * "\n"},
        [(1, 40)] * 3,
    ),
    "trials of a seed, one stream": (
        {"a.log": printed(SEED) + 10 * "\n", "b.log": printed(SEED) + 11 * "\n",
         "out/trainer_state.json": state(SEED) + 10 * "\n"},
        [(1, 40)] * 3,
    ),
    "other losses": ({"train.log": printed(shifted(9)), "out/trainer_state.json": state(shifted(10))}, [(1, 40)] * 2),
    "another run's output": (
        {"one/train.log": printed(shifted(11)), "two/trainer_state.json": state(shifted(11))}, [(1, 40)] * 2,
    ),
}  # fmt: skip
RUNS = """
select log.folder as folder, logs, losses
from (
    select run_id, split_part(min(path), '/', 1) as folder, count(*) as logs
    from run_log join sighting using (sighting_id) group by run_id
) as log
join (
    select run_id, count(*) as losses from measurement where name in ('loss', 'total_loss') and phase = 'train' group by run_id
) as loss using (run_id)
order by all
"""


def runs(db: Path) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for folder, *counts in ask(db, RUNS):
        found.setdefault(folder, []).append(tuple(counts))
    return found


def test_streams_of_an_output_folder_are_of_the_run_of_its_log_in_whatever_order_they_come(
    db: Path, db2: Path, tmp_path: Path
) -> None:
    expected = {name: found for name, (_, found) in CASES.items()}
    for name, (files, _) in CASES.items():
        for path, text in files.items():
            put(tmp_path / "logs" / name / path, text)
    ingest(tmp_path / "logs", db=db)

    assert runs(db) == expected
    assert ask(db, "select distinct paired_by from run_log where role = 'duplicate_stream' order by all") == [
        ("same folder and records",), ("same records in a nearby folder",),
    ]  # fmt: skip

    # Logs first, or streams first: what lies beside them counts later.
    for late in ("*.json*", "*.log*"):
        kept = {path: path.read_text() for path in (tmp_path / "logs").rglob(late)}
        for path in kept:
            path.unlink()
        ingest(tmp_path / "logs", db=db2)
        for path, text in kept.items():
            put(path, text)
        ingest(tmp_path / "logs", db=db2)
        assert stable_tables(db2) == stable_tables(db)

    # Without the other trial's stream the log has one that fits.
    forget("trials of a seed, one log/b/trainer_state.json", db=db)
    assert runs(db)["trials of a seed, one log"] == [(2, 40)]


def test_a_stream_with_the_fine_times_of_a_log_is_of_its_run_wherever_it_lies(
    db: Path, db2: Path, tmp_path: Path
) -> None:
    for name, at, fraction in (("fine", 0, r"\g<0>"), ("whole seconds", 9000, "000000")):
        made = run_text(seed=at, at=at)
        for path, text in (("logs/train.log", made.log), ("json/a/dllogger.json", made.twin)):
            put(tmp_path / "logs" / name / path, re.sub(r"(?<=:\d\d\.)\d{6}", fraction, text))
    ingest(tmp_path / "logs", db=db)
    ingest(*sorted((tmp_path / "logs").glob("*/json")), db=db2)
    ingest(*sorted((tmp_path / "logs").glob("*/logs")), db=db2)

    # Trials that begin in one second may print at the same seconds.
    logs = "select first(path), count(*) from run_log join sighting using (sighting_id) where role <> 'copy' group by run_id"
    assert sorted(count for _, count in ask(db, logs)) == [1, 1, 2]
    assert ask(db, "select run_key, status from run order by all") == ask(
        db2, "select run_key, status from run order by all"
    )
    assert (
        one(db, "select paired_by from run_log where role = 'duplicate_stream'")
        == "same times, to fractions of a second"
    )

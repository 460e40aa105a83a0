"""A duplicate stream whose log prints no times: Hugging Face's trainer_state.json beside what the trainer printed."""

import json
from pathlib import Path

from benchledger import ingest
from tests.ingestion.logs import ask, put

LOSSES = [10.95 - 0.06137 * step for step in range(40)]


def printed(losses: list[float], *, ended: bool = True) -> str:
    lines = [
        str({"loss": float(f"{loss:.4g}"), "grad_norm": 1.25, "learning_rate": 5e-05, "epoch": number / 10})
        for number, loss in enumerate(losses, start=1)
    ]
    if ended:
        closing = {
            "train_runtime": 273.0,
            "train_samples_per_second": 3.66,
            "train_steps_per_second": 0.007,
        }
        lines.append(str({**closing, "epoch": 4.0}))
    return "".join(f"{line}\n" for line in lines)


def state(losses: list[float]) -> str:
    history = [
        {"epoch": number / 10, "learning_rate": 5e-05, "loss": loss, "step": number * 10}
        for number, loss in enumerate(losses, start=1)
    ]
    closing = {
        "train_loss": 9.7,
        "train_runtime": 273.0149,
        "train_samples_per_second": 3.663,
        "train_steps_per_second": 0.007,
    }
    history.append({"epoch": 4.0, "step": 400, "total_flos": 1.0, **closing})
    return json.dumps(
        {"epoch": 4.0, "global_step": 400, "is_world_process_zero": True, "max_steps": 400, "log_history": history}
    )


def ingested(db: Path, folder: Path, **files: str) -> list[tuple[int, int]]:
    """Losses of each run, and how many logs it has."""
    for name, text in files.items():
        put(folder / "run" / name.replace("__", "."), text)
    ingest(folder, db=db)
    return ask(
        db,
        "select losses, logs"
        " from (select run_id, count(*) as losses from measurement where name = 'loss' group by run_id)"
        " join (select run_id, count(*) as logs from run_log group by run_id) using (run_id) order by all",
    )


def test_a_log_and_the_state_with_the_same_losses_are_one_run_and_each_loss_counts_once(
    db: Path, tmp_path: Path
) -> None:
    assert ingested(db, tmp_path, train__log=printed(LOSSES), trainer_state__json=state(LOSSES)) == [(40, 2)]


def test_what_a_log_that_was_cut_off_lacks_comes_from_its_state_though_a_loss_is_repeated(
    db: Path, tmp_path: Path
) -> None:
    plateau = [2.6, 2.5, 2.4, 2.35, *[2.3, 2.301] * 8]

    log = printed(plateau[:10], ended=False)
    assert ingested(db, tmp_path, train__log=log, trainer_state__json=state(plateau)) == [(20, 2)]


def test_the_state_of_another_run_beside_a_log_stays_a_run_of_its_own(db: Path, tmp_path: Path) -> None:
    theirs = {
        "other losses": [loss - 0.02 for loss in LOSSES],
        "other losses from the ninth on": [*LOSSES[:8], *[loss - 0.02 for loss in LOSSES[8:]]],
        "the same losses in another order": LOSSES[::-1],
    }
    files = {}
    for number, (name, losses) in enumerate(theirs.items()):
        # Each log has bytes of its own.
        files |= {f"{name}/train.log": printed(LOSSES) + "\n" * number, f"{name}/trainer_state.json": state(losses)}

    assert ingested(db, tmp_path, **files) == [(40, 1)] * 6


def test_a_state_that_fits_the_logs_of_two_trials_of_one_seed_is_of_neither(db: Path, tmp_path: Path) -> None:
    logs = {"trial1__log": printed(LOSSES), "trial2__log": printed(LOSSES) + "\n"}

    assert ingested(db, tmp_path, **logs, trainer_state__json=state(LOSSES)) == [(40, 1)] * 3

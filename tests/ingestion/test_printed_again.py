"""A line that is printed again, by a second handler or by each rank, is no further step: a rule skips as many steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.bench import run_bench
from tests.ingestion.logs import ask, put, run_text

# The steps of each program: number, seconds, speed. The first ones are slow.
STEPS = [(n, 9.5 if n < 3 else 0.25 + n / 1000, 30.0 if n < 3 else 900.0 + n) for n in range(1, 16)]
LINES = {
    "megatron-gpt": " iteration {n:8}/      90 | consumed samples: {n} | elapsed time per iteration (ms): {ms:.1f} |"
    " learning rate: 1.0E-04 | global batch size:   256 | lm loss: 7.1E+00 |",
    "mmseg": "2021-05-31 00:15:{n:02},967 - mmseg - INFO - Iter [{n}/20]\tlr: 7.282e-03, eta: 1 day, 0:00:24, time: {s:.3f},"
    " data_time: 0.044, memory: 11439, decode.loss_seg: 2.5670, decode.acc_seg: 33.7779, loss: 2.5670",
    "paddle-seg": "2023-07-27 12:51:{n:02} [INFO]\t[TRAIN] epoch: 1, iter: {n}/400, loss: 1.5983, lr: 0.009345,"
    " batch_cost: {s:.4f}, reader_cost: 0.00068, ips: {rate:.4f} samples/sec | ETA 00:02:13",
    # Its time is that from line to line: a second print is a few ms later.
    "ngc-pytorch-bert": "DLL 2026-01-02 03:00:{n:02}.{us:06} - Training Epoch: 0 Training Iteration: {n}  average_loss : 11.25"
    "  learning_rate : 0.001 ",
}
FACTS = "[case]\ngpus = 4\nglobal_batch_size = 256\nseq_len = 1024\n"
SPEEDS = """
select format, rule, unit, value, records_used
from run_speed
join kept.run_format using (run_id)
where phase = 'train' and run_speed.status <> 'missing_fact'
"""


def printed(layout: str, times: int = 1) -> list[list[str]]:
    """The lines of each step, as often as they are printed."""
    return [
        [layout.format(n=n, s=s, ms=1000 * s, rate=rate, us=20_000 * n + 3000 * at) for at in range(times)]
        for n, s, rate in STEPS
    ]


WAYS = {
    "once": lambda layout: [step[0] for step in printed(layout)],
    "handlers": lambda layout: [line for one, again in printed(layout, 2) for line in (one, f"INFO:root:{again}")],
    "copied": lambda layout: [line for step in printed(layout, 3) for line in step],
    # Ranks without a name before their lines, of which no two say the same.
    "unnamed": lambda layout: [
        step[0]
        .replace(": 7.1E+00", f": 7.{at}E+00")
        .replace("2.5670", f"2.{at}")
        .replace("11.25", f"11.{at}")
        .replace("1.5983", f"1.{at}")
        for step in printed(layout)
        for at in range(1, 5)
    ],
    # `grep -n`.
    "numbered": lambda layout: [f"{17 * nth}:{step[0]}" for nth, step in enumerate(printed(layout), 1)],
    "srun": lambda layout: [f"{rank}: {step[0]}" for step in printed(layout) for rank in range(4)],
}


@pytest.fixture(scope="module")
def ledgers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    found = {}
    for way, lines in WAYS.items():
        folder = tmp_path_factory.mktemp(way)
        put(folder / "logs/facts.toml", FACTS)
        for name, layout in LINES.items():
            put(folder / f"logs/{name}.log", "".join(f"{line}\n" for line in lines(layout)))
        found[way] = folder / "bench.duckdb"
        assert run_bench("ingest", folder / "logs", db=found[way]).exit_code == 0
    return found


def speeds(db: Path, *families: str) -> dict[tuple[str, str, str], tuple[float | None, int]]:
    return {
        (name, rule, unit): (value, used)
        for name, rule, unit, value, used in ask(db, SPEEDS)
        if not families or rule.split(".")[0] in families
    }


@pytest.mark.parametrize("way", ["handlers", "copied", "numbered"])
def test_every_rule_has_the_number_of_the_log_that_prints_each_line_once(ledgers: dict[str, Path], way: str) -> None:
    once = speeds(ledgers["once"])

    assert {name for name, *_ in once} == LINES.keys()
    assert speeds(ledgers[way]) == once


@pytest.mark.parametrize("way", ["srun", "unnamed"])
def test_where_each_rank_prints_the_first_steps_of_each_are_skipped(ledgers: dict[str, Path], way: str) -> None:
    families = ("steps", "perf", "megatron", "superbench")
    once = {key: value for key, (value, _) in speeds(ledgers["once"], *families).items() if value}
    ranks = {key: value for key, (value, _) in speeds(ledgers[way], *families).items() if value}

    assert {rule for _, rule, _ in once} >= {"steps.mean_skip1", "perf.times_skip5", "megatron.tokens_skip1"}
    assert ranks.keys() == once.keys()
    assert {key: pytest.approx(value, rel=1e-12) for key, value in once.items()} == ranks


def test_an_explanation_says_which_lines_were_printed_before(ledgers: dict[str, Path]) -> None:
    found = run_bench("explain", "--format", "json", "--implementation", "mmseg", db=ledgers["handlers"])

    assert found.exit_code == 0, found.stderr
    assert found.stdout.count("dropped: printed before") == len(STEPS)


def test_a_step_that_was_computed_again_counts(tmp_path: Path) -> None:
    # Its loss scale had overflowed: the same numbers, seconds later.
    layout = LINES["ngc-pytorch-bert"]
    steps = [
        layout.format(n=n, us=0).replace(f"03:00:{n:02}", f"03:00:{at:02}") for at, n in enumerate([1, 1, 2, 3, 4])
    ]
    put(tmp_path / "logs/facts.toml", FACTS)
    put(tmp_path / "logs/run.log", "".join(f"{line}\n" for line in steps))
    assert run_bench("ingest", tmp_path / "logs", db=tmp_path / "bench.duckdb").exit_code == 0

    assert speeds(tmp_path / "bench.duckdb")["ngc-pytorch-bert", "steps.median_skip0", "samples/s"] == (256.0, 4)


def test_numbers_of_lines_are_no_ranks_either_beside_a_long_log_of_two_runs(
    ledgers: dict[str, Path], tmp_path: Path
) -> None:
    # Their records come in turns, and are ordered first.
    runs = [run_text(seed=seed, at=100_000 * seed, steps=1500).log for seed in range(2)]
    put(tmp_path / "logs/two/run.log", "".join(runs))
    put(tmp_path / "logs/facts.toml", FACTS)
    for name, layout in LINES.items():
        put(tmp_path / f"logs/{name}.log", "".join(f"{line}\n" for line in WAYS["numbered"](layout)))

    assert run_bench("ingest", tmp_path / "logs", db=tmp_path / "bench.duckdb").exit_code == 0

    of_programs = {key: value for key, value in speeds(ledgers["once"]).items() if key[0] != "ngc-pytorch-bert"}
    assert of_programs.items() <= speeds(tmp_path / "bench.duckdb").items()

"""Where a speed comes from: its rule, its trials, the lines behind each, and the number made once more."""

from __future__ import annotations

from statistics import mean, median
from typing import TYPE_CHECKING

from benchledger.answers.explaining.applied_rule import Applied, apply_rule
from benchledger.answers.explaining.explained import Check, ExplainedCell
from benchledger.answers.explaining.roundings import rounded
from benchledger.answers.explaining.rule_words import rule_sentences
from benchledger.answers.explaining.run_values import RunValues, values_of
from benchledger.answers.explaining.speed_words import speed_sentences
from benchledger.answers.run_evidence import conflicts_of, facts_stated, logs_of
from benchledger.answers.series import any_excluded, rows_asked
from benchledger.answers.tables.grouping import Row, grouped

if TYPE_CHECKING:
    import duckdb
    import polars as pl

_RULE = "select * from rule where rule = $rule"
_MEMBERS = """
select series_run.trial, run.run_key, run.run_id, run_speed.value, run_speed.unit, run_speed.is_trial,
    run_speed.records_used, run_speed.records_skipped, run_speed.status, run_speed.reason, kept_speed.value as computed
from series_run
join run using (run_id)
left join (select * from run_speed where rule = $rule and phase = 'train') as run_speed using (run_id)
-- What the records say, also where the closing throughput contradicts it.
left join kept_speed
    on kept_speed.run_id = run_speed.run_id
    and kept_speed.rule = run_speed.rule
    and kept_speed.phase = run_speed.phase
    and kept_speed.unit is not distinct from run_speed.unit
where series_run.series_id = $series_id
order by series_run.trial, run.run_key, run_speed.unit
"""
# Of each format its default rule, and what stands in for it.
_CHAIN = "select format, rule from default_rule where list_contains($formats, format) order by format, place"
# How many runs a suite demands of a submission to the benchmark that its runs state.
_DEMANDED = """
select max(demanded_runs.runs)
from demanded_runs
join fact on fact.value = demanded_runs.benchmark
where demanded_runs.rule = $rule and fact.name = 'benchmark' and fact.used and list_contains($runs, fact.run_id)
"""
# An excluded run is in no series; these would be in this one or beside it.
_EXCLUDED = """
select excluded_run.run_key, excluded_run.reason
from excluded_run
join run using (run_id)
join run_campaign using (run_id)
where run.case_id = $case_id and run_campaign.campaign is not distinct from $campaign
order by excluded_run.run_key
"""
READING_COLUMNS = (
    "run_key", "run_id", "rule", "phase", "unit", "log", "log_id", "line", "byte_offset", "ordinal", "step", "rank",
    "name", "quantity", "value", "rate", "use", "unit_logged", "from_line",
)  # fmt: skip


def explained_speed(con: duckdb.DuckDBPyConnection, number: Row) -> ExplainedCell:
    """A row of speed_table, explained."""
    (rule,) = rows_asked(con, _RULE, rule=number["rule"])
    trials = _trials(con, number)
    runs = [trial["run_id"] for trial in trials]
    values = values_of(con, runs)
    outcomes = {run_id: _outcome(rule, run, number) for run_id, run in values.items()}
    for trial in trials:
        trial |= _made_again(trial, outcomes[trial["run_id"]])
    logs, conflicts = logs_of(con, runs), conflicts_of(con, runs)
    stated = facts_stated(con, runs)
    factor, factor_words = factor_stated(rule, stated.to_dicts(), len(trials))
    ((demanded,),) = con.execute(_DEMANDED, {"rule": rule["rule"], "runs": runs}).fetchall()
    is_short = demanded is not None and len(trials) < demanded
    whole = None if is_short else _over_trials(rule, trials, factor)
    check = Check(number["value"], whole)
    chains = rows_asked(con, _CHAIN, formats=sorted({run.format for run in values.values() if run.format}))
    asked = {"case_id": number["case_id"], "campaign": number["campaign"]}
    excluded = rows_asked(con, _EXCLUDED, **asked) if any_excluded(con) else []
    return ExplainedCell(
        number["cell"], "speed", number, {**rule, "recipe": rule_sentences(rule)},
        speed_sentences(
            number, rule, trials, check, conflicts.to_dicts(),
            {key[0]: [row["rule"] for row in rows] for key, rows in grouped(chains, ("format",)).items()},
            [f"{row['run_key']} ({row['reason']})" for row in excluded],
            factor_words, demanded,
        ),
        check, frame_of_rows(trials), logs, _readings(rule, trials, outcomes, logs), stated, conflicts,
    )  # fmt: skip


def _trials(con: duckdb.DuckDBPyConnection, number: Row) -> list[Row]:
    """One row per run of the series: that of its numbers by the rule which is in the cell's unit, else its first."""
    members = rows_asked(con, _MEMBERS, rule=number["rule"], series_id=number["series_id"])
    trials = []
    for rows in grouped(members, ("trial", "run_key")).values():
        row = next((one for one in rows if one["unit"] == number["unit"]), rows[0])
        counts = bool(row.pop("is_trial")) and row["unit"] == number["unit"]
        trials.append({**row, "counts": counts, "dropped_because": None if counts else _why_dropped(row, number)})
    return trials


def _why_dropped(row: Row, number: Row) -> str:
    if row["status"] is None:
        return f"rule {number['rule']} finds nothing in it to read"
    if row["status"] == "ok" and row["unit"] != number["unit"]:
        return f"its number by this rule is in {row['unit']}"
    status = str(row["status"]).replace("_", " ")
    return f"{status}: {row['reason']}" if row["reason"] else status


def _outcome(rule: Row, run: RunValues, number: Row) -> Applied | None:
    found = apply_rule(rule, run)
    wanted = [one for one in found if one.unit == number["unit"]] or found
    return wanted[0] if wanted else None


def _made_again(trial: Row, outcome: Applied | None) -> Row:
    made, computed = dict.fromkeys(("rate", "factor", "factor_words", "reads")), trial.pop("computed")
    if outcome is None:
        return {**made, "recomputed": None, "agrees": computed is None}
    return {
        **{name: getattr(outcome, name) for name in made},
        "recomputed": outcome.value,
        "agrees": Check(computed, outcome.value).agrees and trial["records_used"] == outcome.records_used,
    }


def factor_stated(rule: Row, facts: list[Row], runs: int) -> tuple[float | None, str | None]:
    """What the number over trials is multiplied by, and who says so: 1 where nobody does, None where not all agree."""
    said = [row for row in facts if row["used"] and row["name"] == rule["trial_factor"]]
    if not said:
        return 1.0, None
    values = {row["value"] for row in said}
    if len(values) > 1 or len(said) != runs:
        return None, f"Its runs are not all told the same {rule['trial_factor']}, so there is no number."
    (value,) = values
    return float(value), f"It is multiplied by {rule['trial_factor']}, {value} ({said[0]['source']})."


def _over_trials(rule: Row, trials: list[Row], factor: float | None) -> float | None:
    numbers = [trial["recomputed"] for trial in trials if trial["counts"]]
    if not numbers or None in numbers:
        return None
    whole = median(numbers) if rule["trial_statistic"] == "median" else mean(numbers)
    if rule["trial_statistic"] == "mean" and rule["trial_count_offset"] is not None:
        whole = sum(numbers) / (len(numbers) + rule["trial_count_offset"])
    if rule["trial_statistic"] == "olympic":
        whole = olympic_mean(numbers, rule["trial_drop"], len(trials) - len(numbers))
    if whole is None or factor is None:
        return None
    return rounded(float(whole) * factor, rule["trial_rounding"], rule["trial_rounding_digits"])


def olympic_mean(numbers: list[float], fewest: int, without: int) -> float | None:
    """The mean without the `fewest` lowest and highest; the `without` that gave no number are some of the highest."""
    if without > fewest:
        return None
    kept = sorted(numbers)[fewest : len(numbers) - (fewest - without)]
    return mean(kept) if kept else None


def frame_of_rows(rows: list[Row]) -> pl.DataFrame:
    """Rows as a frame; a column that is empty throughout is text, since not every file has a type for nothing."""
    import polars as pl

    frame = pl.DataFrame(rows, infer_schema_length=None)
    return frame.cast({pl.Null: pl.String})


def _readings(rule: Row, trials: list[Row], outcomes: dict[int, Applied | None], logs: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    frames = []
    for trial in trials:
        outcome = outcomes[trial["run_id"]]
        if outcome is not None:
            said = {name: pl.lit(trial[name]) for name in ("run_key", "run_id")}
            frames.append(outcome.readings.with_columns(rule=pl.lit(rule["rule"]), **said))
    return placed(frames, reading_kinds(), logs)


def placed(frames: list[pl.DataFrame], kinds: dict[str, pl.DataType], logs: pl.DataFrame) -> pl.DataFrame:
    """Readings one below the other, in these columns, each with the place of its log."""
    import polars as pl

    if not frames:
        return pl.DataFrame(schema=kinds)
    places = logs.select("run_key", "log_id", "log").unique(["run_key", "log_id"], keep="last")
    whole = pl.concat(frames, how="diagonal_relaxed")
    whole = whole.join(places, on=["run_key", "log_id"], how="left", maintain_order="left")
    return whole.select(pl.col(name).cast(kind) for name, kind in kinds.items())


def reading_kinds() -> dict[str, pl.DataType]:
    """The columns of readings and their types."""
    import polars as pl

    whole_numbers = {"run_id", "log_id", "line", "byte_offset", "ordinal", "step", "rank", "from_line"}
    kinds = {name: pl.Int64() if name in whole_numbers else pl.String() for name in READING_COLUMNS}
    return {**kinds, "value": pl.Float64(), "rate": pl.Float64()}

"""Where a speed comes from: its rule, its trials, the lines behind each, and the number made once more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from benchledger.answers.rows import any_excluded, frame_of, rows_asked
from benchledger.answers.run_detail import conflicts_of, facts_stated, logs_of
from benchledger.answers.tables.grouping import Row, by_column, grouped
from benchledger.explaining.explained import Check, ExplainedCell
from benchledger.explaining.readings import placed, readings_of_rule
from benchledger.explaining.rule_words import rule_sentences
from benchledger.explaining.speed_words import factor_words, speed_sentences

if TYPE_CHECKING:
    import duckdb

_MEMBERS = """
select series_run.series_id, series_run.trial, run.run_key, run.run_id, run_speed.value, run_speed.unit,
    run_speed.is_trial, run_speed.records_used, run_speed.records_skipped, run_speed.status, run_speed.reason,
    speed.value as computed
from kept.series_run
join run using (run_id)
left join (select * from run_speed where rule = $rule and phase = 'train') as run_speed using (run_id)
-- What the records say, also where the closing throughput contradicts it.
left join kept.speed
    on speed.run_id = run_speed.run_id
    and speed.rule = run_speed.rule
    and speed.phase = run_speed.phase
    and speed.unit is not distinct from run_speed.unit
where series_run.series_id in (select unnest($series))
order by series_run.trial, run.run_key, run_speed.unit
"""
# Of each format its default rule, and what stands in for it.
_CHAIN = """
select run_format.run_id, format, rule
from kept.default_rule
join kept.run_format using (format)
where list_contains($runs, run_format.run_id)
order by format, place
"""
# How many runs a suite demands of a submission to the benchmark that its runs state.
_DEMANDED = """
select fact.run_id, max(demanded_runs.runs)
from kept.demanded_runs
join fact on fact.value = demanded_runs.benchmark
where demanded_runs.rule = $rule and fact.name = 'benchmark' and fact.used and list_contains($runs, fact.run_id)
group by all
"""
# An excluded run is in no series; these would be in this one or beside it.
_EXCLUDED = """
select excluded_run.run_key, excluded_run.reason
from kept.excluded_run
join run using (run_id)
join kept.run_campaign using (run_id)
where run.case_id = $case_id and run_campaign.campaign is not distinct from $campaign
order by excluded_run.run_key
"""
_TRIALS = """
select rounded(
    $factor * case
        when $statistic = 'median' then list_median($speeds)
        when $statistic = 'olympic' then olympic_mean($speeds, $drop, $dropped)
        when $offset > 0 then list_sum($speeds) / (len($speeds) + $offset)
        else list_avg($speeds)
    end,
    $method, $digits
)
"""


def explained_speeds(con: duckdb.DuckDBPyConnection, numbers: list[Row]) -> list[ExplainedCell]:
    """Rows of speed_table by one rule and in one unit, explained; the readings of all their runs are read at once."""
    (rule,) = rows_asked(con, "from kept.rule where rule = $rule", rule=numbers[0]["rule"])
    members = _members(con, numbers)
    keys = {trial["run_id"]: trial["run_key"] for trials in members.values() for trial in trials}
    runs = list(keys)
    outcomes, rows = readings_of_rule(con, rule, numbers[0]["unit"], runs)
    logs, conflicts, stated = logs_of(con, runs), conflicts_of(con, runs), facts_stated(con, runs)
    readings = placed(rows.with_columns(rule=pl.lit(rule["rule"])), keys, logs)
    demanded = dict(con.execute(_DEMANDED, {"rule": rule["rule"], "runs": runs}).fetchall())
    chains = rows_asked(con, _CHAIN, runs=runs)
    excludes = any_excluded(con)
    found = []
    for number in numbers:
        trials = members[number["series_id"]]
        own = [trial["run_key"] for trial in trials]
        frames = [frame.filter(pl.col("run_key").is_in(own)) for frame in (logs, readings, stated, conflicts)]
        for trial in trials:
            trial |= _recomputed(rule, trial, outcomes.get(trial["run_id"]))
        excluded = (
            rows_asked(con, _EXCLUDED, case_id=number["case_id"], campaign=number["campaign"]) if excludes else []
        )
        found.append(_explained(con, number, rule, trials, frames, demanded, chains, excluded))
    return found


def _explained(
    con: duckdb.DuckDBPyConnection, number: Row, rule: Row, trials: list[Row], frames: list[pl.DataFrame],
    demanded: dict[int, int], chains: list[Row], excluded: list[Row],
) -> ExplainedCell:  # fmt: skip
    logs, readings, stated, conflicts = frames
    runs = {trial["run_id"] for trial in trials}
    factor, factor_sentence = factor_stated(rule, stated.to_dicts(), len(trials))
    needed = max((demanded[run_id] for run_id in runs if run_id in demanded), default=None)
    is_short = needed is not None and len(trials) < needed
    # Of runs with unlike settings the table makes no number.
    whole = None if is_short or number["status"] == "mixed" else _over_trials(con, rule, trials, factor)
    check = Check(number["value"], whole)
    of_formats = by_column([row for row in chains if row["run_id"] in runs], "format")
    return ExplainedCell(
        number["cell"], "speed", number, {**rule, "recipe": rule_sentences(rule)},
        speed_sentences(
            number, rule, trials, check, conflicts.to_dicts(),
            {name: list(dict.fromkeys(row["rule"] for row in rows)) for name, rows in of_formats.items()},
            [f"{row['run_key']} ({row['reason']})" for row in excluded],
            factor_sentence, needed,
        ),
        check, frame_of(trials, without=()), logs, readings, stated, conflicts,
    )  # fmt: skip


def _members(con: duckdb.DuckDBPyConnection, numbers: list[Row]) -> dict[int, list[Row]]:
    """One row per run of each series: that of its numbers by the rule which is in the cell's unit, else its first."""
    asked = {"rule": numbers[0]["rule"], "series": [number["series_id"] for number in numbers]}
    series: dict[int, list[Row]] = {}
    for row in rows_asked(con, _MEMBERS, **asked):
        series.setdefault(row.pop("series_id"), []).append(row)
    return {number["series_id"]: _trials(number, series.get(number["series_id"], [])) for number in numbers}


def _trials(number: Row, members: list[Row]) -> list[Row]:
    trials = []
    for rows in grouped(members, ("trial", "run_key")).values():
        row = dict(next((one for one in rows if one["unit"] == number["unit"]), rows[0]))
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


def _recomputed(rule: Row, trial: Row, read: Row | None) -> Row:
    """The number recomputed from the records, beside the kept one."""
    computed = trial.pop("computed")
    if read is None:
        nothing = dict.fromkeys(("rate", "factor", "factor_words", "reads", "recomputed"))
        return {**nothing, "agrees": computed is None}
    return {
        "rate": read["rate"], "factor": read["factor"], "reads": _named(read), "recomputed": read["value"],
        "factor_words": "" if read["factor"] is None else factor_words(rule, read),
        "agrees": Check(computed, read["value"]).agrees and trial["records_used"] == read["records_used"],
    }  # fmt: skip


def _named(read: Row) -> str:
    """The value read, as the log calls it: name, unit and scope."""
    if read["quantity"] == "interval":
        return "the time between step records"
    if read["quantity"] == "round":
        return "the time between rounds of all ranks"
    if read["quantity"] == "span":
        return f"the time from {read['name']}"
    scope = {"gpu": ", per GPU", "node": ", per node", "global": ", of all GPUs"}.get(read["scope"] or "", "")
    return f"{read['name']} in {read['unit'] or 'an unknown unit'}{scope if read['quantity'] == 'throughput' else ''}"


def factor_stated(rule: Row, facts: list[Row], runs: int) -> tuple[float | None, str | None]:
    """The factor of the number over trials, and who states it: 1 if nobody does, None if statements differ."""
    used = [row for row in facts if row["used"] and row["name"] == rule["trial_factor"]]
    if not used:
        return 1.0, None
    values = {row["value"] for row in used}
    if len(values) > 1 or len(used) != runs:
        return None, f"Its runs are not all told the same {rule['trial_factor']}, so there is no number."
    (value,) = values
    return float(value), f"It is multiplied by {rule['trial_factor']}, {value} ({used[0]['source']})."


def _over_trials(con: duckdb.DuckDBPyConnection, rule: Row, trials: list[Row], factor: float | None) -> float | None:
    # In the order of table kept.cell: it decides the last digit of a sum.
    in_order = sorted(trials, key=lambda trial: (trial["trial"], trial["run_id"]))
    speeds = [trial["recomputed"] for trial in in_order if trial["counts"]]
    if not speeds or None in speeds or factor is None:
        return None
    asked = {"statistic": rule["trial_statistic"], "speeds": speeds, "drop": rule["trial_drop"]}
    asked |= {"dropped": len(trials) - len(speeds), "offset": rule["trial_count_offset"] or 0, "factor": factor}
    asked |= {"method": rule["trial_rounding"], "digits": rule["trial_rounding_digits"]}
    number: float | None = con.execute(_TRIALS, asked).fetchall()[0][0]
    return number

"""Which of the losses and metrics that runs print tells them."""

from __future__ import annotations

import polars as pl

from benchledger.store.rollups.convergence_means import window_of

# Accuracy before score before error rate before perplexity before loss.
_QUANTITIES = ("accuracy", "score", "error_rate", "perplexity", "loss")
_RANK, _TIMES, _QUANTITY = pl.col("rank"), pl.col("times"), pl.col("quantity")
_METRIC = ("run_id", "told", "name", "is_main", "quantity", "kind", "unit", "lane")


def main_losses(counts: pl.DataFrame, told: pl.DataFrame) -> pl.DataFrame:
    """Of each run its total loss where it prints one, else the loss that it prints most often, and its window.

    `counts`: how `times` each rank prints what is `told` (convergence_told.sql).
    """
    named = told.filter(~pl.col("is_metric")).select("told", "name", "is_total").unique()
    # Each rank prints the loss of its own samples: one of them is followed.
    followed = counts.filter(_RANK.min().over("run_id", "told") == _RANK).join(named, on="told")
    ordered = followed.sort("run_id", "is_total", "times", "name", descending=[False, True, True, False])
    main = ordered.unique("run_id", keep="first", maintain_order=True)
    return main.select("run_id", "told", "name", "rank", losses="times", window_losses=window_of(_TIMES))


def metrics(counts: pl.DataFrame, told: pl.DataFrame) -> pl.DataFrame:
    """The metrics of each run: of those that are parts of an evaluation and then their sum, the sums."""
    named = told.filter("is_metric").select("told", "name", "quantity", "kind", "unit").unique()
    counted = counts.join(named, on="told")
    is_summary = pl.col("kind") == "summary"
    # Its parts and its sum have one name, but for the loss.
    of = pl.when(_QUANTITY != "loss").then("name")
    followed = counted.filter(
        _RANK.min().over("run_id", "name") == _RANK, is_summary | ~is_summary.any().over("run_id", "quantity", of)
    )
    order = _QUANTITY.replace_strict(_QUANTITIES, range(len(_QUANTITIES)), return_dtype=pl.Int8)
    printed = followed.group_by("run_id", "name", order=order).agg(_TIMES.sum())
    ordered = printed.sort("run_id", "order", "times", "name", descending=[False, False, True, False])
    main = ordered.unique("run_id", keep="first", maintain_order=True).select("run_id", main="name")
    is_main = pl.col("name") == pl.col("main")
    return followed.join(main, on="run_id").with_columns(is_main=is_main).rename({"rank": "lane"}).select(_METRIC)

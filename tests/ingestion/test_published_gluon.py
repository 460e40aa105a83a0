"""What gluon-nlp publishes of its fine-tuned models comes out of their logs. Needs the real logs."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from benchledger import ingest
from tests.ingestion.logs import ask


@pytest.fixture(scope="module")
def published(shared: Path) -> dict[str, str]:
    with open(shared / "corpus" / "manifest.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["format_family"] == "gluon-nlp-bert-finetune"]
    return {Path(row["path"]).name: row["published_value"] for row in rows if row["verified"].startswith("yes")}


@pytest.fixture(scope="module")
def ledger(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("ledger") / "bench.duckdb"
    ingest(*sorted(corpus.glob("dmlc+web-data@*/gluonnlp/logs/bert")), db=db)
    return db


def values_of(ledger: Path, name: str, closing: str) -> dict[str, list[float]]:
    """The values that a log prints on its line with the closing value, and before it on evaluations of that epoch."""
    rows = ask(
        ledger,
        f"""select distinct m.name, m.value, m.line
            from measurement m join sighting using (log_id)
            where path like '%{name}' and quantity = 'accuracy' and line in (
                select line from measurement n where n.log_id = m.log_id and n.name = '{closing}')
            order by m.line""",
    )
    found: dict[str, list[float]] = {}
    for metric, value, _ in rows:
        found.setdefault(metric, []).append(value)
    return found


def test_best_metrics_come_out_at_their_printed_digits(ledger: Path, published: dict[str, str]) -> None:
    sst = values_of(ledger, "finetune_SST_base_mx1.6.0rc1.log", "best_epoch")
    mrpc = values_of(ledger, "finetune_MRPC_base_mx1.6.0rc1.log", "best_epoch")

    assert f"{100 * sst['accuracy'][0]:.2f}" == published["finetune_SST_base_mx1.6.0rc1.log"]
    found = f"{100 * mrpc['accuracy'][0]:.2f}/{100 * mrpc['f1'][0]:.2f}"
    # The F1 published is that of the best epoch by accuracy.
    assert found == published["finetune_MRPC_base_mx1.6.0rc1.log"]


def test_squad_is_published_cut_off(ledger: Path, published: dict[str, str]) -> None:
    squad = values_of(ledger, "finetune_squad1.1_base_mx1.6.0rc1.log", "exact_match")
    f1, exact = (int(100 * squad[name][0]) / 100 for name in ("f1", "exact_match"))

    assert f"{f1:.2f} / {exact:.2f}" == published["finetune_squad1.1_base_mx1.6.0rc1.log"]


def test_mnli_has_two_validations_an_epoch_and_publishes_both_of_the_best(
    ledger: Path, published: dict[str, str]
) -> None:
    rows = ask(
        ledger,
        """select distinct m.line, m.value
           from measurement m join sighting using (log_id)
           where path like '%finetune_MNLI_base_mx1.6.0rc1.log' and m.name = 'accuracy' and m.kind = 'summary'
           order by m.line""",
    )
    values = [value for _, value in rows]
    *evaluations, best = values
    mismatched = max(place for place, value in enumerate(evaluations) if value == best)

    found = f"{100 * evaluations[mismatched - 1]:.2f}/{100 * best:.2f}"
    assert (found, len(published)) == (published["finetune_MNLI_base_mx1.6.0rc1.log"], 4)


def test_each_log_says_how_it_ended(ledger: Path) -> None:
    rows = ask(
        ledger,
        "select run.status, count(*) from run join kept.run_format using (run_id) where format = 'gluon-nlp-bert-finetune' "
        "group by all order by all",
    )

    # MNLI's first run was stopped after 6000 batches, and its second stands in the same log; the oldest log prints no end.
    assert rows == [("ok", 5), ("truncated", 1), ("unknown", 1)]

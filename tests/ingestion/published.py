"""What the corpus' manifest says of published values, and the numbers of a ledger that may be them."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction
from benchledger.store.private_file import PrivateFile
from tests.ingestion.logs import ask

Row = dict[str, str]
Numbers = dict[str, dict[str, list[float]]]  # by path and rule

# Of an own script of the log's owner, as the manifest tells it in words.
LAMBDA = {
    "dllogger-text-tqdm(ngc-pytorch-bert)": "bert",
    "dllogger-text(ngc-pytorch-convnets)": "resnet50",
    "dllogger-text(ncf)": "ncf",
    "dllogger-text(tacotron2)": "tacotron2",
    "ngc-ssd-text": "ssd",
    "ngc-gnmt-text": "gnmt",
    "ngc-transformerxl-text": "transformerxl",
}
WORDS = {
    "last training_sequences_per_second": "ngc.summary",
    'last "Throughput Average': "ngc.tf_summary",
    "mean of all throughput_train": "ngc.tf_mean",
    "DLL Summary train.total_ips": "convnets.total",
    "DLL Summary train.compute_ips": "convnets.compute",
    "DLL summary train_throughput": "convnets.tf_summary",
    "mean of all total_ips": "convnets.tf_mean",
    "benchmark.py ASCII": "convnets.mxnet_table",
    # The other logs of this release were published without the first 5 steps, and so gives this one the same number.
    "mean of Epoch train.ips skipping first 1 epochs": "perf.mean_skip5",
    "last tokens/s": "perf.tokens_last",
    "median": "megatron.seconds_median",
    "mean of elapsed ms skipping the first": "megatron.seconds_mean_skip1",
    "floor(": "hf.seconds",
    "per run (run_stop.time_ms": "mlperf.score",
}
SKIPPED = {"paddle-ips(transformer)": "words", "ngc-transformer(fairseq)": "tokens"}


def manifest_rows(shared: Path) -> list[Row]:
    """A row per log of the corpus."""
    with open(shared / "corpus" / "manifest.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def rows_of_families(shared: Path, families: Iterable[str]) -> list[Row]:
    """A row per log of some families of the manifest."""
    wanted = set(families)
    return [row for row in manifest_rows(shared) if row["format_family"] in wanted]


def is_sure(row: Row) -> bool:
    return row["verified"].startswith("yes")


def rule_of(row: Row) -> str:
    """The rule that the manifest states in words."""
    if row["path"].startswith("lambdal+"):
        return f"lambda.{LAMBDA[row['format_family']]}"
    for words, rule in WORDS.items():
        if row["aggregation_rule"].startswith(words):
            return rule
    skipped = re.search(r"skipping first (\d+)", row["aggregation_rule"])
    assert skipped, row["aggregation_rule"]
    return f"perf.{SKIPPED.get(row['format_family'], 'mean')}_skip{skipped[1]}"


def paths_of(ledger: Path, rows: list[Row]) -> dict[str, str]:
    """The logs' paths in the manifest, by the paths under which a ledger keeps them."""
    with closing(PrivateFile(ledger)) as private:
        redactor = Redactor(known_redaction(), private.key)
    return {redactor.path(row["path"]): row["path"] for row in rows}


def numbers_of(ledger: Path, rows: list[Row]) -> Numbers:
    """Of each log the numbers of its runs by rule and, with "cell " before the rule, of the series that they are trials of."""
    path_of = paths_of(ledger, rows)
    found: Numbers = defaultdict(lambda: defaultdict(list))
    for path, rule, value in ask(ledger, _OF_RUNS) + ask(ledger, _OF_SERIES) + ask(ledger, _OF_LINES):
        if path in path_of and rule:
            found[path_of[path]][rule].append(value)
    return found


_OF_RUNS = """
select path, unnest([rule, if(is_default, 'default', null)]), value
from sighting join run_log using (log_id) join run_speed using (run_id) where phase = 'train' and value is not null
"""
# A content that was seen in two campaigns is a trial in both.
_OF_SERIES = """
select s.path, 'cell ' || t.rule, t.value from sighting s join run_log using (log_id) join kept.series_run using (run_id)
join speed_table t using (series_id) where t.campaign = s.campaign and t.value is not null
"""
# Other values than speeds, as printed; losses and errors by their step.
_OF_LINES = """
select path, if(starts_with(name, 'eval_'), name || ' ' || step, name), value from sighting join kept.measurement_all using (log_id)
where name in ('global_batch_size', 'eval_loss', 'eval_wer') or (quantity = 'accuracy' and kind = 'summary')
    or ends_with(name, '.median_speed')
"""

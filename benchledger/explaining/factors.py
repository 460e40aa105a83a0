"""What the statistic of a rule is multiplied by, in words: GPUs or nodes, batch size, sequence length."""

from __future__ import annotations

from benchledger.answers.tables.grouping import Row
from benchledger.errors import counted

# From what is read to the rule's unit: the facts that it is multiplied by, and those that it is divided by.
_TIMES = {
    ("steps/s", "samples/s"): ("global_batch_size",),
    ("steps/s", "tokens/s"): ("global_batch_size", "seq_len"),
    ("steps/s", "TFLOP/s"): ("global_batch_size", "params_b", "seq_len"),
    ("samples/s", "tokens/s"): ("seq_len",),
}
_OVER = {
    ("tokens/s", "samples/s"): ("seq_len",),
    ("samples/s", "s"): ("global_batch_size",),
    ("tokens/s", "s"): ("global_batch_size", "seq_len"),
}


def factor_words(rule: Row, read: Row) -> str:
    """Returns what the factor of a run is made of; `read` is what the rule reads of it, with the facts of its case."""
    words = []
    if read["quantity"] == "throughput" and read["scope"] in ("gpu", "node"):
        who = "GPU" if read["scope"] == "gpu" else "node"
        words.append(f"times {counted(read['processes'], who)}, for it is printed per {who}")
    between = (read["base_unit"], read["yields"])
    times = _TIMES.get(between, ())
    if read["yields"] == "TFLOP/s" and times:
        words.append("times 8 FLOP, over 1000")
    elif rule["batch"] == "pass" and read["base_unit"] == "steps/s" and times:
        times = ("batch_size_per_gpu", "gpus", *times[1:])
    words += [f"times {name} {read[name]}" for name in times]
    words += [f"over {name} {read[name]}" for name in _OVER.get(between, ())]
    if rule["per"] == "gpu":
        words.append(f"over gpus {read['gpus']}")
    if rule["volume"] == "window":
        words.append(f"times the {rule['take']} steps of the window")
    return ", ".join(words)

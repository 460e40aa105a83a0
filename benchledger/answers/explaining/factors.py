"""What the statistic of a rule is multiplied by: GPUs or nodes, batch size, sequence length."""

from __future__ import annotations

from benchledger.answers.explaining.read_values import Read
from benchledger.answers.tables.grouping import Row

# Units of time in seconds.
TIMES = {"s": 1, "min": 60}
# In 10^12 of a parameter in 10^9 and a token: forward twice (activations are computed again) and backward.
_FLOP = 8 / 1000


def factor_of(rule: Row, read: Read, case: Row) -> tuple[float | None, str, str | None]:
    """The factor, and in words; or the fact that is missing for it."""
    factor, words = 1.0, []
    if read.quantity == "throughput" and (read.scope == "gpu" or (read.scope is None and case["gpus"] != 1)):
        if read.scope is None:
            return None, "", "missing fact: scope"
        if case["gpus"] is None:
            return None, "", "missing fact: gpus"
        factor, words = float(case["gpus"]), [f"times {case['gpus']} GPUs, for it is printed per GPU"]
    if read.quantity == "throughput" and read.scope == "node":
        if case["nodes"] is None:
            return None, "", "missing fact: nodes"
        factor, words = float(case["nodes"]), [f"times {case['nodes']} nodes, for it is printed per node"]
    if read.quantity != "throughput" and read.unit != "s":
        return None, "", "missing fact: unit"
    if read.yields == "TFLOP/s" and read.base_unit == "steps/s":
        factor, words = _FLOP, ["times 8 FLOP, over 1000"]
    for name, power in [*_conversion(rule, read), *[("gpus", -1)] * (rule["per"] == "gpu")]:
        if case[name] is None:
            return None, "", f"missing fact: {name}"
        factor *= float(case[name]) ** power
        words.append(f"{'times' if power > 0 else 'over'} {name} {case[name]}")
    if rule["volume"] == "window":
        factor *= rule["take"]
        words.append(f"times the {rule['take']} steps of the window")
    return factor, ", ".join(words), None


def _conversion(rule: Row, read: Read) -> list[tuple[str, int]]:
    """The facts of the case that lead from what is read to the rule's unit, each with its power."""
    if read.yields == read.base_unit:
        return []
    if read.yields in TIMES:
        lengths = {"steps/s": [], "samples/s": ["global_batch_size"], "tokens/s": ["global_batch_size", "seq_len"]}
        return [(name, -1) for name in lengths[read.base_unit or "steps/s"]]
    if read.yields == "TFLOP/s":
        return [("global_batch_size", 1), ("params_b", 1), ("seq_len", 1)]
    if read.base_unit == "steps/s":
        batch = ["batch_size_per_gpu", "gpus"] if rule["batch"] == "pass" else ["global_batch_size"]
        return [(name, 1) for name in batch + ["seq_len"] * (read.yields == "tokens/s")]
    return [("seq_len", -1 if read.base_unit == "tokens/s" else 1)]

"""Unit and quantity as stated in words of a page: in the head of a column, in a row, above a table or in a cell."""

from __future__ import annotations

from dataclasses import dataclass

from benchledger.reproducing.words import any_case, facts_of, frameworks_in, plain

_NOUNS = {
    "samples/s": "sample|sequence|seq|sentence|sent|image|img|example|record|clip|picture|图片|张|样本|句",
    "tokens/s": "token|tok|tk|word|词",
    "items/s": "item|frame|mel|wav",
    "steps/s": "step|iteration|iter|it|batch",
}
_RATE = any_case(
    rf"(?:(?<![A-Za-z])([km])\s*)?({'|'.join(_NOUNS.values())})(?:s|es)?\s*(?:/|per|每)\s*"
    r"\(?(?:(?:s|sec|second|秒)|(min|minute|分钟)|(h|hr|hour|小时))(?![a-z\d])"
)
_SECOND = r"(ms|msec|milliseconds?|s|sec|seconds?|毫秒|秒)"
_SECONDS = tuple(
    any_case(pattern)
    for pattern in (
        rf"(?<![a-z/]){_SECOND}\s*(?:/|per)\s*(?:step|iter(?:ation)?|it|batch)(?:es|s)?\b",
        rf"(?:step|iteration|iter|batch)\s*(?:time|latency|耗时)\W*{_SECOND}\b",
        rf"(?:time|latency)\s*(?:/|per)\s*(?:step|iteration|iter|batch)\W*{_SECOND}\b",
    )
)
_MEMORY = any_case(r"(?:memory|显存|mem)\W*(?:\w+\W+)*?(MiB|GiB|MB|GB)|(?<![A-Za-z0-9])(MiB|GiB)(?![A-Za-z])")
_MEMORY_SCALE = {"mib": 1.0, "gib": 1024.0, "mb": 1.0, "gb": 1024.0}
# Behind a number: of something else than a rate.
_NO_RATE = any_case(
    r"\W{0,2}(?:[gmk]i?b|ms|msec|s|sec|seconds?|m|min|minutes?|h|hrs?|hours?|w|watts?|毫秒|秒|分钟|小时)(?![a-z/\d])"
)
_SPEEDUP = any_case(r"speed[\s_-]*up|加速比|(?:weak|strong)\s*scaling|scaling\s*factor")
# A ratio of precisions, frameworks or releases is no speed-up over GPUs.
_RATIO = any_case(r"speed[\s_-]*up.*(?:tf32|fp\s*16|fp\s*32|amp|mixed|precision| vs\.? | over (?!1|one))|相对|提升")
_SPEED = any_case(r"throughput|\bfps\b|\bqps\b|吞吐|speed(?![\s_-]*up)|性能(?!测试$)|ips\b|速度|performance")
_PER_GPU = any_case(r"(?:per|/|每)\s*(?:card|gpu|device|卡)|单卡吞吐|per[\s_-](?:card|gpu)")
# Quantities that no number of the ledger is compared with.
_OTHER = any_case(
    r"accuracy|acc(?:\b|@)|准确率|loss|f1\b|bleu|rouge|wer\b|auc\b|efficiency|利用率|util|top-?[15]|map\b|miou|"
    r"price|cost|power|watt|flop|mfu|版本|time|latency|耗时|minutes|小时|hours|ratio|比值|提升|差|\bvs\b|diff|delta|Δ|%|batch|steps?\b|epochs?\b"
)
# A head with one of these words that states no fact is a count, not a speed.
_COUNTED = any_case(r"gpu|card|node|batch|device|rank|seq|卡|节点|机器")
_SETTING = any_case(
    r"batch[\s_-]*size[^。.;；]*(?:选用|选择如下|如下[:：]?$|are as follows|settings?)|超参|hyper-?param|参数设置|"
    r"command|命令行参数"
)


@dataclass(frozen=True)
class Unit:
    """What the numbers of a column count: a quantity of the ledger, its unit, the factor to it; per GPU or in all."""

    quantity: str
    unit: str | None = None
    scale: float = 1.0
    per_gpu: bool = False
    # The page states no unit: the numbers count as speeds only if most of them are equal to those of logs.
    assumed: bool = False


def unit_of(text: str) -> Unit | None:
    """Returns the unit that a text states, None if it states none."""
    bare = plain(text).replace("_", " ")
    if rate := _RATE.search(bare):
        noun = rate[2].lower()
        unit = next(unit for unit, nouns in _NOUNS.items() if noun in nouns.split("|"))
        scale = {"k": 1e3, "m": 1e6}.get((rate[1] or "").lower(), 1.0) / (60 if rate[3] else 3600 if rate[4] else 1)
        return Unit("speed", unit, scale, bool(_PER_GPU.search(bare)))
    for pattern in _SECONDS:
        if seconds := pattern.search(bare):
            said = seconds[1].lower()
            return Unit("speed", "s", 1e-3 if said.startswith("m") or said == "毫秒" else 1.0)
    if _SPEEDUP.search(bare) and not _RATIO.search(bare):
        return Unit("speedup", "1")
    if memory := _MEMORY.search(bare):
        return Unit("memory", "MiB", _MEMORY_SCALE[(memory[1] or memory[2]).lower()])
    return None


def quantity_of(text: str) -> str | None:
    """Returns `speed`, `setting` or `other` as the words of a text say, None if they say nothing."""
    bare = plain(text).replace("_", " ")
    kinds = (("setting", _SETTING), ("other", _RATIO), ("speed", _SPEED), ("other", _OTHER))
    return next((name for name, pattern in kinds if pattern.search(bare)), None)


def is_no_speed(head: str) -> bool:
    """Tells whether a head without unit names another quantity, GPUs or batches (`gpu num in use`), or a ratio."""
    if quantity_of(head) in ("other", "setting") or len(frameworks_in(plain(head))) > 1:
        return True
    return bool(_COUNTED.search(plain(head))) and quantity_of(head) != "speed" and not facts_of(head)


def is_no_rate(note: str) -> bool:
    """Tells whether the words behind a number say that it is a size, a time or a power."""
    return _NO_RATE.match(note) is not None

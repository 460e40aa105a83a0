"""Facts of a case, units, quantities and printed numbers in the words of a published table, Chinese or English."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from benchledger.definitions.published import NUMBER
from benchledger.definitions.vocabulary import vocabulary

Facts = dict[str, object]
# The M of `11345 MiB` is no million.
_PRINTED = re.compile(rf"\s*[~≈]?({NUMBER})\s*((?:[kKM](?!i?[Bb](?![a-z])))?)\s*(.*)", re.DOTALL)
# Of two numbers (`127.09 / 126.48`, a date, a version) none is the cell's, nor the first part of one that is written in
# another way (`208,58`, `1'234`, `2.08 x 10^2`); a percentage is no measured value.
_MORE = re.compile(
    r"(?:[.,，、·'’‘`_:;/~–—−×x*^|→>-]|to|or|bis|vs\.?|至|到)?\s*[-+~]?\d|%|％|‰|percent|pct", re.IGNORECASE
)
_DECIMAL_COMMA = re.compile(r"[-+]?\d{1,3}(?:[.\s'’]?\d{3})*,(?:\d{1,2}|\d{4,})(?![\d,.])")
_LIKE_NUMBER = re.compile(r"[-+−~≈]?\d[\d\s.,，'’‘`_·]*")
_TAG = re.compile(r"<[^<>]*>")
# What stands further on in a paragraph or cell is not read.
_LONGEST = 2000
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
# A head that names the fact whose values stand below it.
_NUMBER_OF = r"(?:#|num(?:ber)?[\s_-]*(?:of[\s_-]*)?|n_?)?"
_BATCH_WORDS = r"(?:batch[\s_-]*si?ze?|bs|bsz|bz|mbs|micro[\s_-]*batch.*|batch)"
_DEVICE = r"(?:gpu|device|card)"
_KEYS = (
    ("global_batch_size", r"(?:global|total)[\s_-]*(?:batch[\s_-]*size|bs|batch)|gbs|全局\s*batch.*"),
    ("batch_size_per_gpu", rf"(?:per[\s_-]*{_DEVICE}[\s_-]*)?{_BATCH_WORDS}(?:[\s_/-]*(?:per|/)?[\s_-]*{_DEVICE})?"),
    ("batch_size_per_gpu", rf"{_BATCH_WORDS}\(max_tokens\)|批大小|单卡\s*batch.*"),
    ("other", r"accumulated\s*batch.*"),
    ("nodes_cards", r"nodes?\s*[x×*]\s*(?:gpus?|cards?)|机\s*[x×*]\s*卡"),
    ("gpus_per_node", rf"{_NUMBER_OF}{_DEVICE}s?[\s_]*(?:num(?:ber)?)?[\s_]*(?:per|/)[\s_]*(?:node|host|machine)"),
    ("gpus_per_node", r"(?:每节点|单机|每机)卡数"),
    ("nodes", rf"{_NUMBER_OF}(?:nodes?|hosts?|machines?)(?:[\s_-]*num(?:ber)?s?)?|节点数?量?|机器数"),
    ("gpus", rf"{_NUMBER_OF}(?:gpus|cards|devices?|accelerators?)(?:[\s_-]*(?:num(?:ber)?s?|count))?"),
    ("gpus", r"(?:#|num(?:ber)?[\s_-]*(?:of[\s_-]*)?|n_)gpus?|(?:gpu|card)[\s_]*(?:count|num(?:ber)?s?)"),
    ("gpus", r"卡数|gpu\s*(?:数量?|卡数)|world[\s_-]*size"),
    ("precision", r"(?:training\s*)?precision|dtype|data\s*type|精度|数据类型"),
    ("model", r"model|network|模型|网络"),
    ("framework", r"(?:deep learning\s*)?framework|框架"),
    ("seq_len", r"(?:max[\s_-]*)?seq(?:uence)?[\s_-]*len(?:gth)?|序列长度"),
    ("system", r"system|machine|server|platform|hardware|config(?:uration)?|gpu|gpu\s*(?:type|model|型号)|card"),
    ("system", r"机型|系统|设备|显卡"),
    ("gradient_accumulation", r"(?:grad(?:ient)?[\s_-]*)?acc(?:umulation)?(?:[\s_-]*steps)?|梯度累积"),
    (
        "other",
        r"trial|run|repeat|threads?|epochs?|steps?|version|driver|cuda|date|rank|name|test|case|notes?|comments?",
    ),
    (
        "other",
        r"logs?|scripts?|dataset|optimizer|task|次数|线程数?|版本|日期|参数|说明|备注|日志|脚本|数据集|优化器|任务",
    ),
)
_GPU_NAME = (
    r"(?:RTX\s*)?(?:[VAHBPLT]\d{2,3}[A-Za-z]?(?![A-Za-z0-9]|\.\d)|GH200|GB[23]00|TITAN\s*\w+|\d0[5-9]0(?:\s*Ti)?"
    r"|A[46]000|MI\d{3}X?)"
)
_MOST_CARDS = 8
_IS = r"\s*[=:：]?\s*"
_BATCH_OF = r"(?:bsz?|bz|mbs|max_tokens|batch[\s_-]*(?:si?ze?|szie)?(?:[\s_-]*per[\s_-]*\w+)?)"
_PRECISIONS = (
    ("tf32", r"tf-?32"), ("fp32", r"fp-?32|float32|单精度|full precision"),
    ("fp16", r"fp-?16|float16|half|半精度|混合精度|(?<![a-z])amp(?![a-z])|mixed[\s_-]precision"),
    ("bf16", r"bf-?16|bfloat16"), ("fp8", r"fp-?8"),
)  # fmt: skip
_COUNTS = (
    "gpus", "nodes", "gpus_per_node", "batch_size_per_gpu", "global_batch_size", "seq_len", "gradient_accumulation",
)  # fmt: skip
_FRAMEWORKS = (
    ("paddlepaddle", r"paddle"), ("tensorflow", r"tensorflow|(?<![a-z])tf[12]?(?![a-z0-9])"),
    ("pytorch", r"torch|megatron|fairseq"), ("mxnet", r"mx-?net|gluon"), ("oneflow", r"oneflow"),
    ("mindspore", r"mindspore"), ("jax", r"(?<![a-z])jax(?![a-z])|flax"),
)  # fmt: skip
# Families of which tables name no member, and models that hold the name of another one.
_FAMILIES = ("bert", "hrnet", "transformer", "transformer_xl", "ssd", "gpt2", "whisper", "llama3")
_OTHERS = ("swin_transformer", "vision_transformer", "transformer_engine")
# Shorter spellings stand in other words.
_LEAST_LETTERS = 3


def any_case(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# Spellings of an empty cell, and of a run that gave no number.
NOTHING = any_case(r"[-–—―/\\*_ .]*|n\.?/?a\.?|none|null|nan|tbd|todo|oom|out of memory|fail(?:ed)?|x|×|无|暂无")

_KEY_HEADS = tuple((name, any_case(rf"\W*(?:{pattern})\W*")) for name, pattern in _KEYS)

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, any_case(pattern))
    for name, pattern in (
        ("nodes_cards", r"(?<![A-Za-z0-9])(\d+)\s*n\s*(\d+)\s*[gc](?![A-Za-z])"),
        ("nodes_cards", r"(?<![A-Za-z])n(\d+)c(\d+)(?![A-Za-z0-9])"),
        ("nodes_cards", r"(\d+)\s*(?:机|nodes?\s*[x×*,]?)\s*(\d+)\s*(?:卡|gpus?|cards?)"),
        ("gpus", r"(?<![A-Za-z0-9_.])(\d+)\s*-?\s*(?:卡|(?:gpu|card|accelerator)s?\b|块)"),
        ("gpus", rf"(?<![A-Za-z])(?:num_)?(?:gpus?|cards?|卡数)(?:_num)?{_IS}(\d+)(?![\d.]*\s*(?:gb|gib|g\b))(?!\d)"),
        ("gpus", rf"(?<![A-Za-z0-9_.])(\d+)\s*[x×*]\s*(?:NVIDIA\s*|Tesla\s*|\d+x)*{_GPU_NAME}"),
        ("gpus", rf"{_GPU_NAME}(?:[-\s]*\w*)?\s*[x×*]\s*(\d+)\b"),
        ("nodes", r"(?<![A-Za-z0-9_.])(\d+)\s*-?\s*(?:机(?!器)|节点|nodes?\b|台)"),
        ("nodes", r"(?:nodes?|节点数?|node_num|num_nodes)\s*[=:：]\s*(\d+)"),
        ("global_batch_size", rf"(?:(?:global|total)[\s_-]*batch[\s_-]*size|gbs){_IS}(\d+)"),
        ("batch_size_per_gpu", rf"(?<![A-Za-z]){_BATCH_OF}{_IS}(\d+|max)(?![\d.]*\s*[%k])"),
        ("seq_len", rf"(?:(?:max[\s_-]*)?seq(?:uence)?[\s_-]*len(?:gth)?|(?<![A-Za-z])sl){_IS}(\d+)"),
    )
)
_PRECISION = tuple((name, any_case(pattern)) for name, pattern in _PRECISIONS)
_MODES = (("amp", any_case(r"(?<![a-z])amp(?![a-z])|mixed|混合")), ("fp16", any_case(r"fp-?16|float16|half|半精度")))
_ONE_CARD, _ONE_NODE = any_case(r"单\s*卡|single[\s-]*(?:gpu|card)"), any_case(r"单机|single[\s-]*node")
_NO_ACCUMULATION = any_case(r"(?:w/?o|without|no|关闭|无)[\s_-]*(?:acc\w*grad|grad\w*[\s_-]*acc)")
_ACCUMULATION = any_case(r"(?:acc\w*grad|grad\w*[\s_-]*acc|梯度累积)")
_FAMILY = any_case(rf"(?<![A-Za-z0-9])(?:\d+\s*x\s*)?({_GPU_NAME})")
_FRAMEWORK = tuple((name, any_case(pattern)) for name, pattern in _FRAMEWORKS)


@dataclass(frozen=True)
class Printed:
    """A number as printed, without marks, and the words behind it in its cell."""

    text: str
    value: float
    step: float  # of the last printed digit
    note: str


def plain(text: str) -> str:
    """Returns text without HTML tags, emphasis and the targets of links."""
    bare = html.unescape(_LINK.sub(r"\1", _TAG.sub(" ", text[:_LONGEST]))).replace("\\", "")
    # 208*8 is no emphasis.
    return re.sub(r"(?<![\d*`])[*`]+|(?<![*`])[*`]+(?![\d*`])|(?<!\w)_+|_+(?!\w)", "", bare).strip()


def printed_number(cell: str) -> Printed | None:
    """Returns the number of a cell and what stands beside it, None if there is none."""
    bare = plain(cell)
    if NOTHING.fullmatch(bare):
        return None
    found = _PRINTED.fullmatch(bare)
    if found is None or _MORE.match(found[3]):
        return None
    text = re.sub("[,，]", "", found[1])
    scale = {"k": 1e3, "m": 1e6}.get(found[2].lower(), 1.0)
    mantissa, _, exponent = text.lower().partition("e")
    step = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2])) * scale
    return Printed(text + found[2], float(text) * scale, step, found[3].strip(" ]\n\t"))


def is_like_number(cell: str) -> bool:
    """Tells whether a cell holds digits and the signs of numbers only, as 2 909.16 does, which is not read."""
    return _LIKE_NUMBER.fullmatch(plain(cell)) is not None


def has_decimal_comma(cell: str) -> bool:
    """Tells whether a cell holds a number such as 208,58 or 1.234,5, which is not read."""
    return _DECIMAL_COMMA.match(plain(cell)) is not None


def key_of(head: str) -> str | None:
    """Returns the fact whose values stand under a head, such as gpus under 卡数; None if it names none."""
    # `Batch size / GPU (TF32 and FP16)` is a head of batch sizes.
    bare = plain(head)
    texts = (bare, re.sub(r"[(（][^()（）]*[)）]", "", bare))
    return next((name for name, pattern in _KEY_HEADS if any(map(pattern.fullmatch, texts))), None) if bare else "other"


def key_value(key: str, cell: str) -> Facts:
    """Returns what a cell under a key head states; of several numbers none."""
    bare = plain(cell)
    if key == "nodes_cards":
        nodes, cards = (int(number) for number in (*re.findall(r"\d+", bare), 0, 0)[:2])
        return {"nodes": nodes, "gpus": nodes * cards} if nodes * cards else facts_of(bare)
    if key in _COUNTS:
        if len(re.findall(r"(?<![A-Za-z\d.])\d+(?![\d.]*[A-Za-z])", bare)) > 1 and not facts_of(bare):
            return {}
        number = re.match(r"\W*(\d+)(?!\d|[.,，'’]\d|\s*[kKM%](?![A-Za-z]))", bare)
        stated = facts_of(bare)
        if "max" in bare.lower() and key == "batch_size_per_gpu":
            stated[key] = "max"
        # `1n8g` and `8x A100` under a head of GPUs say more than their first digit.
        if number and key not in stated and "nodes" not in stated:
            stated[key] = int(number[1])
        return stated
    if key == "system" and bare.isdecimal():
        # Under `GPU` stands a number of them or a model.
        return {"gpus": int(bare)}
    stated = facts_of(bare)
    # `1n8g` under `Config` names no system.
    if key == "system" and bare and ("gpu_family" in stated or not stated.keys() & {"gpus", "nodes", "precision"}):
        stated["system"] = bare
    return stated


def facts_of(text: str) -> Facts:
    """Returns what a text states of a case; a fact of which it states several values is not stated."""
    bare = plain(text)
    found: dict[str, set[object]] = {}
    is_product = False
    for name, pattern in _PATTERNS:
        for match in pattern.finditer(bare):
            values = [part for part in match.groups() if part]
            if name == "nodes_cards":
                nodes, cards = map(int, values)
                found.setdefault("nodes", set()).add(nodes)
                # A node has at most 8 cards or so: more are those of all nodes, as in 4机32卡.
                found.setdefault("gpus", set()).add(cards if cards > _MOST_CARDS and nodes > 1 else nodes * cards)
                is_product = True
            elif not (name in ("gpus", "nodes") and is_product):
                found.setdefault(name, set()).add("max" if values[0].lower() == "max" else int(values[0]))
    if _ONE_CARD.search(bare):
        found.setdefault("gpus", set()).add(1)
    if _ONE_NODE.search(bare):
        found.setdefault("nodes", set()).add(1)
    found["precision"], found["framework"] = _named(bare, _PRECISION), _named(bare, _FRAMEWORK)
    # Of two columns of half precision, AMP and FP16 are two cases; to a log both are fp16.
    found["mode"] = {name for name, pattern in _MODES if pattern.search(bare)}
    found["model"] = set(models_in(bare))
    found["gpu_family"] = {match[1].upper().replace("RTX", "").strip() for match in _FAMILY.finditer(bare)}
    if _NO_ACCUMULATION.search(bare):
        found["gradient_accumulation"] = {1}
    elif _ACCUMULATION.search(bare):
        found["gradient_accumulation"] = {"some"}
    return {name: next(iter(values)) for name, values in found.items() if len(values) == 1}


def precisions_in(text: str) -> list[str]:
    found = [(match.start(), name) for name, pattern in _PRECISION for match in pattern.finditer(text)]
    return list(dict.fromkeys(name for _, name in sorted(found)))


def frameworks_in(text: str) -> set[object]:
    return _named(text, _FRAMEWORK)


def _named(text: str, known: Iterable[tuple[str, re.Pattern[str]]]) -> set[object]:
    return {name for name, pattern in known if pattern.search(text)}


def models_in(text: str) -> set[str]:
    """Returns the models that a text names, or their families: `bert` for Bert, `bert_base` for Bert Base."""
    # ResNet50 V1.5 is the ledger's resnet50.
    bare = re.sub(r"v\d\.\d", " ", text.lower())
    found: dict[str, list[tuple[int, int]]] = {}
    for pattern, model in _patterns():
        for match in pattern.finditer(bare):
            found.setdefault(model, []).append(match.span())
    places = [span for spans in found.values() for span in spans]
    # transformer_xl_base is no transformer_base: the longest spelling counts.
    return {
        model
        for model, spans in found.items()
        if model not in _OTHERS and not all(any(_holds(other, span) for other in places) for span in spans)
    }


def _holds(other: tuple[int, int], span: tuple[int, int]) -> bool:
    return other != span and other[0] <= span[0] and span[1] <= other[1]


@cache
def family_of(model: str) -> str:
    """Returns the family of a model, such as bert of bert_base; the model itself if it is of none."""
    return max((name for name in _FAMILIES if model.startswith(name)), key=len, default=model)


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    fact = vocabulary().facts["model"]
    # What README 002 alone calls gpt is some GPT elsewhere.
    names = {spelling: model for spelling, model in fact.aliases.items() if spelling != "gpt"}
    names |= {name: name for name in (*fact.known, *_FAMILIES, *_OTHERS)}
    found = []
    for spelling, model in sorted(names.items()):
        parts = re.findall(r"[a-z]+|\d+", spelling.lower())
        if sum(map(len, parts)) >= _LEAST_LETTERS:
            # A word of its own, or the beginning of a longer name that ends in digits: BERT-large2.
            body = r"[\W_]*".join(map(re.escape, parts))
            found.append((re.compile(rf"(?<![a-z]){body}(?![a-z]|\d)"), model))
    return tuple(found)

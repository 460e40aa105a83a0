"""The settings of a case: name, type, and the ledger's fact that each states."""

from __future__ import annotations

from dataclasses import dataclass

from benchledger.errors import UsageError, known, suggestion

Value = str | int | float | bool
# A value of batch_size that asks for the largest batch size that runs (README 004).
MAX = "max"


@dataclass(frozen=True)
class Setting:
    """One setting. `launched`: it configures the launch and is not passed to the runner as an option."""

    name: str
    type: type
    fact: str | None = None
    launched: bool = False


_ALL = (
    Setting("model", str, "model"),
    Setting("task", str, "task"),
    Setting("precision", str, "precision"),
    Setting("batch_size", int, "batch_size_per_gpu"),
    Setting("max_iterations", int),
    Setting("phase", int),
    Setting("seq_len", int, "seq_len"),
    Setting("masked", int),
    Setting("gradient_accumulation", int, "gradient_accumulation"),
    Setting("optimizer", str, "options.optimizer"),
    Setting("learning_rate", float),
    Setting("dropout", float),
    Setting("head", str, "options.head"),
    Setting("data_workers", int),
    Setting("device", str),
    Setting("seed", int),
    Setting("compile", bool, "options.compile"),
    Setting("cuda_graph", bool, "options.cuda_graphs"),
    Setting("fused_optimizer", bool, "options.fused_optimizer"),
    Setting("fused_kernels", bool, "options.fused_kernels"),
    Setting("half_weights", bool, "options.half_weights"),
    Setting("log_interval", int),
    Setting("evaluate", bool),
    Setting("init_checkpoint", str),
    Setting("start_iteration", int),
    Setting("stop_iteration", int),
    Setting("omp_threads", int, launched=True),
    Setting("gpus", int, "gpus", launched=True),
    Setting("nodes", int, "nodes", launched=True),
)
SETTINGS = {setting.name: setting for setting in _ALL}
# Names of READMEs 000 and 002.
ALIASES = {"fp_item": "precision", "max_iter": "max_iterations", "bs_item": "batch_size"}
PRECISIONS = ("fp32", "tf32", "fp16", "bf16", "fp8")
# Zero is allowed for these, and means none.
_MAY_BE_ZERO = {"data_workers", "seed", "start_iteration"}


def find_setting(name: str) -> Setting:
    wanted = ALIASES.get(name, name).replace("-", "_")
    if wanted not in SETTINGS:
        raise UsageError(f"no setting {name!r}{suggestion(wanted, SETTINGS)}; known: {known(SETTINGS, wanted)}")
    return SETTINGS[wanted]


def problem_of(setting: Setting, value: object) -> str | None:
    if setting.name == "batch_size" and value == MAX:
        return None
    allowed = int | float if setting.type is float else setting.type
    # To Python, true is a number.
    if not isinstance(value, allowed) or isinstance(value, bool) != (setting.type is bool):
        kind = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}[setting.type]
        return f"{setting.name} must be {kind}, not {value!r}"
    least = 0 if setting.name in _MAY_BE_ZERO else 1
    if setting.type is int and isinstance(value, int) and value < least:
        return f"{setting.name} must be at least {least}, not {value}"
    if setting.name == "precision" and value not in PRECISIONS:
        return f"precision must be one of {', '.join(PRECISIONS)}, not {value!r}"
    return None


def read_value(setting: Setting, text: str) -> Value:
    value: Value = text
    words = {"true": True, "yes": True, "false": False, "no": False}
    try:
        if setting.type is bool:
            value = words.get(text.lower(), text)
        elif setting.type in (int, float) and text != MAX:
            value = setting.type(text)
    except ValueError:
        value = text
    if problem := problem_of(setting, value):
        raise UsageError(problem)
    return value


def read_sweep(text: str) -> tuple[str, tuple[Value, ...]]:
    """Returns the name and values of one --sweep such as `batch_size=32,48,max`."""
    name, assigned, values = text.partition("=")
    if not assigned or not values:
        raise UsageError(f"--sweep is NAME=VALUE,VALUE,..., such as batch_size=32,48,max, not {text!r}")
    setting = find_setting(name.strip())
    return setting.name, tuple(dict.fromkeys(read_value(setting, value.strip()) for value in values.split(",")))

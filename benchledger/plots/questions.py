"""The plots: the query of each, what all points of one picture share, and how many lines it holds."""

from __future__ import annotations

from dataclasses import dataclass

from benchledger.errors import UsageError, suggestion

# Colours and shapes that everybody can tell apart.
LINES = 8
BARS = 24


@dataclass(frozen=True)
class Question:
    """One plot, with its title `says`.

    `query` is the file of `sql/` that gives its points, and `candidates` that which gives what could be drawn: the
    points themselves, or one row per run. All points of a picture are equal in the columns `focus`; it holds `most`
    lines, bars or runs. `cure` says where its numbers come from.
    """

    name: str
    says: str
    query: str
    focus: tuple[str, ...] = ()
    most: int = LINES
    candidates: str = ""
    has_rule: bool = True
    cure: str = "speeds come from training logs: bench report speed"

    @property
    def of_runs(self) -> bool:
        return bool(self.candidates)

    @property
    def is_bars(self) -> bool:
        return self.most == BARS


_EQUAL_WORK = ("model", "task", "unit")
_TELEMETRY = "it comes from profiles (ncu --csv, nvprof, nsys, torch.profiler) and from nvidia-smi's telemetry"
_ALL = (
    Question("scaling", "speed-up by number of GPUs", "scaling", (*_EQUAL_WORK, "scaling")),
    Question("speed", "speed", "speed", _EQUAL_WORK, BARS),
    Question("batch", "speed by batch size", "batch", _EQUAL_WORK),
    Question(
        "loss", "training loss", "loss", ("model", "task", "loss_name"), candidates="losses", has_rule=False,
        cure="losses come from training logs: bench report convergence",
    ),
    Question("steps", "speed of each step", "steps", (), 1, "readings"),
    Question(
        "memory", "memory of the fullest GPU", "memory", ("model", "task", "definition"), BARS, has_rule=False,
        cure="memory comes from telemetry (nvidia-smi) beside the log, or from lines of the log itself",
    ),
    Question("utilization", "utilization by profile", "utilization", (), BARS, has_rule=False, cure=_TELEMETRY),
    Question("samples", "GPU utilization over time", "samples", (), 1, "telemetry", has_rule=False, cure=_TELEMETRY),
    Question("history", "speed over time", "history", _EQUAL_WORK, cure="only logs that state dates have a history"),
)  # fmt: skip
QUESTIONS = {question.name: question for question in _ALL}
# Utilization over time is what `utilization` draws of runs without a profile.
NAMES = tuple(name for name in QUESTIONS if name != "samples")


def question_of(name: str) -> Question:
    if name not in NAMES:
        raise UsageError(f"no plot {name!r}{suggestion(name, NAMES)}; known: {', '.join(NAMES)}")
    return QUESTIONS[name]

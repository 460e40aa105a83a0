"""A job: one case at one choice of its settings, with the name that the READMEs give it; and the matrix of jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import PurePosixPath
from typing import Any

from benchledger.definitions.missions import find_mission
from benchledger.errors import UsageError
from benchledger.running.case_file import Case
from benchledger.running.settings import MAX, SETTINGS, Value

# The words of the name itself; any other setting that differs from the case's own is added behind it.
_IN_NAME = ("model", "task", "precision", "batch_size", "gpus", "nodes", "device")


@dataclass(frozen=True)
class Job:
    """A case at one choice of settings; each trial of it is one run."""

    case: Case
    settings: dict[str, Value]

    @property
    def gpus(self) -> int:
        """GPUs over all nodes; on a CPU, processes."""
        return int(self.settings.get("gpus", 1))

    @property
    def nodes(self) -> int:
        """Machines."""
        return int(self.settings.get("nodes", 1))

    @property
    def on_cpu(self) -> bool:
        """Whether no GPU takes part."""
        return self.settings.get("device") == "cpu"

    @property
    def run_mode(self) -> str:
        """One device or several, as READMEs 000 and 002 say it: sp or mp."""
        return "sp" if self.gpus == 1 else "mp"

    @property
    def name(self) -> str:
        """README 002's name, nlp_bert_base_sp_bs32_fp32_1, and behind it what else was chosen.

        A run on a CPU says so where the number of GPUs stands: it has none.
        """
        repo, model, _ = self._mission()
        devices = f"cpu{self.gpus if self.gpus > 1 else ''}" if self.on_cpu else str(self.gpus)
        words = [
            repo,
            model,
            self.run_mode,
            f"bs{self.settings['batch_size']}",
            str(self.settings["precision"]),
            devices,
        ]
        if self.nodes > 1:
            words.append(f"{self.nodes}nodes")
        return "_".join(words + self._chosen())

    @property
    def folder(self) -> PurePosixPath:
        """Where READMEs 000 and 002 keep a model's raw logs, NLP/bert_base/logs/train_log, below the framework."""
        _, model, direction = self._mission()
        return PurePosixPath(self.case.framework, direction, model, "logs", "train_log")

    def with_settings(self, **settings: Value) -> Job:
        """The same case at other settings."""
        return Job(self.case, {**self.settings, **settings})

    def facts(self) -> dict[str, Any]:
        """The case as a manifest states it."""
        found: dict[str, Any] = {"framework": self.case.framework}
        options: dict[str, Any] = {}
        for name, value in self.settings.items():
            fact = SETTINGS[name].fact or ""
            if fact.startswith("options."):
                # As the ledger says it: what is switched off is no option.
                if value is not False:
                    options[fact.removeprefix("options.")] = "true" if value is True else value
            elif fact and not (fact in ("gpus", "nodes") and self.on_cpu):
                found[fact] = value
        if not self.on_cpu:
            found |= {"gpus": self.gpus, "nodes": self.nodes}
        return found | ({"options": options} if options else {})

    def _mission(self) -> tuple[str, str, str]:
        model, task = str(self.settings["model"]), str(self.settings["task"])
        mission = find_mission(model, task)
        # A model that PaddlePaddle's index does not know: most of ours read text.
        return (mission.repo, mission.name, mission.direction) if mission else ("nlp", model, "NLP")

    def _chosen(self) -> list[str]:
        words = []
        for name, value in self.settings.items():
            if name not in _IN_NAME and value not in (self.case.settings.get(name), False):
                words.append(name if value is True else f"{name}{value}".replace("/", "-"))
        return [*([self.case.suffix] if self.case.suffix else []), *words]


def matrix(case: Case, sweep: Mapping[str, Sequence[Value]]) -> list[Job]:
    """Every job of a case: its points, each with every choice of the swept settings.

    A point's own value of a swept setting gives way. Raises UsageError for a choice that cannot be.
    """
    jobs: list[Job] = []
    for point in case.points:
        for values in product(*sweep.values()):
            settings = {**case.settings, **point, **dict(zip(sweep, values, strict=True))}
            job = Job(case, settings)
            if job.gpus % job.nodes:
                raise UsageError(f"{case.name}: {job.gpus} GPUs cannot be spread evenly over {job.nodes} nodes")
            if job not in jobs:
                jobs.append(job)
    return jobs


def is_search(job: Job) -> bool:
    """Whether the job asks for the largest batch that runs."""
    return job.settings["batch_size"] == MAX

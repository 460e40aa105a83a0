"""A job: one case with one choice of settings, named as in the READMEs; and the matrix of jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import PurePosixPath
from typing import Any

from benchledger.definitions.paddle_index import find_indexed_model
from benchledger.errors import UsageError
from benchledger.running.case_file import SETTINGS, Case, Value

# Settings that are part of the name itself. Any other setting that differs from the case's own is added behind it.
_IN_NAME = ("model", "task", "precision", "batch_size", "gpus", "nodes", "device")


@dataclass(frozen=True)
class Job:
    """A case with one choice of settings; each trial of it is one run."""

    case: Case
    settings: dict[str, Value]

    @property
    def gpus(self) -> int:
        """GPUs over all nodes; on a CPU, processes."""
        return int(self.settings.get("gpus", 1))

    @property
    def nodes(self) -> int:
        return int(self.settings.get("nodes", 1))

    @property
    def on_cpu(self) -> bool:
        return self.settings.get("device") == "cpu"

    @property
    def run_mode(self) -> str:
        """One device (sp) or several (mp), as in READMEs 000 and 002."""
        return "sp" if self.gpus == 1 else "mp"

    @property
    def name(self) -> str:
        """README 002's name, nlp_bert_base_sp_bs32_fp32_1, and behind it the settings that differ from the case.

        A run on a CPU has "cpu" in place of the number of GPUs.
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
        """The folder of a model's raw logs below the framework in READMEs 000 and 002: NLP/bert_base/logs/train_log."""
        _, model, direction = self._mission()
        return PurePosixPath(self.case.framework, direction, model, "logs", "train_log")

    def with_settings(self, **settings: Value) -> Job:
        return Job(self.case, {**self.settings, **settings})

    def facts(self) -> dict[str, Any]:
        """Returns the case as a manifest states it."""
        found: dict[str, Any] = {"framework": self.case.framework}
        options: dict[str, Any] = {}
        for name, value in self.settings.items():
            fact = SETTINGS[name].fact or ""
            if fact.startswith("options."):
                # As in the ledger: an option that is off is not listed.
                if value is not False:
                    options[fact.removeprefix("options.")] = "true" if value is True else value
            elif fact and not (fact in ("gpus", "nodes") and self.on_cpu):
                found[fact] = value
        if not self.on_cpu:
            found |= {"gpus": self.gpus, "nodes": self.nodes}
        return found | ({"options": options} if options else {})

    def _mission(self) -> tuple[str, str, str]:
        model, task = str(self.settings["model"]), str(self.settings["task"])
        mission = find_indexed_model(model, task)
        # A model that PaddlePaddle's index does not list: most of our cases are language models.
        return (mission.repo, mission.name, mission.direction) if mission else ("nlp", model, "NLP")

    def _chosen(self) -> list[str]:
        words = []
        for name, value in self.settings.items():
            if name not in _IN_NAME and value not in (self.case.settings.get(name), False):
                words.append(name if value is True else f"{name}{value}".replace("/", "-"))
        return [*([self.case.suffix] if self.case.suffix else []), *words]


def matrix(case: Case, sweep: Mapping[str, Sequence[Value]]) -> list[Job]:
    """Returns every job of a case: each point with every combination of the swept settings.

    A swept value overrides the point's own. Raises UsageError for an impossible combination.
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

"""PaddlePaddle's index: the task and field of each model, and the words in the names of its cases."""

from __future__ import annotations

from dataclasses import dataclass

from benchledger.definitions.folders import definition_files
from benchledger.definitions.toml_file import TomlFile, read_toml
from benchledger.definitions.toml_table import Table

_FILE_KEYS = ("directions", "missions", "model")
_MODEL_KEYS = ("model", "task", "repo", "name", "mission")


@dataclass(frozen=True)
class IndexedModel:
    repo: str
    name: str
    mission_name: str
    direction: str
    direction_id: int


def find_indexed_model(model: str | None, task: str | None) -> IndexedModel | None:
    """Returns the entry of a model at a task, else of the model at any task."""
    missions = load_paddle_index()
    return missions.get((model, task)) or missions.get((model, None))


def load_paddle_index() -> dict[tuple[str | None, str | None], IndexedModel]:
    """Returns the models of queries/index/, by the ledger's names of model and task; None is any task.

    Raises DefinitionError with file and line.
    """
    files = [read_toml(path) for path in definition_files("queries/index", ".toml")]
    tables = [Table(file, "", file.data, _FILE_KEYS) for file in files]
    directions = {name: _number(table, name) for table in tables for name in table.any_values("directions")}
    missions = {name: field for table in tables for name, field in _missions(table, directions).items()}
    # A later file, such as the user's own, overrules an earlier one.
    return {
        (model.text("model"), model.text_or_none("task")): _mission(model, missions, directions)
        for table in tables
        for model in table.tables("model", _MODEL_KEYS)
    }


def _number(table: Table, name: str) -> int:
    file: TomlFile = table.file
    return Table(file, "directions", file.data["directions"], file.data["directions"]).whole_number(name)


def _missions(table: Table, directions: dict[str, int]) -> dict[str, str]:
    stated = table.texts("missions")
    for name, field in stated.items():
        table.known(f"missions.{name}", "direction", field, directions)
    return stated


def _mission(model: Table, missions: dict[str, str], directions: dict[str, int]) -> IndexedModel:
    mission = model.known("mission", "mission", model.text("mission"), missions)
    direction = missions[mission]
    return IndexedModel(model.text("repo"), model.text("name"), mission, direction, directions[direction])

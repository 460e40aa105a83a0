"""Reads YAML of trackers: Lightning's `hparams.yaml`, `config.yaml` of Weights & Biases, `meta.yaml` of MLflow.

Only scalars are taken, as they are written: no object is made, whatever tags a file has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from benchledger.scanning.file_reader import reject
from benchledger.scanning.json_values import storable
from benchledger.scanning.rows import Pair, Pieces, Refused, fits_float
from benchledger.scanning.trackers.base import TrackerReader

BAD_YAML = "bad yaml: the document is no YAML mapping, is nested too deep, or has more than 10,000 values"
_LIMIT = 1024 * 1024
_DEEPEST = 32
_MOST = 10_000
_NUMBER = re.compile(r"[-+]?(?:[0-9]{1,18}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][-+]?[0-9]{1,3})?\Z")
_NOT_FINITE = {".nan": "nan", ".inf": "inf", "+.inf": "inf", "-.inf": "-inf"}
_NULL = ("", "~", "null")
# Who ran it, and where its files are.
_PRIVATE = ("user_id", "artifact_uri", "artifact_location", "source_name")


class YamlReader(TrackerReader):
    """Reads one document as one record of settings."""

    def read(self, buffer: bytes, base: int, line: int, pieces: Pieces) -> int:
        try:
            pairs = self.pairs_of(yaml_pairs(buffer))
        except Refused as error:
            reject(pieces, line, base, "settings", str(error), buffer)
            return line + buffer.count(b"\n")
        if pairs:
            self.add_settings(pairs, (line, base), pieces)
        else:
            self.ignore("no settings", pieces)
        return line + buffer.count(b"\n")

    def pairs_of(self, pairs: list[Pair]) -> list[Pair]:
        return pairs


class HparamsReader(YamlReader):
    needs_name = True

    def fits(self, head: bytes, complete: bool) -> str | None:  # noqa: ARG002 - a FileReader
        return "it is called hparams.yaml" if self.name == "hparams.yaml" else None


class WandbConfigReader(YamlReader):
    """Reads `config.yaml` of Weights & Biases: each setting is a mapping with its value."""

    needs_name = True

    def fits(self, head: bytes, complete: bool) -> str | None:  # noqa: ARG002 - a FileReader
        return "it is files/config.yaml of a wandb run" if self.name.endswith("/files/config.yaml") else None

    def pairs_of(self, pairs: list[Pair]) -> list[Pair]:
        found = [
            (_plain(name), number, text, unit)
            for name, number, text, unit in pairs
            if name != "wandb_version" and not name.startswith("_wandb.") and not name.endswith(".desc")
        ]
        return [*self.named_run(), *found]


def _plain(name: str) -> str:
    return name.removesuffix(".value") if name.endswith(".value") else name.replace(".value.", ".", 1)


class MlflowMetaReader(YamlReader):
    marks = (b"lifecycle_stage",)

    def fits(self, head: bytes, complete: bool) -> str | None:  # noqa: ARG002 - a FileReader
        keys = set(re.findall(rb"^([a-z_]+):", head[:4096], re.MULTILINE))
        if not {b"experiment_id", b"lifecycle_stage"} <= keys:
            return None
        if self.format.tracker == "mlflow-run":
            return "it has run_id, experiment_id, artifact_uri" if {b"run_id", b"artifact_uri"} <= keys else None
        own = b"artifact_location" in keys and b"run_id" not in keys
        return "it has experiment_id, artifact_location" if own else None

    def pairs_of(self, pairs: list[Pair]) -> list[Pair]:
        return [(pair[0], None, None, None) if pair[0] in _PRIVATE else pair for pair in pairs]


def yaml_pairs(document: bytes) -> list[Pair]:
    """Returns the scalars of a YAML mapping with dotted names. Raises Refused."""
    import yaml

    if len(document) > _LIMIT:
        raise Refused(BAD_YAML)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        node = yaml.compose(document.decode("utf-8", "backslashreplace"), Loader=loader)
        if node is None:
            return []
        if not isinstance(node, yaml.MappingNode):
            raise Refused(BAD_YAML)
        found: list[Pair] = []
        for pair in _scalars(node, "", 0):
            found.append(pair)
            if len(found) > _MOST:
                raise Refused(BAD_YAML)
    except (yaml.YAMLError, RecursionError, ValueError):
        raise Refused(BAD_YAML) from None
    return found


def _scalars(node: Any, name: str, depth: int) -> Iterator[Pair]:
    import yaml

    if depth > _DEEPEST:
        raise Refused(BAD_YAML)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            own = storable(str(key.value)) if isinstance(key, yaml.ScalarNode) else "?"
            yield from _scalars(value, f"{name}.{own}" if name else own, depth + 1)
    elif isinstance(node, yaml.SequenceNode):
        # As a list in JSON, if it is one of scalars.
        if all(isinstance(one, yaml.ScalarNode) for one in node.value):
            yield name, None, storable("[" + ", ".join(str(one.value) for one in node.value) + "]"), None
        else:
            for at, one in enumerate(node.value):
                yield from _scalars(one, f"{name}.{at}", depth + 1)
    else:
        yield _scalar(name, str(node.value), is_plain=not node.style)


def _scalar(name: str, text: str, *, is_plain: bool) -> Pair:
    if is_plain and (lower := text.lower()) in _NULL:
        return name, None, None, None
    if is_plain and lower in _NOT_FINITE:
        return name, float(_NOT_FINITE[lower]), None, None
    if is_plain and _NUMBER.match(text) and fits_float(text):
        return name, float(text), None, None
    return name, None, storable(text), None

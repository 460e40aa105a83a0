"""Reads the text files of a run: MLflow's metrics, params and tags, `wandb-summary.json`, Lightning's `metrics.csv`."""

from __future__ import annotations

import re

from benchledger.scanning import rows
from benchledger.scanning.csv_rows import cells_of
from benchledger.scanning.file_reader import NUMBER_CELL, lines_of, pair_of, reject
from benchledger.scanning.json_values import DECODER, flat_pairs, storable
from benchledger.scanning.object_lines import NOT_FINITE
from benchledger.scanning.rows import Columns, Pair, Pieces, Refused, exact
from benchledger.scanning.trackers.base import TrackerReader, moment, step_of
from benchledger.scanning.trackers.wandb import OWN
from benchledger.scanning.values import decode

BAD_METRIC = "bad metric: a line without a time, a value and a step"
_METRIC = re.compile(rb"([0-9]{1,18}) ([^ ]{1,40})(?: (-?[0-9]{1,18}))?(?: [^ ]* [^ ]*)?\Z")
# Who ran it, and where.
_PRIVATE = re.compile(r"mlflow\.(?:user|source\.name|project\.env|project\.entryPoint|artifactLocation)\Z")


class MlflowValueReader(TrackerReader):
    """Reads one file of an MLflow run, which is named after its metric, parameter or tag."""

    needs_name = True

    def fits(self, head: bytes, complete: bool) -> str | None:
        run, _, rest = self.name.partition("/")
        kind, _, name = rest.partition("/")
        if not name or kind not in ("metrics", "params", "tags"):
            return None
        if kind == "metrics":
            fits = _METRIC.match(head.split(b"\n", 1)[0].rstrip(b"\r")) is not None
        else:
            fits = complete and b"\0" not in head and head.count(b"\n") < 1_000
        return f"it is a file of {kind} of run {run}" if fits else None

    def read(self, buffer: bytes, base: int, line: int, pieces: Pieces) -> int:
        _, kind, name = self.name.split("/", 2)
        name = storable(name)
        if kind == "metrics":
            run = self.named_run()
            for text, number, offset in lines_of(self.finished(buffer, pieces), base, line):
                if text.strip():
                    run = self._metric(name, text, number, offset, run, pieces)
        elif _PRIVATE.match(name):
            self.ignore("who ran it, and from where", pieces)
        else:
            value = decode(buffer).strip("\r\n")
            pair = pair_of(self.layouts, name, value) if len(value) < 50 else (name, None, value, None)
            self.add_settings([*self.named_run(), pair], (line, base), pieces)
        return line + buffer.count(b"\n")

    def _metric(self, name: str, text: bytes, number: int, offset: int, run: list[Pair], pieces: Pieces) -> list[Pair]:
        match = _METRIC.match(text)
        try:
            value = exact(match.group(2)) if match and b"_" not in match.group(2) else None
        except ValueError:
            value = None
        except Refused as error:
            reject(pieces, number, offset, None, str(error), text)
            return run
        if match is None or value is None:
            reject(pieces, number, offset, None, BAD_METRIC, text)
            return run
        columns: Columns = {"logged_at": moment(int(match.group(1)) / 1000)}
        if match.group(3) is not None:
            columns["step"] = step_of(int(match.group(3)))
        self.add_values([(name, value, None, None), *run], columns, (number, offset), pieces)
        # The first record alone states the run.
        return []


class WandbSummaryReader(TrackerReader):
    """Reads `wandb-summary.json`: the last value of each name."""

    needs_name = True

    def fits(self, head: bytes, complete: bool) -> str | None:  # noqa: ARG002 - a FileReader
        named = self.name.endswith("/files/wandb-summary.json")
        return "it is files/wandb-summary.json of a wandb run" if named else None

    def read(self, buffer: bytes, base: int, line: int, pieces: Pieces) -> int:
        try:
            data = DECODER.decode(buffer.decode("utf-8-sig"))
            if not isinstance(data, dict):
                raise ValueError
            pairs = list(flat_pairs({name: value for name, value in data.items() if name not in OWN}))
        except (ValueError, RecursionError, Refused) as error:
            reason = str(error) if isinstance(error, Refused) else rows.BAD_JSON
            reject(pieces, line, base, "summary", reason, buffer)
            return line + buffer.count(b"\n")
        columns: Columns = {"step": step_of(data.get("_step"))}
        if isinstance(stamp := data.get("_timestamp"), int | float):
            columns["logged_at"] = moment(stamp)
        if isinstance(runtime := data.get("_runtime"), int | float):
            columns["clock_s"] = float(runtime)
        self.add_record(self.summary(), [*self.named_run(), *pairs], columns, (line, base), pieces)
        return line + buffer.count(b"\n")


class LightningMetricsReader(TrackerReader):
    """Reads `metrics.csv` of Lightning's CSVLogger: a header, and rows with empty cells."""

    needs_name = True
    whole = False

    def fits(self, head: bytes, complete: bool) -> str | None:  # noqa: ARG002 - a FileReader
        if self.name != "metrics.csv":
            return None
        header = cells_of(head[: head.find(b"\n")]) if b"\n" in head[: rows.PIECE_LIMIT] else []
        return "it is metrics.csv with a column step" if "step" in header and len(header) > 1 else None

    def begin(self, head: bytes) -> None:  # noqa: ARG002 - a FileReader
        self._header: list[str] = []

    def read(self, buffer: bytes, base: int, line: int, pieces: Pieces) -> int:
        for text, number, offset in lines_of(self.finished(buffer, pieces), base, line):
            if not text.strip():
                continue
            cells = cells_of(text)
            # A resumed run that appends to its file writes a header again, maybe of other columns.
            if not self._header or ("step" in cells and not any(map(NUMBER_CELL.match, cells))):
                self._header = cells
            elif cells != self._header:
                self._row(cells, text, (number, offset), pieces)
        return line + buffer.count(b"\n")

    def _row(self, cells: list[str], text: bytes, place: tuple[int, int], pieces: Pieces) -> None:
        if len(cells) != len(self._header):
            reject(pieces, *place, None, rows.CUT_ROW, text)
            return
        columns: Columns = {}
        pairs: list[Pair] = []
        for name, cell in zip(self._header, cells, strict=True):
            if name in ("step", "epoch") and cell.isascii() and cell.isdecimal() and len(cell) <= 18:
                columns[name] = int(cell)
            elif NOT_FINITE.match(cell):
                pairs.append((name, float(cell), None, None))
            elif cell:
                pairs.append(pair_of(self.layouts, name, cell))
        if pairs:
            self.add_values(pairs, columns, place, pieces)
        else:
            self.ignore("row without a value", pieces)

"""Turns a specification into an Altair chart, or into the bytes of an SVG, PNG or Vega-Lite JSON file."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchledger.errors import BenchledgerError, UsageError
from benchledger.exports.values import json_text
from benchledger.plots.data import plot_data
from benchledger.plots.extra import need
from benchledger.plots.marks import Spec
from benchledger.plots.vega import vega_lite
from benchledger.store.default_db import DEFAULT_DB

if TYPE_CHECKING:
    import altair as alt

ENDINGS = (".svg", ".png", ".json")
_VERSION = "6.1"
_PIXELS = 2
# A limit of 64 GiB is too low, one of 70 is not: V8 reserves two spaces of 32 GiB.
_ADDRESSES = 80 << 30


def plot_scaling(*, db: Path | str = DEFAULT_DB, **asked: Any) -> alt.VConcatChart:
    """Draws speed-up and efficiency by number of GPUs, with the ideal line; `asked` are filters and `rule`.

    This and all other plots draw what has most data of all that the filters select, and raise what `plot_data` raises.
    """
    return _chart("scaling", db, asked)


def plot_speed(*, db: Path | str = DEFAULT_DB, **asked: Any) -> alt.VConcatChart:
    """Draws the speed of each series as a bar, the fastest first; `asked` are filters and `rule`."""
    return _chart("speed", db, asked)


def plot_batch(*, db: Path | str = DEFAULT_DB, **asked: Any) -> alt.VConcatChart:
    """Draws speed by batch size, with the sizes that ran out of memory; `asked` are filters and `rule`."""
    return _chart("batch", db, asked)


def plot_loss(*, db: Path | str = DEFAULT_DB, **asked: Any) -> alt.VConcatChart:
    """Draws the training loss of runs; `asked` are filters, `run` (a key's beginning) and `target` (loss=6.5)."""
    return _chart("loss", db, asked)


def plot_steps(*, db: Path | str = DEFAULT_DB, **asked: Any) -> alt.VConcatChart:
    """Draws every reading of one run, and which of them its rule skips; `asked` are filters, `run` and `rule`."""
    return _chart("steps", db, asked)


def plot_memory(*, db: Path | str = DEFAULT_DB, **asked: Any) -> alt.VConcatChart:
    """Draws the memory of the fullest GPU of each series, beside the size of the GPU; `asked` are filters."""
    return _chart("memory", db, asked)


def plot_utilization(*, db: Path | str = DEFAULT_DB, **asked: Any) -> alt.VConcatChart:
    """Draws how busy GPUs and their pipes were, by profile, or of one run over time; `asked` are filters and `run`."""
    return _chart("utilization", db, asked)


def plot_history(*, db: Path | str = DEFAULT_DB, **asked: Any) -> alt.VConcatChart:
    """Draws the speed of cases over the dates of their runs; `asked` are filters and `rule`."""
    return _chart("history", db, asked)


def _chart(name: str, db: Path | str, asked: dict[str, Any]) -> alt.VConcatChart:
    chart: alt.VConcatChart = need("altair").VConcatChart.from_dict(vega_lite(plot_data(name, db=db, **asked)))
    return chart


def need_ending(file: Path) -> str:
    """Returns the ending of a picture's file. Raises UsageError for another one."""
    ending = file.suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"{file}: a picture ends with {', '.join(ENDINGS)}; name such a file")
    return ending


def file_bytes(spec: Spec, file: Path) -> bytes:
    """Returns the picture in the form that the file's ending names.

    Raises UsageError for another ending, and BenchledgerError if too few addresses are allowed to draw it.
    """
    ending = need_ending(file)
    if ending == ".json":
        return (json_text(spec) + "\n").encode()
    convert = need("vl_convert")
    _need_addresses()
    if ending == ".svg":
        return str(convert.vegalite_to_svg(spec, vl_version=_VERSION)).encode()
    return bytes(convert.vegalite_to_png(spec, vl_version=_VERSION, scale=_PIXELS))


def _need_addresses() -> None:
    # vl-convert runs JavaScript by V8, which ends the process where it cannot reserve addresses.
    with suppress(ImportError):  # Windows has no such limit
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY and limit < _ADDRESSES:
            raise BenchledgerError(
                f"a picture needs {_ADDRESSES >> 30} GiB of addresses, most of which it does not use, but ulimit -v "
                f"allows {limit >> 30}. Raise the limit: ulimit -v unlimited. Or write a .json file, or draw in the "
                f"terminal (without --output)"
            )

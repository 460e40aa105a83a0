"""The roundings of owners' scripts, by name; the ledger's macro `rounded` does them."""

from __future__ import annotations

from dataclasses import dataclass

from benchledger.definitions.toml_table import Table

# Python's round is round_exact; numpy's is round_even; int() is truncate.
ROUNDINGS = ("round_even", "round_exact", "truncate", "round2_truncate", "significant")
ROUNDING_KEYS = ("rounding", "rounding_digits")
_MOST_DIGITS = 15


@dataclass(frozen=True)
class Rounding:
    """How a script rounds; without a `method` it does not."""

    method: str | None = None
    digits: int = 0


def read_rounding(table: Table) -> Rounding:
    method = table.choice_or_none("rounding", ROUNDINGS)
    if method is None:
        if "rounding_digits" in table:
            table.fail("rounding_digits", f"rounding is missing; known: {', '.join(ROUNDINGS)}")
        return Rounding()
    return Rounding(method, table.whole_number("rounding_digits", least=0, most=_MOST_DIGITS))

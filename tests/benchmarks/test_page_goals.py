"""Each goal stands beside what was measured, with how far it is missed."""

from __future__ import annotations

from benchmarks.again import Again
from benchmarks.growth import Packed, Peak
from benchmarks.page_goals import Goal, goals_section
from benchmarks.page_growth import Further
from benchmarks.rounds import Starts


def test_a_goal_says_by_how_much_it_is_missed() -> None:
    assert Goal("time", 2, 2.0).stands == "reached"
    assert Goal("time", 2, 3.0).stands == "missed by 1.50 times"
    assert Goal("speed", 1, 0.5, least=True).stands == "missed by 2.00 times"
    assert Goal("speed", 1, 1.0, least=True).stands == "reached"


def test_what_was_measured_stands_beside_its_goal() -> None:
    peaks = [Peak("dense", 250_000_000, 1, 300.0, 1.0), Peak("dense", 2_000_000_000, 1, 420.0, 1.0)]
    further = Further(
        [Again(0.6, 0.05, 1.0, 0.8, 5_000_000, 1)],
        [],
        [Packed(2.0, 1, {"a.tar.gz": 2.2}, {"a.tar.gz": 1}, {})],
        [peaks],
    )

    assert goals_section([], [Starts(0.01, 0.04)], further).splitlines()[3:] == [
        "| `a.tar.gz` / plain | at most 1.3 | **1.10** | reached |",
        "| unchanged tree / `find` | at most 10 | **12.00** | missed by 1.20 times |",
        "| new files, into 5,000,000 records / into none | at most 2 | **1.25** | reached |",
        "| peak memory of a dense file of 2,000 MB / of the shorter one | at most 1.3 | **1.40** | missed by 1.08 times |",
        "| MiB at the peak, dense, 2,000 MB | at most 600 | **420.00** | reached |",
        "| `bench --help` / `python -c pass` | at most 5 | **4.00** | reached |",
    ]

"""What is kept of every run, so that no answer reads its records: filled in the transaction that changes them.

`fill.py` finds the runs whose records, case or rules changed, and fills series and cells; `runs.py` fills what a chunk
of runs says. Both call the files of `sql/` in their order; each file is a function, whose head says which relations
it reads and makes. `statements.py` reads them, and drops the temporary ones. `use.py` lists the readings that a rule
uses, and why not the others, by the same statements, and gives the records of a run.

- What is due: `definitions`, `formats` or `manifest_formats`, `due`, `gone`, `due_chunks`.
- Each number that can tell a speed, with its place: `claims`, `claimed`, `claimed_whole` or `claimed_in_part`,
  `repeats`, `micro_steps`, `unnamed_ranks`, `readings`, `timings`, `rounds`, `reading`.
- Which readings each rule takes, and its window as a range of places: `rules`, `windows`, `medians`, `lanes`.
- Which readings it uses: `use`, `use_medians`.
- Of a long run, readings by how often each value occurs: `value_counts`.
- Speeds: `pieces`, `sums`, `bounded_ends`, `counted_middles`, `answers`, `speeds`.
- Other numbers of a run: `memory`, `log_clocks`, `clocks`, `chosen_losses`, `losses`, `kept_losses`, `evaluations`.
- What follows from several: `run_speeds`, `conflicts`, `pairs`, `members`, `merge_vague_series`, `submissions`,
  `alike_logs`, `copies`, `differences`, `series`, `cells`, `speedups`.
"""

from benchledger.kept.fill import follow_definitions, keep
from benchledger.kept.use import records_of, uses

__all__ = ["follow_definitions", "keep", "records_of", "uses"]

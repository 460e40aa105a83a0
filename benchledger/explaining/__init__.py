"""Where a number comes from, what a run is, how a file was recognised: what `bench explain` tells.

`explain.py` finds what is meant; `explained.py` has the answers.

- A speed: `speed.py` with its trials, `readings.py` with every value, its use and its printed line. The values come
  from `benchledger.kept.uses`, the statements that fill the kept numbers; `sql/` finds their lines and describes them.
- `memory.py` and `speedup.py` explain the other two tables, `run.py` a run, `file.py` a file.
- In words: `rule_words.py` a rule as a recipe, `speed_words.py` a speed.
"""

"""What changed between two sets of runs, by how much, and how sure that is: `bench compare`.

- `compare.py` compares two sides; `sides.py` opens a side: a folder of logs, a ledger, a campaign, or filters.
  `sql/trials.sql` selects the trials of a side, `sql/pairs.sql` pairs the series of both; `page.py` prints the result.
- Statistics, over plain numbers: `pair_test.py` judges all pairs together, `noise.py` estimates the noise between
  trials over all cases, `steps.py` the uncertainty within one trial, `distributions.py` has Student's t.

docs/comparing.md describes the method and its measured error rates.
"""

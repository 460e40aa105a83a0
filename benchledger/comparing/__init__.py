"""What changed between two sets of runs, how sure that is, and why: `bench compare` and `bench diff`.

- `compare.py` compares two sides; `sides.py` opens a side: a folder of logs, a ledger, a campaign, or filters.
  `sql/trials.sql` selects the trials of a side, `sql/pairs.sql` pairs the series of both; `page.py` prints the result.
- Statistics, over plain numbers: `pair_test.py` judges all pairs together, `noise.py` estimates the noise between
  trials over all cases, `steps.py` the uncertainty within one trial, `distributions.py` has Student's t.
- `diff.py` answers `bench diff`: `evidence.py` reads what is known of runs, `differences.py` ranks what differs.

docs/comparing.md describes the method and its measured error rates.
"""

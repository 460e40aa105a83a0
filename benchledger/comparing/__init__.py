"""Changes, their certainty and their causes: `bench compare`, `bench diff` and, over time, `bench history`.

- `compare.py` compares two sides; `sides.py` opens a side: a folder of logs, a ledger, a campaign, or filters.
  `sql/trials.sql` selects the trials of a side, `sql/pairs.sql` pairs the series of both; `page.py` prints the result.
- Statistics, over plain numbers: `pair_test.py` judges all pairs together, `distributions.py` estimates the noise
  between trials over all cases.
- `differences.py` answers `bench diff`: it reads what is known of runs, and ranks what differs.
- `history.py` follows lines over time: `sql/history_points.sql` gives their points, `change_points.py` finds the steps,
  `history_page.py` prints them. `accept.py` keeps what a person accepts.

docs/comparing.md and docs/history.md describe the methods and their measured error rates.
"""

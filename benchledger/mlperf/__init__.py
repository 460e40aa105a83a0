"""Submissions to MLPerf Training and similar suites, and their scores.

`report` is the command. `runs` collects the runs of each submission, `points` the reference convergence points, and
`verdict` compares both. The owners' arithmetic is in pure functions: `reference_points` and `scores`.
"""

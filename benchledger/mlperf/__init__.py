"""Submissions to MLPerf Training and similar suites, and their scores.

`report` is the command. `runs` collects the runs of each submission, and `verdict` compares them with the
reference convergence points. The owners' arithmetic is in pure functions: `reference_points` and `scores`.
"""

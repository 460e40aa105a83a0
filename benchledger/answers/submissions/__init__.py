"""Submissions to MLPerf Training: their scores, and whether they converged no faster than the reference does."""

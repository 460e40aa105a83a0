"""One module per report.

`speed`, `speedup`, `memory`, `max_batch`, `convergence`, `environment`, `failures`, `profile`, `logs`, `leaderboard`,
`pivot`, `ranking`, `overview`. `published` shows the tables of others in the layouts of `speed` and `speedup`;
`readme_parts` prints parts of a README.
"""

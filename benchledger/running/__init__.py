"""Runs training cases (`bench run`): case files to command lines, command lines to logs in the staging folder.

`run.py` is the command; `one_run.py` makes one run and its outcome. `case_file.py` reads cases and their settings,
`job.py` makes jobs of them. `launch.py` makes command lines, `runner_process.py` runs one to its end, `failure.py`
explains a failure. `staging.py` redacts the logs and moves them into the staging folder, with the manifest of
`manifest.py`. `environments.py` makes the frameworks' Python environments, `data.py` makes training data.
"""

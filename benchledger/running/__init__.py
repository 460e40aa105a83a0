"""Runs training cases (`bench run`): case files to command lines, command lines to logs in the staging folder.

`run.py` is the command; `one_run.py` makes one run and `outcome.py` its result. `case_file.py` and `settings.py` read
cases, `job.py` makes jobs of them. `launch.py` and `profiler.py` make
command lines, `process.py` starts and watches a process, `failure.py` explains a failure. `staging.py` moves the logs
into the staging folder, with the manifest of `manifest.py` and redacted by `redact_log.py`. `environments.py` makes the
frameworks' Python environments, `data.py` makes training data.
"""

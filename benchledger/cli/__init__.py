"""The command line, the only package that uses click: a command parses, makes one library call, and prints.

`main.py` defines `bench`, `commands.py` its groups, lazy loading and error handling, `settings.py` the settings of a
call, `signals.py` Ctrl-C and SIGTERM, `memory_limit.py` and `import_blocker.py` the limits of its process. Each command
has a module of its name. They share options (`options.py`), printing (`output.py`, `render.py`), the progress bar and
summary of an ingest (`ingest_summary.py`), the overview of `bench` alone (`overview.py`), and the filling of Markdown
pages (`page.py`).
"""

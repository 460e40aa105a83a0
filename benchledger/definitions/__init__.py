"""Finds and reads the files that users extend: formats, names, rules, queries, vocabulary. Each error names its line.

`folders.py` finds the files. `toml_file.py` and `toml_table.py` read TOML with typed access and the lines of its keys;
`definition_cache.py` caches what was read between processes.

Formats: `format_file.py` reads a file into the classes of `log_format.py`, with `format_parts.py`,
`format_rows.py`, `format_detect.py`, `format_dependencies.py` for its parts;
`template.py` parses templates and reads the shared line prefixes.

Others: `vocabulary.py` (units, quantities, facts, modes), `names.py` with `name_rules.py` (paths), `manifest.py` (run
manifests), `redaction.py`, `rules.py` with `rule.py`, `queries.py`, `checks.py` (audit), `scores.py`, `submissions.py`,
`published.py`, `paddle_index.py` (PaddlePaddle's index), `layouts.py` (tables, and texts of report pages).
"""

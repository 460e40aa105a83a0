"""Finds and reads the files that users extend: formats, names, rules, queries, vocabulary. Each error names its line.

`folders.py` finds the files. `toml_file.py` and `toml_table.py` read TOML with typed access (`toml_places.py` finds the
lines); `definition_cache.py` caches what was read between processes, in the folder of `file_cache.py`.

Formats: `format_file.py` reads a file into the classes of `log_format.py`, with `format_parts.py`,
`format_templates.py`, `format_rows.py`, `format_detect.py`, `format_bases.py` and `format_hash.py` for its parts;
`template.py` parses templates and `leads.py` reads the shared line prefixes.

Others: `vocabulary.py` (units, quantities, facts), `phases.py` (modes), `names.py` with `name_rules.py` (paths),
`manifest.py` (run manifests), `redaction.py`, `rules.py` with `rule.py`, `queries.py` with `query_header.py`,
`checks.py` (audit), `scores.py`, `submissions.py`, `published.py`, `paddle_index.py` (PaddlePaddle's index),
`layouts.py` and `page_texts.py` (texts of report pages).
"""

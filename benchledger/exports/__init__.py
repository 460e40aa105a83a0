"""Writes answers in the forms that people publish: Markdown, CSV, Excel, JSON, Parquet, LaTeX.

`tables.py` (`bench export tables`) writes reports to files; `output_forms.py` picks the writer for a form:
`markdown.py` (with `markdown_text.py` for escaping and `prose.py` for page lines), `delimited.py` for CSV, `latex.py`,
and `workbook.py`, which lays out the sheets that `excel.py` writes. `captions.py` makes the lines above and below a
table, `table_list.py` lists the tables of a report that has too many for a screen, `values.py` turns one value into
text or JSON, and `safe_text.py` escapes control characters. `dlperf.py` and `index.py` (with its queries in
`index_rows.py`) write the result files of DLPerf and PaddlePaddle as a `json_files.py` object. `audit_text.py` and
`audit_page.py` write an audit. `real_names.py` puts real names in place of pseudonyms. `overwrite_guard.py` refuses to
overwrite anything but an earlier answer, and `atomic_write.py` replaces a file in one step.
"""

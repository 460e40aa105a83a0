"""Writes answers in the forms that people publish: Markdown, CSV, Excel, JSON, Parquet, LaTeX.

`tables.py` (`bench export tables`) writes reports to files; `output_forms.py` picks the writer for a form, and writes
CSV itself: `markdown.py`, `latex.py`, and `workbook.py`, which lays out the sheets that `excel.py` writes.
`captions.py` makes the lines above and below a table, and the list of the tables of a report that has too many for a
screen; `values.py` turns one value into text or JSON, without control characters. `dlperf.py` and
`index.py` write the result files of DLPerf and PaddlePaddle. `audit.py` writes an audit. `real_names.py` puts real
names in place of pseudonyms. `answer_files.py` refuses to overwrite anything but an earlier answer, and replaces a
file in one step.
"""

"""Charts of the numbers that reports print: `bench plot`, `plot_scaling` and its like.

- `questions.py` lists the plots: what a line is, how many a picture holds. `sql/` has one query for each.
- `data.py` asks the query and gives a `Plot`: a frame of points, the words around it, and the SQL that gives these
  points again (`statements.py`). `choice.py` chooses what has most data.
- `labels.py` names lines by the facts in which they differ. `thinning.py` keeps the shape of long lines (LTTB).
- `vega.py` turns a `Plot` into a Vega-Lite specification, a plain dict, of the marks and axes of `marks.py`; `files.py`
  makes SVG, PNG or JSON of it, `charts.py` Altair charts. `terminal.py` draws a `Plot` as text.

Data and specifications need no library of the extra `plot`, but for thinning. `extra.py` imports its libraries, or
names the line that installs them.
"""

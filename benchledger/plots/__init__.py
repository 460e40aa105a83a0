"""Charts of the numbers that reports print: `bench plot`, `plot_scaling` and its like.

- `questions.py` lists the plots, with the meaning of a line and the most lines of a picture, and selects those with
  most data. `sql/` has one query for each.
- `data.py` asks the query and gives a `Plot`: a frame of points, the words around it, and the SQL that gives these
  points again.
- `labels.py` names lines by the facts in which they differ. `extra.py` imports the libraries of the extra `plot`, or
  names the line that installs them, and keeps the shape of long lines (LTTB).
- `vega.py` turns a `Plot` into a Vega-Lite specification, a plain dict, of the marks and axes of `marks.py`;
  `charts.py` makes an Altair chart of it, or SVG, PNG or JSON. `terminal.py` draws a `Plot` as text.

Data and specifications need no library of the extra `plot`, except to thin long lines.
"""

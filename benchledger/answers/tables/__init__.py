"""The parts that reports share: how rows become tables, and what is written around them.

`grouping` splits rows into tables whose numbers may stand side by side; `grid` lays a table out, one row per GPU count
and one column per precision and batch size; `cells` writes one number. `presentation` applies a layout and states
the coverage, `table_selection` adds the rows and columns that were asked for, `units` names the unit. `table` holds the
result, or the lines of a page. `numbers` selects unlike series with all that is known of them, for `pivot` and
`ranking`. `rules` chooses the rule of each table. Below a table stand `trials`, `remarks` and what is `left_out`.
"""

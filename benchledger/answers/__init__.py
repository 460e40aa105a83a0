"""Questions to the ledger, answered as polars frames.

`reports/` has a module per report and `tables/` what these share. `runs` and `run_detail` answer `bench runs` and
`bench show`; `query` answers shipped questions and SQL; `score` computes scores of many runs;
`page_blocks` finds the marked blocks of a Markdown page; `formats` lists formats. `filters` reads the filters of
every question, `rows` opens the ledger for one answer and selects rows of views. `student_t` is arithmetic.
"""

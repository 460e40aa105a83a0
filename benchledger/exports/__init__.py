"""Answers in every form that people publish or read on: Markdown, CSV, Excel, JSON, Parquet, LaTeX."""

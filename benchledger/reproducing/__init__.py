"""Whether published tables come out of their logs: `bench reproduce`.

- `page.py` reads Markdown, HTML and CSV into the tables and links of `page_parts.py`. `words.py` says what their words
  state, in Chinese or English, and `units.py` which unit; `claims.py` makes of each printed number a claim: case, unit,
  digits, line.
- `evidence.py` reads from the ledger what may stand behind claims, by `sql/`; `matching.py` finds the runs of a claim.
- `verdicts.py` gives verdicts; `chance.py` says how often chance would fit; `findings.py` lists contradictions.
- `reproduce.py` runs all steps, stores the verdicts in table published, and puts them in words.

docs/reproducing.md describes the method.
"""

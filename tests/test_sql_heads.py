"""Each SQL file of the engine says in its head what it reads and makes: as DuckDB's parser finds it."""

import json
import re
from pathlib import Path

import duckdb
import pytest

import benchledger

ENGINE = Path(benchledger.__file__).parent
# How campaigns are named is being rewritten.
WITHOUT_HEAD = {"ingestion/name_campaigns"}
TEXTS = {
    name: path.read_text(encoding="utf-8")
    for path in ENGINE.glob("*/sql/*.sql")
    if (name := f"{path.parent.parent.name}/{path.stem}") not in WITHOUT_HEAD
}
WHAT = r"(?:create or replace temp (?:table|view|macro)|insert into|update|delete from)"
# The parser gives the tree of a query only: that within a statement, or one with the same conditions.
QUERIES = (
    (r"create or replace temp (?:table|view) \w+ as\s", ""),
    (r"create or replace temp macro \w+\([^)]*\) as\s", "select "),
    (r"insert into [\w.]+(?: by name)?\s", ""),
    (r"delete from [\w.]+\s+using ([\w.]+(?: as \w+)?)", r"select 1 from \2"),
    (r"delete from [\w.]+;", "select 1;"),
    (r"delete from [\w.]+", "select 1"),
    (r"update [\w.]+\s+set\s.*?\nfrom ", "select 1\nfrom "),
)


def said(text, word):
    found = re.search(rf"^-- {word}: (.*(?:\n--   .*)*)", text, re.MULTILINE)
    return set() if found is None else set(re.split(r",\s+(?:--\s+)?", found[1].strip()))


def statements(text):
    for statement in duckdb.extract_statements(re.sub(r"\$\w+", "1", text)):
        yield re.sub(r"--.*", "", statement.query).strip()


def relations(statement):
    """The tables and views that a statement reads, without its own common table expressions."""
    # Without a query: nothing is read.
    if re.match(r"drop|create or replace temp table \w+ \(", statement):
        return set()
    statement = re.sub(r"\non conflict .*", "", statement, flags=re.DOTALL)
    for before, query in QUERIES:
        statement, changed = re.subn(rf"^((?:with\s.*?\n\)\n)?){before}", rf"\1{query}", statement, flags=re.DOTALL)
        if changed:
            break
    ((tree,),) = duckdb.execute("select json_serialize_sql($query)", {"query": statement}).fetchall()
    found, own = set(), set()

    def walk(node):
        if isinstance(node, dict):
            if node.get("type") == "BASE_TABLE":
                found.add(".".join(filter(None, (node["schema_name"], node["table_name"]))))
            own.update(pair["key"] for pair in node.get("cte_map", {}).get("map", []))
            node = list(node.values())
        for part in node if isinstance(node, list) else []:
            walk(part)

    tree = json.loads(tree)
    assert not tree["error"], (tree, statement)
    walk(tree)
    return found - own


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_the_head_of_a_file_says_what_it_reads_and_makes(name):
    text, made, read = TEXTS[name], set(), set()
    for statement in statements(text):
        read |= relations(statement) - made
        made |= set(re.findall(rf"^(?:with\s.*?\n\)\n)?{WHAT} ([\w.]+)", statement, re.DOTALL))

    assert said(text, "makes") == made
    assert said(text, "reads") == read

"""Derives runs, facts, cases and environments in SQL, for the part of the ledger near changed logs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.definitions.vocabulary import FactName, vocabulary
from benchledger.ingestion.load import insert, set_ids, sql_text
from benchledger.kept import keep
from benchledger.kept.statements import finds
from benchledger.store.tables import quoted

if TYPE_CHECKING:
    import duckdb

    from benchledger.ingestion.load import Insert

_NAMELESS = "unknown"
# Those that are derived again: an ingest of new logs has none.
_OLD_RUNS = """
create or replace temp table old_run as
select distinct run_id from run_log join scope using (log_id) where role <> 'sidecar'
"""
_OLD_ONES = "from old_run limit 1"
# Most logs have no pair, and to plan the statements that pair logs takes longer than a small ingest.
_PAIRS = "select 1 where exists (from listed_log) or exists (from live_segment where role <> 'train')"
# Most segments are like no other one.
_ALIKE = """
select 1
where exists (select 1 from live_segment where beginning is not null group by role, beginning having count(*) > 1)
    or exists (from live_segment where role = 'duplicate_stream')
"""
_RANKS = "from active_sighting semi join live_segment using (log_id) where job is not null limit 1"
_RESTARTS = "from new_run where restart_line is not null limit 1"
_COPIES = "from copy_of limit 1"
_TRACKERS = "from live_segment where role = 'tracker' limit 1"
_SIDECARS = "from kept.segment where role = 'sidecar' limit 1"
_TWINS = "from run_log semi join new_run using (run_id) where role = 'duplicate_stream' limit 1"


def derive(
    con: duckdb.DuckDBPyConnection,
    touched: list[int],
    succession: list[tuple[int, int]],
    records: Insert | None = None,
) -> int:
    """Derives everything near the touched logs again; returns the number of their runs.

    `succession` are superseded logs, each with its successor; `records` inserts the records of this transaction: some
    may not be in their table yet.
    """
    set_ids(con, "touched_id", touched)
    con.execute("create or replace temp table touched as select id as log_id from touched_id")
    _pair(con, records)
    con.execute(sql_text("derive_facts"))
    con.execute(sql_text("derive_status"))
    con.execute(_cases_sql())
    con.execute(_environments_sql())
    con.execute(sql_text("derive_run_rows"))
    con.execute("create or replace temp table succession (old_id bigint, new_id bigint)")
    insert(con, "succession", [{"old_id": old, "new_id": new} for old, new in succession])
    if finds(con, _OLD_ONES):
        con.execute(sql_text("derive_orphans"))
        con.execute(sql_text("derive_keys"))
    _have_all(records)
    keep(con, "select run_id from old_run union select run_id from new_run")
    row = con.execute("select count(*) from new_run semi join run_log using (run_id)").fetchone()
    return row[0] if row else 0


def _pair(con: duckdb.DuckDBPyConnection, records: Insert | None) -> None:
    # Runs, and which logs are theirs.
    con.execute(sql_text("derive_scope"))
    if finds(con, "from tie limit 1"):
        con.execute(sql_text("derive_tied"))
    con.execute(_OLD_RUNS)
    if finds(con, _OLD_ONES):
        con.execute(sql_text("derive_gone"))
    con.execute(sql_text("derive_segments"))
    _copies(con, records)
    pairs = finds(con, _PAIRS)
    if pairs:
        con.execute(sql_text("derive_pairs"))
    con.execute(sql_text("derive_runs"))
    if finds(con, _RESTARTS):
        _have_all(records)
        con.execute(sql_text("derive_epochs"))
    if pairs:
        if finds(con, _TRACKERS):
            con.execute(sql_text("derive_trackers"))
        con.execute(sql_text("derive_covering"))
    con.execute(sql_text("derive_own_logs"))
    if pairs:
        con.execute(sql_text("derive_companions"))
        # DuckDB does not know how many records a transaction has added: it would read all of them to join none.
        if finds(con, "from watched limit 1"):
            _have_all(records)
            con.execute(sql_text("derive_watched"))
        con.execute(sql_text("derive_monitors"))
    if finds(con, _SIDECARS):
        con.execute(sql_text("derive_sidecars"))
    if finds(con, _COPIES):
        con.execute(sql_text("derive_copied"))
    if finds(con, _TWINS):
        _have_all(records)
        con.execute(sql_text("derive_twins"))


def _copies(con: duckdb.DuckDBPyConnection, records: Insert | None) -> None:
    # Segments that belong to the run of another segment: copies, and other ranks.
    if finds(con, _ALIKE):
        con.execute(sql_text("derive_alike"))
        if finds(con, "from alike limit 1"):
            _have_all(records)
            con.execute(sql_text("derive_copies"))
    if finds(con, _RANKS):
        _have_all(records)
        con.execute(sql_text("derive_ranks"))


def _have_all(records: Insert | None) -> None:
    # The next statements read table record.
    if records is not None:
        records.rest()


def _cases_sql() -> str:
    facts = vocabulary().group("case")
    names = [fact.name for fact in facts]
    return f"""
        create or replace temp table run_case as
        with known as (
            select
                n.run_id,
                {", ".join(_picked(fact) for fact in facts)},
                case when count(f.name) filter (f.name like 'options.%') > 0 then to_json(map_from_entries(
                    list_sort(list((replace(f.name, 'options.', ''), f.value)) filter (f.name like 'options.%'))
                )) end as options
            from new_run as n
            left join fact as f on f.run_id = n.run_id and f.used
            group by n.run_id
        )
        select
            *, {_id([*names, "options"])} as case_id,
            concat_ws('_',
                case when model like 'bert%' or model like 'gpt%' or model like 'transformer%' then 'nlp' end,
                coalesce(model, '{_NAMELESS}'),
                case when gpus = 1 then 'sp' when gpus > 1 then 'mp' end,
                'bs' || coalesce(batch_size_per_gpu::varchar, '{_NAMELESS}'),
                coalesce("precision", '{_NAMELESS}'), coalesce(gpus::varchar, '{_NAMELESS}')
            ) as name
        from known;

        insert into bench_case by name
        select distinct on (case_id) case_id, name, {", ".join(quoted(name) for name in names)}, options
        from run_case
        on conflict do nothing
    """  # noqa: S608 - names are the vocabulary's


def _environments_sql() -> str:
    facts = vocabulary().group("environment")
    names = [fact.name for fact in facts]
    return f"""
        create or replace temp table run_environment as
        with known as (
            select n.run_id, {", ".join(_picked(fact) for fact in facts)}
            from new_run as n
            left join fact as f on f.run_id = n.run_id and f.used
            group by n.run_id
        )
        select *, {_id(names)} as environment_id from known;

        insert into environment by name
        select distinct on (environment_id) environment_id, {", ".join(quoted(name) for name in names)}
        from run_environment
        on conflict do nothing
    """  # noqa: S608 - names are the vocabulary's


def _picked(fact: FactName) -> str:
    value = f"max(f.value) filter (f.name = '{fact.name}')"
    kind = "varchar" if fact.type == "text" else "bigint"
    return f"try_cast({value} as {kind}) as {quoted(fact.name)}"


def _id(names: list[str]) -> str:
    # A hash of the content: the same case has the same id in every database.
    parts = ", ".join(f"coalesce({quoted(name)}::varchar, chr(1))" for name in names)
    return f"md5_number_lower(concat_ws(chr(31), {parts})) // 2"

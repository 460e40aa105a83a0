"""Writes what is told of places, and names the campaigns that nobody states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchledger.ingestion.load import insert, set_ids, sql_text
from benchledger.ingestion.sightings import Sighting

if TYPE_CHECKING:
    import duckdb

_ARE_ALIKE = """
select 1 from kept.root group by name having count(*) > 1
union all
select 1
from sighting
where campaign_path is not null
group by root_id, lower(regexp_replace(campaign_path, '[^[:alnum:]/]+', '', 'g'))
having min(campaign_path) < max(campaign_path)
union all
select 1
from sighting
join kept.root using (root_id)
where campaign <> name || if(campaign_path = '', '', '/' || campaign_path)
limit 1
"""


def write_sightings(con: duckdb.DuckDBPyConnection, sightings: list[Sighting]) -> None:
    """Writes sightings with their roots, facts and files, in place of what the same ones told before."""
    if not sightings:
        return
    rows = list({sighting.sighting_id: sighting for sighting in sightings}.values())
    _keep_declared(con, [sighting for sighting in rows if sighting.keeps_declared])
    set_ids(con, "told", [sighting.sighting_id for sighting in rows])
    for table in ("kept.sighting_fact", "sighting"):
        con.execute(f"delete from {table} where sighting_id in (select id from told)")  # noqa: S608
    roots = {sighting.root for sighting in rows if sighting.row["root_id"] is not None}
    insert(con, "kept.root", [{"root_id": root.root_id, "name": root.name} for root in roots], "on conflict do nothing")
    insert(con, "sighting", [sighting.row for sighting in rows])
    insert(con, "kept.sighting_fact", [fact for sighting in rows for fact in sighting.facts])
    # What a manifest lists is known only when it is read; what is told of its place again leaves that as it is.
    listing = [sighting for sighting in rows if sighting.files is not None]
    set_ids(con, "listing", [sighting.sighting_id for sighting in listing])
    con.execute("delete from kept.sighting_file where sighting_id in (select id from listing)")
    insert(con, "kept.sighting_file", [file for sighting in listing for file in sighting.files or ()])


def _keep_declared(con: duckdb.DuckDBPyConnection, sightings: list[Sighting]) -> None:
    # What a facts.toml said of these places before it was refused; what a nearer one says now counts before it.
    set_ids(con, "kept", [sighting.sighting_id for sighting in sightings])
    campaigns = dict(
        con.execute(
            """select sighting_id, campaign from sighting
               where campaign_source = 'facts.toml' and sighting_id in (select id from kept)"""
        ).fetchall()
    )
    before = con.execute(
        """select sighting_id, name, value, value_logged, source, place from kept.sighting_fact
           where source in ('facts.toml', 'correct') and sighting_id in (select id from kept)"""
    )
    columns = [column[0] for column in before.description]
    facts: dict[int, list[dict[str, Any]]] = {}
    for row in before.fetchall():
        facts.setdefault(row[0], []).append(dict(zip(columns, row, strict=True)))
    for sighting in sightings:
        told = {(fact["name"], fact["source"]) for fact in sighting.facts}
        kept = facts.get(sighting.sighting_id, [])
        sighting.facts += [fact for fact in kept if (fact["name"], fact["source"]) not in told]
        if sighting.sighting_id in campaigns and sighting.row["campaign_source"] not in ("option", "facts.toml"):
            sighting.row.update(
                campaign=campaigns[sighting.sighting_id], campaign_source="facts.toml", campaign_path=None
            )


def move_others(con: duckdb.DuckDBPyConnection) -> list[int]:
    """Gives what lay earlier at the places that were just told (temp table told) their root; returns its logs."""
    con.execute(sql_text("move_others"))
    return [row[0] for row in con.execute("select distinct log_id from moved_other").fetchall()]


def name_campaigns(con: duckdb.DuckDBPyConnection) -> list[int]:
    """Tells campaigns of roots of one name apart, and gives spellings of a campaign one name; returns the logs touched.

    A campaign's name depends on what the ledger holds, not on the order in which it came.
    """
    if con.execute(_ARE_ALIKE).fetchone() is None:
        return []
    con.execute(sql_text("name_campaigns"))
    # All that was in a campaign with them: what a monitor watched hangs on all runs of its campaign.
    touched = con.execute(
        """select distinct log_id from sighting
           where log_id is not null and campaign in (
               select sighting.campaign from sighting join renamed using (sighting_id)
           )"""
    ).fetchall()
    con.execute(
        "update sighting set campaign = renamed.campaign from renamed where sighting.sighting_id = renamed.sighting_id"
    )
    return [row[0] for row in touched]


def drop_empty_roots(con: duckdb.DuckDBPyConnection) -> None:
    """Removes the roots of which nothing is left."""
    con.execute("delete from kept.root where root_id not in (select root_id from sighting where root_id is not null)")

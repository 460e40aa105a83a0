"""A campaign that nobody states belongs to its root: what was named to be read."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from benchledger import ingest
from benchledger.scanning.content import content_hash
from tests.cli.bench import run_bench
from tests.ingestion.logs import ask, put, run_text
from tests.ingestion.packing import wrapped

YEARS = {"2023": 200.0, "2024": 300.0}
CAMPAIGNS = "select distinct campaign from kept.run_campaign order by all"


def put_years(folder: Path) -> list[Path]:
    """Two years of one case, with one log each of the same path."""
    for year, speed in YEARS.items():
        put(folder / year / "amber" / "run.log", run_text(speed=speed).log)
    return [folder / year for year in YEARS]


def pack(folder: Path, kind: str, top: str = "") -> Path:
    """An archive beside a folder, of its name and with its files, below a folder `top` where one is given."""
    files = {f"{top}{file.relative_to(folder)}": file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    return put(folder.with_name(f"{folder.name}.{kind}"), wrapped(kind, files))


def trials(db: Path) -> list[tuple[str, int]]:
    asked = "select campaign, trials from speed_table where is_default order by campaign"
    return ask(db, asked)


@pytest.mark.parametrize("kind", ["", "zip", "tar.gz"])
def test_two_years_are_two_tables_and_no_mean_over_both(db: Path, tmp_path: Path, kind: str) -> None:
    years = put_years(tmp_path)
    named = [pack(year, kind, top=f"{year.name}/") for year in years] if kind else years

    assert run_bench("ingest", *named, db=db).exit_code == 0

    report = run_bench("report", "speed", db=db).stdout
    assert [line.partition(";")[0] for line in report.splitlines() if line.startswith("speed: ")] == [
        "speed: campaign 2023/amber",
        "speed: campaign 2024/amber",
    ]
    assert trials(db) == [("2023/amber", 1), ("2024/amber", 1)]


def test_files_of_one_folder_that_a_shell_lists_are_one_root(db: Path, tmp_path: Path) -> None:
    files = [put(tmp_path / "logs" / f"{number}.log", run_text(seed=number).log) for number in range(3)]

    assert run_bench("ingest", *files, db=db).exit_code == 0

    assert trials(db) == [("logs", 3)]


def test_what_was_seen_from_further_down_belongs_to_the_outermost_folder_that_is_named(
    db: Path, db2: Path, tmp_path: Path
) -> None:
    years = put_years(tmp_path / "all")
    pack(years[0], "zip", top="2023/")
    run_bench("ingest", *years, tmp_path / "all" / "2023.zip", db=db)
    assert ask(db, CAMPAIGNS) == [("2023/amber",), ("2024/amber",)]

    said = run_bench("ingest", tmp_path / "all", db=db).stderr
    run_bench("ingest", tmp_path / "all", db=db2)

    assert "2 known runs lie below a folder that is named now" in said
    told = "select path, archive, member, campaign, campaign_path from sighting order by all"
    assert ask(db, CAMPAIGNS) == [("all/2023/amber",), ("all/2024/amber",)]
    assert ask(db, told) == ask(db2, told)
    # What is named later below it is of it, too.
    run_bench("ingest", put(tmp_path / "all" / "2024" / "amber" / "new.log", run_text(seed=5).log), db=db)
    assert ask(db, CAMPAIGNS) == [("all/2023/amber",), ("all/2024/amber",)]
    assert ask(db, "select name from kept.root") == [("all",)]


def test_a_content_that_was_replaced_at_its_place_moves_with_it(db: Path, tmp_path: Path) -> None:
    place = put(tmp_path / "all" / "2023" / "run.log", run_text(seed=1).log)
    ingest(place.parent, db=db)
    put(place, run_text(seed=2, speed=300).log)
    ingest(place.parent, db=db)
    assert ask(db, "select campaign, count(*) from kept.run_campaign group by all") == [("2023", 2)]

    ingest(tmp_path / "all", db=db)

    assert ask(db, "select campaign, count(*) from kept.run_campaign group by all") == [("all/2023", 2)]
    assert ask(db, "select name from kept.root") == [("all",)]


def test_a_folder_and_an_archive_of_it_are_one_campaign_whose_runs_count_once(db: Path, tmp_path: Path) -> None:
    (year, _) = put_years(tmp_path)

    for kind, top in (("zip", "2023/"), ("tar.gz", "")):
        run_bench("ingest", pack(year, kind, top), db=db)
        run_bench("ingest", year, db=db)

        assert trials(db) == [("2023/amber", 1)]
    # And stay one where the folder has grown since.
    put(year / "amber" / "new.log", run_text(seed=9).log)
    run_bench("ingest", year, db=db)
    assert trials(db) == [("2023/amber", 2)]


def test_roots_of_one_name_are_told_apart_as_long_as_there_are_several(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "a" / "logs" / "amber" / "run.log", run_text(seed=1).log)
    put(tmp_path / "b" / "logs" / "amber" / "run.log", run_text(seed=2, speed=300).log)
    run_bench("ingest", tmp_path / "a" / "logs", db=db)
    assert ask(db, CAMPAIGNS) == [("logs/amber",)]

    run_bench("ingest", tmp_path / "b" / "logs", db=db)

    marks = [root[:4] for (root,) in ask(db, "select root_id from kept.root")]
    assert trials(db) == sorted((f"logs@{mark}/amber", 1) for mark in marks)
    # A glob that has no mark asks for what is below the root.
    assert "one of 2 tables" in run_bench("report", "speed", "--campaign", "amber", db=db).stdout
    second = ask(
        db, "select place_of(path, archive, member) from sighting where campaign = ?", f"logs@{marks[1]}/amber"
    )
    assert second == [("amber/run.log",)]
    one = ask(db, "select min(content_hash) from log")[0][0]
    assert run_bench("forget", one, db=db).exit_code == 0
    assert ask(db, CAMPAIGNS) == [("logs/amber",)]


def test_a_stated_campaign_is_one_over_all_roots(db: Path, tmp_path: Path) -> None:
    for year in put_years(tmp_path):
        put(year / "facts.toml", 'campaign = "both"\n')

    run_bench("ingest", *put_years(tmp_path), db=db)

    assert trials(db) == [("both", 2)]


def test_a_folder_of_an_archive_s_own_name_is_dropped_only_where_nothing_lies_beside_it(
    db: Path, tmp_path: Path
) -> None:
    beside = {"2023/amber/a.log": run_text(seed=1).log, "amber/b.log": run_text(seed=2, speed=300).log}
    run_bench("ingest", put(tmp_path / "2023.tar", wrapped("tar", beside)), db=db)

    assert trials(db) == [("2023/2023/amber", 1), ("2023/amber", 1)]


def test_a_campaign_is_found_by_its_whole_name_and_by_what_is_below_its_root(db: Path, tmp_path: Path) -> None:
    run_bench("ingest", *put_years(tmp_path), db=db)

    for asked, found in (("amber", 2), ("amb?r", 2), ("2023/amber", 1), ("2023*", 1), ("*/amber", 2)):
        assert (
            len(ask(db, "select campaign from speed_table where is_default and in_campaign(campaign, ?)", asked))
            == found
        )
        report = run_bench("report", "speed", "--campaign", asked, db=db).stdout
        assert report.count("speed: campaign") == found
        answer = run_bench("query", "speed", "-p", f"campaign={asked}", "--format", "csv", db=db).stdout
        assert {line.partition(",")[0] for line in answer.splitlines()[1:]} <= {"2023/amber", "2024/amber"}
    assert run_bench("report", "speed", "--campaign", "2023", db=db).exit_code == 1


def test_links_and_paths_with_dots_name_the_folder_that_they_lead_to(db: Path, tmp_path: Path) -> None:
    (year, _) = put_years(tmp_path)
    (tmp_path / "newest").symlink_to(year)
    here = Path.cwd()
    os.chdir(year / "amber")
    try:
        run_bench("ingest", "..", db=db)
    finally:
        os.chdir(here)
    result = run_bench("ingest", tmp_path / "newest", tmp_path / "2024" / ".." / "2023", db=db)

    assert "1 unchanged" in result.stdout
    assert trials(db) == [("2023/amber", 1)]


def test_what_comes_through_standard_input_is_of_a_root_of_its_own(db: Path) -> None:
    files = {"amber/run.log": run_text().log}
    run_bench("ingest", "-", db=db, stdin=wrapped("tar.gz", files))

    assert trials(db) == [("stdin/amber", 1)]


# Trees ---------------------------------------------------------------------------------------------------------

TEXTS = [run_text(steps=1, seed=number, at=1000.0 * number, speed=100.0 + number).log for number in range(5)]


@dataclass(frozen=True)
class Drawn:
    """A folder or an archive that may be named: where, by what name, packed how, and its contents by path."""

    parent: str
    name: str
    kind: str
    own_top: bool
    files: dict[str, int] = field(hash=False)

    @property
    def path(self) -> str:
        return f"{self.parent}/{self.name}{f'.{self.kind}' if self.kind else ''}"

    def write(self, base: Path) -> None:
        top = f"{self.name}/" if self.kind and self.own_top else ""
        files = {top + path: TEXTS[content] for path, content in self.files.items()}
        if self.kind:
            put(base / self.path, wrapped(self.kind, files))
        for path, text in () if self.kind else files.items():
            put(base / self.path / path, text)


_PATHS = st.sampled_from(["run.log", "amber/run.log", "amber/other.log", "gamma/a/run.log"])
_DRAWN = st.builds(
    Drawn,
    st.sampled_from(["one", "two"]), st.sampled_from(["delta", "2023"]), st.sampled_from(["", "zip", "tar.gz"]),
    st.booleans(), st.dictionaries(_PATHS, st.integers(0, len(TEXTS) - 1), min_size=1, max_size=3),
)  # fmt: skip


def expected(drawn: list[Drawn], named: set[str]) -> dict[tuple[str, str], dict[str, set[int]]]:
    """By a root's name and the folders below: the contents of each root. What holds is worked out from the tree alone."""
    found: dict[tuple[str, str], dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for one in drawn:
        for path, content in one.files.items():
            below = path.rpartition("/")[0]
            if one.parent in named:
                root, name, below = one.parent, one.parent, "/".join(filter(None, [one.name, below]))
            else:
                root, name = one.path, one.name
            found[name, below][root].add(content)
    return found


def told(db: Path) -> list[tuple[object, ...]]:
    """All that must not depend on any order."""
    places = """
        select path, archive, member, campaign, campaign_source, campaign_path, root_id, place, content_hash, name
        from sighting join log using (log_id) join kept.root using (root_id) order by all"""
    series = "select series_id, campaign, run_id, trial from series join kept.series_run using (series_id) order by all"
    return [*ask(db, places), *ask(db, series), *ask(db, "from kept.root order by all")]


@pytest.mark.parametrize("examples", [3, pytest.param(12, marks=pytest.mark.long)])
def test_campaigns_of_any_roots_in_any_order_are_those_of_their_trees(defined_ledger: Path, examples: int) -> None:
    # An example takes a second: to look for a smaller one that fails would take minutes.
    phases = [Phase.explicit, Phase.reuse, Phase.generate]
    checks = list(HealthCheck)

    @settings(max_examples=examples, deadline=None, derandomize=True, suppress_health_check=checks, phases=phases)
    @given(
        st.lists(_DRAWN, min_size=2, max_size=3, unique_by=lambda one: one.path),
        st.sets(st.sampled_from(["one", "two"]), max_size=2),
        st.integers(0, 2**32),
    )
    def holds(drawn: list[Drawn], outer: set[str], seed: int) -> None:
        with tempfile.TemporaryDirectory() as folder:
            check(Path(folder), defined_ledger, drawn, outer, random.Random(seed))

    holds()


def check(base: Path, ledger: Path, drawn: list[Drawn], outer: set[str], chance: random.Random) -> None:
    for one in drawn:
        one.write(base / "tree")
    key = put(base / "key", "k" * 64)
    key.chmod(0o600)
    paths = sorted({one.path for one in drawn} | (outer & {one.parent for one in drawn}))
    dbs = []
    for number in range(2):
        (base / str(number)).mkdir()
        db = Path(shutil.copy(ledger, base / str(number) / "bench.duckdb"))
        dbs.append(db)
        chance.shuffle(paths)
        at = chance.randint(0, len(paths) - 1)
        for some in (paths[:at], paths[at:]):
            if some:
                ingest(*(base / "tree" / path for path in some), db=db, key_file=key)
    assert told(dbs[0]) == told(dbs[1])
    compare(dbs[0], expected(drawn, outer), {text: number for number, text in enumerate(TEXTS)})


def compare(db: Path, found: dict[tuple[str, str], dict[str, set[int]]], contents: dict[str, int]) -> None:
    numbers = {content_hash(text.encode()): number for text, number in contents.items()}
    rows = ask(
        db,
        """select distinct root.name, campaign_path, campaign, content_hash
           from sighting join log using (log_id) join kept.root using (root_id)""",
    )
    shown: dict[tuple[str, str], dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for name, below, campaign, digest in rows:
        shown[name, below][campaign].add(numbers[digest])
    assert shown.keys() == found.keys()
    marks: dict[str, set[str]] = defaultdict(set)
    for (name, below), campaigns in shown.items():
        roots = list(found[name, below].values())
        # Every content stands in one campaign, and no campaign has contents of two roots.
        assert sorted(one for some in campaigns.values() for one in some) == sorted(set().union(*roots))
        assert all(any(some <= root for root in roots) for some in campaigns.values())
        for campaign in campaigns:
            first, _, rest = campaign.partition("/")
            assert rest == below
            marks[name].add(first.removeprefix(name))
    for name, told_apart in marks.items():
        assert (told_apart == {""}) == (len(told_apart) == 1)
        of_name = [roots for (other, _), roots in found.items() if other == name]
        largest = [max(roots.values(), key=len) for roots in of_name]
        every = {root for roots in of_name for root in roots}
        if len(every) == 1:
            assert told_apart == {""}
        if any(not some <= most for roots, most in zip(of_name, largest, strict=True) for some in roots.values()):
            assert len(told_apart) > 1
    # A run counts once in each campaign.
    assert (
        ask(
            db,
            "select 1 from kept.series_run join series using (series_id) group by run_id, campaign having count(*) > 1",
        )
        == []
    )

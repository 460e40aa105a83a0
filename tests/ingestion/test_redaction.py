"""Nothing private is kept, shown or exported: a look at every text column of every table and view."""

from __future__ import annotations

import gzip
import re
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from benchledger import ingest
from benchledger.errors import DatabaseError, UsageError
from tests.cli.bench import run_bench
from tests.ingestion.conftest import made
from tests.ingestion.logs import ask, one, put, run_text

# Made secrets, and what they are put into: every place of a log or path that ends in a text column.
ADDRESSES = ("10.77.66.5", "192.168.44.3", "172.20.1.9", "203.0.113.77", "fe80::aa:1:2")
HOSTS = ("gpunodexyz", "r77i6n5", "yq09-gpu-secret-17", "instance-9zzwob41y-16")
USERS = ("jdoesecret", "annsecret")
SECRETS = (*ADDRESSES, *HOSTS, *USERS, "203-0-113-77")
KEPT = ("1.6.0.1", "11.0.167", "460.32.03", "127.0.0.1", "PaddlePaddle+Perf@58c854be", "2.10.0+cu111")

_DOTTED = re.compile(r"(?<![\w.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\w.])")


def text_columns(db: Path, views: bool) -> dict[str, list[str]]:
    """The columns that can hold text, by table, from DuckDB's own catalogue."""
    rows = ask(
        db,
        """select schema_name || '.' || table_name as name, list(column_name) from duckdb_columns()
           where not internal and (data_type like '%VARCHAR%' or data_type in ('JSON', 'BLOB'))
               and ($1 or table_name in (select table_name from duckdb_tables()))
           group by name""",
        views,
    )
    return dict(rows)


def kept_texts(db: Path, views: bool = False) -> Iterator[tuple[str, str, str]]:
    """Every text that is kept: table, column, text."""
    with closing(duckdb.connect(str(db), read_only=True)) as con:
        for table, columns in text_columns(db, views).items():
            for wanted in [columns] if views else [[column] for column in columns]:
                shown = ", ".join(f'"{name}"::varchar' for name in wanted)
                for row in con.execute(f"select distinct {shown} from {table}").fetchall():
                    yield from ((table, name, text) for name, text in zip(wanted, row, strict=True) if text)


def private_texts(db: Path) -> list[tuple[str, str, str]]:
    """Every kept text that holds a secret, in tables and views. Knows nothing of the rules."""
    assert len(text_columns(db, views=True)) >= 40
    return [found for found in kept_texts(db, views=True) if any(secret in found[2] for secret in SECRETS)]


def put_secret_logs(top: Path) -> None:
    """Logs with secrets in their names, folders, leads, settings, values, notes, events, rejects, keys and facts."""
    folder = top / "logs" / "box_203-0-113-77" / "PaddlePaddle+Perf@58c854be"
    lines = run_text().log.splitlines()
    settings = (
        "DLL 2026-01-02 03:00:00.100000 - PARAMETER Config : [\"Namespace(config_file='/home/annsecret/bert_base/config.json', "
        "host='gpunodexyz', url='tcp://10.77.66.5:29500', cudnn='1.6.0.1 11.0.167 460.32.03 2.10.0+cu111', "
        "local='127.0.0.1')\"] "
    )
    named = "DLL 2026-01-02 03:00:00.200000 - PARAMETER 192.168.44.3 : 3 "
    rejected = "DLL 2026-01-02 03:00:00.300000 - Training Epoch:  x r77i6n5 fe80::aa:1:2 "
    lead = "yq09-gpu-secret-17:51:71 [0] NCCL INFO x " + lines[0]
    ending = (
        "slurmstepd: error: *** JOB 12 ON gpunodexyz CANCELLED AT 2026-01-02, from 172.20.1.9:2222 /home/jdoesecret/x"
    )
    note = "DLL 2026-01-02 03:00:01.000000 - PARAMETER train_start : True  /home/annsecret/lib/x.py:3: Warning"
    text = "\n".join([settings, named, rejected, lead, note, *lines[1:-3], ending, ""])
    put(folder / "instance-9zzwob41y-16_gpu1.log", text)
    put(folder / "unknown_r77i6n5.log", "host gpunodexyz says 10.77.66.5:80 DLL 20\n")
    put(
        folder / "facts.toml",
        'note = "ran by jdoesecret@gpunodexyz on 10.77.66.5:22, driver 460.32.03"\ncampaign = "on yq09-gpu-secret-17"\n'
        '[environment]\nimage = "gpunodexyz.example.com:5000/team/bert:21.05"\nos = "Ubuntu at 192.168.44.3"\n'
        '[correct]\nprecision = "fp32"\nreason = "said /home/annsecret/notes"\n',
    )
    put(top / "logs" / "more" / "facts.toml", 'campaing = "typed wrong at 10.77.66.5:22"\n')
    wrong = '{"benchledger_manifest": 1, "files": [], "by jdoesecret@gpunodexyz": 1, "trial": "10.77.66.5:22"}'
    put(top / "logs" / "run.json", wrong)


@pytest.fixture(scope="module")
def home(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The secret logs, home/, their ledger, ledger/, with a key of a file, and what its ingest said. Read only."""
    home = tmp_path_factory.mktemp("secret")
    put_secret_logs(home / "home" / USERS[0])
    db, key = made(defined_ledger, home / "ledger"), key_file(home / "shared.key")
    said = run_bench("-v", "ingest", home / "home", "--key-file", key, db=db)
    put(home / "said", said.stdout + said.stderr)
    return home


@pytest.fixture
def secret_logs(home: Path) -> Path:
    return home / "home" / USERS[0]


def test_no_text_column_holds_anything_private(filled: Path, home: Path) -> None:
    shown = (home / "said").read_text()

    assert private_texts(filled) == []
    assert shown.count("logs/") >= 5
    assert [secret for secret in SECRETS if secret in shown] == []
    assert one(filled, "select count(*) from sighting") == 5
    assert one(filled, "select count(*) from reject") >= 3
    texts = "\n".join(text for _, _, text in kept_texts(filled))
    assert [kept for kept in KEPT if kept not in texts] == []
    assert re.search(r"host-[0-9a-f]{8}:5000/team/bert:21\.05", texts)


def test_what_the_checker_looks_for_would_be_found(
    db: Path, secret_logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchledger.redaction.redactor.Redactor.fresh", lambda self, text: text)
    ingest(secret_logs.parent, db=db)

    tables = {table for table, _, _ in private_texts(db)}
    assert {"sighting", "reject", "fact"} <= {table.removeprefix("main.") for table in tables}
    assert {f"kept.{name}" for name in ("sighting_fact", "record", "shape", "segment", "log_fact")} <= tables


def test_nothing_private_is_shown(filled: Path, secret_logs: Path) -> None:
    shown = [run_bench("ingest", secret_logs.parent, "--format", "json", "--refresh", db=filled)]
    (key,) = {row[0] for row in ask(filled, "select run_key from run")}
    shown += [run_bench("show", key, db=filled), run_bench("runs", "--format", "json", db=filled)]
    shown += [run_bench("query", name, db=filled) for name in ("rejects", "unrecognised", "conflicts", "failures")]
    everything = "".join(result.stdout + result.stderr for result in shown)

    assert [secret for secret in SECRETS if secret in everything] == []


def test_an_archive_and_its_members_keep_their_private_names_to_themselves(
    db: Path, tmp_path: Path, secret_logs: Path
) -> None:
    inner = tmp_path / "r77i6n5.zip"
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("203-0-113-77/instance-9zzwob41y-16_gpu1.log", run_text(seed=3).log)
    put(tmp_path / "in" / "yq09-gpu-secret-17.log.gz", gzip.compress(b"host gpunodexyz says 10.77.66.5:80 DLL 20\n"))
    with tarfile.open(tmp_path / "in" / "of_192.168.44.3.tar.gz", "w:gz") as tar:
        tar.add(secret_logs, "home/jdoesecret")
        tar.add(inner, "yq09-gpu-secret-17/r77i6n5.zip")
    first = ingest(tmp_path / "in", db=db)
    again = ingest(tmp_path / "in", db=db)

    assert first.files["loaded"] == 3
    assert again.files["unchanged"] == len(again.outcomes)
    assert private_texts(db) == []
    shown = run_bench("-v", "ingest", tmp_path / "in", "--refresh", db=db)
    assert [secret for secret in SECRETS if secret in shown.stdout + shown.stderr] == []
    assert one(db, "select count(*) from sighting where member like '%.zip!/%' and archive like 'of_ip-%'") == 1


def test_a_folder_with_private_names_is_known_again(filled: Path, secret_logs: Path) -> None:
    loaded = "select count(*) from sighting where status = 'loaded'"
    assert one(filled, loaded) == 2

    again = ingest(secret_logs.parent, db=filled)
    refreshed = ingest(secret_logs.parent, db=filled, refresh=True)

    assert again.files["unchanged"] == 4
    assert refreshed.files["loaded"] == 2
    assert one(filled, loaded) == 2


def test_equal_stems_stay_equal_and_other_ones_other(db: Path, tmp_path: Path) -> None:
    made = run_text()
    put(tmp_path / "in" / "r1i2n3_a.log", made.log)
    put(tmp_path / "in" / "r1i2n3_a.json", made.twin)
    put(tmp_path / "in" / "r4i5n6_a.log", run_text(seed=2, speed=300.0).log)
    ingest(tmp_path / "in", db=db)

    assert one(db, "select count(*) from run") == 2
    assert one(db, "select count(distinct stem) from sighting") == 2


def test_a_changed_rule_reads_again(filled: Path, tmp_path: Path, secret_logs: Path) -> None:
    from tests.redacting import with_rules

    rules = '[[shape]]\nkind = "host"\nshapes = ["weka-{digits}"]\n[[sample]]\ntext = "weka-7"\nexpect = "<host>"\n'
    with with_rules(tmp_path / "own", rules):
        result = ingest(secret_logs.parent, db=filled)

    assert result.files["loaded"] == 2


def key_file(path: Path, text: str = "0123456789abcdef" * 4) -> Path:
    path.write_text(text)
    path.chmod(0o600)
    return path


def test_two_ledgers_with_one_key_file_give_the_same_pseudonyms_and_ids(
    filled: Path, db: Path, home: Path, secret_logs: Path
) -> None:
    ingest(secret_logs.parent, db=db, key_file=home / "shared.key")

    what = "select sighting_id, path, campaign, stem, reason from sighting order by all"
    assert ask(db, what) == ask(filled, what)
    shapes = "select * from kept.shape order by all"
    assert ask(db, shapes) == ask(filled, shapes)
    # The ledger keeps the key: without the option it goes on with it.
    assert ingest(secret_logs.parent, db=db).files["unchanged"] == 4


def test_another_key_than_the_ledgers_is_refused(filled: Path, tmp_path: Path, secret_logs: Path) -> None:
    with pytest.raises(DatabaseError, match="made with another key"):
        ingest(secret_logs.parent, db=filled, key_file=key_file(tmp_path / "other.key", "fedcba9876543210" * 4))


def test_a_key_file_that_is_missing_open_or_short_is_refused(db: Path, tmp_path: Path) -> None:
    for_all = key_file(tmp_path / "open.key")
    for_all.chmod(0o644)
    cases = {
        tmp_path / "none.key": "none.key: the key file cannot be read: No such file",
        for_all: "open.key: other users may read this key file",
        key_file(tmp_path / "short.key", "secret\n"): "short.key: a key of 6 bytes is too short",
    }

    for path, message in cases.items():
        with pytest.raises(UsageError, match=message):
            ingest(tmp_path, db=db, key_file=path)
        assert "0123456789abcdef" not in run_bench("ingest", tmp_path, "--key-file", path, db=db).stderr


# ---- the real logs ----------------------------------------------------------------------------------------------

# What corpus/README.md counts, as anyone would search for it.
COUNTED = re.compile(
    r"\b10\.(?:10|11|21|78|148|149|35)\.\d+\.\d+|192\.168\.\d+\.\d+|yq01-|instance-3bwob41y|MacBook|r\d+i\d+n\d+"
    r"|/home/(?!user-)|leinao|heya02|\bcrim\b|ura81os|/commun\b|app-user-|luna-\d|192-222-5\d|209-20-1"
    r"|job-[0-9a-f]{16}|baidu\.com"
)
VERSIONS = ("8.0.4.30", "460.32.03", "11.0.167", "1.6.0.1")


def test_no_text_column_holds_what_the_corpus_counts(corpus_ledger: Path) -> None:
    found = [(table, column, text[:200]) for table, column, text in kept_texts(corpus_ledger) if COUNTED.search(text)]

    assert found == []


def test_the_only_dotted_quads_that_are_left_are_versions_and_this_machine(corpus_ledger: Path) -> None:
    quads = {quad for _, _, text in kept_texts(corpus_ledger) for quad in _DOTTED.findall(text)}

    assert {quad for quad in quads if quad not in VERSIONS and not quad.startswith(("127.", "0."))} == set()

"""A ledger and a model of it, side by side: ingest, grow, move, copy, delete, forget, exclude, refresh, redact, merge.

The model knows contents and places only: which contents were seen where, which of them grew out of which, which are
states of one log, and which runs are excluded. What a content holds is known from a ledger of its own.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import closing
from pathlib import Path
from typing import ClassVar

import xxhash
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from benchledger import db_check, exclude, forget, ingest, merge, redact
from benchledger.store import database
from benchledger.store.sync import sync_definitions
from tests.ingestion.logs import ask, put, run_text

PARTS = 3
# So many bytes tell the made logs apart.
HEADER = 1000
_COMPARED = ("log", "run", "measurement", "reject")
_HELD = """
select log.content_hash, count(measurement.value), round(coalesce(sum(measurement.value), 0), 3)
from log left join measurement using (log_id) group by all
"""


class LedgerModel(RuleBasedStateMachine):
    """One ledger and its model."""

    home: ClassVar[Path]
    # What each content holds, from a ledger of its own: values and their sum.
    holds: ClassVar[dict[bytes, tuple[int, float]]] = {}
    counts: ClassVar[dict[str, int]] = {}

    @classmethod
    def prepare(cls, home: Path) -> type[LedgerModel]:
        """Makes what all examples share: a key, an empty ledger, and another ledger to merge with."""
        cls.home = home
        home.mkdir(exist_ok=True)
        cls.empty = home / "empty.duckdb"
        with closing(database.open_for_writing(cls.empty)) as con:
            sync_definitions(con)
        cls.key = put(home / "key", "0123456789abcdef" * 4)
        cls.key.chmod(0o600)
        put(home / "others" / "other.log", run_text(seed=99, at=990_000, steps=30).log)
        cls.other = cls._fresh(home / "other", home / "others")
        return cls

    @classmethod
    def _fresh(cls, folder: Path, logs: Path) -> Path:
        folder.mkdir(parents=True)
        db = Path(shutil.copy(cls.empty, folder / "bench.duckdb"))
        ingest(logs, db=db, key_file=cls.key)
        return db

    @initialize()
    def start(self) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=self.home))
        self.logs = self.folder / "logs"
        self.logs.mkdir()
        self.db = Path(shutil.copy(self.empty, self.folder / "bench.duckdb"))
        self.disk: dict[str, bytes] = {}
        self.seen: dict[tuple[str, bytes], bool] = {}
        # The contents whose run was excluded, and by which content a run was called after it was called by another.
        self.excluded: set[bytes] = set()
        self.called: dict[bytes, bytes] = {}
        self.number = 0
        self.is_merged = False
        for seed, part in ((5, PARTS), (6, 1)):
            self._put(f"{seed}/run.log", _text(seed, part))
        self.ingest(refresh=False)

    @rule(seed=st.integers(0, 4), part=st.integers(1, PARTS))
    def add(self, seed: int, part: int) -> None:
        path = f"{seed}/run.log"
        if path not in self.disk and not any(path == place for place, _ in self.seen):
            self._put(path, _text(seed, part))

    @rule(seed=st.integers(0, 4), part=st.integers(1, PARTS), is_windows=st.booleans())
    def copy_a_state(self, seed: int, part: int, is_windows: bool) -> None:
        self.number += 1
        text = _text(seed, part)
        self._put(f"{seed}/state{self.number}/run.log", text.replace(b"\n", b"\r\n") if is_windows else text)

    @rule(data=st.data())
    @precondition(lambda self: self.disk)
    def grow(self, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(sorted(self.disk)))
        before = self.disk[path]
        seed = int(path.split("/")[0])
        longer = [text for part in range(1, PARTS + 1) if len(text := _text(seed, part)) > len(before)]
        if longer:
            self._put(path, data.draw(st.sampled_from(longer)))

    @rule(data=st.data(), is_copy=st.booleans())
    @precondition(lambda self: self.disk)
    def move(self, data: st.DataObject, is_copy: bool) -> None:
        path = data.draw(st.sampled_from(sorted(self.disk)))
        self.number += 1
        content = self.disk[path]
        self._put(f"{path.split('/')[0]}/at{self.number}/run.log", content)
        if not is_copy:
            self._delete(path)

    @rule(data=st.data())
    @precondition(lambda self: self.disk)
    def delete(self, data: st.DataObject) -> None:
        self._delete(data.draw(st.sampled_from(sorted(self.disk))))

    @rule(refresh=st.booleans())
    def ingest(self, refresh: bool) -> None:
        self._count("ingests")
        before = self._runs()
        ingest(self.logs, db=self.db, key_file=self.key, refresh=refresh)
        for path, content in self.disk.items():
            if (path, content) in self.seen:
                continue
            for (place, older), is_current in list(self.seen.items()):
                if place == path and is_current and content.startswith(older):
                    self.seen[place, older] = False
            self.seen[path, content] = True
        self._call_anew(before)

    @rule(data=st.data())
    @precondition(lambda self: any(self.seen.values()))
    def forget(self, data: st.DataObject) -> None:
        content = data.draw(st.sampled_from(sorted(self._current())))
        self._count("forgets")
        before = self._runs()
        forget(_hash_of(content), db=self.db)
        self.seen = {key: value for key, value in self.seen.items() if key[1] != content}
        self._call_anew(before)

    @rule(data=st.data())
    @precondition(lambda self: any(self.seen.values()))
    def exclude(self, data: st.DataObject) -> None:
        content = data.draw(st.sampled_from(sorted(self._runs().values())))
        self._count("excludes")
        exclude(self._run(content), reason="for a test", undo=False, db=self.db)
        self.excluded.add(content)

    @rule()
    @precondition(lambda self: self.disk)
    def redact(self) -> None:
        self._count("redacts")
        self.number += 1
        result = redact(self.logs, out=self.folder / f"out{self.number}", db=self.db, key_file=self.key)
        assert (len(result.written), result.left_out) == (len(self.disk), [])

    @rule()
    @precondition(lambda self: any(self.seen.values()) and not self.is_merged)
    def merge(self) -> None:
        self._count("merges")
        # Once in an example: it takes as long as all else.
        self.is_merged = True
        self.number += 1
        into = self.folder / f"merged{self.number}.duckdb"
        merge(self.db, self.other, into=into)
        assert ask(into, "select count(*) from run") == [(len(self._runs()) + 1,)]

    @invariant()
    def what_the_ledger_holds_is_what_the_model_says(self) -> None:
        if not hasattr(self, "db"):
            return
        self._count("steps")
        current, runs = self._current(), set(self._runs().values())
        held = {row[0]: row[1:] for row in ask(self.db, _HELD)}
        assert {_hash_of(content) for content in current} <= set(held)
        assert sum(1 for values, _ in held.values() if values) == len(runs)
        for content in runs:
            assert held[_hash_of(content)] == self._holds(content), content[:80]
        assert ask(self.db, "select sum(pieces - records - ignored - rejects - unread) from log")[0][0] in (0, None)
        assert ask(self.db, "select count(*) from run") == [(len(runs),)]
        assert ask(self.db, "select count(*) from run_log where role = 'copy'") == [(len(current) - len(runs),)]
        excluded = {self._called_now(content) for content in self.excluded}
        assert ask(self.db, "select count(*) from kept.excluded_run") == [(len(runs & excluded),)]

    def teardown(self) -> None:
        if not hasattr(self, "db"):
            return
        # Without what is no longer on disk, the ledger is that of one ingest.
        self.ingest(refresh=False)
        for content in sorted({content for _, content in self.seen} - set(self.disk.values())):
            forget(_hash_of(content), db=self.db)
        assert db_check(db=self.db).filter("ok").height == db_check(db=self.db).height
        fresh = self._fresh(self.folder / "fresh", self.logs)
        for table in _COMPARED:
            # Places that are gone are kept, and when something was loaded.
            columns = "content_hash, records, rejects, unread" if table == "log" else _columns(table)
            question = f"select {columns} from {table} order by all"
            assert ask(self.db, question) == ask(fresh, question), table
        self._count("examples")
        shutil.rmtree(self.folder)

    def _put(self, path: str, content: bytes) -> None:
        put(self.logs / path, content)
        self.disk[path] = content

    def _delete(self, path: str) -> None:
        (self.logs / path).unlink()
        del self.disk[path]

    def _current(self) -> set[bytes]:
        return {content for (_, content), is_current in self.seen.items() if is_current}

    def _runs(self) -> dict[bytes, bytes]:
        # By its header, the longest current state of each log; of two with the same lines, the one with shorter ends.
        ordered = sorted(self._current(), key=lambda content: (content.count(b"\n"), -len(content)))
        return {content.replace(b"\r\n", b"\n")[:HEADER]: content for content in ordered}

    def _call_anew(self, before: dict[bytes, bytes]) -> None:
        now = self._runs()
        for header, old in before.items():
            if (new := now.get(header, old)) != old:
                called = {key: new if value == old else value for key, value in self.called.items()}
                self.called = {key: value for key, value in called.items() if key != value} | {old: new}

    def _called_now(self, content: bytes) -> bytes:
        while content in self.called:
            content = self.called[content]
        return content

    def _run(self, content: bytes) -> str:
        question = "select run_key from run join run_log using (run_id) join log using (log_id) where content_hash = $1"
        return str(ask(self.db, question, _hash_of(content))[0][0])

    def _holds(self, content: bytes) -> tuple[int, float]:
        if content not in self.holds:
            folder = Path(tempfile.mkdtemp(dir=self.home))
            put(folder / "logs" / "run.log", content)
            ((_, *found),) = ask(self._fresh(folder / "ledger", folder / "logs"), _HELD)
            self.holds[content] = (found[0], found[1])
        return self.holds[content]

    def _count(self, what: str) -> None:
        self.counts[what] = self.counts.get(what, 0) + 1


def _columns(table: str) -> str:
    return {"run": "run_key, status", "measurement": "name, value, unit, line, byte_offset", "reject": "line, text"}[
        table
    ]


def _text(seed: int, part: int) -> bytes:
    text = run_text(seed=seed, at=10_000.0 * seed, steps=60).log.encode()
    cut = text.rfind(b"\n", 0, len(text) * part // PARTS) + 1
    return text[:cut] if part < PARTS else text


def _hash_of(content: bytes) -> str:
    return xxhash.xxh3_128_hexdigest(content)

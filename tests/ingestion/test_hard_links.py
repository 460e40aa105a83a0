"""A hard link in a tar: what it leads to is read under its own name, and the other name is said."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

from benchledger import ingest
from tests.ingestion.logs import put, run_text


def test_a_hard_link_is_unreadable_and_its_target_in_the_same_tar_is_read(db: Path, tmp_path: Path) -> None:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        data = run_text().log.encode()
        info = tarfile.TarInfo("a.log")
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
        again = tarfile.TarInfo("b.log")
        again.type, again.linkname = tarfile.LNKTYPE, "a.log"
        archive.addfile(again)

    outcomes = ingest(put(tmp_path / "x.tar", target.getvalue()), db=db).outcomes

    assert [(one.path, one.status) for one in outcomes] == [("a.log", "loaded"), ("b.log", "unreadable")]
    assert "a link, to 'a.log'" in str(outcomes[1].reason)

"""What ingest loads as a log, `bench redact` writes again, also where NULs stand in it; what is no text is left out."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from benchledger import ingest, redact
from benchledger.redaction.samples import shown
from tests.ingestion.logs import ask, put, run_text

NUL_LINE = (
    b"W1130 22:12:53.322455 22127 gpu_resources.cc:217] WARNING: device: \x00. Compiled in /home/jdoe\x00\x00, but\n"
)
CLEAN_LINE = NUL_LINE.replace(b"jdoe", b"<user>")
IMAGE = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x02\x80\x00\x00\x01\xe0\x08\x06" + bytes(range(256)) * 20


def published(tmp_path: Path, content: bytes) -> bytes | None:
    log = put(tmp_path / "in" / "x.log", content)
    result = redact(log, out=tmp_path / "out")
    assert bool(result.written) != bool(result.left_out)
    if not result.written:
        assert "binary" in result.left_out[0][1]
        return None
    return shown((tmp_path / "out" / "x.log").read_bytes().decode("latin-1")).encode("latin-1")


@pytest.mark.parametrize("before", [b"", b"plain\n" * 10_000, b"\x00" * 5_000], ids=["alone", "late", "after a gap"])
def test_a_text_with_a_few_nuls_is_cleaned_around_them(tmp_path: Path, before: bytes) -> None:
    assert published(tmp_path, before + NUL_LINE) == before + CLEAN_LINE


def test_a_log_of_a_known_format_is_written_however_many_nuls_stand_in_it(db: Path, tmp_path: Path) -> None:
    log = b"\x00\x01 \x00 \x00\n" * 300 + run_text().log.encode() + NUL_LINE

    written = published(tmp_path, log)

    assert written == log.replace(b"jdoe", b"<user>")
    ingest(tmp_path / "in", db=db)
    assert ask(db, "select count(*) from run") == [(1,)]


@pytest.mark.parametrize(
    "content", [IMAGE, "host: gpua\n".encode("utf-16"), b"a\x00b\x00" * 50, b"\x7fELF\x02\x01\x01\x00"]
)
def test_what_is_no_text_is_left_out(tmp_path: Path, content: bytes) -> None:
    assert published(tmp_path, content) is None


def test_the_real_logs_with_one_nul_are_written(corpus: Path, tmp_path: Path) -> None:
    log = corpus / "PaddlePaddle+Perf@8707ba8b/Bert/logs/V100_LOG/PaddleNLP_bert_base_seqlen128_bs96_fp32_DP_N1C1_log"

    result = redact(log, out=tmp_path / "out")

    assert result.left_out == []
    assert (tmp_path / "out" / result.written[0]).read_bytes().count(b"\x00") == 1


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress], ids=["gzip", "bzip2", "xz"])
@pytest.mark.parametrize("lines", [1, 150_000], ids=["short", "long"])
def test_a_text_with_compressed_data_behind_it_is_left_out(
    tmp_path: Path, pack: Callable[[bytes], bytes], lines: int
) -> None:
    glued = b"step 1 loss 0.25\n" * lines + pack(b"host: r6i4n5\n")

    result = redact(put(tmp_path / "in" / "x.log", glued), out=tmp_path / "out")

    assert not result.written
    assert ("binary" if lines == 1 else "compressed data") in result.left_out[0][1]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("lines", [1, 150_000], ids=["short", "long"])
def test_a_text_to_which_powershell_appended_utf_16_is_left_out(tmp_path: Path, encoding: str, lines: int) -> None:
    log = b"step 1 loss 0.25\n" * lines + "\ufeffhost: r6i4n5\r\n".encode(encoding)

    result = redact(put(tmp_path / "in" / "x.log", log), out=tmp_path / "out")

    assert not result.written
    assert "UTF-16" in result.left_out[0][1] or "binary" in result.left_out[0][1]


@pytest.mark.parametrize(
    ("behind", "what"),
    [
        (gzip.compress, "compressed data"),
        (lzma.compress, "compressed data"),
        (lambda log: log.decode().encode("utf-16-le"), "UTF-16"),
    ],
)
@pytest.mark.parametrize("scanner", ["native", "python"])
def test_ingest_says_where_text_ends(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    behind: Callable[[bytes], bytes], what: str, scanner: str,
) -> None:  # fmt: skip
    monkeypatch.setenv("BENCH_SCANNER", scanner)
    log = run_text().log.encode()

    ingest(put(tmp_path / "x.log", log + behind(run_text(seed=1).log.encode())), db=db)

    assert ask(db, "select line, byte_offset, text from reject where reason like 'no text%'") == [
        (log.count(b"\n") + 1, len(log), "")
    ]
    assert what in ask(db, "select reason from reject where reason like 'no text%'")[0][0]

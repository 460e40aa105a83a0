"""A byte order mark, as some editors put it before a file, is no part of its first line."""

from __future__ import annotations

import codecs

import pytest

from tests.scanning.found import find

FILES = {
    "nvidia-smi-csv": "index, memory.used [MiB]\n0, 998 MiB\n",
    "nvidia-smi-dmon": "# gpu    pwr     fb\n# Idx      W     MB\n    0    105    998\n",
    "ncu-csv": '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n"0","gemm","Duration","ns","406,240"\n',
    "paddle-index": '{"model_name": "gpt", "index": 1, "FINAL_RESULT": 9.5, "JOB_FAIL_FLAG": 0, "UNIT": "tokens/s"}',
    "dlperf-extract": "logs/mxnet/bert/bz32/4n8g/bert_base_b32_fp32_3.log {3: 1881.88}\n",
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_with_a_mark_is_read_as_one_without(name: str) -> None:
    plain, marked = find(FILES[name]), find(codecs.BOM_UTF8 + FILES[name].encode())

    assert marked.log.format == plain.log.format == name
    assert [(row["line"], row["stated"], row["lead"]) for row in marked.rows] == [
        (row["line"], row["stated"], row["lead"]) for row in plain.rows
    ]
    assert marked.rejects == []

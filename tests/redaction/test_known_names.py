"""A name that a rule found in a log is replaced wherever else it stands in that log: hosts as words, users as folders."""

from __future__ import annotations

import pytest

from benchledger.redaction import known_names
from benchledger.redaction.line_redactor import LineRedactor
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction, shown

NCCL = "gcn43:51:71 [0] NCCL INFO Bootstrap : Using eth0"


@pytest.fixture(scope="module")
def redactor() -> Redactor:
    return Redactor(known_redaction(), b"k" * 32)


def redacted(redactor: Redactor, *parts: str) -> str:
    log = LineRedactor(redactor)
    return shown("".join(log.redact(part.encode()).decode() for part in parts))


def test_a_host_goes_from_lines_before_and_behind_the_one_that_names_it(redactor: Redactor) -> None:
    text = redacted(redactor, f"caf\xe9 gcn43 ready\n{NCCL}\nINFO:gcn43: epoch 3, 1233 img/s\nruns/loss_gcn43.txt\n")

    assert text.splitlines()[0] == "caf\xe9 <host> ready"
    assert text.splitlines()[2:] == ["INFO:<host>: epoch 3, 1233 img/s", "runs/loss_<host>.txt"]


def test_what_only_contains_the_name_stays(redactor: Redactor) -> None:
    line = "gcn430 xgcn43 gcn43-1 pre-gcn43 GCN43 1.43e-3"

    assert redacted(redactor, f"{NCCL}\n{line}\n").splitlines()[1] == line


@pytest.mark.parametrize(
    "name", ["rank3", "worker-0", "gpu7", "rtx3090", "a100", "resnet50", "conv1", "localhost", "head"]
)
def test_words_with_a_number_stay_even_where_a_machine_has_such_a_name(redactor: Redactor, name: str) -> None:
    line = f"{name}: 1233.5 img/s"

    assert redacted(redactor, f"hostname: {name}\n{line}\n").splitlines()[1] == line


@pytest.mark.parametrize("name", ["dgx17", "dgx-b07", "login1", "storage3"])
def test_the_name_of_a_kind_of_machine_with_a_number_is_a_host_everywhere(redactor: Redactor, name: str) -> None:
    assert (
        redacted(redactor, f"hostname: {name}\ncopied to {name} ({name})\n").splitlines()[1]
        == "copied to <host> (<host>)"
    )


def test_a_user_before_a_number_begins_a_row_or_has_digits(redactor: Redactor) -> None:
    text = redacted(
        redactor, "USER=anovak\nUSER=jsmith42\n  anovak  31220 x\njob jsmith42 7\nloss anovak 0.5\nanovak: 3\n"
    )

    assert text.splitlines()[2:] == ["  <user>  31220 x", "job <user> 7", "loss anovak 0.5", "anovak: 3"]


def test_a_user_goes_from_a_path_whose_beginning_is_cut(redactor: Redactor) -> None:
    assert redacted(redactor, "USER=anovak\n...anovak/miniconda3/bin/python\n").endswith(
        "\n...<user>/miniconda3/bin/python\n"
    )


def test_names_in_several_searches_are_all_replaced(monkeypatch: pytest.MonkeyPatch, redactor: Redactor) -> None:
    monkeypatch.setattr(known_names, "_NAMES_PER_SEARCH", 2)
    hosts = [f"gcn{number}" for number in range(41, 52)]
    parts = ["".join(f"hostname: {host}\n" for host in hosts[start : start + 3]) for start in range(0, 11, 3)]

    text = redacted(redactor, *parts, " ".join(hosts))
    assert text.splitlines()[-1] == " ".join(["<host>"] * 11)


def test_a_log_does_not_know_the_hosts_of_another(redactor: Redactor) -> None:
    redacted(redactor, f"{NCCL}\n")

    assert redacted(redactor, "INFO:gcn43: epoch 3\n") == "INFO:gcn43: epoch 3\n"


def test_later_parts_of_a_log_know_the_hosts_of_earlier_ones(redactor: Redactor) -> None:
    assert redacted(redactor, f"{NCCL}\n", "INFO:gcn43: epoch 3\n").endswith("INFO:<host>: epoch 3\n")


def test_the_first_part_of_a_long_name_goes_too(redactor: Redactor) -> None:
    assert redacted(redactor, "host : ravg1038.hpc.example.edu\nravg1038 done\n").endswith("<host> done\n")


def test_a_user_goes_from_other_folders_of_the_name_only(redactor: Redactor) -> None:
    line = "/vast/baker/x '/srv/baker', /net/baker: baker were hot, /opt/baker2/x baker/x"
    text = redacted(redactor, f"{line}\nHOME=/home/baker\nUSER=bert\n/opt/bert/x\n")

    assert text.splitlines() == [
        "/vast/<user>/x '/srv/<user>', /net/<user>: baker were hot, /opt/baker2/x baker/x",
        "HOME=/home/<user>",
        "USER=<user>",
        "/opt/bert/x",
    ]


def test_a_long_name_of_a_user_goes_as_a_word_too_unless_it_names_a_number(redactor: Redactor) -> None:
    line = "(johansson_bert) by johansson, johanssons johansson.py samples: 12 samples_per_s=3"
    text = redacted(redactor, f"{line}\nHOME=/home/johansson USER=samples owner: step12\nstep12 johansson loss 3\n")

    assert text.splitlines() == [
        "(<user>_bert) by <user>, johanssons <user>.py samples: 12 samples_per_s=3",
        "HOME=/home/<user> USER=<user> owner: step12",
        "step12 <user> loss 3",
    ]

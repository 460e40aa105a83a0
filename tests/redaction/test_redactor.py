"""What a redactor does to any text."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchledger.redaction.line_redactor import LineRedactor
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction, shown
from tests.proportion import assert_in_proportion

KEY = b"k" * 32
REDACTOR = Redactor(known_redaction(), KEY)
PLAIN = st.text(st.characters(codec="utf-8", exclude_characters=".@/\\:=-_0123456789"))
PIECES = st.sampled_from(
    ["10.148.0.1", "1.6.0.1", "/home/", "jdoe", "@", "host: ", " ", "-", ".", ":", "MASTER_ADDR=", "gpu7", "8080", "/",
     "fe80::1:2", "yq01-", "[", "] NCCL ", "r6i4n5", "192-222-52-99", ",", "=", "version ", "'", "http://", "é", "\n"]
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("host: \x1b[32mqwnode01\x1b[0m", "host: <host>"),
        ("\x1b[1;33mhost\x1b[0m: \x1b[32mqwnode\x1b[1m01\x1b(B ok", "host: <host> ok"),
        ("\x1b[36muser=\x1b[0mjdoe", "user=<user>"),
        ("10.148.\x1b[1m3.4", "<ip>"),
        ("/home//jdoe/x /home/./jdoe/.//y", "/home/<user>/x /home/<user>/y"),
        ("file:///home/jdoe/x", "file:///home/<user>/x"),
        ("/Users/Jane Doe/x C:\\Users\\Jane Mary Doe\\x", "/Users/<user> <user>/x C:\\Users\\<user> <user>\\x"),
        ("/Users/Jane\\ Doe/run.sh", "/Users/<user>\\ <user>/run.sh"),
    ],
)
def test_colours_empty_parts_of_paths_and_full_names_hide_nothing(text: str, redacted: str) -> None:
    line = LineRedactor(REDACTOR).redact(f"{text}\nat \x1b[1m{text}\n".encode()).decode().splitlines()

    assert (shown(REDACTOR.text(text)), shown(line[0]), shown(line[1])) == (redacted, redacted, f"at {redacted}")


@pytest.mark.parametrize("text", ["\x1b[32mINFO\x1b[0m loss 2.0", "https://example.com//a/./b", "a // b", "x/./y//z"])
def test_colours_and_paths_of_nobody_stay(text: str) -> None:
    assert REDACTOR.text(text) == text


@given(PLAIN)
def test_words_without_digits_signs_or_paths_stay(text):
    # What may follow one of these words without any sign is a name.
    if not any(word in text for word in ("ssh", "host", "Clearing", "MBP", "-H", "srun")):
        assert REDACTOR.fresh(text) == text


@settings(max_examples=400)
@given(st.lists(PIECES, max_size=14).map("".join))
@example("SLURM_ACCOUNT=six@gpu")
@example("user: jdoe@gpu7.example.com:22")
@example("10.148.0.1 1.6.0.1[1.6.0.1jdoe1.6.0.1http://http://MASTER_ADDR=")
def test_what_is_redacted_stays_as_it_is(text):
    once = REDACTOR.fresh(text)

    assert REDACTOR.fresh(once) == once


@given(st.lists(PIECES, max_size=14).map("".join))
def test_lines_stay_lines(text):
    assert REDACTOR.fresh(text).count("\n") == text.count("\n")


def test_one_host_has_one_pseudonym_under_one_key_and_another_under_another():
    one = REDACTOR.text("Local host: gpu7")

    assert REDACTOR.text("http://GPU7.example.com:80/x") == f"http://{one.removeprefix('Local host: ')}:80/x"
    assert Redactor(known_redaction(), KEY).text("Local host: gpu7") == one
    assert Redactor(known_redaction(), b"l" * 32).text("Local host: gpu7") != one


def test_a_port_survives():
    assert shown(REDACTOR.text("10.0.0.1:29500, 10.0.0.1<0>, 10.0.0.1/24")) == "<ip>:29500, <ip><0>, <ip>/24"


def test_the_name_of_a_field_says_what_its_value_is():
    assert shown(REDACTOR.value("Host Name", "gpua")) == "<host>"
    assert REDACTOR.value("Kernel Name", "gpua") == "gpua"
    assert REDACTOR.value("Host Name", "127.0.0.1") == "127.0.0.1"


@pytest.mark.parametrize(
    ("path", "place", "expected"),
    [
        ("logs/run.log", "/home/jdoe/logs/run.log", "logs/run.log"),
        ("jdoe/run.log", "/home/jdoe/run.log", "<user>/run.log"),
        ("192-222-52-99/r6i4n5.txt", "/data/192-222-52-99/r6i4n5.txt", "<ip>/<host>.txt"),
        ("home/jdoe/x.log", "", "home/<user>/x.log"),
        ("/home/jdoe", "", "/home/<user>"),
        ("x.log", "", "x.log"),
        ("PaddlePaddle+Perf@58c854be/v1.6.0.1/x.log", "", "PaddlePaddle+Perf@58c854be/v1.6.0.1/x.log"),
    ],
)
def test_a_path_is_told_by_the_place_where_it_stands(path, place, expected):
    assert shown(REDACTOR.path(path, place)) == expected


# Hostile texts: bounds that give back, or that a search starts anew at every byte, would take minutes here.
HOSTILE = [
    "a" * 65536, "1." * 32768, "1-" * 32768, "a-" * 32768, "a." * 32768, "@" * 65536, "a@" * 32768, ":" * 65536,
    "::1" * 20000, "host:" * 13000, "host: " + " " * 65000, "host=a," * 9000, "/home/" * 11000, "RESULT," * 9000,
    "RESULT,a" + ",b" * 32000, "[a:1] " * 11000, "a:1:1 [0] NCCL" * 4000, "r1i1n" * 13000, "MacBook-" * 8000,
    "app-user-1-1--" * 4600, "job-0123456789ab-" * 3800, "http://a." * 7000, "a.b.com:" * 8000, "instance-a1b2c3-" * 4000,
    "--host " + "a," * 32000, "events.out.tfevents.1." * 3000, "00:" * 21000, "version " * 8000 + "1.2.3.4", "\\Users\\" * 9000,
    "a/" * 32000, " " * 65536, "_" * 65536, "é" * 65536, "ssh " * 16000, "s-MBP" * 13000, "user@" * 13000,
    "ssh -p " * 9000, "ssh -v" * 11000, "srun -w a" * 7000, "kubectl -n " * 6000, "LSB_HOSTS=" + "a " * 32000, "LSB_HOSTS=" * 6500,
    "world_info=" + "e30=" * 16000, "world_info=" * 6000, "eyJ." * 16000, "eyJ=" * 16000, "sk-" * 21000, "sk-proj-" * 8000,
    "BEGIN PRIVATE KEY-----" * 3000, "BEGIN RSA PRIVATE KEY-----" + "\\n " * 20000, "://a:" * 13000, "://a:b" + "c" * 65000,
    "password=" * 7000, "--password " * 6000, "token=" + "a1" * 32000, "/scratch/" * 7000, "/scratch/data/" * 4600,
    "s3://" * 13000, "s3://a/" + "b/" * 32000, "https://a.s3." * 5000, "wandb.ai/" * 7000, "GPU-" * 16000,
    "-rw-r--r-- 1 " * 5000, "aws key '" * 7000, "curl -u " * 8000, "deepspeed --include " * 3300, "authorization: " * 4300,
    "abcd.abcd." * 6500, "0A040701:" * 7200, "ip 0x0a0407" * 6000, "guid: " * 11000, "on host a-" * 6500, "hf_" * 21000,
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:16].strip() or "blank")
def test_time_grows_with_the_length_only(text):
    assert_in_proportion(REDACTOR.fresh, text[: len(text) // 8], text)


def test_numbers_of_a_row_behind_a_secret_stay() -> None:
    redactor = Redactor(known_redaction(), b"k" * 32)

    for row in (",0.5,12.5ms,-inf,nan", "|0.5|3", ";1.5e-3;2"):
        assert redactor.fresh(f"password=ab12cd34{row}").endswith(row)


def test_a_name_without_its_value_is_sought_at_the_end_of_a_line_only():
    lines = ["[" * length + ' "password" (for login)  :  |-' for length in (1_000, 200_000)]

    assert [REDACTOR.open_name(line) for line in lines] == ["password"] * 2
    assert_in_proportion(REDACTOR.open_name, *lines, floor_s=0.0005)

"""What an unrecognised log is nearest to: only a format with which it has something in common."""

from benchledger.scanning.detection import Detector
from benchledger.scanning.samples import known_formats


def nearest(text: str) -> str:
    return Detector(known_formats()).nearest(text.encode(), 1, (0, ""))[1]


def test_two_letters_of_a_path_are_no_nearness():
    assert nearest("copying img/a_b to img/c\n") == ""


def test_the_first_literal_that_is_missing_is_named():
    found = nearest("epoch 1\nDLL 2021-05-23 09:03:02: step 1\n")

    assert "line 2 holds 'DLL 20', but not" in found

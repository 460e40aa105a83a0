"""What is said of a memory number: sentences that are true of this one, whatever its runs and logs are."""

from __future__ import annotations

from benchledger.answers.tables.cells import fact_text, status_text
from benchledger.answers.tables.grouping import Row
from benchledger.explaining.explained import Check
from benchledger.explaining.speed_words import check_sentence, conflict_sentences, counted_sentence


def memory_sentences(
    number: Row, meaning: str, trials: list[Row], check: Check, conflicts: list[Row]
) -> tuple[str, ...]:
    """Headline, definition, trials with their devices, contradictions and check of a memory number."""
    counted = [trial for trial in trials if trial["counts"]]
    of = (
        f"{number['definition']} memory of {number['name']} in campaign {fact_text(number['campaign'])}, "
        f"GPU model {fact_text(number['gpu_model'])}"
    )
    said = [
        f"{number['value_mib']} MiB: {of}." if counted else f"No number ({status_text(number['status'])}) for {of}.",
        f"{meaning[0].upper()}{meaning[1:]}.",
        "Take of each run the highest value that any of its devices reaches; over the trials of a series the median.",
        counted_sentence(trials),
    ]
    if len(counted) > 1:
        said.append(f"The median of {', '.join(str(trial['value']) for trial in counted)} is {number['value_mib']}.")
        said.append(f"Lowest {number['lowest_mib']}, highest {number['highest_mib']}.")
    seen = _fewest_devices(number, counted)
    if seen is not None:
        said.append(f"Of its {number['gpus']} GPUs the logs tell {seen} apart: another one may have been fuller.")
    if number["gpu_memory_mib"] is not None and counted:
        of = "" if seen is None else ", by what was watched"
        said.append(f"The card has {number['gpu_memory_mib']} MiB: {_headroom(number)}{of}.")
    if number["mixed"]:
        said.append(f"The runs of this series differ in: {number['mixed']}.")
    return (*said, *conflict_sentences(conflicts), check_sentence(check, "MiB", parts_agree=True))


def _fewest_devices(number: Row, counted: list[Row]) -> int | None:
    """Of how many devices the trial with fewest of them has memory; None where that is every GPU of the run."""
    fewest = min((trial["devices"] for trial in counted), default=None)
    return fewest if fewest is not None and number["gpus"] is not None and fewest < number["gpus"] else None


def _headroom(number: Row) -> str:
    """What is left of the card: free only where all that is held on the device was measured."""
    if number["definition"] == "device":
        return f"{number['headroom_mib']} MiB of it were free"
    return (
        f"{number['headroom_mib']} MiB headroom against {number['definition']} memory; others may have held part of it"
    )

"""Files of trackers of which the path says what they hold: its end is a part of their content.

An MLflow metric has its name only as a file name, and a `hparams.yaml` says nothing of the program that wrote it. Two
such files of equal bytes are not the same log, so their identity is that of their bytes and of this part of their path.
"""

from __future__ import annotations

import re

_NAMED = re.compile(
    r"/(?:([0-9a-f]{32}/(?:metrics|params|tags)/.{1,500})"
    r"|(?:offline-)?run-[0-9]{8}_[0-9]{6}-([^/]{1,128}/files/(?:wandb-summary\.json|config\.yaml))"
    r"|version_[0-9]{1,9}/(metrics\.csv)"
    r"|(hparams\.yaml))\Z",
    re.DOTALL,
)
# Each place is asked, most of them in vain.
_PARTS = ("/metrics/", "/params/", "/tags/", "/files/", "/metrics.csv", "/hparams.yaml")


def name_within(place: str) -> str:
    """Returns the end of a file's path that belongs to its content; empty for most files."""
    if not any(part in place for part in _PARTS):
        return ""
    match = _NAMED.search(place)
    return next(filter(None, match.groups()), "") if match else ""


def run_of(name: str) -> str:
    """Returns the id that MLflow or Weights & Biases gave the run of such a file; empty if its path has none."""
    return name.partition("/")[0] if "/" in name else ""

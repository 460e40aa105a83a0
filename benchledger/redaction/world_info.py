"""The hosts of DeepSpeed's `--world_info`: base64 of JSON, a list of GPUs for each host."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable

WORLD_INFO = re.compile(r"(?i)world_info[\"']?[ =:]{1,3}[\"']?([\w+/-]{8,65536}={0,2})")


def with_hosts(replaced: Callable[[str], str], match: re.Match[str]) -> str:
    """Returns the text of a match of WORLD_INFO with each host replaced; unchanged if it is no JSON of hosts."""
    try:
        found = json.loads(base64.urlsafe_b64decode(match[1]))
        clean = {replaced(host): gpus for host, gpus in found.items()}
    except (ValueError, AttributeError, RecursionError):
        return match.group()
    if clean == found:
        return match.group()
    return (
        match.group()[: match.start(1) - match.start()] + base64.urlsafe_b64encode(json.dumps(clean).encode()).decode()
    )

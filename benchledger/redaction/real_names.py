"""Real names in place of their pseudonyms: for the owner of the private file."""

from __future__ import annotations

import re
from collections.abc import Mapping

from benchledger.redaction.pseudonyms import PSEUDONYM


class RealNames:
    """The real names of pseudonyms. One that is not known stays as it is."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def text(self, text: str) -> str:
        if "-" not in text:
            return text
        return PSEUDONYM.sub(lambda match: self._names.get(match.group(), match.group()), text)

    def hidden(self, text: str) -> str:
        """Returns the text with pseudonyms for these names, where they stand as whole words: the longest first."""
        for pseudonym, name in sorted(self._names.items(), key=lambda item: (-len(item[1]), item)):
            if name in text:
                text = re.sub(rf"(?<![A-Za-z0-9-]){re.escape(name)}(?![A-Za-z0-9-])", pseudonym, text)
        return text

"""Real names in place of their pseudonyms: for the owner of the private file."""

from __future__ import annotations

from collections.abc import Mapping

from benchledger.redaction.pseudonyms import PSEUDONYM


class RealNames:
    """The real names of pseudonyms. One that is not known stays as it is."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def text(self, text: str) -> str:
        """Returns the text with real names."""
        if "-" not in text:
            return text
        return PSEUDONYM.sub(lambda match: self._names.get(match.group(), match.group()), text)

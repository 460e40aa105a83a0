"""Names of settings: which make another case, and which change from trial to trial."""

from __future__ import annotations

import re

from benchledger.definitions.toml_table import Table
from benchledger.definitions.vocabulary import vocabulary_file

_NAME = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")


def setting_words() -> list[tuple[str, bool]]:
    """Returns each name or word of schema/vocabulary/settings.toml, and whether it makes another case; in order.

    Raises DefinitionError with file and line for a word that is both, or not in lower case with _.
    """
    file = vocabulary_file("settings.toml")
    top = Table(file, "", file.data, ("case", "volatile"))
    case, volatile = (top.strings(key) for key in ("case", "volatile"))
    for key, words in (("case", case), ("volatile", volatile)):
        for word in words:
            if not _NAME.fullmatch(word):
                top.fail(key, f"{word!r} must be in lower case, with _ between words")
    for word in set(case) & set(volatile):
        top.fail("case", f"{word!r} is volatile, too")
    return sorted([*((word, True) for word in set(case)), *((word, False) for word in set(volatile))])

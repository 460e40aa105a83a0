"""Escapes text for Markdown, so that no text from a log acts as markup."""

from __future__ import annotations

import re

from benchledger.exports.safe_text import escaped

# Characters that need a backslash. An underscore within a word (bert_base) is plain text already.
_SIGNS = re.compile(r"[\\`*\[\]|~]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
# An & acts as markup only before a name or number with a semicolon (an entity).
_AMPERSAND = re.compile(r"&(?=#?\w+;)")
# GitHub renders text between two $ as maths.
_ENTITIES = str.maketrans({"<": "&lt;", ">": "&gt;", "$": "&#36;"})
# GitHub makes links of mail addresses and of user names after an @.
_AT = re.compile(r"(?<![0-9A-Za-z])@|@(?=[0-9A-Za-z_-]+\.)")
# GitHub makes links of bare addresses.
_ADDRESS = re.compile(r"://|\bwww\.", re.IGNORECASE)
# A sign or number at the beginning makes a line a heading, a list, a quotation or a rule.
_OPENING = re.compile(r"^(\s*)([-+#=]|\d+(?=[.)]))")


def markdown_text(text: str) -> str:
    """Returns text as Markdown that shows exactly this text, on one line."""
    plain = _AMPERSAND.sub("&amp;", escaped(text)).translate(_ENTITIES)
    shown = _AT.sub("&#64;", _SIGNS.sub(lambda sign: "\\" + sign[0], plain))
    return _ADDRESS.sub(lambda found: found[0].replace("/", "\\/").replace(".", "\\."), shown).strip()


def markdown_line(text: str) -> str:
    """Returns text as a line of its own: never a heading, list or rule, whatever it begins with."""
    return _OPENING.sub(
        lambda found: found[1] + ("\\" + found[2] if not found[2].isdigit() else found[2] + "\\"), markdown_text(text)
    )

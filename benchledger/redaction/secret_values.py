"""Values after the name of a secret: where they begin and end, and which of them only stand for a secret.

In quotes a value ends at the quote. Without quotes it ends at a blank, at the next field, or at a bracket or quote
that closes. Every repetition is bounded.
"""

from __future__ import annotations

import re

from benchledger.definitions.redaction import Key

_ENTITY = r"&(?:amp|quot|apos|lt|gt|#\w{2,4});"
_QUOTE = r"(?:\\{0,3}[\"'`]|&(?:quot|apos|#\w{2,4});)"
_BLANKS = r"[ \t]{0,64}+"
_LETTER = r"[^\s'\"`,;&<>(){}\[\]|*$\\]"
_CELL = r"[-+]?(?:[\d.]{1,32}(?:e[-+]?\d{1,4})?[a-z%/]{0,3}|inf|nan)"
# Signs that a secret may hold, but that also end a value: not before the next field, a number of a row or an entity.
_FIELD = rf"(?![\w.-]{{1,64}}[=:]|{_CELL}(?:[\s,;&|)]|$)|(?<=&)#?\w{{2,5}};)(?={_LETTER})"
_INNER = (
    rf"(?:[,;&|(\[{{]{{1,3}}{_FIELD}|[*$]{{1,8}}+(?={_LETTER})|<(?!/){_FIELD}|[)}}\]>'\"`](?=\w)|\\(?![nrtu])(?=\w))"
)
_VARIABLE = r"\$(?:[A-Z_][A-Z\d_]*|[a-z_][a-z\d_]*)"
# Code, a variable of a shell or template, and the next field after an empty value are no secret.
_CODE = (
    r"(?![a-z_][\w.]{0,128}[(\[](?:[^\n]{0,128}?[)\]]|\s*$)|%[s(]|\$[{(]"
    rf"|(?-i:{_VARIABLE}(?!\S))|(?<=[ \t,])[a-z][\w.-]{{0,64}}=[^=\s])"
)
_FIRST = rf"(?:{_LETTER}|[*$]{{1,8}}(?={_LETTER})|(?<==)[,;&|]{{1,3}}{_FIELD})"
_PLAIN = rf"{_CODE}{_FIRST}(?:{_LETTER}|{_INNER}){{3,4096}}+(?![(\[])"
# A quote may stand in a value if it is escaped and the quotes around the value are not.
_QUOTED = "|".join(
    rf"(?<=[^\\]{sign})(?:\\[^\n]|[^{sign}\\\n]){{4,4096}}+(?={sign})"
    rf"|(?<={sign})(?:\\[^{sign}\n]|[^{sign}\\\n]){{4,4096}}+(?=\\{{0,3}}{sign})"
    for sign in "\"'`"
)
_ESCAPED = rf"(?<=;)(?:[^&\n<]|(?!{_ENTITY})&){{4,4096}}+(?=&(?:quot|apos|#\w{{2,4}});)"
VALUE = rf"(?:{_QUOTED}|{_ESCAPED}|{_PLAIN})"
_PAIR = (
    rf"{_QUOTE}?[ \t]{{0,8}},?[ \t]{{0,8}}{_QUOTE}?value{_QUOTE}?[ \t]{{0,8}}[=:]{_BLANKS}"
    r"|</(?:name|key)>\s{0,32}<(?:value|string)>"
)
_TAG = r"(?:!{1,2}[a-z]{2,20}[ \t]{1,4}|&[a-z_]{1,32}[ \t]{1,4})?"
ITEM = re.compile(
    r"\"(?P<double>(?:\\.|[^\"\\\n]){4,1024}+)\"|'(?P<single>(?:\\.|[^'\\\n]){4,1024}+)'"
    r"|(?P<bare>[^\s,'\"\[\](){}]{4,1024}+)(?![(\[])"
)
IS_NUMBER = re.compile(_CELL, re.IGNORECASE).fullmatch
_ITEMS = (
    r"(?:[ \t,]{0,8}b?(?:\"(?:\\.|[^\"\\\n]){0,1024}+\"|'(?:\\.|[^'\\\n]){0,1024}+'"
    r"|[^\s,'\"\[\](){}]{1,1024}+)){1,256}+"
)
_STANDS_FOR = re.compile(
    rf"\$\{{.*|\$\(.*|{_VARIABLE}"
    r"|<[^<>]*>|\{.*\}|%\(\w*\)?s?|--?[a-z][a-z_-]*|\[?redacted\]?|.*\.\.\."
)
_FOLDER = re.compile(rf"{_CELL}$|(?:~|\.{{1,2}})?/|[A-Za-z]:[\\/]")
_PATH = re.compile(r"(?:~|\.{1,2})?(?:/[a-z_.-]+){2,}/?")
_CHANGE = re.compile("[a-z](?=[A-Z])")
# A number or a time: 1.2345678901234567e-05
_NUMBER = re.compile(r"[-+]?\d+\.\d*[eE][-+]?\d{1,3}|20\d\d-\d\d-\d\d[T_][\d:.+-]{5,32}Z?")
_LEAST_IN_HEX = 16
_LEAST_OF_OPTION = 8


def compile_secrets(names: str) -> re.Pattern[str]:
    """Returns a regex of names with their values: fields, options of a command line, and pairs of name and value."""
    return re.compile(
        r"(?i)(?:(?P<option>(?<![\w-])--?(?:[a-z]{1,20}[_.-]){0,4}?)|(?<![A-Za-z0-9])|(?-i:(?<=[a-z])(?=[A-Z])))"
        rf"(?P<name>{names})"
        rf"(?:(?:{_QUOTE}\]?)?{_BLANKS}(?:[=:]|\.{{3,80}}+){_BLANKS}|{_PAIR}"
        r"|(?(option)(?:[ \t]{1,8}+|\\?[\"'], {0,4})|(?!)))"
        rf"{_TAG}(?:b?{_QUOTE})?(?P<value>{VALUE})"
    )


def compile_secret_lists(names: str) -> re.Pattern[str]:
    """Returns a regex of lists, tuples and tables after a name or its plural."""
    between = rf"s?{_QUOTE}?{_BLANKS}[=:]{_BLANKS}(?:[\[(]{{1,3}}|\{{(?=[ \t]{{0,8}}[\"']|[^{{}}\n]{{1,64}}:))"
    return re.compile(rf"(?i)(?<![A-Za-z0-9])(?P<name>{names}){between}(?P<values>{_ITEMS})")


def stands_for_secret(text: str) -> bool:
    """Tells whether a text only stands for a secret: a variable, a placeholder, a mask, the next option."""
    return text.strip("*xX.") == "" or _STANDS_FOR.fullmatch(text) is not None


def is_no_secret(name: str, value: str, before: str, option: str | None) -> bool:
    """Tells whether the value of a name that any secret may have is a word of a sentence or a folder."""
    if value.isalpha() and (value.isupper() or (option is None and (value.islower() or value.istitle()))):
        return before[-1] == " "  # password: incorrect, --password TEXT
    return (_FOLDER if name.lower().endswith("pwd") else _PATH).match(value) is not None


def is_random(text: str, key: Key, option: str | None = None) -> bool:
    """Tells whether a text is long enough for a secret of a key, and made by chance: no words between blanks."""
    is_short = key.common and len(text) < _LEAST_IN_HEX
    least = min(key.least, _LEAST_OF_OPTION) if option is not None and option.strip("-") == "" else key.least
    if len(text) < least or " " in text or _NUMBER.fullmatch(text):
        return False
    changes = len(_CHANGE.findall(text))
    has_digit = any(map(str.isdigit, text)) and any(map(str.isalpha, text))
    return (has_digit and (changes > 0 or not is_short)) or (changes > 1 and (not key.common or least < key.least))

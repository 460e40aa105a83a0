"""Regexes of single names: hosts, users, secrets, and lists of them. Every repetition is bounded."""

from __future__ import annotations

# Host names follow DNS. User names may be in any script, and end where a path or a list continues.
HOST = r"\w[\w-]{0,62}+(?:\.[\w-]{1,63}+){0,8}+"
USER = r"[^\s/\\:;,'\"<>|()\[\]{}*?$&=@%#`]{1,64}+"
_LETTER = r"[^\s'\"`,;&<>(){}\[\]|*$\\]"
SECRET = rf"{_LETTER}{{4,4096}}+"
# A secret after its name: all that stands in quotes, else also what follows a comma, if no other field begins there.
QUOTED = "|".join(rf"(?<={sign})(?:\\[^{sign}\n]|[^{sign}\\\n]){{4,4096}}+(?=\\?{sign})" for sign in "\"'")
LISTED_SECRET = rf"(?:{_LETTER}|(?<=\w),(?={_LETTER})(?![\w-]{{1,64}}+[=:])){{4,4096}}+"
# mpirun's `a:8,b:8`, srun's `node[01-04],login1`
_LISTED = rf"{HOST}(?:\[[\d,-]{{1,200}}+\][\w-]{{0,16}})?+(?::\d{{1,3}}+)?+"
HOST_LIST = rf"{_LISTED}(?:,{_LISTED}){{0,4095}}+"

UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"

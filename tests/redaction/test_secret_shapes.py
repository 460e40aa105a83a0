"""Secrets that detect-secrets knows by their shape are found: its list is kept up to date by others, ours follows it."""

from __future__ import annotations

import importlib
import random
import re
from re import _compiler
from re import _parser as parser
from typing import Any

import pytest

from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction, shown

REDACTOR = Redactor(known_redaction(), b"k" * 32)
# The others tell a key by words around plain hex or letters (ibm_*, cloudant, softlayer: found by our key names), or by
# a shape that text of logs has too (artifactory, discord, mailchimp, telegram_token, twilio).
DETECTORS = (
    "aws", "azure_storage_key", "basic_auth", "github_token", "gitlab_token", "jwt", "npm", "openai", "pypi_token",
    "sendgrid", "slack", "square_oauth", "stripe",
)  # fmt: skip
RANDOM = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


_ALLOWED: dict[str, list[str]] = {}


def made(pattern: Any, rng: random.Random) -> str:
    """A text that a parsed regex matches, with random letters and digits where it allows some."""
    text = ""
    for op, value in pattern:
        name = str(op)
        if name == "LITERAL":
            text += chr(value)
        elif name == "SUBPATTERN":
            text += made(value[3], rng)
        elif name == "BRANCH":
            text += made(rng.choice(value[1]), rng)
        elif name in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most, inner = value
            # Keys are long: an open repetition is taken 8 to 24 times, one that may be left out not at all.
            times = 0 if name == "MIN_REPEAT" else rng.randint(max(least, min(8, most)), min(most, max(least, 24)))
            text += "".join(made(inner, rng) for _ in range(times))
        elif name in ("IN", "NOT_LITERAL", "ANY"):
            text += rng.choice(allowed(str([(op, value)]), op, value))
        elif name not in ("AT", "ASSERT", "ASSERT_NOT"):
            raise AssertionError(name)
    return text


def allowed(key: str, op: Any, value: Any) -> list[str]:
    """The letters and digits that one item of a parsed regex allows, else the signs."""
    if key not in _ALLOWED:
        one = _compiler.compile(parser.SubPattern(parser.State(), [(op, value)]))
        _ALLOWED[key] = [c for c in RANDOM if one.fullmatch(c)] or [c for c in " '\"=:" if one.fullmatch(c)]
    return _ALLOWED[key]


def patterns() -> list[tuple[str, re.Pattern[str]]]:
    pytest.importorskip("detect_secrets")
    found = []
    for name in DETECTORS:
        module = importlib.import_module(f"detect_secrets.plugins.{name}")
        (detector,) = (one for one in vars(module).values() if getattr(one, "__module__", "") == module.__name__
                       and "denylist" in vars(one))  # fmt: skip
        found += [(name, pattern) for pattern in detector.denylist]
    return found


def test_every_shape_of_detect_secrets_is_found() -> None:
    rng = random.Random(28)
    kept = []
    count = 0
    for name, pattern in patterns():
        for _ in range(20):
            text = made(parser.parse(pattern.pattern, pattern.flags), rng)
            assert pattern.search(text), (name, text)
            count += 1
            clean = REDACTOR.fresh(f"found {text} here")
            if "<secret>" not in shown(clean):
                kept.append((name, text))

    assert count >= 400
    assert kept == []

"""Proves the redaction rules: each sample gives its expected text, and each template and shape has a sample."""

from __future__ import annotations

from functools import cache

from benchledger.definitions.definition_cache import Proofs, cached, files_in
from benchledger.definitions.folders import only_packed
from benchledger.definitions.redaction import KINDS, RedactionRules, read_redaction, redaction_hash
from benchledger.errors import DefinitionError
from benchledger.redaction.compiling import compile_context, compile_shape
from benchledger.redaction.pseudonyms import PSEUDONYM
from benchledger.redaction.redactor import Redactor

_KEY = b"samples are proved with any key"
_SHOWN = {beginning: f"<{beginning}>" for beginning in KINDS.values()}


@cache
def known_redaction() -> RedactionRules:
    return cached("redaction", files_in("ingest"), read_redaction)


@cache
def load_redaction() -> RedactionRules:
    """Returns the rules, proved by their samples. Raises DefinitionError with file and line."""
    rules = known_redaction()
    if only_packed():
        return rules
    proofs = Proofs("redaction")
    if redaction_hash() not in proofs:
        prove(rules)
        proofs.add([redaction_hash()])
    return rules


def prove(rules: RedactionRules) -> None:
    """Raises DefinitionError if a sample gives another text, or if no sample matches a template or shape."""
    redactor = Redactor(rules, _KEY)
    for sample in rules.samples:
        found = shown(redactor.fresh(sample.text))
        if found != (sample.expect or sample.text):
            what = f"expected {sample.expect!r}" if sample.expect else "it was to stay as it is"
            raise DefinitionError(f"{sample.place}: sample {sample.text!r} becomes {found!r}; {what}")
    texts = [sample.text for sample in rules.samples if sample.expect]
    for context in rules.contexts:
        if not any(compile_context(context).search(text) for text in texts):
            raise DefinitionError(f"{context.place}: no [[sample]] reaches template {context.template.source!r}")
    for shape in rules.shapes:
        if not any(compile_shape(shape).search(text) for text in texts):
            raise DefinitionError(f"{shape.place}: no [[sample]] reaches shape {shape.source!r}")


def shown(redacted: str) -> str:
    """Returns a redacted text with `<host>` and the like in place of every pseudonym."""
    return PSEUDONYM.sub(lambda match: _SHOWN[match.group().partition("-")[0]], redacted)

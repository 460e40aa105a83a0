"""Decides whether a name with dots is one of a machine, by its domain and its first part."""

from __future__ import annotations

from benchledger.definitions.redaction import RedactionRules
from benchledger.redaction.compiling import domain_ending


class Domains:
    def __init__(self, rules: RedactionRules) -> None:
        self._rules = rules
        # What a text with such a name must match, in lower case.
        self.ending = domain_ending(rules.top_level | rules.internal)

    def is_machine(self, name: str, has_port: bool) -> bool:
        """Tells whether a name in a text is that of a machine; most are of Python's modules and public sites."""
        is_numbered = name.count(".") >= 2 and any(map(str.isdigit, name.partition(".")[0]))
        is_domain = name.rpartition(".")[2].lower() in self._rules.top_level
        return self._is_internal(name) or (is_domain and (has_port or is_numbered or self._is_service(name)))

    def is_private_url(self, host: str, has_port: bool) -> bool:
        return "." not in host or has_port or self._is_internal(host) or self._is_service(host)

    def _is_service(self, name: str) -> bool:
        # gitlab.example.com: organisations run such services for themselves.
        return not self._rules.services.isdisjoint(name.lower().split(".")[:-2])

    def _is_internal(self, name: str) -> bool:
        # `fsspec.implementations.local` is Python; `Johns-MacBook.local` and `gpu01.cluster.local` are machines.
        first, _, rest = name.partition(".")
        last = rest.rpartition(".")[2].lower()
        if last not in self._rules.internal:
            return False
        named = "-" in first or any(map(str.isdigit, first)) or rest.lower().endswith("cluster.local")
        return named or self._is_service(name) or (last not in ("local", "internal") and "." in rest)

"""Decides whether a text in the place of a private name is private: words, versions and sizes are not."""

from __future__ import annotations

import re
from functools import lru_cache

from benchledger.definitions.redaction import RedactionRules
from benchledger.redaction.addresses import is_hex_machine
from benchledger.redaction.forms import MONTH
from benchledger.redaction.pseudonyms import PSEUDONYM
from benchledger.redaction.secret_values import stands_for_secret

CONTAINER = re.compile(r"[0-9a-f]{12}(?:[0-9a-f]{52})?")
_HEX_NAME = re.compile(r"[0-9a-f]{12,64}")
_FIRST_WORD = re.compile(r"[^\W\d_]{2,}")
_NODE = re.compile(r"[A-Za-z][^_/]*[\d-][^_/]*")
# Types of machines of clouds, forms of GPUs: p4d.24xlarge, a2-highgpu-8g, A100-SXM4
_MACHINE_TYPE = re.compile(
    r"\.(?:\d{0,3}x?large|metal)|-(?:standard|(?:high|mega|ultra)\w+)-\d|\d+gb$|-(?:sxm|pcie)|^[dh]gx-?(?:1v?|2h?|[abh][12]00|station)$"
)
# Host names by the role of a machine. `worker-3`, `gpu7` and `bert01` are left out: a rank, a device and a model.
_ROLE = re.compile(r"(?i)(?:[dh]gx|login|storage|compute)-?[a-z]{0,2}\d{1,5}")
_FILES = (".log", ".txt", ".out", ".json", ".py", ".sh", ".csv", ".gz", ".tar", ".zip", ".yaml")
_COMPANY = frozenset((
    "corporation", "corp", "inc", "ltd", "llc", "gmbh", "company", "team", "group", "authors", "contributors",
    "developers", "research", "foundation", "university", "institute", "lab", "labs", "zoo", "community", "project",
    "software", "technologies", "systems", "center", "centre", "networks", "services", "cloud", "support", "staff",
))  # fmt: skip
_KEPT = 10_000
_LEAST_ACCOUNT = 6
_LEAST_DEVICE = 6
_LEAST_NAME = 4
_LEAST_DISTINCT = 6
_LEAST_ID = 2000
# recall@thr=0.5, prec@top3, AR@all: a measure and where it is taken.
_MEASURE = re.compile(r"(?:[\w.-]*[._-])?(?:recall|prec(?:ision)?|acc(?:uracy)?|m?a[pr]|ndcg|mrr|hits?|f1|m?iou|pck)")
_CUTOFF = re.compile(r"(?:top|thr|iou|all|max)[_-]?\d{0,4}")
_PROMPT = (":/", ":~", " ~", "$ ", "# ", "> ")
_COMMIT = re.compile(r"[0-9a-f]{7,11}|[0-9a-f]{40}|[0-9a-f]{64}")
_VERSION = re.compile(r"v?\d[\d.]*(?:[-+_.][\w.+-]*)?")
_DAY = re.compile(rf"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? {MONTH}")
_DECIMAL = re.compile(r"[-+]?\d*\.\d+(?:[eE][-+]?\d{1,3})?")
_GPU = re.compile(r"(?i)(?:rtx|gtx|titan|tesla|quadro|gh?b?|[avhpltb]|mi|rx)[ -]?\d{2,4}[a-z]{0,2}(?![0-9a-z-])")


class PrivateNames:
    """Tests names against the public words in the rules."""

    def __init__(self, rules: RedactionRules) -> None:
        self._rules = rules
        self._checks = {
            "host": self._is_host, "node": self._is_node, "machine": self._is_machine, "user": self._is_user,
            "owner": self._is_owner, "group": self._is_group, "device": self._is_device, "bucket": self._is_bucket,
            "secret": self._is_secret, "project": self._is_project, "id": self._is_id, "person": self._is_person,
        }  # fmt: skip
        # Cached: a log names the same few machines and users again and again.
        self.holds = lru_cache(_KEPT)(self._holds)

    def _holds(self, kind: str, name: str) -> bool:
        """Tells whether a name of a kind is private; kinds without a check always are."""
        if not name or name.lower() in self._rules.public_names or PSEUDONYM.match(name):
            return False
        if kind in ("hexip", "hexsocket"):
            return is_hex_machine(name, kind == "hexsocket")
        check = self._checks.get(kind)
        return check is None or check(name)

    def is_of_words(self, name: str) -> bool:
        # The first word decides: `imagenet-1k` and `logs` are data, `jdoe-llm` belongs to somebody.
        first = _FIRST_WORD.search(name.lower())
        return first is not None and first.group() in self._rules.folders

    def recurs(self, kind: str, name: str) -> bool:
        """Tells whether a name is no word for data or a model; a host is no `rank3` and no GPU either."""
        if len(name) < _LEAST_NAME:
            return False
        if kind == "user":
            is_public = name.lower() in self._rules.organisations
            return self.holds("user", name) and not self.is_of_words(name) and not is_public
        if _ROLE.fullmatch(name) and self._is_node(name):
            return True
        is_known = self._is_machine(name) or _HEX_NAME.fullmatch(name) is not None
        is_word = name.lower().rstrip("0123456789-.") in self._rules.public_names or _GPU.match(name) is not None
        return is_known and not is_word and any(map(str.isdigit, name))

    def is_distinct(self, name: str) -> bool:
        """Tells whether the name of a user is no word of a log: it has digits as well, or many letters."""
        words = self._rules.organisations | self._rules.operations | self._rules.services
        is_word = name.lower().rstrip("0123456789") in words or not name[0].isalpha()
        return not is_word and (len(name) >= _LEAST_DISTINCT or (len(name) > _LEAST_NAME and name[-1].isdigit()))

    def is_login(self, user: str, host: str, behind: str) -> bool:
        """Tells whether `user@host` is a user at a machine: most such texts are measures, versions and commits."""
        if _VERSION.fullmatch(host) and not CONTAINER.fullmatch(host):
            return False  # hr@10, gcc@8.3.1
        if len(host) == 1 or ("+" in user and "." not in host):
            return False  # f1@k, owner+repository@commit
        if _CUTOFF.fullmatch(host.lower()) and _MEASURE.fullmatch(user.lower()):
            return False
        if _COMMIT.fullmatch(host) or host.startswith("sha256") or user.startswith("group-"):
            return False
        if host.lower().endswith(self._rules.public_domains) and user.lower() in self._rules.public_names:
            return False
        if "." not in host and behind not in _PROMPT and not PSEUDONYM.match(user) and not PSEUDONYM.match(host):
            is_word = self.is_of_words(user) or self.is_of_words(host)
            if is_word or not self.holds("host", host):
                return False  # bert@base, O1@fp16, top1@224px, but test@gpu7:~$
        return True

    def is_private_org(self, name: str) -> bool:
        return name.lower() not in self._rules.organisations

    def _is_host(self, name: str) -> bool:
        if name.lower().endswith(self._rules.public_domains):
            return False
        # A number, a size, a version or an address (see addresses.py) is not a host; the id of a container is.
        return bool(
            name[0].isalpha() or _HEX_NAME.fullmatch(name.partition(".")[0]) or ("-" in name and name[0] != "-")
        )

    def _is_node(self, name: str) -> bool:
        # A word, a layer (`conv1`, `block_3`) and a type of machine name no machine.
        lower = name.lower()
        is_operation = not self._rules.operations.isdisjoint(re.split(r"[\W\d]+", lower))
        is_name = _NODE.fullmatch(name) is not None and not is_operation and _MACHINE_TYPE.search(lower) is None
        return is_name and self._is_host(name)

    def _is_machine(self, name: str) -> bool:
        return self._is_node(name) and not self.is_of_words(name)

    def _is_user(self, name: str) -> bool:
        # `Last login: Mon Jan  8` names nobody.
        return len(name) > 1 and _DAY.fullmatch(name) is None

    def _is_owner(self, name: str) -> bool:
        # `/scratch/imagenet-1k` and `/nfs/logs` name what they hold.
        return not self.is_of_words(name) and not name.lower().endswith(_FILES)

    def _is_group(self, name: str) -> bool:
        # MLPerf's `"namespace": "worker0"` names no group, and `account: 100%` no account.
        is_word = name.lower().rstrip("0123456789-") in self._rules.public_names
        is_number = _DECIMAL.fullmatch(name) is not None or (name.isdigit() and len(name) < _LEAST_ACCOUNT)
        return not is_word and not is_number

    def _is_project(self, name: str) -> bool:
        return name[0].isalpha() and self._is_group(name) and self.is_private_org(name) and not self.is_of_words(name)

    def _is_person(self, name: str) -> bool:
        # `NVIDIA Corporation`, `Model Zoo` and `The HuggingFace Team` are nobody's names.
        words = name.lower().replace(".", "").split()
        known = self._rules.organisations | self._rules.folders | self._rules.public_names
        return known.isdisjoint(words) and _COMPANY.isdisjoint(words)

    def _is_id(self, name: str) -> bool:
        # The first numbers of users are the same on every machine.
        return int(name) >= _LEAST_ID

    def _is_device(self, name: str) -> bool:
        if _DECIMAL.fullmatch(name):
            return False  # sn=12.3456
        return len(name) >= _LEAST_DEVICE and any(map(str.isdigit, name)) and len(set(name) - set("-:x")) > 1

    def _is_bucket(self, name: str) -> bool:
        return name[0].isalpha() and len(name) > 2 and name.lower() not in self._rules.public_buckets

    def _is_secret(self, name: str) -> bool:
        return not stands_for_secret(name)

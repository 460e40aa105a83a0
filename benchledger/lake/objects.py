"""A lake as objects by key: units, their markers and leases, and lists of units."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchledger.definitions.regular_file import need_regular
from benchledger.errors import DatabaseError, UsageError
from benchledger.ingestion.discover import given_place
from benchledger.ingestion.remote import is_remote, store_at

if TYPE_CHECKING:
    from obstore.store import ObjectStore

# units/DIGEST/WRITER/TABLE.parquet, markers/DIGEST, leases/DIGEST, lists/SOURCE/TIME.
UNITS, MARKERS, LEASES, LISTS, KEY = "units", "markers", "leases", "lists", "key"
# packs/DIGEST: the marker of many units whose tables were put together.
PACKS = "packs"
# tables/SCHEMA/NAME/FILE.parquet, tables/views/NAME/FILE.parquet, snapshots/NUMBER.
TABLES, VIEWS, SNAPSHOTS = "tables", "views", "snapshots"
# Files that others put into the folder of a lake have other names: they are neither read nor removed.
_OWN = re.compile(
    r"key|(?:markers|packs)/[0-9a-f]{32}|leases/(?:[0-9a-f]{32}|tables)|lists/[0-9a-f]{32}/\d{8}T\d{6}\.\d{6}Z"
    r"|units/[0-9a-f]{32}/[0-9a-f]{16}/[\w.]+\.parquet|snapshots/\d{8,18}"
    r"|tables/\w+/\w+/(?:[0-9a-f]{32}\.parquet|_delta_log/(?:\d{20}\.(?:json|checkpoint\.parquet)|_last_checkpoint))"
)


@dataclass(frozen=True)
class Lake:
    """The objects of one lake. Raises DatabaseError where they cannot be read or written."""

    place: str
    store: ObjectStore
    prefix: str

    def put_new(self, key: str, content: bytes) -> bool:
        """Writes an object if there is none of its key: of two that do so at once, one writes."""
        import obstore

        try:
            obstore.put(self.store, self._path(key), content, mode="create")
        except FileExistsError:
            return False
        except Exception as error:
            if type(error).__name__ == "AlreadyExistsError":
                return False
            raise self._failed(key, error) from error
        return True

    def put(self, key: str, content: bytes | Path) -> None:
        """Writes an object, from a file in parts if it is large."""
        import obstore

        try:
            obstore.put(self.store, self._path(key), content)
        except Exception as error:
            raise self._failed(key, error) from error

    def get(self, key: str) -> bytes | None:
        """An object's content; None where there is none."""
        import obstore

        if not is_remote(self.place):
            need_regular(f"{self.place}/{key}")
        try:
            return bytes(obstore.get(self.store, self._path(key)).bytes())
        except FileNotFoundError:
            return None
        except Exception as error:
            raise self._failed(key, error) from error

    def json(self, key: str, fits: Callable[[Any], bool]) -> Any:
        """The JSON in an object; None if there is no object. Raises DatabaseError if `fits` rejects it."""
        content = self.get(key)
        if content is None:
            return None
        try:
            found = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise self._changed(key, "is not valid JSON") from error
        if not fits(found):
            raise self._changed(key, "has unknown contents")
        return found

    def objects(self, below: str) -> dict[str, tuple[int, datetime]]:
        """Size and time of each object of the lake below a key."""
        import obstore

        start = len(self._path(""))
        try:
            pages = obstore.list(self.store, self._path(below), chunk_size=1000)
            found = {one["path"][start:]: (one["size"], one["last_modified"]) for page in pages for one in page}
        except Exception as error:
            raise self._failed(below, error) from error
        return {key: one for key, one in found.items() if _OWN.fullmatch(key)}

    def delete(self, keys: list[str]) -> None:
        """Removes objects; one that another process has removed already is gone, too."""
        import obstore

        try:
            obstore.delete(self.store, [self._path(key) for key in keys])
        except FileNotFoundError:
            for key in keys:
                with suppress(FileNotFoundError):
                    obstore.delete(self.store, self._path(key))
        except Exception as error:
            raise self._failed("", error) from error

    def markers(self) -> set[str]:
        """The digests of all units that were read, and of what was derived of them."""
        return {key.rpartition("/")[2] for key in self.objects(MARKERS)} | self.packed().keys()

    def marker(self, digest: str) -> dict[str, Any] | None:
        """The content of a unit's marker, alone or in a pack; None for a unit that was not read."""
        own = self.own_marker(digest)
        return own if own is not None else self.packed().get(digest)

    def own_marker(self, digest: str) -> dict[str, Any] | None:
        """The same, where it is not in a pack."""
        marker: dict[str, Any] | None = self.json(f"{MARKERS}/{digest}", is_marker)
        return marker

    def markers_of(self, digests: list[str]) -> dict[str, dict[str, Any]]:
        """The contents of the markers of some units; units without one are left out."""
        packed = self.packed()
        found = {one: packed[one] if one in packed else self.marker(one) for one in digests}
        return {one: marker for one, marker in found.items() if marker is not None}

    def packed(self) -> dict[str, dict[str, Any]]:
        """The markers of units in packs, each with the digest of its pack and what that says of all (`pack`)."""
        found = {}
        for key in sorted(self.objects(PACKS)):
            pack = self.json(key, _is_pack) or {"parts": {}}
            about = {"digest": key.rpartition("/")[2], **pack}
            found.update({digest: {**marker, "pack": about} for digest, marker in pack["parts"].items()})
        return found

    def listed(self) -> dict[str, list[str]]:
        """The units of each source, by its latest list."""
        latest: dict[str, str] = {}
        for key in sorted(self.objects(LISTS)):
            latest[key.split("/")[1]] = key
        return {source: self.json(key, _is_list) or [] for source, key in latest.items()}

    def sources(self) -> dict[str, list[str]]:
        """The same. Raises UsageError for a place that is no lake."""
        if self.get(KEY) is None:
            raise UsageError(
                f"{self.place}: is no lake. Make one: bench ingest SOURCE --lake {self.place} --key-file FILE"
            )
        return self.listed()

    def need_key(self, key: bytes) -> None:
        """Raises UsageError for another key than that of the lake. A new lake takes this one: its fingerprint alone."""
        fingerprint = hashlib.blake2b(b"lake", digest_size=16, key=key).hexdigest().encode()
        self.put_new(KEY, fingerprint)
        if self.get(KEY) != fingerprint:
            raise UsageError(
                f"{self.place}: was made with another key: one host would have two pseudonyms in it. Give its key "
                f"(--key-file or $BENCH_KEY_FILE), or name a new lake"
            )

    def _path(self, key: str) -> str:
        parts = [] if is_remote(self.place) else key.rstrip("/").split("/")
        for depth in range(1, len(parts) + 1):
            if os.path.islink(link := os.path.join(self.place, *parts[:depth])):
                raise DatabaseError(f"{link}: is a link, and would lead out of the lake. Put what it leads to here")
        return f"{self.prefix}/{key}" if self.prefix else key

    def _changed(self, key: str, what: str) -> DatabaseError:
        cure = "Restore it, or read the logs into a new lake"
        return DatabaseError(f"{self.place}/{key}: {what}: it was changed. {cure}")

    def _failed(self, key: str, error: Exception) -> DatabaseError:
        why = str(error).partition("\n")[0]
        return DatabaseError(f"{self.place}/{key}: {why}. Check the rights to this lake, and its address")


def is_marker(found: Any) -> bool:
    """Whether JSON is a marker: counts of rows by table. Its names become parts of paths: no slash."""
    return (
        isinstance(found, dict)
        and isinstance(found.get("rows"), dict)
        and all(name.replace(".", "_").isidentifier() and isinstance(rows, int) for name, rows in found["rows"].items())
        and _is_name(found.get("writer"))
        and isinstance(found.get("unit", ""), str)
        and isinstance(found.get("files", 0), int)
    )


def _is_pack(found: Any) -> bool:
    parts = found.get("parts") if is_marker(found) else None
    return isinstance(parts, dict) and all(_is_name(digest) and is_marker(one) for digest, one in parts.items())


def _is_list(found: Any) -> bool:
    return isinstance(found, list) and all(map(_is_name, found))


def _is_name(found: Any) -> bool:
    return isinstance(found, str) and found.isalnum()


def open_lake(place: str, *, make: bool = False) -> Lake:
    """The lake at an address, or in a folder. Raises UsageError for a folder that is missing, unless `make`."""
    place = given_place(str(place))
    if is_remote(place):
        scheme, _, rest = place.partition("://")
        bucket, _, prefix = rest.partition("/")
        return Lake(place, store_at(scheme, bucket), prefix)
    folder = os.path.realpath(place)
    if make:
        Path(folder).mkdir(parents=True, exist_ok=True)
    elif not Path(folder).is_dir():
        raise UsageError(f"{place}: no such lake. Make one: bench ingest SOURCE --lake {place} --key-file FILE")
    return Lake(place, store_at("file", folder), "")


def now_text() -> str:
    """The time as the name of an object: later names are greater."""
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")

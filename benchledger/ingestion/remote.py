"""Files in object storage or on a web server, by their addresses: s3://BUCKET/FOLDER, gs://, az://, https://.

An address is the place of its file; only `open_remote` opens it. Credentials come from the environment alone.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, BinaryIO

from benchledger.errors import UsageError, missing_extra

if TYPE_CHECKING:
    from obstore.store import ObjectStore

_STORES = ("s3", "gs", "az")
_SERVERS = ("https", "http")
# What is fetched at once. Most logs are smaller; each request takes tens of milliseconds.
_BLOCK = 4 * 1024 * 1024
_PAGE = 1_000
_RETRY_S = 60
_CREDENTIALS = {
    "s3": "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL or the role of this machine",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS or the account of this machine",
    "az": "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY or the identity of this machine",
}


def is_remote(place: str) -> bool:
    return "://" in place and place.partition("://")[0] in (*_STORES, *_SERVERS)


def address_of(path: str) -> str:
    """An address without empty parts and slashes at its end. Raises UsageError for one that names no file or folder."""
    scheme, _, rest = path.partition("://")
    parts = [part for part in rest.split("/") if part]
    if not parts or scheme not in (*_STORES, *_SERVERS):
        raise UsageError(f"{path}: not an address of files; known: s3://BUCKET/FOLDER, gs://, az://, https://HOST/FILE")
    if scheme in _SERVERS and ("?" in rest or len(parts) < 2):
        raise UsageError(f"{path}: must name one file, without a question mark: https://HOST/FILE")
    return f"{scheme}://{'/'.join(parts)}"


def is_bucket(place: str) -> bool:
    """Whether a place is a bucket or server, above which nothing lies."""
    return is_remote(place) and "/" not in place.partition("://")[2]


def is_folder(place: str, failed: dict[str, Exception]) -> bool:
    """Whether an address is that of a folder. `failed` keeps the errors, so that no address is tried again."""
    try:
        return place not in failed and head(place) is None
    except UsageError as error:
        failed[place] = error
        return False


def head(place: str) -> tuple[int, int] | None:
    """The size of the file at an address, and its time of change in ns; None without one. Raises UsageError."""
    scheme, bucket, key = _parts(place)
    try:
        return _head(store_at(scheme, bucket), key) if key else None
    except UsageError:
        raise
    except Exception as error:
        raise UsageError(f"{place}: cannot be read: {_first_line(error)}. {_cure(scheme)}") from error


def listed(place: str) -> Iterator[tuple[str, int, int]]:
    """Each file below an address: its place, size and time of change in ns, sorted.

    Raises UsageError where there is none, or where it may not be listed.
    """
    scheme, bucket, key = _parts(place)
    if scheme in _SERVERS:
        raise UsageError(f"{place}: no such file")
    try:
        rows = sorted(_objects(store_at(scheme, bucket), key))
    except UsageError:
        raise
    except Exception as error:
        raise UsageError(f"{place}: cannot be listed: {_first_line(error)}. {_cure(scheme)}") from error
    if not rows:
        raise UsageError(f"{place}: no files there")
    for number, (path, size, changed) in enumerate(rows):
        # A console marks a folder by an object of its name without content.
        is_folder = not size and number + 1 < len(rows) and rows[number + 1][0].startswith(f"{path}/")
        if not is_folder:
            yield f"{scheme}://{bucket}/{path}", size, changed


def above(place: str, name: str) -> Iterator[tuple[str, int, int]]:
    """Each file of a name in the folders above an address, as far as one may ask, as in `listed`."""
    scheme, bucket, key = _parts(place)
    if scheme in _SERVERS:
        return
    store, parts = store_at(scheme, bucket), key.split("/")
    for depth in range(len(parts) - 1, -1, -1):
        path = "/".join([*parts[:depth], name])
        try:
            found = _head(store, path)
        except Exception:  # noqa: BLE001 - who may read one folder alone is told of no other
            return
        if found is not None:
            yield f"{scheme}://{bucket}/{path}", *found


def open_remote(place: str, size: int) -> BinaryIO:
    return io.BufferedReader(_Remote(place, size), min(max(size, 1), _BLOCK))


class _Remote(io.RawIOBase):
    """One object by requests for ranges of it."""

    def __init__(self, place: str, size: int) -> None:
        scheme, bucket, self._key = _parts(place)
        self._store, self._size, self._at = store_at(scheme, bucket), size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = max(0, offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence])
        return self._at

    def readinto(self, buffer: Any) -> int:
        import obstore

        end = min(self._at + len(buffer), self._size)
        if self._at >= end:
            return 0
        start, is_all = self._at, end - self._at == self._size
        if is_all:
            # Some servers give no ranges.
            content = _reading(lambda: memoryview(obstore.get(self._store, self._key).bytes())[:end])
        else:
            content = _reading(lambda: obstore.get_range(self._store, self._key, start=start, end=end))
        buffer[: len(content)] = content
        self._at += len(content)
        return len(content)


def _parts(place: str) -> tuple[str, str, str]:
    scheme, _, rest = place.partition("://")
    bucket, _, key = rest.partition("/")
    return scheme, bucket, key


@lru_cache
def store_at(scheme: str, bucket: str) -> ObjectStore:
    """The store of a scheme and bucket; of `file` a folder of this disk. Raises UsageError without obstore."""
    try:
        from obstore.store import AzureStore, GCSStore, HTTPStore, LocalStore, S3Store
    except ImportError as error:
        # The scheme `file` means a lake in a folder: nothing else asks for it.
        what, extra = ("a lake needs", "lake") if scheme == "file" else ("files at addresses need", "cloud")
        raise missing_extra(f"{what} obstore", error, extra) from error
    retry: Any = {"max_retries": 5, "retry_timeout": timedelta(seconds=_RETRY_S)}
    if scheme == "file":
        return LocalStore(bucket)
    if scheme in _SERVERS:
        options: Any = {"allow_http": scheme == "http"}
        return HTTPStore(f"{scheme}://{bucket}", client_options=options, retry_config=retry)
    if scheme == "s3":
        return S3Store(bucket, retry_config=retry)
    if scheme == "gs":
        return GCSStore(bucket, retry_config=retry)
    return AzureStore(bucket, retry_config=retry)


def _head(store: ObjectStore, key: str) -> tuple[int, int] | None:
    import obstore

    try:
        found = obstore.head(store, key)
    except FileNotFoundError:
        return None
    return found["size"], _nanoseconds(found["last_modified"])


def _objects(store: ObjectStore, prefix: str) -> Iterator[tuple[str, int, int]]:
    import obstore

    for page in obstore.list(store, prefix or None, chunk_size=_PAGE):
        for one in page:
            yield one["path"], one["size"], _nanoseconds(one["last_modified"])


def _nanoseconds(time: datetime) -> int:
    passed = time - datetime(1970, 1, 1, tzinfo=UTC)
    return (passed // timedelta(microseconds=1)) * 1_000


def _reading(read: Any) -> Any:
    # As reading from a disk fails: the file is accounted for, and the others are read.
    try:
        return read()
    except OSError as error:
        raise OSError(error.errno, _first_line(error)) from error
    except Exception as error:
        raise OSError(5, _first_line(error)) from error


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def _cure(scheme: str) -> str:
    known = _CREDENTIALS.get(scheme)
    return f"Credentials come from the environment: {known}" if known else "Check the address"

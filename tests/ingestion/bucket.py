"""A bucket behind the real interface of S3, on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchledger.ingestion.remote import store_at

BUCKET = "logs"


class Bucket:
    """A bucket; files are put into it by other means than those that read it."""

    def __init__(self, url: str) -> None:
        import boto3

        self._client = boto3.client("s3", endpoint_url=url)
        self._client.create_bucket(Bucket=BUCKET)

    def put(self, key: str, content: bytes) -> None:
        self._client.put_object(Bucket=BUCKET, Key=key, Body=content)

    def put_folder(self, folder: Path, prefix: str) -> None:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                self.put(f"{prefix}/{path.relative_to(folder)}", path.read_bytes())

    def delete(self, key: str) -> None:
        self._client.delete_object(Bucket=BUCKET, Key=key)

    def contents(self, prefix: str = "") -> dict[str, bytes]:
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix)
        keys = [one["Key"] for page in pages for one in page.get("Contents", ())]
        return {key: self._client.get_object(Bucket=BUCKET, Key=key)["Body"].read() for key in keys}


@contextmanager
def bucket() -> Iterator[Bucket]:
    """The bucket, and the environment that leads to it."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    mine = {
        "AWS_ACCESS_KEY_ID": "an-id",
        "AWS_SECRET_ACCESS_KEY": "a-secret",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": url,
        "AWS_ALLOW_HTTP": "true",
    }
    before = dict(os.environ)
    os.environ.update(mine)
    # A process keeps its connections; those of the bucket of an earlier test lead nowhere.
    store_at.cache_clear()
    try:
        yield Bucket(url)
    finally:
        os.environ.clear()
        os.environ.update(before)
        server.stop()

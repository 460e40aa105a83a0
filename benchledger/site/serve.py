"""Serves the folder of a site on this machine alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote

# Nobody else can reach it.
LOOPBACK = "127.0.0.1"


class _Files(SimpleHTTPRequestHandler):
    """Sends files, no listings of folders, and logs nothing."""

    def send_head(self) -> BytesIO | BinaryIO | None:
        # DNS rebinding: a stranger's page whose host name resolves to this machine could read the files in a browser.
        host = self.headers.get("Host", LOOPBACK).partition(":")[0]
        if host not in (LOOPBACK, "localhost") or "\0" in unquote(self.path):
            self.send_error(404)
            return None
        return super().send_head()

    def end_headers(self) -> None:
        self.send_header("X-Content-Type-Options", "nosniff")
        # The next export of the same folder is seen at once.
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def list_directory(self, path: object) -> None:  # noqa: ARG002 - the library passes it
        self.send_error(404)

    def log_message(self, *said: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """Prints nothing: a browser may close its connection at any time."""


@contextmanager
def site_server(folder: Path, port: int = 0) -> Iterator[ThreadingHTTPServer]:
    """Yields a server of the files of a folder, bound to loopback; port 0 takes a free one."""
    with _Server((LOOPBACK, port), partial(_Files, directory=str(folder))) as server:
        yield server


def address_of(server: ThreadingHTTPServer) -> str:
    return f"http://{LOOPBACK}:{server.server_address[1]}/"

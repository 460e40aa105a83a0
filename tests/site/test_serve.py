"""Who may read the pages of `bench site --serve`."""

from __future__ import annotations

from http.client import HTTPConnection
from pathlib import Path
from threading import Thread

import pytest

from benchledger.site.serve import LOOPBACK, site_server
from tests.ingestion.logs import put


@pytest.mark.parametrize(
    ("path", "host", "status"),
    [("/x.js", LOOPBACK, 200), ("/x.js", "localhost:80", 200), ("/x.js", "evil.example", 404), ("/%00", LOOPBACK, 404)],
)
def test_only_the_name_of_this_machine_serves_the_files(tmp_path: Path, path: str, host: str, status: int) -> None:
    put(tmp_path / "x.js", "1")
    with site_server(tmp_path) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        client = HTTPConnection(LOOPBACK, server.server_address[1], timeout=10)
        client.request("GET", path, headers={"Host": host})

        assert client.getresponse().status == status
        client.close()
        server.shutdown()

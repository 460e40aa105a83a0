"""Who may read the pages of `bench site --serve`."""

from __future__ import annotations

import socket
import struct
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


def test_odd_requests_and_broken_connections_print_no_traceback(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path / "x.js", "1")
    reset = struct.pack("ii", 1, 0)
    with site_server(tmp_path) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with socket.create_connection(server.server_address, timeout=10) as client:
            client.sendall(b"GET /\0 HTTP/1.0\r\n\r\n")
            answer = client.recv(100)
        for _ in range(3):
            with socket.create_connection(server.server_address) as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
                client.sendall(b"GET /x.js HTTP/1.0\r\n\r\n")
        server.shutdown()

    assert b" 404 " in answer
    assert capfd.readouterr() == ("", "")

"""A package index on the loopback, in both forms of the simple API (PEP 503 and PEP 691).

Touches: files, network (loopback only).
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
import threading
import zipfile
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.support.wheels import build_wheel

_JSON = "application/vnd.pypi.simple.v1+json"


class SimpleIndex:
    """Serves the archives of a folder. `requests` lists the paths asked for, in order.

    With `password`, a request without the credentials `user:PASSWORD` is answered 401. While `broken` is
    set, every request is answered 503; while `moving` is not, none is.
    """

    def __init__(self, folder: Path, *, password: str | None = None) -> None:
        self.folder = folder
        self.requests: list[str] = []
        self.password = password
        self.broken = False
        self.moving = threading.Event()
        self.moving.set()
        folder.mkdir(parents=True, exist_ok=True)
        self._server = PatientServer(("127.0.0.1", 0), _handler_for(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def __enter__(self) -> SimpleIndex:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """The address to give as index URL; holds the credentials if there are any."""
        user = f"user:{self.password}@" if self.password else ""
        return f"http://{user}127.0.0.1:{self.port}/simple"

    def wheel(self, name: str, version: str = "1.0", **arguments: Any) -> Path:
        """Build a wheel (arguments of `build_wheel`) and offer it."""
        return build_wheel(self.folder, name, version, **arguments)

    def close(self) -> None:
        """Stop answering; the port is free afterwards."""
        self.moving.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def projects(self) -> Mapping[str, list[Path]]:
        """Archives by canonical project name."""
        found: dict[str, list[Path]] = {}
        for path in sorted(self.folder.iterdir()):
            if path.name.endswith((".whl", ".tar.gz")):
                name = re.sub(r"[-_.]+", "-", path.name.split("-")[0]).lower()
                found.setdefault(name, []).append(path)
        return found

    def answer(self, path: str, accept: str) -> tuple[int, str, bytes]:
        """Status, content type and body for a path."""
        self.requests.append(path)
        self.moving.wait()
        if self.broken:
            return 503, "text/plain", b"not now"
        parts = path.strip("/").split("/")
        if parts[0] == "files" and len(parts) == 2:
            return _file(self.folder / parts[1])
        archives = self.projects().get(parts[1]) if parts[0] == "simple" and len(parts) == 2 else None
        if archives is None:
            return 404, "text/plain", b"no such project"
        if _JSON in accept:
            return 200, _JSON, _as_json(parts[1], archives)
        return 200, "text/html", _as_html(archives)


class PatientServer(ThreadingHTTPServer):
    """Says nothing about clients that went away before they had their answer."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def _file(path: Path) -> tuple[int, str, bytes]:
    if path.is_file():
        return 200, "application/octet-stream", path.read_bytes()
    wheel = path.with_name(path.name.removesuffix(".metadata"))
    if wheel != path and wheel.is_file():
        return 200, "text/plain", _metadata(wheel)
    return 404, "text/plain", b"no such file"


def _metadata(wheel: Path) -> bytes:
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA")))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _as_json(name: str, archives: list[Path]) -> bytes:
    files = [
        {
            "filename": path.name,
            "url": f"/files/{path.name}",
            "hashes": {"sha256": _digest(path)},
            "core-metadata": path.suffix == ".whl",
        }
        for path in archives
    ]
    return json.dumps({"meta": {"api-version": "1.0"}, "name": name, "files": files}).encode()


def _as_html(archives: list[Path]) -> bytes:
    links = [f'<a href="/files/{path.name}#sha256={_digest(path)}">{path.name}</a>' for path in archives]
    return f"<!DOCTYPE html><html><body>{''.join(links)}</body></html>".encode()


def _handler_for(index: SimpleIndex) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if index.password and not self._knows(index.password):
                self._send(401, "text/plain", b"who are you")
            else:
                self._send(*index.answer(self.path, self.headers.get("Accept", "")))

        do_HEAD = do_GET

        def _knows(self, password: str) -> bool:
            token = base64.b64encode(f"user:{password}".encode()).decode("ascii")
            return self.headers.get("Authorization") == f"Basic {token}"

        def _send(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            if status == 401:
                self.send_header("WWW-Authenticate", 'Basic realm="index"')
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Requests are kept in the index's list instead."""

    return Handler

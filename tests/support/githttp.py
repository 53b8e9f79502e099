"""Repositories over smart http on the loopback, as a real server gives them: through `git http-backend`.

Touches: files, processes (git), network (loopback only).
"""

from __future__ import annotations

import base64
import gzip
import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import TracebackType

from tests.support.index import PatientServer


class GitServer:
    """Serves the bare repositories of a folder. `requests` lists the paths asked for, in order.

    With `password`, a request without the credentials `user:PASSWORD` is answered 401. `moved` is an address
    that every request is sent on to.
    """

    def __init__(self, folder: Path, *, password: str | None = None, moved: str | None = None) -> None:
        self.folder = folder
        self.password = password
        self.moved = moved
        self.requests: list[str] = []
        self._server = PatientServer(("127.0.0.1", 0), _handler_for(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def __enter__(self) -> GitServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def url(self, path: str, user: str = "") -> str:
        """The address of a repository: `path` below the folder, `user` as `NAME[:PASSWORD]`."""
        at = f"{user}@" if user else ""
        return f"http://{at}127.0.0.1:{self._server.server_address[1]}/{path}"


def _handler_for(server: GitServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.requests.append(self.path)
            if server.moved:
                self._answer(302, [("Location", server.moved + self.path)], b"")
            elif server.password and not self._knows(server.password):
                self._answer(401, [("WWW-Authenticate", 'Basic realm="git"')], b"")
            else:
                self._answer(*self._backend())

        do_POST = do_GET

        def _knows(self, password: str) -> bool:
            token = base64.b64encode(f"user:{password}".encode()).decode("ascii")
            return self.headers.get("Authorization") == f"Basic {token}"

        def _backend(self) -> tuple[int, list[tuple[str, str]], bytes]:
            path, _, query = self.path.partition("?")
            environ = {
                **os.environ,
                "GIT_PROJECT_ROOT": str(server.folder),
                "GIT_HTTP_EXPORT_ALL": "1",
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "REMOTE_ADDR": "127.0.0.1",
            }
            done = subprocess.run(
                ["git", "http-backend"], input=self._body(), env=environ, capture_output=True, check=False
            )
            head, _, body = done.stdout.partition(b"\r\n\r\n")
            rows = [line.split(": ", 1) for line in head.decode("latin-1").split("\r\n") if ": " in line]
            headers = [(name, value) for name, value in rows if name != "Status"]
            status = next((value for name, value in rows if name == "Status"), "200")
            return int(status.split()[0]), headers, body

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding") == "chunked":
                data = b""
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    data += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
            else:
                data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            return gzip.decompress(data) if self.headers.get("Content-Encoding") == "gzip" else data

        def _answer(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Requests are kept in the server's list instead."""

    return Handler

"""uv, from pi's own environment or from the path.

Touches: files (to find the program).
"""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from pi_pkg.errors import InstallError
from pi_pkg.install.backends.base import Command, InstallRequest, has_credentials
from pi_pkg.install.backends.explain import explain_uv
from pi_pkg.install.host import Distribution
from pi_pkg.install.index_config import IndexConfig
from pi_pkg.install.process import Finished, find_program

RETRIES: Final = 1


@dataclass(frozen=True, slots=True)
class UvBackend:
    """A uv program. It refuses addresses inside wheels and builds nothing, so it needs no guard.

    It is not told to compile: it would start the generation's interpreter, and with it the code in the
    `.pth` files that have just been installed.
    """

    executable: str
    name: Literal["uv"] = "uv"
    guard: None = None

    def command(self, request: InstallRequest) -> Command:
        places, env = _places(request.index, request.wheels)
        argv = (
            self.executable, "--no-config", "--no-progress", "--color", "never", "--no-python-downloads",
            "pip", "install", "--python", str(request.python), "--no-build",
            "--constraint", str(request.constraints), *places, "--", *request.requirements,
        )  # fmt: skip
        return Command(argv, env)

    def look_up(self, requirements: Path, index: IndexConfig, python: str) -> Command:
        """How to ask for the newest version that each requirement in a file allows, each for itself;
        nothing is installed."""
        places, env = _places(index, ())
        argv = (
            self.executable, "--no-config", "--no-progress", "--color", "never", "--no-python-downloads",
            "pip", "compile", "--python", python, "--no-build", "--no-deps", "--no-header", "--no-annotate",
            "--refresh", *places, "--", str(requirements),
        )  # fmt: skip
        return Command(argv, env)

    def explain(
        self, finished: Finished, request: InstallRequest, host: Mapping[str, Distribution]
    ) -> InstallError:
        return explain_uv(finished, request.index, host)


def find_uv(environ: Mapping[str, str]) -> str | None:
    """The uv beside the running interpreter, else the first on the PATH of `environ`, else None."""
    beside = os.path.join(sysconfig.get_path("scripts"), "uv.exe" if os.name == "nt" else "uv")
    if os.access(beside, os.X_OK):
        return beside
    return find_program("uv", environ)


def _places(config: IndexConfig, wheels: tuple[str, ...]) -> tuple[list[str], dict[str, str]]:
    argv = ["--index-strategy", "first-index"]
    env = {"UV_HTTP_TIMEOUT": str(config.timeout_s), "UV_HTTP_RETRIES": str(RETRIES)}
    # uv asks `--index` ones first, in order, and its default index last.
    ranked = list(config.index_urls)
    last = ranked.pop() if ranked and not config.uses_default else None
    if any(has_credentials(url) for url in config.index_urls):
        env |= {"UV_INDEX": " ".join(ranked)} if ranked else {}
        env |= {"UV_DEFAULT_INDEX": last} if last else {}
    else:
        for url in ranked:
            argv += ["--index", url]
        argv += ["--default-index", last] if last else []
    if config.no_index:
        argv.append("--no-index")
    secret = [place for place in config.find_links if has_credentials(place)]
    if secret:
        env["UV_FIND_LINKS"] = ",".join(secret)
    for place in (*wheels, *config.find_links):
        argv += [] if place in secret else ["--find-links", place]
    for host in config.trusted_hosts:
        argv += ["--allow-insecure-host", host]
    if config.keyring in {"disabled", "subprocess"}:
        argv += ["--keyring-provider", config.keyring]
    variables = {
        "SSL_CERT_FILE": config.cert,
        "SSL_CLIENT_CERT": config.client_cert,
        "ALL_PROXY": config.proxy,
    }
    env |= {name: value for name, value in variables.items() if value}
    if config.proxy:
        env |= {"HTTP_PROXY": config.proxy, "HTTPS_PROXY": config.proxy}
    return argv, env

"""pip, run by the interpreter that pi runs in: always there, because pip-api requires it.

pip builds a source archive that a wheel names by address, whatever `--only-binary` says. So while it
runs, a guard in the generation's interpreter refuses to start programs: without one nothing is built.

Touches: files (to find pip), processes (through pip-api).
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from pi_pkg.errors import InstallError
from pi_pkg.install.backends.base import Command, InstallRequest, has_credentials
from pi_pkg.install.backends.explain import explain_pip
from pi_pkg.install.errors import IndexConfigError
from pi_pkg.install.host import Distribution
from pi_pkg.install.index_config import IndexConfig
from pi_pkg.install.process import Finished

RETRIES: Final = 2
GUARD_WORDS: Final = "pi allows wheels only"

# One line: a .pth file runs lines that begin with `import`. The two programs let through only tell the
# platform: musl's loader its version, and an interpreter on macOS its own.
_GUARD: Final = (
    "import sys; exec(\""
    "def _refuse(event, args):\\n"
    "    if event in ('subprocess.Popen', 'os.system', 'os.exec', 'os.posix_spawn', 'os.spawn'):\\n"
    "        line = [str(item) for item in args[1]] if event == 'subprocess.Popen' and args[1] else []\\n"
    "        asks = line[1:3] == ['-sS', '-c'] or (len(line) == 1 and 'ld-musl' in line[0])\\n"
    "        if not asks:\\n"
    f"            raise PermissionError('{GUARD_WORDS}')\\n"
    "sys.addaudithook(_refuse)\")\n"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PipBackend:
    """pip of the running interpreter, at work on the generation's."""

    executable: str = sys.executable
    name: Literal["pip"] = "pip"
    guard: str = _GUARD

    def command(self, request: InstallRequest) -> Command:
        places, env = _places(request.index, request.wheels)
        argv = (
            *_aimed(self.executable, request.python), *_options(request.index), "--log", str(request.log),
            "install", "--only-binary", ":all:", "--constraint", str(request.constraints), *places,
            "--", *request.requirements,
        )  # fmt: skip
        return Command(argv, env)

    def look_up(self, name: str, index: IndexConfig, log: Path) -> Command:
        """How to ask which versions of one distribution there are; nothing is installed."""
        places, env = _places(index, ())
        argv = (
            self.executable, *_isolation(), "-m", "pip", *_options(index), "--log", str(log),
            "index", "versions", "--pre", "--only-binary", ":all:", *places, "--", name,
        )  # fmt: skip
        return Command(argv, env)

    def explain(
        self, finished: Finished, request: InstallRequest, host: Mapping[str, Distribution]
    ) -> InstallError:
        try:
            log = request.log.read_text(encoding="utf-8", errors="replace")
        except OSError:
            log = ""
        return explain_pip(finished, log, request.index, host)


def build_command(executable: str, config: IndexConfig, *, what: str, name: str, target: Path) -> Command:
    """How to build one wheel from source, whichever backend installs: this runs the package's code.

    `what` is a requirement or the path of a tree, `name` its distribution. What the build itself needs
    comes as wheels, and the package's own requirements are left to the resolver.
    """
    places, env = _places(config, ())
    argv = (
        executable, *_isolation(), "-m", "pip", *_options(config),
        "wheel", "--no-deps", "--only-binary", ":all:", "--no-binary", name, "--wheel-dir", str(target),
        *places, "--", what,
    )  # fmt: skip
    return Command(argv, env)


def _aimed(executable: str, python: Path) -> tuple[str, ...]:
    """pip of the running interpreter at work on another one.

    `--python` starts pip twice, the second time through a file that stands in pip for this purpose.
    Where that file stands, it is started at once, which saves a quarter of the time.
    """
    runner = _pip_folder() / "__pip-runner__.py"
    if runner.is_file():
        return (str(python), "-I", str(runner))
    return (executable, *_isolation(), "-m", "pip", "--python", str(python))


def _options(config: IndexConfig) -> tuple[str, ...]:
    return (
        "--no-input", "--disable-pip-version-check", "--no-color",
        "--retries", str(RETRIES), "--timeout", str(config.timeout_s),
    )  # fmt: skip


def pip_view(site_packages: Path) -> Mapping[str, str]:
    """Name and version of what pip itself finds in a generation: a second opinion for `pi doctor`."""
    pip_api: Any = importlib.import_module("pip_api")  # runs pip when imported (0.4 s), so only here
    found = pip_api.installed_distributions(paths=[site_packages])
    return {name: str(item.version) for name, item in found.items()}


def pip_version() -> str:
    """The version of the pip that the backend runs."""
    pip_api: Any = importlib.import_module("pip_api")  # runs pip when imported (0.4 s), so only here
    return str(pip_api.version())


def _pip_folder() -> Path:
    """Where pip stands; it is not imported."""
    import importlib.util  # start-up time: only a run of pip asks

    spec = importlib.util.find_spec("pip")
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else Path("pip")


def _isolation() -> tuple[str, ...]:
    import site  # start-up time: only a run of pip asks

    if _pip_folder().is_relative_to(site.getusersitepackages()):
        return ("-E", "-P")  # -I would hide a pip that is installed for the user only
    return ("-I",)


def _places(config: IndexConfig, wheels: tuple[str, ...]) -> tuple[list[str], dict[str, str]]:
    _refuse_ranked(config)
    argv: list[str] = []
    env: dict[str, str] = {}
    for url in config.index_urls:
        if has_credentials(url):
            env["PIP_INDEX_URL"] = url
        else:
            argv += ["--index-url", url]
    if config.no_index:
        argv.append("--no-index")
    secret = [place for place in config.find_links if has_credentials(place)]
    if secret:
        env["PIP_FIND_LINKS"] = " ".join(secret)
    for place in (*wheels, *config.find_links):
        argv += [] if place in secret else ["--find-links", place]
    for host in config.trusted_hosts:
        argv += ["--trusted-host", host]
    single = {
        "--cert": config.cert,
        "--client-cert": config.client_cert,
        "--keyring-provider": config.keyring,
    }
    for flag, value in single.items():
        argv += [flag, value] if value else []
    if config.proxy:
        env["PIP_PROXY"] = config.proxy
    return argv, env


def _refuse_ranked(config: IndexConfig) -> None:
    if len(config.index_urls) + config.uses_default > 1:
        raise IndexConfigError(
            "several package indexes are configured, and pip mixes them instead of ranking them.",
            hint="Install uv beside pi, which keeps their order, or name a single index-url in [install].",
        )

"""Both backends are given one and the same configuration, as flags, and little of our environment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pi_pkg.install.backends.base import Command, InstallRequest, child_environ
from pi_pkg.install.backends.choose import choose_backend
from pi_pkg.install.backends.pip import PipBackend, pip_version, pip_view
from pi_pkg.install.backends.uv import UvBackend
from pi_pkg.install.errors import IndexConfigError
from pi_pkg.install.index_config import IndexConfig
from tests.support.wheels import install_into

A, B = "https://a.test/simple", "https://b.test/simple"


def command(backend: PipBackend | UvBackend, config: IndexConfig, *requirements: str) -> Command:
    request = InstallRequest(Path("/g/bin/python"), requirements or ("x",), Path("/c"), config, Path("/log"))
    return backend.command(request)


def flags(found: Command, name: str) -> list[str]:
    return [found.argv[place + 1] for place, word in enumerate(found.argv) if word == name]


PIP, UV = PipBackend("/py"), UvBackend("/uv")


def test_the_index_is_a_flag_of_either() -> None:
    """One index is given as the only one there is."""
    config = IndexConfig((A,), uses_default=False)
    assert [A] == flags(command(PIP, config), "--index-url")
    assert [A] == flags(command(UV, config), "--default-index")


def test_uv_is_given_the_rank_of_the_indexes() -> None:
    """The last named index is uv's default one, which it asks last; an unnamed default comes after all."""
    ranked = command(UV, IndexConfig((A, B), uses_default=False))
    assert ([A], [B]) == (flags(ranked, "--index"), flags(ranked, "--default-index"))
    extra = command(UV, IndexConfig((A, B), uses_default=True))
    assert ([A, B], []) == (flags(extra, "--index"), flags(extra, "--default-index"))
    assert ["first-index"] == flags(ranked, "--index-strategy")


@pytest.mark.parametrize(
    "config", [IndexConfig((A, B), uses_default=False), IndexConfig((A,), uses_default=True)]
)
def test_pip_cannot_rank_indexes(config: IndexConfig) -> None:
    """Two indexes are refused for pip, named or not."""
    with pytest.raises(IndexConfigError, match="pip mixes them"):
        command(PIP, config)


def test_no_index_is_said_outright() -> None:
    """Folders alone mean that no index is asked."""
    config = IndexConfig((), uses_default=False, find_links=("/w",))
    for found in (command(PIP, config), command(UV, config)):
        assert "--no-index" in found.argv
        assert ["/w"] == flags(found, "--find-links")


def test_credentials_stand_on_no_command_line() -> None:
    """An address with a password is handed over in the environment, which other users cannot read."""
    config = IndexConfig((A, "https://u:sekret@b.test/simple"), uses_default=False)
    found = command(UV, config)
    assert (A, "https://u:sekret@b.test/simple") == (found.env["UV_INDEX"], found.env["UV_DEFAULT_INDEX"])
    single = command(PIP, IndexConfig(("https://u:sekret@b.test/simple",), uses_default=False))
    assert "https://u:sekret@b.test/simple" == single.env["PIP_INDEX_URL"]
    assert "sekret" not in f"{found.argv} {single.argv}"
    places = IndexConfig((), uses_default=False, find_links=("/w", "https://u:sekret@c.test/wheels"))
    for built, variable in ((command(UV, places), "UV_FIND_LINKS"), (command(PIP, places), "PIP_FIND_LINKS")):
        assert ("https://u:sekret@c.test/wheels", ["/w"]) == (
            built.env[variable], flags(built, "--find-links")
        )  # fmt: skip
        assert "sekret" not in str(built.argv)


def test_certificates_and_proxies_reach_both() -> None:
    """What a company's network needs is passed on in each backend's own way."""
    config = IndexConfig(
        cert="/c.pem", client_cert="/me.pem", proxy="http://proxy:3128", trusted_hosts=("h",)
    )
    pip, uv = command(PIP, config), command(UV, config)
    assert (["/c.pem"], ["/me.pem"], ["h"]) == (
        flags(pip, "--cert"), flags(pip, "--client-cert"), flags(pip, "--trusted-host"),
    )  # fmt: skip
    assert "http://proxy:3128" == pip.env["PIP_PROXY"]
    assert ("/c.pem", "/me.pem", "http://proxy:3128") == (
        uv.env["SSL_CERT_FILE"], uv.env["SSL_CLIENT_CERT"], uv.env["HTTPS_PROXY"],
    )  # fmt: skip


def test_both_run_isolated_and_take_wheels_only() -> None:
    """Neither reads configuration of its own, asks anything, or builds; requirements come after `--`."""
    pip, uv = command(PIP, IndexConfig(), "x>=1", "y"), command(UV, IndexConfig(), "x>=1", "y")
    assert {"-I", "--no-input", "--only-binary"} <= set(pip.argv)
    assert {"--no-config", "--no-build", "--no-python-downloads"} <= set(uv.argv)
    assert ("--", "x>=1", "y") == pip.argv[-3:] == uv.argv[-3:]


def test_the_environment_of_a_backend_is_small() -> None:
    """Home, path, proxies and caches are kept; secrets, other interpreters and tool settings are not."""
    ours = {
        "HOME": "/h", "PATH": "/p", "https_proxy": "x", "LC_ALL": "C", "PIP_CACHE_DIR": "/c",
        "PYTHONPATH": "/evil", "PIP_TARGET": "/t", "PIP_INDEX_URL": A, "UV_SYSTEM_PYTHON": "1",
        "VIRTUAL_ENV": "/v",
        "OPENAI_API_KEY": "sekret", "AWS_SECRET_ACCESS_KEY": "sekret", "GITHUB_TOKEN": "sekret",
    }  # fmt: skip
    found = child_environ(ours, {"UV_HTTP_TIMEOUT": "3"})
    assert {"HOME", "PATH", "https_proxy", "LC_ALL", "PIP_CACHE_DIR"} == set(found) & set(ours)
    assert (os.devnull, "3") == (found["PIP_CONFIG_FILE"], found["UV_HTTP_TIMEOUT"])


def test_uv_runs_where_it_is_found(tmp_path: Path) -> None:
    """Without a word uv is preferred, pip is always there, and what the settings say is obeyed."""
    assert "uv" == choose_backend("auto", os.environ).name
    assert "pip" == choose_backend("pip", os.environ).name
    with pytest.raises(IndexConfigError, match="conda"):
        choose_backend("conda", os.environ)


def test_a_missing_uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no uv, pip takes its place, unless the settings insist."""
    monkeypatch.setattr("sysconfig.get_path", lambda *_, **__: str(tmp_path))
    nowhere = {"PATH": str(tmp_path)}
    assert "pip" == choose_backend(None, nowhere).name
    with pytest.raises(IndexConfigError, match="there is no uv"):
        choose_backend("uv", nowhere)
    (tmp_path / "uv").touch(0o755)
    assert UvBackend(str(tmp_path / "uv")) == choose_backend("auto", nowhere)


def test_pip_gives_a_second_opinion(tmp_path: Path) -> None:
    """pip itself can be asked for its version and for what it finds in a folder of modules."""
    install_into(tmp_path, "thing", "1.2")
    assert {"thing": "1.2"} == dict(pip_view(tmp_path))
    assert pip_version()[0].isdigit()

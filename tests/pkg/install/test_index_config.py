"""One index configuration, whatever the backend."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from pi_pkg.install.errors import IndexConfigError
from pi_pkg.install.index_config import IndexConfig, effective_index, pip_config_files

A, B, C = "https://a.test/simple", "https://b.test/simple", "https://c.test/simple"
NO_FILES = {"PIP_CONFIG_FILE": os.devnull}


def read(
    install: Mapping[str, object] | None = None, environ: Mapping[str, str] | None = None, base: str = "/base"
) -> IndexConfig:
    return effective_index(install or {}, {**NO_FILES, **(environ or {})}, base=Path(base))


def test_nothing_said_is_the_default_index_alone() -> None:
    """Without a word from anybody the backend's own default index counts."""
    assert ((), True, ()) == (read().index_urls, read().uses_default, read().find_links)


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"PIP_INDEX_URL": A}, ((A,), False)),
        ({"UV_INDEX_URL": A}, ((A,), False)),
        ({"UV_DEFAULT_INDEX": A}, ((A,), False)),
        ({"PIP_INDEX_URL": A + "/", "UV_DEFAULT_INDEX": B}, ((A,), False)),
        ({"PIP_INDEX_URL": A, "PIP_EXTRA_INDEX_URL": f"{B} {C}"}, ((A, B, C), False)),
        ({"PIP_EXTRA_INDEX_URL": B}, ((B,), True)),
        ({"UV_INDEX": f"corp={B} {C}?a=b"}, ((B, C + "?a=b"), True)),
        ({"PIP_INDEX_URL": A, "PIP_EXTRA_INDEX_URL": A}, ((A,), False)),
        ({"PIP_INDEX_URL": A, "PIP_NO_INDEX": "1"}, ((), False)),
        ({"PIP_INDEX_URL": A, "PIP_NO_INDEX": "0"}, ((A,), False)),
    ],
)
def test_variables_of_both_tools_count(
    environ: Mapping[str, str], expected: tuple[tuple[str, ...], bool]
) -> None:
    """PIP_ variables stand before UV_ ones, and named indexes before the default one."""
    found = read(environ=environ)
    assert expected == (found.index_urls, found.uses_default)


def test_an_index_in_settings_closes_the_list_of_places() -> None:
    """Where settings name the index, variables add no other index and no folder of wheels."""
    environ = {"PIP_EXTRA_INDEX_URL": B, "PIP_FIND_LINKS": "/w", "PIP_CERT": "/c.pem"}
    found = read({"index-url": A}, environ)
    assert ((A,), (), "/c.pem") == (found.index_urls, found.find_links, found.cert)


def test_a_folder_in_settings_keeps_the_index_of_the_variables() -> None:
    """Settings that name no index must not bring the public one back in."""
    found = read({"find-links": ["wheels"]}, {"PIP_INDEX_URL": A})
    assert ((A,), False, ("/base/wheels",)) == (found.index_urls, found.uses_default, found.find_links)


def test_folders_of_wheels_are_absolute() -> None:
    """Relative folders count from the base, `~` from the home, URLs stay."""
    found = read(environ={"PIP_FIND_LINKS": "w ~/x file:///y", "HOME": "/home/u"})
    assert ("/base/w", "/home/u/x", "file:///y") == found.find_links


def from_file(folder: Path, text: str, environ: Mapping[str, str] | None = None) -> IndexConfig:
    (folder / "pip.conf").write_text(text, "utf-8")
    return effective_index({}, environ or {}, base=folder, pip_files=[folder / "pip.conf"])


def test_pips_own_files_are_read(tmp_path: Path) -> None:
    """What pip's configuration says is kept for either backend; [install] over [global]."""
    text = (
        f"[global]\nindex-url = {A}\ntimeout = 7\n[install]\nindex_url = {B}\nextra-index-url =\n  {A}\n  {C}"
    )
    found = from_file(tmp_path, text)
    assert ((B, A, C), 7) == (found.index_urls, found.timeout_s)


def test_variables_stand_before_pips_files(tmp_path: Path) -> None:
    """Each key comes from the nearest layer, as pip itself does."""
    found = from_file(tmp_path, f"[global]\nindex-url = {A}\nextra-index-url = {C}\n", {"PIP_INDEX_URL": B})
    assert (B, C) == found.index_urls


def test_the_users_file_stands_after_the_machines() -> None:
    """Files are looked for where pip looks, the farthest first; the named one is nearest."""
    environ = {"HOME": "/home/u", "PIP_CONFIG_FILE": "/mine.conf", "XDG_CONFIG_DIRS": "/x:/y"}
    found = [str(path) for path in pip_config_files(environ)]
    assert [Path("/y/pip/pip.conf"), Path("/x/pip/pip.conf")] == [Path(path) for path in found[:2]]
    assert found.index("/etc/pip.conf") < found.index("/home/u/.config/pip/pip.conf")
    assert "/mine.conf" == found[-1]


def test_pips_files_can_be_switched_off() -> None:
    """PIP_CONFIG_FILE set to the null device means no file at all, as in pip."""
    assert [] == list(pip_config_files({"HOME": "/home/u", **NO_FILES}))


def test_where_a_value_was_said_is_known(tmp_path: Path) -> None:
    """The origin of each key is kept for `pi doctor`."""
    found = from_file(tmp_path, f"[global]\nindex-url = {A}\n", {"UV_INDEX": C})
    assert (("extra-index-url", "UV_INDEX"), ("index-url", str(tmp_path / "pip.conf"))) == found.origins


@pytest.mark.parametrize(
    ("install", "environ", "words"),
    [
        ({"index-url": 3}, {}, "install.index-url"),
        ({"extra-index-urls": [1]}, {}, "install.extra-index-urls"),
        ({}, {"PIP_INDEX_URL": "http://a.test/simple"}, "a.test"),
        ({"index-url": "http://user:secret@a.test/simple"}, {}, "a.test"),
        ({}, {"PIP_TIMEOUT": "soon"}, "soon"),
    ],
)
def test_what_cannot_be_used_is_refused(
    install: Mapping[str, object], environ: Mapping[str, str], words: str
) -> None:
    """A wrong type, a wrong number or an index in plain http is an error that names it, without secrets."""
    with pytest.raises(IndexConfigError, match=words) as caught:
        read(install, environ)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "environ",
    [
        {"PIP_INDEX_URL": "http://127.0.0.1:8/simple"},
        {"PIP_INDEX_URL": "http://localhost/simple"},
        {"PIP_INDEX_URL": "http://a.test/simple", "PIP_TRUSTED_HOST": "a.test"},
        {"PIP_INDEX_URL": "http://a.test:81/simple", "UV_INSECURE_HOST": "b.test a.test:81"},
    ],
)
def test_plain_http_is_allowed_here_and_where_trusted(environ: Mapping[str, str]) -> None:
    """This machine, and hosts that the user trusts by name, may be asked in plain http."""
    assert 1 == len(read(environ=environ).index_urls)


def test_a_damaged_file_of_pip_is_named(tmp_path: Path) -> None:
    """A configuration that pip itself could not read is not silently left out."""
    with pytest.raises(IndexConfigError, match=r"pip\.conf"):
        from_file(tmp_path, "index-url = x\n")

"""Settings files on a disk that other people use, fill up and lock: K2-K8, K10, K11 and bad input.

Touches: files, processes.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from filelock import FileLock
from tomlkit import TOMLDocument

from pi_pkg.errors import SettingsError
from pi_pkg.locations import Locations
from pi_pkg.settings.edit import set_value
from pi_pkg.settings.file import TomlFile
from pi_pkg.settings.store import SettingsStore, read_settings, settings_store


def store(path: Path) -> SettingsStore:
    return SettingsStore(TomlFile(path), "user")


def set_theme(document: TOMLDocument) -> None:
    set_value(document, ("theme",), "dark")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent" / "settings.toml"


@pytest.fixture
def written(path: Path) -> Path:
    path.parent.mkdir()
    path.write_text("# mine\nother = 1\n")
    return path


def test_reading_creates_nothing(path: Path) -> None:
    """K8: a missing file is an empty layer, and its folder is not made."""
    layer = store(path).read()
    assert ({}, None, False) == (dict(layer.values), layer.error, path.parent.exists())


def test_a_change_creates_the_file(path: Path) -> None:
    """K8: writing makes the folder and the file."""
    assert store(path).edit(set_theme)
    assert 'theme = "dark"\n' == path.read_text()


def test_a_change_keeps_what_somebody_else_wrote(written: Path) -> None:
    """K3, K4: the file is read again under the lock; only the touched key is ours."""
    settings = store(written)
    settings.read()
    written.write_text("# theirs\nother = 2\ntheme = 'light'\n")
    settings.edit(set_theme)
    assert '# theirs\nother = 2\ntheme = "dark"\n' == written.read_text()


def test_no_change_writes_nothing(written: Path) -> None:
    """An edit that comes out equal leaves even the time of the file alone."""
    store(written).edit(set_theme)
    before = written.stat()
    assert not store(written).edit(set_theme)
    assert (before.st_mtime_ns, before.st_ino) == (written.stat().st_mtime_ns, written.stat().st_ino)


@pytest.mark.parametrize(
    "data",
    [b"packages = [\n", b"\xff\xfe\x00", b"a = 1\na = 2\n", b"#" * (1024 * 1024 + 1)],
    ids=["syntax", "encoding", "twice", "size"],
)
def test_an_unreadable_file_is_never_overwritten(written: Path, data: bytes) -> None:
    """K2, K11: a change of it is refused, and its bytes stay as they are."""
    written.write_bytes(data)
    with pytest.raises(SettingsError, match=str(written)):
        store(written).edit(set_theme)
    assert data == written.read_bytes()
    assert [".settings.toml.lock", "settings.toml"] == sorted(os.listdir(written.parent))


def test_an_unreadable_file_is_a_layer_with_its_error(written: Path) -> None:
    """K2: reading reports where it is broken, and the layer says nothing else."""
    written.write_text("theme = 'x'\na = = 1\n")
    layer = store(written).read()
    assert {} == layer.values
    assert layer.error is not None
    assert (2, 5) == (layer.error.line, layer.error.column)
    assert ["settings-invalid"] == [finding.code for finding in layer.diagnostics]


def test_a_repaired_file_can_be_changed_again(written: Path) -> None:
    """K6: writing is refused only while the file is broken."""
    written.write_text("a = = 1\n")
    with pytest.raises(SettingsError):
        store(written).edit(set_theme)
    written.write_text("a = 1\n")
    assert store(written).edit(set_theme)


def test_a_full_disk_leaves_the_file_as_it_was(written: Path) -> None:
    """A write that fails is one sentence with the system's reason."""

    def full(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    before = written.read_bytes()
    with pytest.raises(SettingsError) as problem:
        SettingsStore(TomlFile(written, write=full), "user").edit(set_theme)
    assert f"{written}: it cannot be written: No space left on device." == str(problem.value)
    assert before == written.read_bytes()


def test_a_write_that_breaks_off_leaves_nothing_beside(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the rename fails, the old content stands and the file aside is gone."""

    def refuse(source: object, target: object) -> None:
        raise OSError(errno.EACCES, "Permission denied")

    before = written.read_bytes()
    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(SettingsError, match="Permission denied"):
        store(written).edit(set_theme)
    assert before == written.read_bytes()
    assert [".settings.toml.lock", "settings.toml"] == sorted(os.listdir(written.parent))


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """A place where no file can be made is an error of the file that was wanted."""
    (tmp_path / "agent").write_text("no folder")
    with pytest.raises(SettingsError, match=r"settings\.toml: it cannot be (read|written): "):
        store(tmp_path / "agent" / "settings.toml").edit(set_theme)


def test_a_folder_in_place_of_the_file_is_an_error(path: Path) -> None:
    """Reading a folder is refused, not taken for an empty file."""
    path.mkdir(parents=True)
    assert "it cannot be read: Is a directory" in str(store(path).read().error)


def test_a_held_lock_ends_the_wait(written: Path) -> None:
    """K7: a writer that does not finish is an error after the time limit; readers do not wait."""
    with FileLock(written.with_name(".settings.toml.lock")):
        with pytest.raises(SettingsError, match=r"another process has been changing it for 0\.05 s"):
            SettingsStore(TomlFile(written, lock_timeout_s=0.05), "user").edit(set_theme)
        assert {"other": 1} == store(written).read().values


def test_the_lock_of_a_dead_writer_is_free(written: Path) -> None:
    """K7: a lock file without a holder keeps nobody out."""
    written.with_name(".settings.toml.lock").touch()
    assert store(written).edit(set_theme)


def test_many_writers_lose_nothing(written: Path) -> None:
    """Threads that each set a key of their own all find it in the file afterwards."""

    def write(number: int) -> None:
        store(written).edit(lambda document: set_value(document, ("n", f"k{number}"), number))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {f"k{number}": number for number in range(8)} == store(written).read().values["n"]


def test_two_processes_lose_nothing(written: Path) -> None:
    """Two programs that write at the same time both find their keys afterwards."""
    program = (
        "import sys; from pathlib import Path; from pi_pkg.settings.file import TomlFile;"
        "from pi_pkg.settings.edit import set_value\n"
        "for n in range(10): TomlFile(Path(sys.argv[1])).edit("
        "lambda document: set_value(document, ('n', sys.argv[2] + str(n)), n))"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, str(written), name]) for name in "ab"]
    assert [0, 0] == [process.wait(60) for process in running]
    assert 20 == len(store(written).read().values["n"])


def test_a_link_is_followed(written: Path, tmp_path: Path) -> None:
    """Settings kept elsewhere stay elsewhere; the link stays a link."""
    target = tmp_path / "dotfiles.toml"
    written.rename(target)
    written.symlink_to(target)
    store(written).edit(set_theme)
    assert written.is_symlink()
    assert 'other = 1\ntheme = "dark"\n' in target.read_text()


def test_mode_bits_are_kept(written: Path) -> None:
    """A private file stays private."""
    written.chmod(0o600)
    store(written).edit(set_theme)
    assert 0o600 == written.stat().st_mode & 0o777


def test_the_manner_of_a_file_is_kept(written: Path) -> None:
    """A byte-order mark and `\\r\\n` are still there after a change."""
    written.write_bytes(b"\xef\xbb\xbfother = 1\r\n")
    store(written).edit(set_theme)
    assert b'\xef\xbb\xbfother = 1\r\ntheme = "dark"\r\n' == written.read_bytes()


def test_text_that_only_the_editor_understands_is_refused(written: Path) -> None:
    """What the strict parser refuses is not edited, even if the editing library would."""
    written.write_text("x = { a = 1,, }\n")
    with pytest.raises(SettingsError, match="not valid TOML"):
        store(written).edit(set_theme)


def test_a_change_that_cannot_be_said_is_not_written(written: Path) -> None:
    """The new text is parsed before it replaces the old one."""
    with pytest.raises(SettingsError, match="could not be expressed"):
        store(written).edit(lambda document: document.add("other2", _Odd(1)))
    assert "# mine\nother = 1\n" == written.read_text()


class _Odd(int):
    """A number that writes itself as another."""

    def __str__(self) -> str:
        return "7"


def test_a_project_that_is_not_trusted_is_not_opened(tmp_path: Path) -> None:
    """K10: even a corrupt file of it is no error."""
    places = Locations(tmp_path / "agent", tmp_path / "proj", tmp_path / "home")
    places.project_settings.parent.mkdir(parents=True)
    places.project_settings.write_text("a = = 1\n")
    assert read_settings(places, trusted=False).project is None
    project = read_settings(places, trusted=True).project
    assert project is not None
    assert project.error is not None


def test_a_project_gets_no_lock_file(tmp_path: Path) -> None:
    """The lock of a project's settings stands in the user's folder."""
    places = Locations(tmp_path / "agent", tmp_path / "proj", tmp_path / "home")
    settings_store(places, "project").edit(set_theme)
    assert ["settings.toml"] == os.listdir(places.project_config_dir)

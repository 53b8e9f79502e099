"""Where a page is written, and what is never written over."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_core.errors import CannotWriteError, SessionFileError
from pi_core.export.write import export_file, export_session
from pi_core.history.sessions import create_session
from pi_core.history.store import SessionStore
from tests.core.export.sample import conversation, user


def stored(folder: Path) -> SessionStore:
    store = create_session(folder / "sessions", str(folder))
    store.append_message(user("hello"))
    return store


def test_without_a_name_it_is_called_after_the_session(tmp_path: Path) -> None:
    """In the working folder; a session in memory gives its id."""
    store = stored(tmp_path)
    assert store.session_file is not None
    expected = tmp_path / f"pi-session-{Path(store.session_file).stem}.html"
    assert expected == export_session(store, None, cwd=tmp_path)
    memory = conversation()
    assert f"pi-session-{memory.session_id}.html" == export_session(memory, None, cwd=tmp_path).name


def test_a_name_counts_from_the_working_folder(tmp_path: Path) -> None:
    """A page that is there is replaced, and nothing else is left beside it."""
    (tmp_path / "out").mkdir()
    for _ in range(2):
        assert tmp_path / "out" / "x.html" == export_session(stored(tmp_path), "out/x.html", cwd=tmp_path)
    assert ["x.html"] == [path.name for path in (tmp_path / "out").iterdir()]


def test_a_session_is_never_replaced_by_its_page(tmp_path: Path) -> None:
    """The same file under whatever name is refused, and stays whole."""
    store = stored(tmp_path)
    assert store.session_file is not None
    source = Path(store.session_file)
    before = source.read_bytes()
    (tmp_path / "link").symlink_to(source)
    for name in (str(source), "link"):
        with pytest.raises(CannotWriteError, match="it is the session itself"):
            export_session(store, name, cwd=tmp_path)
    assert before == source.read_bytes()


def test_a_file_of_an_older_version_stays_as_it_is(tmp_path: Path) -> None:
    """It is brought up to date for the page alone."""
    old = tmp_path / "old.jsonl"
    old.write_text(
        '{"type":"session","id":"s","timestamp":"2025-01-01T00:00:00Z","cwd":"/"}\n'
        '{"type":"message","message":{"role":"user","content":"from the first version"}}\n',
        encoding="utf-8",
    )
    before = old.read_bytes()
    page = export_file(old, "old.html", cwd=tmp_path)
    assert "from the first version" in page.read_text(encoding="utf-8")
    assert before == old.read_bytes()


@pytest.mark.parametrize(("name", "text"), [("missing.jsonl", None), ("other.jsonl", '{"a":1}\n')])
def test_what_is_no_session_is_refused(tmp_path: Path, name: str, text: str | None) -> None:
    """The sentence names the file."""
    if text is not None:
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(SessionFileError, match=name):
        export_file(tmp_path / name, None, cwd=tmp_path)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """Nothing is left there."""
    with pytest.raises(CannotWriteError, match="nowhere"):
        export_session(conversation(), "nowhere/x.html", cwd=tmp_path)

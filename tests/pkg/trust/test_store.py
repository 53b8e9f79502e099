"""The store of decisions: what is kept, what is refused, and by whose name.

Touches: files.
"""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from pi_pkg.errors import TrustError
from pi_pkg.trust.model import StoredDecision
from pi_pkg.trust.store import TrustStore, canonical_folder

FULL = StoredDecision(True, "sha256:00", "me", "2026-01-02T03:04:05+00:00", "prompt", True)


@pytest.fixture
def store(tmp_path: Path) -> TrustStore:
    return TrustStore(tmp_path / "trust.toml")


def test_a_missing_store_knows_nothing(store: TrustStore) -> None:
    """Reading creates nothing."""
    assert {} == store.read()
    assert not store.path.exists()


def test_decisions_come_back(store: TrustStore) -> None:
    """Who, when, how and the digest are kept."""
    store.record([("/a b", FULL), ('/q"uote', StoredDecision(False))])
    assert {"/a b": FULL, '/q"uote': StoredDecision(False)} == store.read()


def test_a_decision_is_replaced_or_forgotten(store: TrustStore) -> None:
    """The last word about a folder counts; None takes it back."""
    store.record([("/a", FULL), ("/b", FULL)])
    store.record([("/a", StoredDecision(False)), ("/b", None), ("/never", None)])
    assert {"/a": StoredDecision(False)} == store.read()


def test_comments_stay(store: TrustStore) -> None:
    """The store is a file that people may write in."""
    store.path.write_text('# work\n["/a"]\ntrusted = true\n')
    store.record([("/b", StoredDecision(False))])
    assert store.path.read_text().startswith('# work\n["/a"]\ntrusted = true\n')


def test_a_plain_answer_is_a_decision(store: TrustStore) -> None:
    """`"/folder" = true` is the short form."""
    store.path.write_text('"/a" = true\n"/b" = false\n')
    assert {"/a": StoredDecision(True), "/b": StoredDecision(False)} == store.read()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{bad", "trust.toml:1:1: not valid TOML: "),
        ('"/a" = "yes"\n', "the entry of '/a' has no 'trusted = true' or 'false'"),
        ('["/a"]\nby = "x"\n', "the entry of '/a' has no 'trusted = true' or 'false'"),
        ('["/a"]\ntrusted = true\ndigest = 1\n', "'digest' in the entry of '/a' is no string"),
    ],
)
def test_a_malformed_store_is_named_and_kept(store: TrustStore, text: str, said: str) -> None:
    """L13: it is an error that names the file, and nothing is written over it."""
    store.path.write_text(text)
    for use in (store.read, lambda: store.record([("/b", FULL)])):
        with pytest.raises(TrustError) as problem:
            use()
        assert said in str(problem.value)
        assert str(store.path) in str(problem.value)
    assert text == store.path.read_text()


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    """A decision that could not be stored is an error."""

    def full(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(TrustError, match="cannot be written: No space left on device"):
        TrustStore(tmp_path / "trust.toml", write=full).record([("/a", FULL)])


def test_the_nearest_folder_comes_first(store: TrustStore) -> None:
    """L4, L5: decisions of the folder and the folders above it, upward."""
    store.record([("/", StoredDecision(True)), ("/a/b", StoredDecision(False)), ("/a/bc", FULL)])
    assert ["/a/b", "/"] == [folder for folder, _ in store.nearest("/a/b/c")]


def test_links_share_a_decision(tmp_path: Path) -> None:
    """L12: a folder is known by its real path."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert canonical_folder(tmp_path / "real") == canonical_folder(tmp_path / "link")

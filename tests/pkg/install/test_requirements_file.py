"""What a requirements file means as sources of packages, and what it may not ask for.

Touches: files, processes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_pkg.install.requirements_file import RequirementsFileError, listed_sources


def listed(folder: Path, text: str) -> tuple[str, ...]:
    file = folder / "requirements.txt"
    file.write_text(text, encoding="utf-8")
    return listed_sources(file)


@pytest.mark.parametrize(
    ("line", "source"),
    [
        ("Foo_Bar", "pypi:Foo_Bar"),
        ("foo == 1.0  # why", "pypi:foo==1.0"),
        ("foo>=1,<2", "pypi:foo<2,>=1"),
        ("foo[b,a]~=1.2", "pypi:foo[a,b]~=1.2"),
        ("foo ; python_version >= '3' and sys_platform != 'none'", "pypi:foo"),
        ("foo \\\n  >= 1", "pypi:foo>=1"),
        ("git+https://h.example/o/r@v1#egg=r", "git:https://h.example/o/r@v1"),
        ("-e git+https://h.example/o/r#egg=r&subdirectory=p", "git:https://h.example/o/r#subdirectory=p"),
        ("r @ git+ssh://git@h.example/o/r@v1", "git:ssh://git@h.example/o/r@v1"),
        ("r @ file:///srv/r-1.0-py3-none-any.whl", "file:///srv/r-1.0-py3-none-any.whl"),
        ("./tools/one", "{folder}/tools/one"),
        ("./r-1.0-py3-none-any.whl", "{folder}/r-1.0-py3-none-any.whl"),
    ],
)
def test_lines_are_sources(tmp_path: Path, line: str, source: str) -> None:
    """Each form that pip knows and that has a source; paths start at the file's folder."""
    assert (source.replace("{folder}", str(tmp_path)),) == listed(tmp_path, f"{line}\n")


def test_lines_keep_their_order(tmp_path: Path) -> None:
    """The file's own first, then those of the files it names; what does not apply here is left out."""
    (tmp_path / "more.txt").write_text("later\n")
    text = "-r more.txt\nzeta\n# a comment\n\nnever ; python_version < '3'\nalpha\n"
    assert ("pypi:zeta", "pypi:alpha", "pypi:later") == listed(tmp_path, text)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("foo==1 --hash=sha256:00", "requirements.txt:1: hashes of a requirements file are not checked here"),
        ("foo==1 --hash=00", "requirements.txt:1: hashes of a requirements file are not checked here"),
        (
            "--index-url https://x.example/simple",
            "requirements.txt:1: '--index-url' is not taken from a file",
        ),
        ("-c constraints.txt", "requirements.txt:1: '-c' is not taken from a file"),
        ("foo @ https://x.example/foo-1.0-py3-none-any.whl", "is an archive by its address"),
        ("foo===", "requirements.txt:1: 'foo===' is no requirement"),
        ("foo==1\nfoo==2", "Double requirement given"),
    ],
)
def test_what_no_source_can_say_is_refused(tmp_path: Path, line: str, said: str) -> None:
    """A file that would mean something else here than to pip is not read halfway."""
    with pytest.raises(RequirementsFileError) as caught:
        listed(tmp_path, f"{line}\n")
    assert said in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """One sentence with its path."""
    with pytest.raises(RequirementsFileError, match=r"nope\.txt: it cannot be read"):
        listed_sources(tmp_path / "nope.txt")

"""The footer and the working line tell what there is room for, in words that a person reads at a glance."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len

from hookspecs.context import ContextUsage
from pi_core.modes.tui.facts import git_branch, place_of
from pi_core.modes.tui.footer import Facts, facts_line, short, status_line
from pi_core.modes.tui.style.builtin import dark
from pi_core.modes.tui.working import Working, elapsed
from pi_core.session.stats import TokenCounts

FACTS = Facts(
    place="~/project",
    branch="main",
    name="fix the build",
    model="sonnet",
    thinking="high",
    tokens=TokenCounts(input=12_345, output=950, cache_read=1_200_000),
    cost=0.1234,
    context=ContextUsage(tokens=100_000, context_window=200_000, percent=50.0),
)


def test_everything_is_told_where_there_is_room() -> None:
    """Where one is at the left; what was used and who answers at the right edge."""
    line = facts_line(FACTS, dark(), 110).plain
    assert line.startswith("~/project (main) · fix the build  ")
    assert line.endswith("↑12k ↓950 R1.2M $0.123   50% of 200k   sonnet · high")
    assert 110 == cell_len(line)


@pytest.mark.parametrize("width", [1, 10, 20, 40, 60, 80])
def test_what_has_no_room_is_left_out(width: int) -> None:
    """The line is never wider than the screen, and who answers goes last."""
    line = facts_line(FACTS, dark(), width).plain
    assert cell_len(line) <= width
    assert width < 20 or line.endswith("sonnet · high")


@pytest.mark.parametrize(("percent", "token"), [(69.0, "dim"), (75.0, "warning"), (95.0, "error")])
def test_a_full_window_is_a_warning(percent: float, token: str) -> None:
    """In the colours of a warning, then of an error."""
    usage = ContextUsage(tokens=None, context_window=1000, percent=percent)
    line = facts_line(Facts(model="m", context=usage), dark(), 80)
    styles = [str(span.style) for span in line.spans if "of 1.0k" in line.plain[span.start : span.end]]
    assert [str(dark()[token])] == styles


def test_statuses_stand_in_the_order_of_their_keys() -> None:
    """Cleaned, and one line of them."""
    assert "one␊  two" == status_line({"b": "two", "a": "one\n"}, dark()).plain


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0"), (999, "999"), (1200, "1.2k"), (34_567, "34k"), (1_234_567, "1.2M")]
)
def test_counts_are_short(count: int, said: str) -> None:
    """Two figures are enough."""
    assert said == short(count)


@pytest.mark.parametrize(("seconds", "said"), [(0.4, "0s"), (59, "59s"), (125, "2m 05s"), (3723, "1h 02m")])
def test_time_is_told_in_its_units(seconds: float, said: str) -> None:
    """As a person would."""
    assert said == elapsed(seconds)


def test_the_working_line_says_since_when_and_how_to_stop() -> None:
    """In the words of an extension if it has any."""
    working = Working(dark(), "escape")
    assert "⠋ Working…  0s · escape stops" == working.words(0).plain
    working.message = "Thinking \x1bhard"
    assert "Thinking ␛hard  1m 01s" in working.words(61).plain


def test_a_folder_is_written_as_a_person_writes_it(tmp_path: Path) -> None:
    """With a tilde for the home folder."""
    inside = tmp_path / "project"
    assert ["~/project", "~", str(inside)] == [
        place_of(inside, tmp_path),
        place_of(tmp_path, tmp_path),
        place_of(inside, tmp_path / "other"),
    ]


@pytest.mark.parametrize(
    ("head", "branch"), [("ref: refs/heads/topic/one\n", "topic/one"), ("0123456789abcdef\n", "01234567")]
)
def test_the_branch_is_read_off_git(tmp_path: Path, head: str, branch: str) -> None:
    """From any folder of the working tree, and of a linked one."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text(head, encoding="utf-8")
    (tmp_path / "a" / "b").mkdir(parents=True)
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / ".git").write_text(f"gitdir: {tmp_path / '.git'}\n", encoding="utf-8")
    assert (branch, branch, "") == (
        git_branch(tmp_path / "a" / "b"),
        git_branch(linked),
        git_branch(Path("/proc")),
    )

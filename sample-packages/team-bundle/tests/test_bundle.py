"""One package brings three others, a policy, a prompt and a skill; its wheel holds all of it."""

from __future__ import annotations

import pytest
from pi_sample_team_bundle.policy import extension, pushed_branch

from pi_core.api import ToolCall
from pi_core.testing.plugin import HarnessMaker, PackageReader


@pytest.mark.parametrize(
    ("command", "branch"),
    [
        ("git push origin main", "main"),
        ("cd x && git push --force origin HEAD:release/1.2", "release/1.2"),
        ("git -C x push origin +refs/heads/master", "master"),
        ("git push origin my-main", None),
        ("git push", None),
        ("git commit -m main", None),
    ],
)
def test_pushes_are_judged_by_their_branch(command: str, branch: str | None) -> None:
    """A branch that is not named is nobody's business here: the server has the last word."""
    assert pushed_branch(command) == branch


def test_the_policy_refuses(pi_harness: HarnessMaker) -> None:
    """The model reads what to do instead."""
    call = ToolCall(tool_name="bash", tool_call_id="1", input={"command": "git push origin main"})
    assert "push a branch of your own" in pi_harness(extension).emit(call).reason


@pytest.mark.parametrize("wheel", [False, True], ids=["tree", "wheel"])
def test_everything_is_brought(pi_package: PackageReader, wheel: bool) -> None:
    """The policy counts first; prompt and skill are found."""
    package = pi_package(wheel=wheel)
    names = [path.rsplit("/", 1)[-1] for path in package.extensions]
    assert names == ["policy.py", "gate.py", "paths.py", "todo.py"]
    assert [path.rsplit("/", 1)[-1] for path in package.prompts] == ["release-notes.md"]
    assert len(package.skills) == 1
    assert package.diagnostics == ()


def test_the_parts_work_together(pi_harness: HarnessMaker, pi_package: PackageReader) -> None:
    """Each part guards its own; the list is there."""
    pi = pi_harness(*pi_package().requests)
    assert pi.tools == ["todo"]
    for tool, arguments in (("bash", {"command": "rm -rf /"}), ("write", {"path": ".env"})):
        assert pi.emit(ToolCall(tool_name=tool, tool_call_id="1", input=arguments)).block

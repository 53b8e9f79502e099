"""Trust by rules. The rules are in `rules.py`; what a repository was cloned from is asked of git."""

from __future__ import annotations

from pathlib import Path

from pi_core.api import ExtensionAPI, ProjectTrust, ProjectTrustContext, Trust
from pi_sample_project_trust.rules import host_and_path, rules_of, verdict


def extension(pi: ExtensionAPI) -> None:
    """Answer the question."""

    @pi.on("project_trust")
    async def judge(event: ProjectTrust, ctx: ProjectTrustContext) -> Trust:
        rules = rules_of(pi.get_settings().get("project-trust"), Path.home())
        remote = await remote_of(pi, event.cwd) if rules.remotes else None
        return Trust(verdict(event.cwd, remote, rules))


async def remote_of(pi: ExtensionAPI, cwd: str) -> str | None:
    """From where the repository was cloned, as `host/path`; None where it was not."""
    done = await pi.exec("git", ["config", "--get", "remote.origin.url"], cwd=cwd, timeout_s=5)
    return host_and_path(done.stdout.strip()) if done.code == 0 else None

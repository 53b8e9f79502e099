"""Start-up of the command line, against a bare interpreter of the same environment.

Touches: files, processes.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.bench.measure import BIN, bare_python, command, interleaved, peak_memory_mb, quiet_environ

ROUNDS = 21
SETTINGS = "packages = [\n{}\n]\n"


def write_packages(home: Path, count: int) -> None:
    """A user scope with local packages of one extension, one skill, one prompt and one theme each."""
    agent = home / ".pi" / "agent"
    agent.mkdir(parents=True)
    lines = []
    for number in range(count):
        root = home / "packages" / f"p{number}"
        for folder, name, text in (
            ("extensions", f"e{number}.py", "def extension(pi): ...\n"),
            (f"skills/s{number}", "SKILL.md", f"---\nname: s{number}\ndescription: d\n---\n"),
            ("prompts", f"q{number}.md", "text\n"),
            ("themes", f"t{number}.json", f'{{"name": "t{number}"}}\n'),
        ):
            (root / folder).mkdir(parents=True, exist_ok=True)
            (root / folder / name).write_text(text, encoding="utf-8")
        lines.append(f'  "../../packages/p{number}",')
    (agent / "settings.toml").write_text(SETTINGS.format("\n".join(lines)), encoding="utf-8")


def rows() -> list[tuple[str, float, float | None]]:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "project")
        project.mkdir()
        ten, fifty = Path(folder, "ten"), Path(folder, "fifty")
        write_packages(ten, 10)
        write_packages(fifty, 50)
        pi = str(BIN / "pi")
        actions = [
            command(bare_python(), cwd=project, environ=quiet_environ(ten)),
            command([pi, "--version"], cwd=project, environ=quiet_environ(ten)),
            command([pi, "list"], cwd=project, environ=quiet_environ(ten)),
            command([pi, "list"], cwd=project, environ=quiet_environ(fifty)),
        ]
        bare, version, of_ten, of_fifty = interleaved(actions, ROUNDS)
        memory = peak_memory_mb([pi, "list"], cwd=project, environ=quiet_environ(fifty))
    return [
        ("python -c pass (ms)", bare * 1000, None),
        ("pi --version / python -c pass", version / bare, 3.0),
        ("pi list, 10 local packages / python -c pass", of_ten / bare, 6.0),
        ("pi list, 50 local packages / python -c pass", of_fifty / bare, 7.0),
        ("pi list, 50 local packages, peak memory (MB)", memory, 40.0),
    ]

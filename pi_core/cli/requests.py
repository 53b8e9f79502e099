"""From arguments to what the composition root is asked for.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from hookspecs.context import Mode
from hookspecs.definitions import ThinkingLevel
from pi_core.bootstrap import RunRequest
from pi_core.cli.args import Args
from pi_core.resources.loader import ResourceKind, ResourceRequest
from pi_core.resources.prompt_sources import PromptRequest
from pi_core.session.model_selection import ModelRequest
from pi_core.session.opening import StoreRequest
from pi_core.session.toolset import ToolFilter
from pi_pkg import Locations
from pi_pkg.cli.progress import Progress, SilentProgress


def run_request(
    args: Args,
    locations: Locations,
    environ: Mapping[str, str],
    mode: Mode,
    progress: Progress | None = None,
) -> RunRequest:
    """Everything that the words ask for, but the messages, files and extension flags. `progress` is told
    what bringing the sources of `-e` here is doing."""
    if args.offline:
        environ = {**environ, "PI_OFFLINE": "1"}
    directory = args.session_dir
    return RunRequest(
        locations=locations,
        environ=environ,
        mode=mode,
        store=StoreRequest(
            in_memory=args.no_session or args.help or args.list_models is not None,
            fork=args.fork,
            session=args.session,
            continue_last=args.continue_,
            session_id=args.session_id,
            directory=None if directory is None else locations.project_dir / _expanded(directory, locations),
            name=args.name,
        ),
        resources=ResourceRequest(
            sources=args.extensions,
            skills=args.skills,
            prompts=args.prompt_templates,
            themes=args.themes,
            discover=_discovered(args),
            exclude=args.exclude,
            approve=args.approve,
            progress=progress or SilentProgress(),
        ),
        prompt=PromptRequest(
            system_prompt=args.system_prompt,
            append=args.append_system_prompt,
            context_files=not args.no_context_files,
        ),
        model=ModelRequest(
            model=args.model,
            provider=args.provider,
            api_key=args.api_key,
            thinking=cast("ThinkingLevel | None", args.thinking),
            scope=args.models,
        ),
        tools=ToolFilter(
            allowed=() if args.no_tools else args.tools,
            excluded=args.exclude_tools,
            builtin=not args.no_builtin_tools,
        ),
    )


def _discovered(args: Args) -> frozenset[ResourceKind]:
    switched_off: dict[ResourceKind, bool] = {
        "extensions": args.no_extensions,
        "skills": args.no_skills,
        "prompts": args.no_prompt_templates,
        "themes": args.no_themes,
    }
    return frozenset(kind for kind, off in switched_off.items() if not off)


def _expanded(path: str, locations: Locations) -> Path:
    return locations.home / path[2:] if path.startswith("~/") else Path(path)

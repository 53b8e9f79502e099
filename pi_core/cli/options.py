"""The options of the agent's command line, as a table that the parser, the help text and the proposals share.

Pure.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from hookspecs.values import dataclass

OptionKind: TypeAlias = Literal["switch", "value", "maybe", "many", "names"]
"""switch: there or not · value: the last counts · maybe: a value that may be left out, empty then ·
many: each adds one · names: comma list, last counts."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its spellings (long ones first), the field of `Args` it fills, and what it takes."""

    names: tuple[str, ...]
    field: str
    help: str
    kind: OptionKind = "switch"
    value_name: str = ""
    choices: tuple[str, ...] = ()
    sets: bool = True


THINKING_LEVELS: Final = ("off", "minimal", "low", "medium", "high", "xhigh", "max")

GROUPS: Final = (
    ("what it does", (
        Option(("--print", "-p"), "print", "answer once on standard output and exit"),
        Option(("--mode",), "mode", "what standard output carries", "value", "MODE", ("text", "json", "rpc")),
        Option(("--export",), "export", "write a session file as a page: IN [OUT]", "value", "FILE"),
        Option(("--verbose",), "verbose", "say what was loaded, and where it comes from"),
        Option(("--offline",), "offline", "tell every tool to stay off the network (PI_OFFLINE=1)"),
        Option(("--help", "-h"), "help", "show this help"),
        Option(("--version", "-v"), "version", "show the version"),
    )),
    ("conversation", (
        Option(("--continue", "-c"), "continue_", "go on with the newest conversation of this folder"),
        Option(("--resume", "-r"), "resume", "choose a conversation from a list"),
        Option(("--session",), "session", "open a conversation by file, id or start of an id",
               "value", "PATH|ID"),
        Option(("--session-id",), "session_id", "open the conversation of this id, or begin it",
               "value", "ID"),
        Option(("--fork",), "fork", "go on with a copy of a conversation, in this folder",
               "value", "PATH|ID"),
        Option(("--session-dir",), "session_dir", "keep conversations in this folder", "value", "DIR"),
        Option(("--no-session",), "no_session", "keep the conversation in memory only"),
        Option(("--name", "-n"), "name", "name the conversation", "value", "NAME"),
    )),
    ("model", (
        Option(("--provider",), "provider", "provider of the model", "value", "NAME"),
        Option(("--model",), "model", "model, as ID, PROVIDER/ID or a part of it, each with :LEVEL",
               "value", "MODEL"),
        Option(("--api-key",), "api_key", "key for this run, never stored", "value", "KEY"),
        Option(("--thinking",), "thinking", "how hard the model thinks", "value", "LEVEL", THINKING_LEVELS),
        Option(("--models",), "models", "models to switch through (names, * patterns, each with :LEVEL)",
               "names", "NAMES"),
        Option(("--list-models",), "list_models", "list the models that can be used, or those that fit",
               "maybe", "[QUERY]"),
    )),
    ("prompt", (
        Option(("--system-prompt",), "system_prompt", "replace the system prompt (text or file)",
               "value", "TEXT"),
        Option(("--append-system-prompt",), "append_system_prompt",
               "add to the system prompt (text or file, repeatable)", "many", "TEXT"),
        Option(("--no-context-files", "-nc"), "no_context_files", "do not read AGENTS.md or CLAUDE.md"),
        Option(("--skill",), "skills", "add a skill file or folder (repeatable)", "many", "PATH"),
        Option(("--no-skills", "-ns"), "no_skills", "no skills but those of --skill"),
        Option(("--prompt-template",), "prompt_templates",
               "add a prompt template file or folder (repeatable)", "many", "PATH"),
        Option(("--no-prompt-templates", "-np"), "no_prompt_templates",
               "no templates but those of --prompt-template"),
    )),
    ("tools", (
        Option(("--tools", "-t"), "tools", "only these tools (names, * patterns), or +name,-name",
               "names", "NAMES"),
        Option(("--exclude-tools", "-xt"), "exclude_tools", "these tools do not exist", "names", "NAMES"),
        Option(("--no-tools", "-nt"), "no_tools", "no tools at all"),
        Option(("--no-builtin-tools", "-nbt"), "no_builtin_tools", "only the tools of extensions"),
    )),
    ("extensions", (
        Option(("--extension", "-e"), "extensions", "load an extension or package for this run (repeatable)",
               "many", "SOURCE"),
        Option(("--no-extensions", "-ne"), "no_extensions", "load no extension but those of -e"),
        Option(("--exclude",), "exclude", "leave these extensions out of this run", "names", "NAMES"),
        Option(("--approve", "-a"), "approve", "trust this project for this run"),
        Option(("--no-approve", "-na"), "approve", "do not trust this project for this run", sets=False),
        Option(("--watch",), "watch", "reload when files of extensions or settings change"),
        Option(("--trace-events",), "trace_events", "write every event of extensions down", "value", "FILE"),
    )),
    ("appearance", (
        Option(("--theme",), "themes", "add a theme file or folder (repeatable)", "many", "PATH"),
        Option(("--no-themes",), "no_themes", "no themes but those of --theme"),
        Option(("--use-theme",), "use_theme", "the theme of this run", "value", "NAME"),
        Option(("--web",), "web", "show the interactive mode in a browser on this machine"),
        Option(("--port",), "port", "the port of --web; 0 is any that is free", "value", "N"),
    )),
)  # fmt: skip
"""The options by what they are about, in the order of the help."""

OPTIONS: Final = tuple(option for _, options in GROUPS for option in options)

BY_SPELLING: Final = {name: option for option in OPTIONS for name in option.names}

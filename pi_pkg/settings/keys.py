"""The one table of settings: what each key holds, what it is for, and who may set it.

Checks, the JSON Schema and the documentation are made from it; a key that is not here is kept and
belongs to whoever reads it.

Pure.
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from pi_pkg.values import dataclass

Kind: TypeAlias = Literal[
    "string", "boolean", "integer", "number", "choice", "strings", "string-table", "keys-table"
]
"""`strings` is a list of them, `string-table` maps names to them, `keys-table` maps names to one or more."""

WANTED: Final[dict[Kind, str]] = {
    "string": "a string",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "strings": "a list of strings",
    "string-table": "a table of strings",
    "keys-table": "a table of strings or lists of strings",
}

SECURING: Final = frozenset({"install"})
"""Tables whose values stay even where their type is wrong, for their reader refuses them: an index that is
spelt wrongly must not become the default one."""


@dataclass(frozen=True, slots=True)
class Key:
    """One setting."""

    path: str
    """Names of the tables and of the key, joined by dots; no name holds a dot."""
    kind: Kind
    about: str
    """One sentence for people."""
    choices: tuple[str, ...] = ()
    """The values of a `choice`."""
    least: int | None = None
    """The smallest number."""

    @property
    def wanted(self) -> str:
        """What belongs here, as in "is 7, not …"."""
        if self.kind == "choice":
            return "one of " + ", ".join(f"'{choice}'" for choice in self.choices)
        bound = "" if self.least is None else f" of at least {self.least}"
        return WANTED[self.kind] + bound


THINKING: Final = ("off", "minimal", "low", "medium", "high", "xhigh", "max")
QUEUES: Final = ("one-at-a-time", "all")

KEYS: Final = (
    Key("extensions", "strings", "Paths of extensions, and patterns that choose among all of them."),
    Key("skills", "strings", "Paths of skills, and patterns that choose among all of them."),
    Key("prompts", "strings", "Paths of prompt templates, and patterns that choose among all of them."),
    Key("themes", "strings", "Paths of themes, and patterns that choose among all of them."),
    Key(
        "default-project-trust", "choice", "What holds for a project that nobody decided about.",
        ("ask", "always", "never"),
    ),
    Key("default-tools", "strings", "Tools that are active; items +NAME and -NAME change the list below."),
    Key("steering-mode", "choice", "How many messages that steer are delivered in one turn.", QUEUES),
    Key("follow-up-mode", "choice", "How many messages that follow are delivered in one turn.", QUEUES),
    Key("enable-skill-commands", "boolean", "Whether every skill is a command, too."),
    Key("session-dir", "string", "Folder of the conversations."),
    Key("shell-path", "string", "The shell that runs commands."),
    Key("shell-command-prefix", "string", "Text in front of every command."),
    Key("model.default-provider", "string", "Provider of the model in use unless another is asked for."),
    Key("model.default-model", "string", "The model in use unless another is asked for."),
    Key("model.default-thinking-level", "choice", "How long models think unless told otherwise.", THINKING),
    Key("model.enabled-models", "strings", "Patterns of the models that can be switched through."),
    Key("compaction.enabled", "boolean", "Whether long conversations are summarised by themselves."),
    Key("compaction.reserve-tokens", "integer", "Tokens kept free for the answer.", least=0),
    Key("compaction.keep-recent-tokens", "integer", "Tokens at the end that stay as they are.", least=0),
    Key("branch-summary.reserve-tokens", "integer", "Tokens kept free for a summary of a branch.", least=0),
    Key("branch-summary.skip-prompt", "boolean", "Whether to leave a branch without a question."),
    Key("retry.enabled", "boolean", "Whether a request that failed for a passing reason is sent again."),
    Key("retry.max-retries", "integer", "How often, at most.", least=0),
    Key("retry.base-delay-ms", "number", "Milliseconds before the first time; it doubles.", least=0),
    Key("retry.provider.timeout-ms", "number", "Milliseconds that a provider may be silent.", least=0),
    Key("retry.provider.max-retries", "integer", "How often the provider's library tries again.", least=0),
    Key("retry.provider.max-retry-delay-ms", "number", "The longest wait that a provider asks for.", least=0),
    Key("images.auto-resize", "boolean", "Whether large images are made smaller before they are sent."),
    Key("images.block-images", "boolean", "Whether images are kept from the model."),
    Key("ui.theme", "string", "Name of the theme."),
    Key("ui.quiet-startup", "boolean", "Whether to start without the list of what was loaded."),
    Key("ui.hide-thinking", "boolean", "Whether the model's thinking is folded."),
    Key("ui.show-images", "boolean", "Whether images are drawn in the terminal."),
    Key("ui.dialog-limit-s", "number", "Seconds that a client of --mode rpc has for a dialog.", least=0),
    Key("install.backend", "choice", "What installs packages.", ("auto", "uv", "pip")),
    Key("install.index-url", "string", "The index, in place of the default one."),
    Key("install.extra-index-urls", "strings", "Further indexes; the first that knows a name counts."),
    Key("install.find-links", "strings", "Folders and pages that offer archives."),
    Key("install.build", "strings", "Distributions that may be built from source."),
    Key("install.keep-generations", "integer", "How many states can be rolled back to.", least=1),
    Key("budgets.handler-s", "number", "Seconds that a handler may take.", least=0),
    Key("budgets.shutdown-s", "number", "Seconds that the end of a session may take.", least=0),
    Key("budgets.warn-s", "number", "Seconds after which a handler of a stream is named.", least=0),
    Key("budgets.block-s", "number", "Seconds that a handler may hold up everything unnamed.", least=0),
    Key("clashes.prefer", "string-table", "Whose tool, command or flag counts: KIND:NAME to package."),
    Key("clashes.alias", "string-table", "New names: PACKAGE/KIND:NAME to name."),
    Key("clashes.hide", "strings", "What is switched off: PACKAGE/KIND:NAME."),
    Key("keys", "keys-table", "Keys of actions, by the id of the action."),
)  # fmt: skip
"""Every key but `packages`, in the order in which they are documented."""

Tree: TypeAlias = dict[str, Any]
"""Keys by name; a table that is only a table is a `Tree` again."""


def tree() -> Tree:
    """The table by names, level by level."""
    root: Tree = {}
    for key in KEYS:
        *above, name = key.path.split(".")
        level = root
        for step in above:
            level = level.setdefault(step, {})
        level[name] = key
    return root

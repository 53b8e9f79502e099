"""What is wrong with a request to the agent: what was asked, what was found, what to do.

    AgentError
    ├── UsageError             words on the command line that make no sense together
    ├── FileArgumentError      an `@file` that cannot be read
    ├── SessionFileError       a conversation that cannot be found or opened
    ├── UnknownEntryError      an entry that the conversation does not have
    ├── ModelChoiceError       a model that was asked for and cannot be used
    ├── AuthFileError          an `auth.json` that cannot be used
    ├── LoginError             a login, or a key of a login, that did not come about
    ├── ExtensionLoadError     an extension asked for by name (`-e`) that cannot load
    ├── GuardLostError         a project whose trusted content had a guard that is gone
    ├── BusyError              a prompt without a place in the queue while a run is on
    ├── CompactionError        a compaction that was asked for and did not take place
    ├── UserCommandError       a shell command of the person that did not run
    ├── ForkError              a fork that the conversation does not allow
    ├── CannotReplaceError     a new session where the program holds one for good
    ├── ReplacementError       a session that ended and whose successor could not be built
    ├── ReloadGivenUpError     a reload that was stopped before it took effect
    ├── CannotWriteError       a file that was asked for and cannot be written
    ├── MissingExtraError      an option that needs a library which is not installed
    ├── SummaryError           a summary that no model wrote
    ├── DisposedError          a session that was shut down
    └── ToolError              a built-in tool that cannot do what the model asked

What is wrong with a package or an extension that nobody asked for by name is a Diagnostic, not an error.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence


class AgentError(Exception):
    """Root of the tree. `message` is one sentence, `hint` says what to do about it."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message} {hint}")
        self.message = message
        self.hint = hint


class UsageError(AgentError):
    """Words on the command line that make no sense together. `problems` are the sentences, in order."""

    def __init__(self, problems: Sequence[str], *, hint: str | None = "See `pi --help`.") -> None:
        super().__init__(". ".join(problems) + ".", hint=hint)
        self.problems = tuple(problems)


class FileArgumentError(AgentError):
    """A file given as `@path` that cannot be read. `found` is the reason."""

    def __init__(self, path: str, found: str) -> None:
        super().__init__(f"@{path}: {found}.")
        self.path = path
        self.found = found


class SessionFileError(AgentError):
    """A conversation that cannot be found or opened. `asked` is the path or id."""

    def __init__(self, asked: str, found: str, *, hint: str | None = None) -> None:
        super().__init__(f"session {asked}: {found}.", hint=hint)
        self.asked = asked
        self.found = found


class UnknownEntryError(AgentError):
    """An entry that the conversation does not have. `entry_id` is what was asked for."""

    def __init__(self, entry_id: str) -> None:
        super().__init__(f"entry {entry_id}: not in this session.")
        self.entry_id = entry_id


class ModelChoiceError(AgentError):
    """A model, provider or key that was asked for and cannot be used."""

    def __init__(self, asked: str, found: str, *, hint: str | None = None) -> None:
        super().__init__(f"model {asked}: {found}.", hint=hint)
        self.asked = asked
        self.found = found


class AuthFileError(AgentError):
    """`auth.json` cannot be used. `found` is the reason; its bytes are as before."""

    def __init__(self, path: str, found: str) -> None:
        super().__init__(f"{path}: {found}.", hint="Nothing was changed. Repair the file, or move it away.")
        self.path = path
        self.found = found


class LoginError(AgentError):
    """A login, or a key out of one, did not come about. `provider` is whose, `found` the reason."""

    def __init__(self, provider: str, found: str, *, hint: str | None = None) -> None:
        super().__init__(f"login at {provider}: {found}.", hint=hint)
        self.provider = provider
        self.found = found


class ExtensionLoadError(AgentError):
    """Extensions asked for by name that cannot load. `failures` are (path, sentence), in order."""

    def __init__(self, failures: Sequence[tuple[str, str]]) -> None:
        sentences = " ".join(f"{path}: {sentence.rstrip('.')}." for path, sentence in failures)
        super().__init__(f"cannot load {sentences}", hint="Leave out the -e, or repair the extension.")
        self.failures = tuple(failures)


class GuardLostError(AgentError):
    """A project was trusted together with a guard, and its content is another now."""

    def __init__(self, project_dir: str) -> None:
        super().__init__(
            f"{project_dir} was trusted with a guard in it and has changed since; nothing was started.",
            hint="See the change: pi trust. Then pi trust allow, or run without its files: --no-approve.",
        )
        self.project_dir = project_dir


class BusyError(AgentError):
    """A prompt came while a run is on and does not say where it may wait."""

    def __init__(self) -> None:
        super().__init__(
            "Agent is already processing a prompt.",
            hint='Queue this one with deliver_as "steer" or "follow_up", or wait until the session is idle.',
        )


class CompactionError(AgentError):
    """A compaction that was asked for did not take place; `aborted` if somebody stopped it."""

    def __init__(self, found: str, *, aborted: bool = False) -> None:
        super().__init__(found)
        self.found = found
        self.aborted = aborted


class UserCommandError(AgentError):
    """A shell command of the person did not run. `command` is what was asked, `found` the reason."""

    def __init__(self, command: str, found: str) -> None:
        super().__init__(f"The command did not run: {found}")
        self.command = command
        self.found = found


class CommandNotQueuedError(AgentError):
    """A command was to wait in a queue. `text` is what was said."""

    def __init__(self, text: str) -> None:
        self.text = text
        command = text.partition(" ")[0]
        super().__init__(
            f"The command {command} of an extension cannot be queued.",
            hint="Say it as a prompt: it runs at once, also while a run is on.",
        )


class ForkError(AgentError):
    """A fork that the conversation does not allow. `entry_id` is where it was to begin."""

    def __init__(self, entry_id: str, found: str) -> None:
        super().__init__(f"Invalid entry ID for forking: {entry_id} {found}.")
        self.entry_id = entry_id
        self.found = found


class CannotReplaceError(AgentError):
    """An extension wants another session, and the program that embeds this one holds it for good."""

    def __init__(self, asked: str) -> None:
        super().__init__(
            f"{asked} is not possible: this program works with one session.",
            hint="A program that uses a SessionRuntime can replace it.",
        )
        self.asked = asked


class ReplacementError(AgentError):
    """A session ended to make room for another one, and that could not be built. `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The session has ended, and the next one could not be built: {reason}")
        self.reason = reason


class ReloadGivenUpError(AgentError):
    """A reload was stopped, by an abort or the end of the session, before it took effect."""

    def __init__(self) -> None:
        super().__init__("The reload was given up; everything is as it was before.")


class CannotWriteError(AgentError):
    """A file that was asked for cannot be written. `found` is the reason."""

    def __init__(self, path: str, found: str) -> None:
        super().__init__(f"cannot write {path}: {found}.")
        self.path = path
        self.found = found


class MissingExtraError(AgentError):
    """An option needs a library that is not installed. `extra` is what brings it."""

    def __init__(self, option: str, library: str, extra: str) -> None:
        super().__init__(
            f"{option} needs {library}, which is not installed.",
            hint=f'It comes with the extra "{extra}": pip install "pi-pluggy[{extra}]".',
        )
        self.option = option
        self.library = library
        self.extra = extra


class SummaryError(AgentError):
    """A summary was asked for, and no model wrote one. `found` is what the model said."""

    def __init__(self, found: str) -> None:
        super().__init__(f"The summary could not be written: {found}")
        self.found = found


class DisposedError(AgentError):
    """A session that was shut down is asked to do something."""

    def __init__(self, asked: str) -> None:
        super().__init__(f"{asked} is not possible: this session was shut down.")
        self.asked = asked


class ToolError(AgentError):
    """A built-in tool cannot do what was asked. The model reads the whole text as the call's result."""

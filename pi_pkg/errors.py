"""What is wrong with a request to the package manager: what was asked, what was found, what to do.

    PackageError
    ├── SourceError            a source string that is no source
    ├── SettingsError          a settings file that cannot be read, changed or written
    ├── TrustError             a trust store that cannot be read or written
    ├── TrustRefused           a decision about trust that cannot be made
    ├── ProjectNotTrusted      a change of a project whose files are not trusted
    ├── NoProject              a change of a project where there is none
    ├── NoSuchPackage          a source that no settings file declares
    ├── NoSuchResource         a word that means no single resource or package
    ├── CannotToggle           a resource that cannot be switched in a settings file
    ├── InstallError           a generation that could not be built or put in force
    └── ResolveError           a set of inputs that has no resolution

Each class takes the parts and builds the sentence; the parts stay attributes.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from pi_pkg.shown import lines, one_line


class PackageError(Exception):
    """Root of the tree. `message` is one sentence, `hint` says what to do, `detail` is longer output.

    None of them holds a user or password of an address, or anything that moves a terminal.
    """

    code = "package-error"
    """Stable kebab-case name for the JSON form."""
    stage = "package"
    """Station of the route, as in `Diagnostic.stage`."""

    def __init__(self, message: str, *, hint: str | None = None, detail: str | None = None) -> None:
        message, hint = one_line(message), None if hint is None else one_line(hint)
        super().__init__(message if hint is None else f"{message} {hint}")
        self.message = message
        self.hint = hint
        self.detail = None if detail is None else lines(detail)


class SourceError(PackageError):
    """A source string that is not a source. `asked` is the string, `found` the reason it fails."""

    code = "source-invalid"
    stage = "source"

    def __init__(self, asked: str, found: str, hint: str | None = None) -> None:
        super().__init__(f"{asked!r} is no package source: {found}.", hint=hint)
        self.asked = asked
        self.found = found


class SettingsError(PackageError):
    """A settings file that stands in the way. `line` and `column` count from 1 where they are known."""

    code = "settings-invalid"
    stage = "settings"

    def __init__(
        self,
        path: str,
        problem: str,
        *,
        line: int | None = None,
        column: int | None = None,
        hint: str | None = None,
    ) -> None:
        place = path if line is None else f"{path}:{line}:{column or 1}"
        super().__init__(f"{place}: {problem}.", hint=hint)
        self.path = path
        self.problem = problem
        self.line = line
        self.column = column


class TrustError(PackageError):
    """A trust store that cannot be read or written; names the file."""

    code = "trust-store-invalid"
    stage = "trust"

    def __init__(self, path: str, problem: str, *, hint: str | None = None) -> None:
        super().__init__(f"{path}: {problem}.", hint=hint)
        self.path = path
        self.problem = problem


class TrustRefused(PackageError):
    """A decision about a folder that cannot be made, or taken back."""

    code = "trust-refused"
    stage = "trust"

    def __init__(self, folder: str, found: str, *, hint: str | None = None) -> None:
        super().__init__(f"{folder}: {found}.", hint=hint)
        self.folder = folder
        self.found = found


class ProjectNotTrusted(PackageError):
    """A command that would read or change the files of a project that nobody trusted."""

    code = "project-not-trusted"
    stage = "trust"

    def __init__(self, project_dir: str, doing: str) -> None:
        super().__init__(
            f"{project_dir} is not trusted; refused to {doing}.",
            hint="Trust it with 'pi trust allow', or for this run with --approve.",
        )
        self.project_dir = project_dir
        self.doing = doing


class NoProject(PackageError):
    """A command about the project in a folder whose `.pi` is the user's own."""

    code = "no-project"
    stage = "trust"

    def __init__(self, folder: str, doing: str) -> None:
        super().__init__(
            f"{folder} is no project, for its own files are the user's; refused to {doing}.",
            hint="Leave out -l, or change to the folder of a project.",
        )
        self.folder = folder
        self.doing = doing


class NoSuchPackage(PackageError):
    """The settings of a scope do not declare the asked source.

    `known` lists what they declare, `near` a likely match, `elsewhere` how to reach the scope that does.
    """

    code = "package-unknown"
    stage = "settings"

    def __init__(
        self,
        asked: str,
        where: str,
        *,
        known: Sequence[str] = (),
        near: str | None = None,
        elsewhere: str | None = None,
    ) -> None:
        found = f"it declares {', '.join(known)}" if known else "it declares no packages"
        hint = elsewhere or (None if near is None else f"Did you mean {near}?")
        super().__init__(f"no package matches {asked!r} in {where}: {found}.", hint=hint)
        self.asked = asked
        self.where = where
        self.known = tuple(known)
        self.near = near


class NoSuchResource(PackageError):
    """A word that means none of the resources, or several of them. `near` are tokens that it may mean."""

    code = "resource-unknown"
    stage = "resolve"

    def __init__(
        self, asked: str, near: Sequence[str] = (), *, several: bool = False, hint: str | None = None
    ) -> None:
        found = "means several resources" if several else "means no resource and no package"
        choice = "Name one of them:" if several else "Did you mean"
        advice = f"{choice} {', '.join(near)}{'.' if several else '?'}" if near else None
        super().__init__(f"{asked!r} {found}.", hint=hint or advice)
        self.asked = asked
        self.near = tuple(near)


class CannotToggle(PackageError):
    """A resource that no change of the settings file switches without doing something else."""

    code = "toggle-refused"
    stage = "settings"

    def __init__(self, asked: str, doing: str, found: str, path: str) -> None:
        super().__init__(f"cannot {doing} {asked!r}: {found}.", hint=f"The file is {path}.")
        self.asked = asked
        self.path = path


class InstallError(PackageError):
    """A generation that could not be built, checked or put in force; the previous one stays."""

    code = "install-failed"
    stage = "install"


class ResolveError(PackageError):
    """Inputs that have no resolution."""

    code = "resolve-failed"
    stage = "resolve"

"""`/login` and `/logout`: keys of providers, and logins at those that have one. No key is ever shown.

Touches: the screen, `auth.json`, and whatever a provider's login touches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pi_core.clean import clean_line
from pi_core.errors import LoginError
from pi_core.modes.tui.commands import BuiltinCommand
from pi_core.modes.tui.desk import Desk
from pi_core.modes.tui.dialogs.choice import Choice, ChoiceDialog
from pi_core.modes.tui.dialogs.questions import InputDialog
from pi_core.modes.tui.here import Here
from pi_core.providers.auth_file import AuthStore, forget, keep_key
from pi_core.providers.models import SCRIPTED, Provider
from pi_core.providers.oauth import log_in
from pi_core.providers.registry import ModelRegistry
from pi_core.providers.selection import preferred_model
from pi_core.session.model_selection import default_thinking

_HAVE: Final[Mapping[str, str]] = {
    "run": "has the key of this run",
    "key": "key stored",
    "login": "logged in",
    "configured": "key configured",
    "variable": "key from {}",
    "not-needed": "needs no key",
}
"""Where a key is from, as a person reads it."""


class LoginCommands:
    """Keeps, and forgets, what proves who the person is."""

    def __init__(self, here: Here) -> None:
        self._here = here

    def commands(self) -> Sequence[BuiltinCommand]:
        """What can be typed."""
        return (
            BuiltinCommand(
                name="login",
                run=self.login,
                description="give a provider its key, or log in there",
                complete=lambda _, typed: [provider.name for provider in self._providers()],
            ),
            BuiltinCommand(
                name="logout",
                run=self.logout,
                description="forget a stored key or login",
                complete=lambda _, typed: list(self._registry.credentials.stored.keys),
            ),
        )

    @property
    def _registry(self) -> ModelRegistry:
        return self._here.session.parts.models.registry

    @property
    def _store(self) -> AuthStore:
        return AuthStore(self._here.locations.auth_file)

    def _providers(self) -> list[Provider]:
        return [provider for provider in self._registry.providers() if provider.name != SCRIPTED]

    async def login(self, desk: Desk, args: str) -> None:
        """Ask for a key, or let the provider ask. Raises: LoginError, AuthFileError."""
        provider = self._named(args) if args else await self._chosen()
        if provider is None:
            return
        waited = self._waits
        if provider.oauth is not None:
            await log_in(provider.name, provider.oauth, LoginDialogs(desk, provider.name), self._store)
            desk.tell(f"Logged in at {provider.label or provider.name}.")
        else:
            key = await self._asked_key(provider)
            if key is None:
                return
            await keep_key(self._store, provider.name, key)
            desk.tell(f"The key of {provider.label or provider.name} is stored.")
        self._registry.credentials.read_again()
        if not (waited and await self._begin_with(desk)):
            desk.tell("/model chooses one of its models.")

    @property
    def _waits(self) -> bool:
        """Whether no model could answer yet, but for the scripted one that nobody asked for."""
        models = self._here.session.parts.models
        if models.model.provider == SCRIPTED:
            return not models.has_script
        return not models.registry.is_usable(models.model)

    async def _begin_with(self, desk: Desk) -> bool:
        """Let the first model that can answer do so; False if there is still none."""
        session = self._here.session
        model = preferred_model(self._registry) if self._waits else session.model
        if model is None or not await session.set_model(model):
            return False
        wanted = default_thinking(session.parts.settings)  # the scripted model knows none
        session.controls.set_thinking_level(wanted, by_person=False)
        desk.tell(f"{model.name or model.id} ({model.provider}) answers from now on; /model chooses another.")
        self._here.refresh_facts()
        return True

    async def _asked_key(self, provider: Provider) -> str | None:
        """The key that was typed. Raises: LoginError for one that is none."""
        label = provider.label or provider.name
        said = "Kept in auth.json. $NAME is looked up whenever it is needed, !COMMAND once until a reload."
        typed = await self._here.desk.open_dialog(InputDialog(f"Key of {label}", message=said, secret=True))
        if typed is None or not typed.strip():
            return None
        if not typed.strip().isprintable():
            raise LoginError(provider.name, "that is no key: it has line ends or control characters")
        return typed.strip()

    async def _chosen(self) -> Provider | None:
        credentials = self._registry.credentials
        rows = []
        for provider in self._providers():
            if provider.oauth is None and not provider.needs_key:
                continue
            origin = credentials.origin(provider)
            state = _HAVE.get(origin.place, "").format(origin.detail) if origin.usable else "no key yet"
            how = "login" if provider.oauth is not None else "key"
            rows.append(
                Choice(provider.name, provider, f"{provider.label or ''} · {how} · {state}".lstrip(" ·"))
            )
        return await self._here.desk.open_dialog(ChoiceDialog("Log in at", rows, search=True))

    def _named(self, name: str) -> Provider:
        found = next((item for item in self._providers() if item.name.lower() == name.lower()), None)
        if found is None:
            raise LoginError(name, "there is no such provider", hint="/login lists them.")
        return found

    async def logout(self, desk: Desk, args: str) -> None:
        """Forget what is stored. Raises: LoginError, AuthFileError."""
        stored = list(self._store.read().keys)
        if not stored:
            desk.tell("No key and no login is stored.")
            return
        name: str | None = args or None
        if name is None:
            rows = [Choice(each, each) for each in stored]
            name = await desk.open_dialog(ChoiceDialog("Forget the key of", rows))
        if name is None:
            return
        if not await forget(self._store, name):
            raise LoginError(name, f"nothing is stored for it; there is {', '.join(stored)}")
        self._registry.credentials.read_again()
        desk.tell(f"What was stored for {name} is gone.")


class LoginDialogs:
    """Implements `LoginCallbacks` with dialogs, and with lines in the log."""

    def __init__(self, desk: Desk, provider: str) -> None:
        self._desk = desk
        self._provider = provider

    def on_auth(self, url: str, instructions: str = "") -> None:
        """Show where to go."""
        said = f"\n{instructions}" if instructions else ""
        self._desk.tell(f"Open this address in a browser:\n{clean_line(url)}{said}")

    def on_progress(self, message: str) -> None:
        """Say what is going on."""
        self._desk.tell(message)

    async def on_prompt(self, message: str, placeholder: str = "") -> str:
        """Ask for a line."""
        answer = await self._desk.open_dialog(InputDialog(message, placeholder))
        return self._answered(answer)

    async def on_select(self, message: str, options: Sequence[str]) -> str:
        """Let one of several be chosen."""
        rows = [Choice(option, option) for option in options]
        return self._answered(await self._desk.open_dialog(ChoiceDialog(message, rows)))

    def _answered(self, answer: str | None) -> str:
        if not answer or not answer.strip():
            raise LoginError(self._provider, "nothing was answered")
        return answer.strip()

"""One pluggy registry for both doors: it checks names and signatures, and knows who implements what.

Per extension one carrier object is registered. It holds a fresh shim for each
handler of `pi.on`, with the author's function kept aside: pluggy's marks on the
function itself would lose one function on two events, a partial or a callable
object. pluggy never calls anything here; order and dispatch are ours.

Pure.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType, MethodType
from typing import Any, Final, cast

import pluggy

from hookspecs.laws import LAWS
from hookspecs.markers import PROJECT_NAME
from hookspecs.specs import PiSpecs
from pi_core.extensions.errors import RegistrationError, UnknownEventError
from pi_core.extensions.registrations import Extension, Registration
from pi_core.extensions.validation import check_callable, where_defined

HOOK_PREFIX: Final = f"{PROJECT_NAME}_"


class _Options(dict[str, Any]):
    """The options of one implementation; pluggy keeps this very object, and so the way back."""

    __slots__ = ("registration",)

    def __init__(self, registration: Registration) -> None:
        self["specname"] = HOOK_PREFIX + registration.event
        self["wrapper"] = registration.wrapper == "sync"
        self["hookwrapper"] = False
        self["optionalhook"] = registration.optional
        self["tryfirst"] = registration.first
        self["trylast"] = registration.last
        self.registration = registration


class Carrier:
    """The plugin object of one extension: its `dir()` names its handlers and nothing else."""

    def __init__(self, registrations: Iterable[Registration]) -> None:
        self.options: dict[str, _Options] = {}
        own = vars(self)
        for registration in registrations:
            name = f"handler_{registration.sequence:06}"
            self.options[name] = _Options(registration)
            own[name] = _shim(registration)

    def __dir__(self) -> list[str]:
        return list(self.options)


def _shim(registration: Registration) -> Callable[..., Any]:
    target = registration.target
    if registration.door == "hookimpl" and isinstance(target, (FunctionType, MethodType)):
        return target  # pluggy judges the author's own argument names

    def handler(event: Any, ctx: Any) -> Any:
        return target(event, ctx)

    return handler


class _Manager(pluggy.PluginManager):
    """Reads the options of a carrier's handlers from the carrier."""

    def parse_hookimpl_opts(self, plugin: object, name: str) -> pluggy.HookimplOpts | None:
        options = plugin.options.get(name) if isinstance(plugin, Carrier) else None
        return cast("pluggy.HookimplOpts | None", options)


class HookTable:
    """Who implements which event. `specs` are further specification classes, for a host's own events.

    Handlers of `pi.on` on pi's own events are told to pluggy when somebody asks who listens: it has
    nothing to refuse in them, and a load of many extensions costs half of what it did.
    """

    def __init__(self, specs: Sequence[type] = ()) -> None:
        self._pluggy = _Manager(PROJECT_NAME)
        for spec in (PiSpecs, *specs):
            self._pluggy.add_hookspecs(spec)
        self._own = tuple(specs)
        self._known = frozenset(self.events())
        self._carriers: dict[Registration, Carrier] = {}
        self._waiting: list[tuple[Extension, Sequence[Registration]]] = []
        self._watchers: list[Callable[[str], None]] = []

    @property
    def manager(self) -> pluggy.PluginManager:
        """The registry itself, complete."""
        self.settle()
        return self._pluggy

    def settle(self) -> None:
        """Tell pluggy what waits."""
        waiting, self._waiting = self._waiting, []
        for extension, registrations in waiting:
            self._enter(extension, registrations)

    def knows(self, event: str) -> bool:
        """Whether the event has a specification."""
        return event in self._known

    def takes_first(self, event: str) -> bool:
        """Whether the specification of the event says `firstresult`."""
        caller = getattr(self._pluggy.hook, HOOK_PREFIX + event, None)
        spec = None if caller is None else caller.spec
        return spec is not None and bool(spec.opts.get("firstresult"))

    def events(self) -> list[str]:
        """Every event that has a specification: pi's in the order of the laws, then the host's."""
        own = [
            name.removeprefix(HOOK_PREFIX)
            for spec in self._own
            for name in vars(spec)
            if name.startswith(HOOK_PREFIX)
        ]
        return [*LAWS, *own]

    def check_event(self, event: object, handler: object = None) -> None:
        """Raise UnknownEventError, which proposes the nearest name, unless the event is specified."""
        if not isinstance(event, str) or event not in self._known:
            raise UnknownEventError(str(event), self.events(), where=where_defined(handler))

    def check_hook(self, hook: str, where: str | None = None) -> None:
        """The same for the name of a hook, `pi_<event>`."""
        event = hook.removeprefix(HOOK_PREFIX)
        if event == hook or not self.knows(event):
            known = [HOOK_PREFIX + name for name in self.events()]
            raise UnknownEventError(hook, known, hook=True, where=where)

    def register(self, extension: Extension, registrations: Sequence[Registration]) -> None:
        """Register handlers of one extension: all, or none if one of them is refused.

        Raises: RegistrationError with the file and line of the handler.
        """
        if not registrations:
            return
        for registration in registrations:
            if registration.door != "on" or registration.event not in LAWS:
                self._enter(extension, registrations)
                break
        else:
            self._waiting.append((extension, tuple(registrations)))
        if self._watchers:
            self._tell(registrations)

    def _enter(self, extension: Extension, registrations: Sequence[Registration]) -> None:
        for registration in registrations:
            if registration.door == "hookimpl":
                _check_names(registration)
        carrier = Carrier(registrations)
        try:
            self._pluggy.register(carrier, f"{extension.path}#{id(extension):x}.{registrations[0].sequence}")
        except pluggy.PluginValidationError as error:
            raise _refusal(registrations, error) from None
        for registration in registrations:
            self._carriers[registration] = carrier

    def unregister(self, registrations: Sequence[Registration]) -> None:
        """Take handlers out; those of the same carrier that stay are registered anew."""
        self.settle()
        gone = [registration for registration in registrations if registration in self._carriers]
        carriers = {self._carriers.pop(registration) for registration in gone}
        for carrier in carriers:
            name = self._pluggy.get_name(carrier)
            self._pluggy.unregister(carrier)
            staying = [
                options.registration
                for options in carrier.options.values()
                if options.registration in self._carriers
            ]
            if staying:
                fresh = Carrier(staying)
                self._pluggy.register(fresh, name)
                self._carriers.update(dict.fromkeys(staying, fresh))
        self._tell(gone)

    def registrations(self, event: str) -> list[tuple[Registration, Callable[[Any, Any], Any]]]:
        """The handlers of an event with how to call each as (event, ctx). In no particular order."""
        self.settle()
        caller = getattr(self._pluggy.hook, HOOK_PREFIX + event, None)
        found = []
        for implementation in caller.get_hookimpls() if caller is not None else ():
            registration = cast("_Options", implementation.opts).registration
            found.append((registration, _positional(registration, implementation)))
        return found

    def watch(self, watcher: Callable[[str], None]) -> Callable[[], None]:
        """Hear the name of every event whose handlers changed, until the returned function is called."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher) if watcher in self._watchers else None

    def _tell(self, registrations: Sequence[Registration]) -> None:
        for event in dict.fromkeys(registration.event for registration in registrations):
            for watcher in self._watchers:
                watcher(event)


def _check_names(registration: Registration) -> None:
    """A marked object that is no plain function hides its argument names from pluggy."""
    target = registration.target
    if not isinstance(target, (FunctionType, MethodType)):
        check_callable(target, f"the implementation of {registration.event}", ("event", "ctx"))


def _positional(registration: Registration, implementation: pluggy.HookImpl) -> Callable[[Any, Any], Any]:
    """A handler of `on` as it is; a hookimpl so that it gets those of the two that it names."""
    target = registration.target
    names = implementation.argnames
    optional = tuple(name for name in implementation.kwargnames if name in ("event", "ctx"))
    if registration.door == "on" or (names == ("event", "ctx") and not optional):
        return target

    def call(event: Any, ctx: Any) -> Any:
        given = {"event": event, "ctx": ctx}
        return target(*[given[name] for name in names], **{name: given[name] for name in optional})

    return call


def _strange_arguments(name: str, target: Callable[..., Any]) -> str | None:
    """A sentence on the arguments that no hook has; None if that is not what is wrong."""
    strange = [each for each in inspect.signature(target).parameters if each not in ("event", "ctx")]
    return f"{name} is called with event and ctx, not with {', '.join(strange)}" if strange else None


def _refusal(registrations: Sequence[Registration], error: pluggy.PluginValidationError) -> RegistrationError:
    """Pluggy's verdict, led by the handler that it is about."""
    text = " ".join(str(error).split())
    for registration in registrations:
        name = HOOK_PREFIX + registration.event
        if f"hook {name!r}" in text and getattr(registration.target, "__name__", name) in text:
            return RegistrationError(
                "bad-signature",
                _strange_arguments(name, registration.target) or f"{name} is refused: {text}",
                where=where_defined(registration.target),
                hint="An implementation may name event and ctx, nothing else.",
            )
    return RegistrationError("bad-signature", f"a hook implementation is refused: {text}")

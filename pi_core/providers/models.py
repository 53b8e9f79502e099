"""Providers and their models as values, and the file in which a person lists their own.

`models.json` is JSON with comments: `providers` maps an id to where it is, how
it wants its key, and which models it has. The file's mistakes are told, one
sentence each; the rest of it counts.

Touches: files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from hookspecs.definitions import Model, ProviderConfig, RefreshModels, StreamFunction
from hookspecs.login import OAuthHooks
from hookspecs.values import dataclass
from hookspecs.wire import snake

TOKEN: Final = r'(?s:"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/)'
TRAILING_COMMA: Final = r'(?s:("(?:\\.|[^"\\])*")|,(?=\s*[}\]]))'
NEAR: Final = (
    r"(?i)https?://(localhost|[\w.-]+\.local|127\.[\d.]+|0\.0\.0\.0|\[::1?\]|10\.[\d.]+|192\.168\.[\d.]+"
    r"|172\.(1[6-9]|2\d|3[01])\.[\d.]+)(:\d+)?(/|$)"
)
"""Addresses of this machine and of the network around it."""

SCRIPTED: Final = "scripted"


def is_text(value: Any) -> bool:
    """Whether a value is a text."""
    return isinstance(value, str)


def is_count(value: Any) -> bool:
    """Whether a value is a whole number above zero."""
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def is_object(value: Any) -> bool:
    """Whether a value is an object."""
    return isinstance(value, Mapping)


FIELD_TYPES: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "name": (is_text, "a text"),
    "api": (is_text, "a text"),
    "base_url": (is_text, "a text"),
    "reasoning": (lambda value: isinstance(value, bool), "true or false"),
    "input": (lambda value: isinstance(value, (list, tuple)) and all(map(is_text, value)), "a list of texts"),
    "cost": (is_object, "an object"),
    "context_window": (is_count, "a whole number"),
    "max_tokens": (is_count, "a whole number"),
    "headers": (lambda value: is_object(value) and all(map(is_text, value.values())), "an object of texts"),
}
"""What a field of a model must be, and how that is called."""


@cache
def _model_fields() -> frozenset[str]:
    """What may be said of a model: everything but whose it is. No start without a list waits for it."""
    return frozenset(item.name for item in fields(Model)) - {"extra", "provider"}


class MalformedEntry(ValueError):
    """A provider or a model that is not described as it must be: a phrase that says what is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """Where models come from. `api_key` and `headers` are values as written, not resolved.

    `variables` are the environment variables that may hold its key, the first set one counts.
    `needs_key` False means that it answers without one. `default_model` is the id of the model to take where
    nobody asks for one.
    """

    name: str
    label: str = ""
    api: str = ""
    base_url: str = ""
    api_key: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    auth_header: bool = False
    variables: tuple[str, ...] = ()
    needs_key: bool = True
    models: tuple[Model, ...] = ()
    overrides: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    compat: Mapping[str, Any] = field(default_factory=dict)
    """What its wire does otherwise than others, for all its models."""
    stream: StreamFunction | None = None
    oauth: OAuthHooks | None = None
    refresh_models: RefreshModels | None = None
    default_model: str = ""


@dataclass(frozen=True, slots=True)
class ModelsFile:
    """What a models file says. `problems` are sentences, in the order of the file; both may be empty."""

    providers: tuple[Provider, ...] = ()
    problems: tuple[str, ...] = ()


def read_models_file(path: Path) -> ModelsFile:
    """The models file at `path`; an empty result if there is none. Never raises for what is in it."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return ModelsFile()
    except (OSError, UnicodeDecodeError) as error:
        return ModelsFile(problems=(f"{path} cannot be read ({error})",))
    return parse_models(text, name=str(path))


def parse_models(text: str, *, name: str) -> ModelsFile:
    """What the text of a models file says."""
    try:
        value = json.loads(without_comments(text))
    except json.JSONDecodeError as error:
        return ModelsFile(problems=(f"{name}:{error.lineno}:{error.colno} is no JSON ({error.msg})",))
    listed = value.get("providers", {}) if isinstance(value, Mapping) else None
    if not isinstance(listed, Mapping):
        return ModelsFile(problems=(f'{name}: expected an object with "providers", an object by id',))
    providers: list[Provider] = []
    problems: list[str] = []
    for provider, entry in listed.items():
        try:
            providers.append(provider_from(provider, entry))
        except MalformedEntry as error:
            problems.append(f"{name}: provider {provider}: {error}")
    return ModelsFile(tuple(providers), tuple(problems))


def without_comments(text: str) -> str:
    """JSON without `//` and `/* */` comments and without commas before a closing bracket.

    Comments become blanks, so that a place in the result is the same place in the text.
    """
    plain = re.sub(TOKEN, lambda match: match[0] if match[0][0] == '"' else blank(match[0]), text)
    return re.sub(TRAILING_COMMA, lambda match: match[1] or " ", plain)


def blank(comment: str) -> str:
    """As many characters as the comment has, line ends kept."""
    return re.sub(r"[^\n]", " ", comment)


def provider_from(name: str, entry: Any) -> Provider:
    """The provider that an entry of a models file describes.

    Raises: MalformedEntry.
    """
    if not isinstance(entry, Mapping):
        raise MalformedEntry("is not an object")
    given = {snake(str(key)): value for key, value in entry.items()}
    provider = Provider(
        name=name,
        label=text_field(given, "name") or "",
        api=text_field(given, "api") or "",
        base_url=text_field(given, "base_url") or "",
        api_key=text_field(given, "api_key"),
        headers=text_mapping(given, "headers"),
        auth_header=given.get("auth_header") is True,
        needs_key=needs_key(text_field(given, "api_key"), text_field(given, "base_url")),
        overrides=object_field(given, "model_overrides"),
        compat=object_field(given, "compat"),
    )
    for model_id, changes in provider.overrides.items():
        if not isinstance(changes, Mapping):
            raise MalformedEntry(f"model_overrides of {model_id} is not an object")
        model_fields(changes, f"model_overrides of {model_id}")
    return replace(provider, models=models_from(given.get("models"), provider))


def provider_from_config(name: str, config: ProviderConfig) -> Provider:
    """The provider that an extension registers.

    Raises: MalformedEntry.
    """
    given = {"base_url": config.base_url, "api_key": config.api_key, "api": config.api, "name": config.name}
    oauth = oauth_hooks(config.oauth)
    if not (config.refresh_models is None or callable(config.refresh_models)):
        raise MalformedEntry("refresh_models is not a function")
    provider = Provider(
        name=name,
        label=text_field(given, "name") or "",
        api=text_field(given, "api") or "",
        base_url=text_field(given, "base_url") or "",
        api_key=text_field(given, "api_key"),
        headers=text_mapping({"headers": config.headers or {}}, "headers"),
        auth_header=bool(config.auth_header),
        needs_key=oauth is not None
        or (
            needs_key(config.api_key, config.base_url)
            if config.stream is None
            else config.api_key is not None
        ),
        stream=config.stream,
        oauth=oauth,
        refresh_models=config.refresh_models,
    )
    # Without the provider's address, so that a later registration of an address alone moves the models.
    listed = config.models or ()
    if isinstance(listed, (str, Mapping)):
        raise MalformedEntry("models is not a list")
    return replace(provider, models=models_from(list(listed), Provider(name=name)))


def needs_key(api_key: str | None, base_url: str | None) -> bool:
    """Whether there is no way without a key: a server of one's own answers without, unless one is given."""
    return api_key is not None or base_url is None or re.match(NEAR, base_url) is None


def provider_from_object(name: str, given: object) -> Provider:
    """The provider that an extension's own object stands for, by the fields of a configuration that it has.

    Raises: MalformedEntry if it has none of them, or one that is wrong.
    """
    names = [item.name for item in fields(ProviderConfig) if item.name != "name"]
    found = {name: value for name in names if (value := getattr(given, name, None)) is not None}
    if not found:
        raise MalformedEntry(f"a {type(given).__name__} has none of {', '.join(names)}")
    label = getattr(given, "label", None)
    return provider_from_config(name, ProviderConfig(**found, name=label if isinstance(label, str) else None))


def oauth_hooks(given: OAuthHooks | Mapping[str, Any] | None) -> OAuthHooks | None:
    """The hooks of a login in their exact form; names may be spelled both ways, as `refreshToken` is.

    Raises: MalformedEntry.
    """
    if given is None or isinstance(given, OAuthHooks):
        return given
    if not isinstance(given, Mapping):
        raise MalformedEntry("oauth is not an object")
    found = {snake(str(key)): value for key, value in given.items()}
    login, refresh = found.get("login"), found.get("refresh_token", found.get("refresh"))
    get_api_key, modify_models = found.get("get_api_key"), found.get("modify_models")
    if not callable(login) or not callable(refresh):
        raise MalformedEntry("oauth needs the functions login and refresh")
    if not (get_api_key is None or callable(get_api_key)):
        raise MalformedEntry("get_api_key of oauth is not a function")
    if not (modify_models is None or callable(modify_models)):
        raise MalformedEntry("modify_models of oauth is not a function")
    name = text_field(found, "name") or ""
    return OAuthHooks(
        login=login, refresh=refresh, get_api_key=get_api_key, modify_models=modify_models, name=name
    )


def models_from(listed: Any, provider: Provider) -> tuple[Model, ...]:
    """The models of a list, with the provider's api and address where they have none of their own."""
    if listed is None:
        return ()
    if not isinstance(listed, list):
        raise MalformedEntry("models is not a list")
    return tuple(
        replace(item, provider=provider.name) if isinstance(item, Model) else model_from(item, provider)
        for item in listed
    )


def model_from(item: Any, provider: Provider) -> Model:
    """One model. Unknown fields go to `extra`, with the names that they have in the file.

    Raises: MalformedEntry.
    """
    if not isinstance(item, Mapping) or not isinstance(item.get("id"), str) or not item["id"]:
        raise MalformedEntry("a model needs an id")
    known, extra = model_fields(item, f"model {item['id']}")
    known["api"] = known.get("api") or provider.api
    known["base_url"] = known.get("base_url") or provider.base_url
    return Model(**{**known, "provider": provider.name, "extra": extra})


def model_fields(item: Mapping[str, Any], where: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields of a model that we know, by our names, and the others as they stand.

    Raises: MalformedEntry if one of ours has the wrong type.
    """
    known: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for key, value in item.items():
        name = snake(str(key))
        if name in _model_fields():
            if name in FIELD_TYPES and not FIELD_TYPES[name][0](value):
                raise MalformedEntry(f"{where}: {name} is not {FIELD_TYPES[name][1]}")
            known[name] = value
        elif name != "provider":
            extra[str(key)] = value
    return known, extra


def overridden(model: Model, changes: Mapping[str, Any]) -> Model:
    """The model with the fields of an entry of `modelOverrides` over its own; objects are merged.

    Raises: MalformedEntry.
    """
    known, extra = model_fields(changes, f"model {model.id}")
    known.pop("id", None)
    for name in ("cost", "headers"):
        if name in known:
            known[name] = {**getattr(model, name), **known[name]}
    return replace(model, **known, extra=merged_objects(model.extra, extra))


def merged_objects(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of both; an object over an object adds to it, anything else takes its place."""
    found = dict(under)
    for key, value in over.items():
        below = found.get(key)
        both = isinstance(below, Mapping) and isinstance(value, Mapping)
        found[key] = {**below, **value} if isinstance(below, Mapping) and both else value
    return found


def text_field(given: Mapping[str, Any], name: str) -> str | None:
    """A text, None if it is not there."""
    value = given.get(name)
    if value is not None and not isinstance(value, str):
        raise MalformedEntry(f"{name} is not a text")
    return value


def text_mapping(given: Mapping[str, Any], name: str) -> dict[str, str]:
    """An object of texts, empty if it is not there."""
    found = object_field(given, name)
    if not all(isinstance(value, str) for value in found.values()):
        raise MalformedEntry(f"{name} has a value that is not a text")
    return dict(found)


def object_field(given: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """An object, empty if it is not there."""
    value = given.get(name, {})
    if not isinstance(value, Mapping):
        raise MalformedEntry(f"{name} is not an object")
    return value


def names_of(models: Iterable[Model]) -> list[str]:
    """`provider/id` of each model, in order."""
    return [f"{model.provider}/{model.id}" for model in models]

"""Providers and their models as values, and the file in which a person lists their own.

`models.json` is JSON with comments: `providers` maps an id to where it is, how
it wants its key, and which models it has. The file's mistakes are told, one
sentence each; the rest of it counts.

Touches: files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

from hookspecs.definitions import Model, ProviderConfig, StreamFunction
from hookspecs.login import OAuthHooks
from hookspecs.wire import snake

TOKEN: Final = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
TRAILING_COMMA: Final = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', re.DOTALL)
NEAR: Final = re.compile(
    r"https?://(localhost|[\w.-]+\.local|127\.[\d.]+|0\.0\.0\.0|\[::1?\]|10\.[\d.]+|192\.168\.[\d.]+"
    r"|172\.(1[6-9]|2\d|3[01])\.[\d.]+)(:\d+)?(/|$)",
    re.IGNORECASE,
)
"""Addresses of this machine and of the network around it."""

MODEL_FIELDS: Final = frozenset(item.name for item in fields(Model)) - {"extra", "provider"}

SCRIPTED: Final = "scripted"


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
    stream: StreamFunction | None = None
    oauth: OAuthHooks | None = None
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
    plain = TOKEN.sub(lambda match: match[0] if match[0][0] == '"' else blank(match[0]), text)
    return TRAILING_COMMA.sub(lambda match: match[1] or " ", plain)


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
    )
    models = models_from(given.get("models"), provider)
    return replace(provider, models=with_compat(models, object_field(given, "compat")))


def provider_from_config(name: str, config: ProviderConfig) -> Provider:
    """The provider that an extension registers.

    Raises: MalformedEntry.
    """
    given = {"base_url": config.base_url, "api_key": config.api_key, "api": config.api, "name": config.name}
    oauth = oauth_hooks(config.oauth)
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
    )
    # Without the provider's address, so that a later registration of an address alone moves the models.
    listed = config.models or ()
    if isinstance(listed, (str, Mapping)):
        raise MalformedEntry("models is not a list")
    return replace(provider, models=models_from(list(listed), Provider(name=name)))


def needs_key(api_key: str | None, base_url: str | None) -> bool:
    """Whether there is no way without a key: a server of one's own answers without, unless one is given."""
    return api_key is not None or base_url is None or NEAR.match(base_url) is None


def with_compat(models: tuple[Model, ...], compat: Mapping[str, Any]) -> tuple[Model, ...]:
    """The models with what a provider says of all of them; what a model says itself wins."""
    if not compat:
        return models
    own = (model.extra.get("compat") for model in models)
    tables = ({**compat, **(table if isinstance(table, Mapping) else {})} for table in own)
    return tuple(
        replace(model, extra={**model.extra, "compat": table})
        for model, table in zip(models, tables, strict=True)
    )


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
    known: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for key, value in item.items():
        name = snake(str(key))
        if name in MODEL_FIELDS:
            known[name] = value
        elif name != "provider":
            extra[str(key)] = value
    for name in ("context_window", "max_tokens"):
        if name in known and (isinstance(known[name], bool) or not isinstance(known[name], int)):
            raise MalformedEntry(f"model {item['id']}: {name} is not a whole number")
    known["api"] = known.get("api") or provider.api
    known["base_url"] = known.get("base_url") or provider.base_url
    return Model(**{**known, "provider": provider.name, "extra": extra})


def overridden(model: Model, changes: Mapping[str, Any]) -> Model:
    """The model with the fields of an entry of `modelOverrides` over its own."""
    given = {snake(str(key)): value for key, value in changes.items()}
    known = {name: value for name, value in given.items() if name in MODEL_FIELDS and name != "id"}
    extra = {key: value for key, value in changes.items() if snake(str(key)) not in MODEL_FIELDS}
    return replace(model, **known, extra={**model.extra, **extra}) if extra else replace(model, **known)


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

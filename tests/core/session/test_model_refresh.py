"""Providers of extensions that say anew which models they have."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hookspecs.definitions import Model
from pi_core.api import ExtensionAPI, ProviderConfig, RefreshModelsContext
from pi_core.session.session import Session
from tests.support.agent_cli import agent_cli
from tests.support.rpc_client import rpc
from tests.support.session_bench import Factory, SessionBench

HOUSE = {"baseUrl": "http://x.invalid", "api": "scripted", "apiKey": "k", "models": [{"id": "old"}]}
IN_TIME = 60.0


def acme(refresh_models: Any) -> Factory:
    """An extension whose provider, in the spelling of the TypeScript pi, has a function of that kind."""

    def extension(pi: ExtensionAPI) -> None:
        pi.register_provider("acme", {**HOUSE, "refreshModels": refresh_models})

    return extension


def listed(session: Session, provider: str = "acme") -> list[str]:
    return [model.id for model in session.parts.models.registry.models() if model.provider == provider]


async def refresh(session: Session, patience_s: float = IN_TIME) -> None:
    await session.parts.models.registry.refresh(patience_s)


async def test_the_answer_takes_the_place_of_the_list(tmp_path: Path) -> None:
    """Address and api are the provider's, the model in use is the new one, and nobody asked at the start."""
    asked: list[str] = []

    def models() -> list[Mapping[str, Any]]:
        asked.append("acme")
        return [{"id": "old", "name": "Renamed", "contextWindow": 9000}, {"id": "new"}]

    async def run(session: Session) -> None:
        await session.set_model(session.controls.find_model("acme", "old"))
        assert ([], ["old"]) == (asked, listed(session))
        await refresh(session)
        assert (["acme"], ["old", "new"]) == (asked, listed(session))
        assert ("Renamed", 9000) == (session.model.name, session.model.context_window)
        new = session.controls.find_model("acme", "new")
        assert ("http://x.invalid", "scripted") == (new.base_url, new.api)

    bench = await SessionBench(tmp_path, [], acme(models)).run(then=run)
    assert [] == bench.errors()


async def test_a_coroutine_is_told_whose_list_is_wanted(tmp_path: Path) -> None:
    """The context has the provider, the models so far and its key."""
    told: list[RefreshModelsContext] = []

    async def models(context: RefreshModelsContext) -> list[Model]:
        told.append(context)
        await asyncio.sleep(0)
        return [Model(id="own", provider="", api="")]

    def extension(pi: ExtensionAPI) -> None:
        config = ProviderConfig(
            base_url="http://x.invalid", api="scripted", api_key="k", refresh_models=models,
            models=[{"id": "old"}],
        )  # fmt: skip
        pi.register_provider("acme", config)

    async def run(session: Session) -> None:
        await refresh(session)
        (context,) = told
        assert ("acme", ["old"], "k", None) == (
            context.provider, [model.id for model in context.models], context.api_key, context.credentials,
        )  # fmt: skip
        assert ["own"] == listed(session)

    await SessionBench(tmp_path, [], extension).run(then=run)


async def for_ever() -> list[Any]:
    await asyncio.Event().wait()
    return []


async def stubborn() -> list[Any]:
    """Swallows its first cancellation, and answers all the same."""
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        return [{"id": "late"}]
    return []


async def gives_itself_up() -> list[Any]:
    raise asyncio.CancelledError


def divides() -> list[Any]:
    return [1 / 0]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (divides, "division by zero"),
        (for_ever, "it gave no list within 0.05 s"),
        (stubborn, "it gave no list within 0.05 s"),
        (gives_itself_up, "what it waited for was cancelled"),
        (lambda: None, "it answered nothing, not a list of models"),
        (lambda: "abc", "it answered a str, not a list of models"),
        (lambda: {"id": "a"}, "it answered a dict, not a list of models"),
        (lambda: [{"name": "a"}], "a model needs an id"),
        (lambda: [{"id": "new", "contextWindow": "big"}], "model new: context_window is not a whole number"),
        (lambda one, two: [], "missing 2 required positional arguments"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_list_that_cannot_be_had_leaves_the_old_one(
    tmp_path: Path, answer: Any, problem: str
) -> None:
    """A finding names extension, provider and reason; the other provider's answer counts."""

    def other(pi: ExtensionAPI) -> None:
        pi.register_provider("other", {**HOUSE, "refreshModels": lambda: [{"id": "new"}]})

    async def run(session: Session) -> None:
        await refresh(session)
        await asyncio.sleep(0)  # for one that answers late
        assert (["old"], ["new"]) == (listed(session), listed(session, "other"))
        (finding,) = [found for found in session.diagnostics if found.stage == "refresh_models"]
        assert finding.message.startswith("Extension <inline:2>, refresh_models: provider acme: ")
        assert problem in finding.message
        assert finding.message.endswith("; its models stay as they are")

    bench = SessionBench(tmp_path, [], acme(answer), other, settings="[budgets]\nhandler-s = 0.05\n")
    await bench.run(then=run)


async def test_a_function_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    """It is cancelled when its time is up, and its provider can be asked again."""
    ends: list[str] = []

    async def models() -> list[Mapping[str, Any]]:
        try:
            await asyncio.Event().wait()
        finally:
            ends.append("stopped")
        return []

    async def run(session: Session) -> None:
        for count in (1, 2):
            await refresh(session)
            await asyncio.sleep(0)
            assert ["stopped"] * count == ends

    await SessionBench(tmp_path, [], acme(models), settings="[budgets]\nhandler-s = 0.05\n").run(then=run)


async def test_who_lists_has_patience_and_a_late_answer_counts(tmp_path: Path) -> None:
    """After its patience the list of before is shown; the function runs once, and what it says counts."""
    ready, asked = asyncio.Event(), []

    async def models() -> list[Mapping[str, Any]]:
        asked.append(1)
        await ready.wait()
        return [{"id": "new"}]

    async def run(session: Session) -> None:
        await refresh(session, 0.0)
        assert ["old"] == listed(session)
        ready.set()
        await refresh(session)
        assert (["new"], 1) == (listed(session), len(asked))

    await SessionBench(tmp_path, [], acme(models)).run(then=run)


@pytest.mark.parametrize("end", ["unregister", "reload", "dispose"])
async def test_what_is_under_way_ends_with_its_registration(tmp_path: Path, end: str) -> None:
    """An answer for a provider that is gone, or of a load that ended, is nobody's any more."""
    ready = asyncio.Event()

    async def models() -> list[Mapping[str, Any]]:
        await ready.wait()
        return [{"id": "new"}]

    def extension(pi: ExtensionAPI) -> None:
        acme(models)(pi)
        pi.command("gone")(lambda args, ctx: pi.unregister_provider("acme"))

    async def run(session: Session) -> None:
        waiting = asyncio.ensure_future(refresh(session))
        await asyncio.sleep(0)
        if end == "unregister":
            await session.prompt("/gone")
            ready.set()
        elif end == "reload":
            await session.reload()
        else:
            await session.dispose()
        await waiting
        assert ([] if end == "unregister" else ["old"]) == listed(session)
        assert [] == [found for found in session.diagnostics if found.stage == "refresh_models"]

    await SessionBench(tmp_path, [], extension).run(then=run)


async def test_an_extension_can_ask_for_fresh_lists(tmp_path: Path) -> None:
    """`ctx.models.refresh()` waits for them; from within such a function it changes nothing."""
    contexts: list[Any] = []

    async def models() -> list[Mapping[str, Any]]:
        await contexts[0].models.refresh()
        return [{"id": "new"}]

    def extension(pi: ExtensionAPI) -> None:
        acme(models)(pi)

        @pi.command("lists")
        async def lists(args: str, ctx: Any) -> None:
            contexts.append(ctx)
            await ctx.models.refresh()

    async def run(session: Session) -> None:
        await session.prompt("/lists")
        await session.wait_for_idle()
        assert ["new"] == listed(session)

    bench = await SessionBench(tmp_path, [], extension).run(then=run)
    assert [] == bench.errors()


async def test_what_is_no_function_is_refused(tmp_path: Path) -> None:
    """When the provider is registered, by the name of the field."""
    bench = await SessionBench(tmp_path, [], acme("soon")).run()
    assert [("register_provider", "provider acme: refresh_models is not a function")] == bench.errors()


EXTENSION = """
    async def models(context):
        return [{"id": "fresh"}]

    def fails():
        raise OSError("no route")

    def extension(pi):
        house = {"baseUrl": "http://127.0.0.1:9", "api": "scripted", "models": [{"id": "old"}]}
        pi.register_provider("house", {**house, "refreshModels": models})
        pi.register_provider("dark", {**house, "refreshModels": fails})
    """


def test_lists_of_the_command_line_and_of_clients_are_fresh(tmp_path: Path) -> None:
    """--list-models and get_available_models ask; a provider that fails is told, and listed as before."""
    pi = agent_cli(tmp_path)
    path = pi.user_extension(EXTENSION, "house.py")
    ran = pi.run("--mode", "json", "--list-models")
    document = json.loads(ran.out)
    assert {("house", "fresh"), ("dark", "old")} == {
        (model["provider"], model["id"]) for model in document["observed"] if model["id"] in ("fresh", "old")
    }
    assert [f"Extension {path}, refresh_models: provider dark: no route; its models stay as they are"] == [
        found["message"] for found in document["diagnostics"] if found["stage"] == "refresh_models"
    ]
    with rpc(pi) as client:
        found = client.data("get_available_models")["models"]
        assert ("house", "fresh") in [(model["provider"], model["id"]) for model in found]

"""A long life of a session by chance, with many extensions: turns, tools, aborts, compactions, moves.

The same seed gives the same wishes; when they take effect is up to the event loop.

Touches: files, processes.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hookspecs.messages import AssistantMessage, Message, TextContent, ToolCallContent, Usage, UserMessage
from pi_core.api import (
    AgentStart,
    Block,
    Boundary,
    ExtensionAPI,
    ProviderConfig,
    ReplaceMessages,
    ResultPatch,
)
from pi_core.embedding import create_session
from pi_core.errors import AgentError
from pi_core.history.entries import MessageEntry
from pi_core.history.sessions import create_session as new_store
from pi_core.history.store import SessionStore
from pi_core.providers.base import BlockEvent, Context, Done, Failed, StreamOptions, StreamStart
from pi_core.session.events import SessionEvent
from pi_core.session.session import Session

EXTENSIONS = 20
SETTINGS = """
[retry]
base-delay-ms = 0
[compaction]
reserve-tokens = 1000
keep-recent-tokens = 800
"""
MODEL = {"id": "chance", "name": "Chance", "contextWindow": 6000, "maxTokens": 500}
WORDS = ("harbour", "lamp", "signal", "merge", "branch", "parser", "river")
OBSERVED = (
    "agent_start", "agent_end", "turn_start", "message_start", "message_update", "message_end",
    "tool_execution_start", "tool_execution_update", "tool_execution_end", "agent_settled",
    "session_compact", "session_compact_failed", "session_tree", "before_provider_headers",
)  # fmt: skip


@dataclass(slots=True)
class Soaked:
    """What came of it. `open_ends` are starts without an end, by type."""

    store: SessionStore
    turns: int = 0
    happened: Counter[str] = field(default_factory=Counter)
    differences: int = 0
    """How often the session had another conversation than its history."""

    @property
    def open_ends(self) -> dict[str, int]:
        kinds = ("agent", "turn", "message", "tool_execution", "compaction", "auto_retry")
        missing = {kind: self.happened[f"{kind}_start"] - self.happened[f"{kind}_end"] for kind in kinds}
        missing["auto_retry"] = 0  # a series of attempts has one end
        return {kind: count for kind, count in missing.items() if count}


class Chance:
    """A model that answers by chance: words, calls, failures that pass and some that do not."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    async def stream(self, model: Any, context: Context, options: StreamOptions) -> AsyncIterator[BlockEvent]:
        """One answer; an abort ends it."""
        await options.hooks.before_headers({})
        size = sum(len(str(message.content)) for message in context.messages) // 4
        answer = AssistantMessage(
            api=model.api, provider=model.provider, model=model.id, usage=Usage(input=size, output=20)
        )
        failure = self._failure()
        if failure is not None:
            answer.stop_reason, answer.error_message = "error", failure
            yield Failed(message=answer)
            return
        yield StreamStart(partial=AssistantMessage(api=model.api, provider=model.provider, model=model.id))
        await asyncio.sleep(0)
        if context.tools and self._random.random() < 0.4:
            answer.content = [self._call() for _ in range(self._random.choice((1, 1, 3)))]
            answer.stop_reason = "toolUse"
        else:
            answer.content = [TextContent(text=" ".join(self._random.choices(WORDS, k=40)))]
        yield Done(message=answer)

    def _failure(self) -> str | None:
        chance = self._random.random()
        if chance < 0.02:
            return "503 service unavailable"
        if chance < 0.025:
            return "400: this model's maximum context length is 6000 tokens"
        return "400: bad request" if chance < 0.03 else None

    def _call(self) -> ToolCallContent:
        name = self._random.choice(("work", "work", "alone", "fails", "nobody"))
        return ToolCallContent(id=f"c{self._random.getrandbits(64):x}", name=name, arguments={"n": 1})


def extensions(chance: Chance) -> list[Callable[[ExtensionAPI], None]]:
    """Tools and the model first, then extensions that look, guard, change and add."""

    def base(pi: ExtensionAPI) -> None:
        @pi.tool
        async def work(n: int, on_update: Any) -> str:
            on_update("half")
            await asyncio.sleep(0)
            return "worked"

        @pi.tool(mode="sequential")
        def alone(n: int) -> str:
            return "alone"

        @pi.tool
        def fails(n: int) -> str:
            raise ValueError("no")

        config = ProviderConfig(
            api="chance", api_key="k", base_url="http://x.invalid", models=[MODEL], stream=chance.stream
        )
        pi.register_provider("chance", config)

    return [base, *(_one(number) for number in range(EXTENSIONS - 1))]


def _one(number: int) -> Callable[[ExtensionAPI], None]:
    def extension(pi: ExtensionAPI) -> None:
        seen: Counter[str] = Counter()

        def look(event: Any, ctx: Any) -> None:
            seen[event.event_name] += 1

        for name in OBSERVED:
            pi.on(name, look, optional=True)
        if number % 5 == 0:
            pi.on("tool_call", lambda event, ctx: Block("not now") if _rare(seen, "tool_call", 17) else None)
            pi.on("tool_result", lambda event, ctx: ResultPatch(details={"by": number}))
        if number % 5 == 1:
            pi.on("context", lambda event, ctx: ReplaceMessages(event.messages))
        if number % 5 == 2:
            pi.on("before_agent_start", lambda event, ctx: AgentStart(system_prompt=f"{number}"))
        if number == 4:
            for name in ("turn_start", "tool_call", "context", "session_before_compact"):
                pi.on(name, lambda event, ctx: _fail() if _rare(seen, "failure", 31) else None, optional=True)
        if number == 3:
            pi.on("turn_end", lambda event, ctx: _note(event) if _rare(seen, "note", 23) else None)

    return extension


def _rare(seen: Counter[str], name: str, every: int) -> bool:
    seen[name] += 1
    return seen[name] % every == 0


def _fail() -> None:
    raise ValueError("an extension fails")


def _note(event: Any) -> Boundary:
    drafts = [
        {"type": "custom_message", "custom_type": "note", "content": "noted"},
        {"type": "custom", "custom_type": "n"},
    ]
    return Boundary(entries=[*event.entries, *drafts])


async def soak(
    folder: Path, turns: int, *, seed: int = 1, at: Callable[[Soaked], None] | None = None
) -> Soaked:
    """Live for at least so many turns. `at` is shown the life whenever nothing goes on."""
    (folder / "agent").mkdir(parents=True, exist_ok=True)
    (folder / "agent" / "settings.toml").write_text(SETTINGS, encoding="utf-8")
    soaked = Soaked(new_store(folder / "talks", str(folder)))
    opening = create_session(
        cwd=folder, agent_dir=folder / "agent", environ={"PATH": "/usr/bin:/bin"}, model="chance/chance",
        extensions=extensions(Chance(seed)), session_store=soaked.store,
    )  # fmt: skip
    async with opening as session:
        life = _Life(session, soaked, random.Random(seed))
        with session.subscribe(life.hear):
            while soaked.turns < turns:
                await life.round()
                if at is not None:
                    at(soaked)
            await session.prompt("the end")
            await session.wait_for_idle()
            life.compare()
    return soaked


class _Life:
    """What a person and a host do, by chance."""

    def __init__(self, session: Session, soaked: Soaked, chance: random.Random) -> None:
        self._session = session
        self._soaked = soaked
        self._chance = chance
        self._meanwhile: list[Callable[[], Any]] = []
        self._tasks: set[asyncio.Task[Any]] = set()

    def hear(self, event: SessionEvent) -> None:
        """Count, and now and then do something in the middle of it."""
        self._soaked.happened[event.type] += 1
        if event.type == "turn_end":
            self._soaked.turns += 1
        if self._meanwhile and self._chance.random() < 0.1:
            self._start(self._meanwhile.pop())

    def _start(self, wish: Callable[[], Any]) -> None:
        async def carry_out() -> None:
            try:
                answer = wish()
                if asyncio.iscoroutine(answer):
                    await answer
            except AgentError as error:
                self._soaked.happened[type(error).__name__] += 1

        task = asyncio.get_running_loop().create_task(carry_out())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def round(self) -> None:
        """One prompt with what comes between, then perhaps something that needs the session at rest."""
        session, chance = self._session, self._chance
        wishes: list[tuple[float, Callable[[], Any]]] = [
            (0.3, lambda: session.steer("steer " * chance.randrange(1, 9))),
            (0.2, lambda: session.follow_up("follow")),
            (0.1, session.request_abort),
            (0.05, session.compact),
            (0.05, session.abort_compaction),
            (0.02, session.clear_queue),
            (0.02, lambda: session.execute_bash("true")),
            (0.01, session.reload),
        ]
        prompt = asyncio.ensure_future(
            session.prompt("word " * chance.randrange(1, 200), deliver_as="follow_up")
        )
        wishes.append((0.05, prompt.cancel))
        self._meanwhile = [wish for likely, wish in wishes if chance.random() < likely]
        chance.shuffle(self._meanwhile)
        await asyncio.wait({prompt})
        if not prompt.cancelled():
            prompt.result()
        if chance.random() < 0.05:
            self._start(lambda: session.compact("short"))
        if chance.random() < 0.05:
            self._start(self._go_back)
        while self._tasks:
            await asyncio.wait(self._tasks)
        await session.wait_for_idle()
        if chance.random() < 0.05:
            self.compare()

    async def _go_back(self) -> None:
        branch = [entry for entry in self._soaked.store.get_branch() if isinstance(entry, MessageEntry)]
        said = [entry for entry in branch[-20:] if isinstance(entry.message, UserMessage)]
        if said:
            target = self._chance.choice(said)
            summarize = self._chance.random() < 0.5
            await self._session.navigate_tree(target.id, summarize=summarize, label="here")
            self._soaked.happened["navigated"] += 1

    def compare(self) -> None:
        """The session has the conversation that its history says."""
        if timeless(self._session.messages) != timeless(self._soaked.store.build_context().messages):
            self._soaked.differences += 1


def timeless(messages: Sequence[Message]) -> list[Message]:
    """The messages without their times: a note has the time of its entry, once it is read again."""
    return [replace(message, timestamp=0) for message in messages]

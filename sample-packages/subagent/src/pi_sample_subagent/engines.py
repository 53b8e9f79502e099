"""Who does the work: this process, a process each, or the workers of a Dask cluster."""

from __future__ import annotations

import asyncio
import sys
from typing import Any, Protocol

import pi_core
from pi_core.api import AssistantMessage, ExtensionAPI, text_of
from pi_sample_subagent.agents import Answer, Plan, Task

TIME_LIMIT_S = 1800.0
"""How long one child may take."""


class Engine(Protocol):
    """Runs one task at a time, as often at once as it is asked to."""

    async def run(self, task: Task) -> Answer:
        """The answer; a child that fails is an answer that says so. Cancelling ends the child."""
        ...

    async def close(self) -> None:
        """Nothing follows."""
        ...


def engine_for(plan: Plan, pi: ExtensionAPI) -> Engine:
    """The engine that the settings name."""
    match plan.engine:
        case "process":
            return InProcess()
        case "subprocess":
            return Subprocess(pi)
        case "dask":
            return OnDask(plan.scheduler)


class InProcess:
    """A session in memory, beside the parent's."""

    async def run(self, task: Task) -> Answer:
        return await child(task)

    async def close(self) -> None:
        return


class Subprocess:
    """`pi -p` with the same interpreter, ended with its parent."""

    def __init__(self, pi: ExtensionAPI) -> None:
        self._pi = pi

    async def run(self, task: Task) -> Answer:
        words = ["-m", "pi_core.cli.main", "-p", "--no-session", "--no-extensions"]
        words += ["--model", task.model] if task.model is not None else []
        words += ["--tools", ",".join(task.tools)] if task.tools is not None else []
        done = await self._pi.exec(
            sys.executable, [*words, "--", task.prompt], cwd=task.cwd, timeout_s=TIME_LIMIT_S
        )
        if done.code == 0:
            return Answer(task.text, done.stdout.strip())
        reason = done.stderr.strip().splitlines()
        return Answer(task.text, reason[-1] if reason else f"The agent ended with {done.code}.", ok=False)

    async def close(self) -> None:
        return


class OnDask:
    """The workers of a cluster: the one at `address`, or one of this machine's that ends with the session."""

    def __init__(self, address: str | None) -> None:
        self._address = address
        self._client: Any = None
        self._starting = asyncio.Lock()

    async def run(self, task: Task) -> Answer:
        future = (await self._connected()).submit(work, task, pure=False, retries=2)
        try:
            answer: Answer = await future
        except asyncio.CancelledError:
            await future.cancel()
            raise
        except Exception as error:  # noqa: BLE001 - whatever a cluster can break by is an answer
            return Answer(task.text, f"The cluster gave the task up: {error}", ok=False)
        return answer

    async def _connected(self) -> Any:
        """The client, made with the first task. Raises: LookupError without the library."""
        async with self._starting:
            if self._client is None:
                try:
                    from distributed import Client
                except ModuleNotFoundError as error:
                    wanted = "pip install 'pi-sample-subagent[dask]'"
                    raise LookupError(f"the engine dask needs the library distributed: {wanted}") from error
                connect: Any = Client  # the library has no types
                own: Any = {"dashboard_address": None} if self._address is None else {}  # of its own cluster
                self._client = await connect(self._address, asynchronous=True, **own)
            return self._client

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            if self._address is None and self._client.cluster is not None:
                await self._client.cluster.close()


def work(task: Task) -> Answer:
    """A task on a worker, which has no event loop of its own in this thread."""
    return asyncio.run(child(task))


async def child(task: Task) -> Answer:
    """One session from its prompt to its last word."""
    try:
        async with pi_core.create_session(
            cwd=task.cwd,
            model=task.model,
            tools=task.tools,
            discover=False,
            session_store=pi_core.memory_session(task.cwd),
        ) as session:
            async with asyncio.timeout(TIME_LIMIT_S):
                await session.prompt(task.prompt, expand=False)
                await session.wait_for_idle()
            return last_word(task, session.messages[-1])
    except (pi_core.AgentError, TimeoutError) as error:
        return Answer(task.text, str(error) or "The agent took too long.", ok=False)


def last_word(task: Task, message: object) -> Answer:
    """The answer in the last message of a session."""
    if not isinstance(message, AssistantMessage):
        return Answer(task.text, "The agent said nothing.", ok=False)
    if message.stop_reason in ("error", "aborted"):
        return Answer(task.text, message.error_message or f"The agent was {message.stop_reason}.", ok=False)
    return Answer(task.text, text_of(message.content))

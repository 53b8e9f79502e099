"""The tool `delegate`. Who does the work is in `engines.py`, what the settings say in `agents.py`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any

from pi_core.api import ExtensionAPI, ToolContext, ToolResult
from pi_sample_subagent.agents import Answer, Plan, Task, plan_of, task_for
from pi_sample_subagent.engines import Engine, engine_for


def extension(pi: ExtensionAPI) -> None:
    """Register the tool. Its engine is made with the first task and ends with the session."""
    engines: dict[str, Engine] = {}

    @pi.tool(
        prompt_snippet="Delegate independent tasks to agents of their own, which run at the same time",
        prompt_guidelines=["Give each task of delegate all that it needs to know; agents see nothing else"],
    )
    async def delegate(
        tasks: Annotated[list[str] | str, "One task, or several that do not depend on each other"],
        ctx: ToolContext,
        on_update: Any,
        agent: Annotated[str, "The kind of agent"] = "worker",
    ) -> ToolResult:
        """Give tasks to agents of their own and wait for their answers."""
        plan = plan_of(pi.get_settings().get("subagent"))
        wanted = [task_for(text, agent, plan, ctx) for text in ([tasks] if isinstance(tasks, str) else tasks)]
        engine = engines.setdefault(plan.engine, engine_for(plan, pi))
        answers = await all_of(wanted, engine, plan, on_update)
        failed = all(not answer.ok for answer in answers)
        return ToolResult(content=told(answers), details=[a.to_json() for a in answers], is_error=failed)

    @pi.on("session_shutdown")
    async def end(event: object, ctx: object) -> None:
        for engine in engines.values():
            await engine.close()


async def all_of(tasks: Sequence[Task], engine: Engine, plan: Plan, on_update: Any) -> list[Answer]:
    """The answers in the order of the tasks; at most `plan.limit` agents work at once."""
    free = asyncio.Semaphore(plan.limit)
    done = 0

    async def one(task: Task) -> Answer:
        nonlocal done
        async with free:
            try:
                answer = await engine.run(task)
            except (LookupError, OSError) as error:  # a library or a scheduler that is not there
                answer = Answer(task.text, str(error), ok=False)
        done += 1
        on_update(ToolResult(content=f"{done} of {len(tasks)} done"))
        return answer

    async with asyncio.TaskGroup() as group:  # an abort cancels all of them
        running = [group.create_task(one(task)) for task in tasks]
    return [work.result() for work in running]


def told(answers: Sequence[Answer]) -> str:
    """One answer as it is; several under a heading each."""
    if len(answers) == 1:
        return answers[0].text
    return "\n\n".join(f"## Task {number}: {a.task}\n\n{a.text}" for number, a in enumerate(answers, 1))

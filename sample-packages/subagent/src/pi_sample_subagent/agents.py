"""Tasks and answers as values, and what the settings say about agents. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, TypeAlias

from pi_core.api import ExtensionContext

EngineName: TypeAlias = Literal["process", "subprocess", "dask"]
ENGINES: Final = ("process", "subprocess", "dask")


@dataclass(frozen=True, slots=True)
class Agent:
    """A kind of agent: None as tools means all."""

    tools: tuple[str, ...] | None = None
    instructions: str = ""
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """Who works, how many at once, and which kinds of agent there are."""

    engine: EngineName
    limit: int
    scheduler: str | None
    agents: Mapping[str, Agent]


@dataclass(frozen=True, slots=True)
class Task:
    """What one child is told, and where it works. Nothing but text, so that it can travel."""

    text: str
    cwd: str
    model: str | None
    tools: tuple[str, ...] | None
    instructions: str

    @property
    def prompt(self) -> str:
        return f"{self.text}\n\n{self.instructions}" if self.instructions else self.text


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a task."""

    task: str
    text: str
    ok: bool = True

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def plan_of(table: Any) -> Plan:
    """The plan of the settings. Raises: ValueError for an engine that there is not."""
    given = table if isinstance(table, Mapping) else {}
    engine = given.get("engine", "process")
    if engine not in ENGINES:
        raise ValueError(f"subagent.engine is {engine!r}; there are {', '.join(ENGINES)}")
    limit, scheduler, agents = given.get("limit", 4), given.get("scheduler"), given.get("agents")
    return Plan(
        engine=engine,
        limit=limit if isinstance(limit, int) and limit > 0 else 4,
        scheduler=scheduler if isinstance(scheduler, str) else None,
        agents={
            "worker": Agent(),
            **{
                str(name): _agent(fields)
                for name, fields in (agents if isinstance(agents, Mapping) else {}).items()
                if isinstance(fields, Mapping)
            },
        },
    )


def task_for(text: str, agent: str, plan: Plan, ctx: ExtensionContext) -> Task:
    """The task of an agent of that kind; the model is the parent's where the kind names none."""
    kind = plan.agents.get(agent)
    if kind is None:
        raise LookupError(f"there is no agent {agent!r}; there are {', '.join(plan.agents)}")
    parent = None if ctx.model is None else f"{ctx.model.provider}/{ctx.model.id}"
    return Task(text, ctx.cwd, kind.model or parent, kind.tools, kind.instructions)


def _agent(fields: Mapping[str, Any]) -> Agent:
    tools, model = fields.get("tools"), fields.get("model")
    return Agent(
        tools=tuple(map(str, tools)) if isinstance(tools, list) else None,
        instructions=str(fields.get("instructions", "")),
        model=model if isinstance(model, str) else None,
    )

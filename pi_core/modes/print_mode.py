"""The print mode: the conversation runs, and its last answer is the output.

Touches: standard output, standard error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hookspecs.messages import AssistantMessage, TextContent
from pi_core.agent.events import MessageEnd
from pi_core.modes.base import Output, Prompt, converse, say

if TYPE_CHECKING:
    from pi_core.session.events import SessionEvent
    from pi_core.session.runtime import SessionRuntime


async def run_print(runtime: SessionRuntime, prompts: Sequence[Prompt], output: Output) -> int:
    """Answer on standard output. Returns 1 if the last answer is no whole one."""
    answers: list[AssistantMessage] = []

    def hear(event: SessionEvent) -> None:
        if isinstance(event, MessageEnd) and isinstance(event.message, AssistantMessage):
            answers[:] = [event.message]

    with runtime.subscribe(hear):
        await converse(runtime, prompts, "print")
    messages = runtime.session.messages
    if messages and isinstance(messages[-1], AssistantMessage):
        return print_answer(messages[-1], output)
    if answers and answers[0].stop_reason == "error":
        return print_answer(answers[0], output)  # it did not fit, and left what the model reads
    return 0


def print_answer(answer: AssistantMessage, output: Output) -> int:
    """The text blocks of the answer, a line feed after each; or why there is no whole answer, and 1."""
    if answer.stop_reason in ("error", "aborted"):
        say(f"pi: {answer.error_message or f'the request ended: {answer.stop_reason}'}")
        return 1
    for block in answer.content:
        if isinstance(block, TextContent):
            output.show(block.text + "\n")
    if answer.stop_reason == "length":
        say("pi: the answer was cut off at the model's output limit")
        return 1
    return 0

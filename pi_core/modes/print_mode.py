"""The print mode: the conversation runs, and its last answer is the output.

Touches: standard output, standard error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hookspecs.messages import AssistantMessage, TextContent
from pi_core.modes.base import Output, Prompt, converse, say

if TYPE_CHECKING:
    from pi_core.session.runtime import SessionRuntime


async def run_print(runtime: SessionRuntime, prompts: Sequence[Prompt], output: Output) -> int:
    """Answer on standard output. Returns 1 if the last answer is no whole one."""
    await converse(runtime, prompts, "print")
    messages = runtime.session.messages
    if not messages or not isinstance(messages[-1], AssistantMessage):
        return 0
    return print_answer(messages[-1], output)


def print_answer(answer: AssistantMessage, output: Output) -> int:
    """The text blocks of the answer, a line feed after each; or why there is no whole answer, and 1."""
    if answer.stop_reason in ("error", "aborted"):
        say(f"pi: {answer.error_message or f'the request ended: {answer.stop_reason}'}")
        return 1
    for block in answer.content:
        if isinstance(block, TextContent):
            output.write(block.text + "\n")
    if answer.stop_reason == "length":
        say("pi: the answer was cut off at the model's output limit")
        return 1
    return 0

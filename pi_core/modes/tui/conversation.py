"""What becomes of what the person sends: a command, a shell command, a prompt, or a message that waits.

Touches: the session, and whatever it touches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from hookspecs.messages import BashExecutionMessage, ImageContent
from pi_core.errors import AgentError, BusyError, ModelChoiceError
from pi_core.modes.tui.blocks.notes import ShellBlock
from pi_core.modes.tui.commands import Commands
from pi_core.modes.tui.desk import Desk
from pi_core.modes.tui.log.block import Block
from pi_core.session.prompting import QueueName
from pi_core.session.session import Session
from pi_pkg import PackageError


class Paper(Protocol):
    """The log, for what the session does not tell by itself."""

    def append(self, block: Block) -> None: ...
    def touch(self, block: Block) -> None: ...


class Conversation:
    """The person's side of the session that is there at the moment.

    `give_back` puts a text that was not sent where it can be changed.
    """

    def __init__(
        self, desk: Desk, commands: Commands, paper: Paper, give_back: Callable[[str], object] = str
    ) -> None:
        self._desk = desk
        self._commands = commands
        self._paper = paper
        self._give_back = give_back
        self._asked_about: str | None = None

    @property
    def session(self) -> Session:
        """The session of the moment."""
        return self._desk.runtime.session

    @property
    def busy(self) -> bool:
        """Whether anything goes on that can be stopped."""
        session = self.session
        return not session.is_idle or session.bash.is_running or session.is_compacting

    async def send(self, text: str, *, follow_up: bool = False, images: Sequence[ImageContent] = ()) -> None:
        """Do what the text asks for. What goes wrong is said to the person."""
        found = self._commands.find(text)
        try:
            if found is not None:
                command, args = found
                answer = command.run(self._desk, args)
                if answer is not None:
                    await answer
            elif text.startswith("!"):
                await self.shell(text.lstrip("!").strip(), hidden=text.startswith("!!"))
            elif not self._proposes(text):
                await self.prompt(text, follow_up=follow_up, images=images)
        except (AgentError, PackageError) as error:
            self._desk.tell(str(error), "error")
            if self.session.is_disposed:
                self._desk.tell(ENDED)

    def _proposes(self, text: str) -> bool:
        """Whether the text is like the call of a command, so that it is asked about before it is sent.

        Sent again as it is, it goes to the model.
        """
        again, self._asked_about = text == self._asked_about, None
        if again or not text.startswith("/"):
            return False
        parts = self.session.parts
        others = [command.invocation for command in parts.runner.registry.commands()]
        others += [command.name for command in parts.system.commands()]
        near = self._commands.near_miss(text, others)
        if near is None:
            return False
        self._asked_about = text
        self._give_back(text)
        called = text.split(maxsplit=1)[0]
        self._desk.tell(f"There is no {called}; did you mean /{near}? Send it again to say it to the model.")
        return True

    async def prompt(
        self, text: str, *, follow_up: bool = False, images: Sequence[ImageContent] = ()
    ) -> None:
        """Say it to the agent; while something goes on it steers, or follows up. Raises: AgentError."""
        waiting: QueueName = "follow_up" if follow_up else "steer"
        try:
            await self.session.prompt(text, images=images, deliver_as=waiting)
        except ModelChoiceError as error:
            self._desk.tell(f"{error.message} {NO_MODEL}", "error")
        except BusyError:
            self._desk.tell("Something else began meanwhile; send it again.", "warning")

    async def shell(self, command: str, *, hidden: bool) -> None:
        """Run a command of the person's; `hidden` keeps it from the model. Raises: AgentError."""
        if not command:
            return
        message = BashExecutionMessage(command=command, output="", exclude_from_context=hidden or None)
        block = ShellBlock(message, running=True)
        self._paper.append(block)

        def grow(piece: str) -> None:
            message.output = (message.output + piece)[-MOST_OUTPUT:]
            self._paper.touch(block)

        try:
            result = await self.session.execute_bash(command, hidden, grow)
            message.output, message.exit_code = result.output, result.exit_code
            message.cancelled, message.truncated = result.cancelled, result.truncated
            message.full_output_path = result.full_output_path
        finally:
            block.running = False
            self._paper.touch(block)

    def stop(self) -> bool:
        """Stop what goes on. False if nothing does."""
        session = self.session
        if session.bash.is_running:
            session.abort_bash()
            return True
        if not self.busy:
            return False
        session.abort_compaction()
        session.request_abort()
        return True

    def take_back(self) -> str:
        """What waits in the queues, which are empty afterwards: to be edited again."""
        steering, follow_ups = self.session.clear_queue()
        return "\n\n".join([*steering, *follow_ups])


ENDED: Final = "This conversation has ended. /new begins another, /resume goes on with an earlier one."
"""What is left to do when nothing could take the place of a conversation."""
NO_MODEL: Final = "/login gives a provider its key, /model chooses; then send it again (up brings it back)."
MOST_OUTPUT: Final = 100_000
"""Of the output of a command that still runs, so many characters are kept for showing."""

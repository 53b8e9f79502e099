"""Which key does what: the actions of the interactive mode by id, their keys, and the person's changes.

Ids and defaults are those of pi's keybindings, so that a person's own table fits. Where pi has no key that
every terminal can send, there is a second one.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from textual.binding import Binding

from hookspecs.values import dataclass

Where: TypeAlias = Literal["chat", "editor", "search", "list", "sessions", "models", "tree"]
"""Who reads the key: the screen with all around the editor, the editor itself, the search line, lists to
choose from, and three of these with keys of their own."""


@dataclass(frozen=True, slots=True)
class KeyAction:
    """An action that keys call. `run` is what Textual calls it."""

    id: str
    keys: tuple[str, ...]
    run: str
    description: str
    where: Where = "chat"


_TABLE: Final[Mapping[Where, tuple[tuple[str, str, str, str], ...]]] = {
    "chat": (
        ("app.interrupt", "escape", "app.interrupt", "stop what goes on"),
        ("app.clear", "ctrl+c", "app.clear", "empty the editor; twice: quit"),
        ("app.exit", "ctrl+d", "app.exit_if_empty", "quit, if the editor is empty"),
        ("app.suspend", "ctrl+z", "app.suspend_process", "back to the shell for a while"),
        ("app.tools.expand", "ctrl+o", "app.toggle_tools", "all of what tools did, or the head"),
        ("app.thinking.toggle", "ctrl+t", "app.toggle_thinking", "show or hide thoughts"),
        ("app.thinking.cycle", "shift+tab", "app.cycle_thinking", "how hard the model thinks"),
        ("app.model.cycleForward", "ctrl+p", "app.cycle_model(1)", "the next model"),
        ("app.model.cycleBackward", "shift+ctrl+p", "app.cycle_model(-1)", "the model before"),
        ("app.model.select", "ctrl+l", "app.call_command('model')", "choose a model"),
        ("app.editor.external", "ctrl+g", "app.call_command('editor')", "write in your own editor"),
        ("app.session.new", "", "app.call_command('new')", "a new conversation"),
        ("app.session.tree", "", "app.call_command('tree')", "the tree of the conversation"),
        ("app.session.fork", "", "app.call_command('fork')", "go on from an earlier prompt"),
        ("app.session.resume", "", "app.call_command('resume')", "go on with another conversation"),
        ("app.message.copy", "ctrl+x", "app.copy_answer", "copy the last answer"),
        ("app.clipboard.pasteImage", "ctrl+v", "app.paste_image", "paste an image, or text"),
        ("app.message.dequeue", "alt+up", "app.dequeue", "take queued messages back"),
        ("tui.altScreen.pageUp", "pageUp", "app.scroll_page(-1)", "a page up"),
        ("tui.altScreen.pageDown", "pageDown", "app.scroll_page(1)", "a page down"),
        ("tui.altScreen.previousPrompt", "ctrl+up ctrl+shift+up", "app.jump_prompt(-1)", "the prompt before"),
        ("tui.altScreen.nextPrompt", "ctrl+down ctrl+shift+down", "app.jump_prompt(1)", "the next prompt"),
        ("tui.altScreen.halfPageUp", "", "app.scroll_half(-1)", "half a page up"),
        ("tui.altScreen.halfPageDown", "", "app.scroll_half(1)", "half a page down"),
        ("tui.altScreen.lineUp", "", "app.scroll_line(-1)", "a line up"),
        ("tui.altScreen.lineDown", "", "app.scroll_line(1)", "a line down"),
        ("tui.altScreen.top", "ctrl+home", "app.scroll_top", "the beginning"),
        ("tui.altScreen.bottom", "ctrl+end", "app.scroll_bottom", "the end"),
        ("tui.altScreen.search", "ctrl+f ctrl+shift+f", "app.search", "search the conversation"),
    ),
    "search": (
        ("tui.altScreen.searchNext", "enter ctrl+g", "next", "the next place"),
        ("tui.altScreen.searchPrevious", "shift+enter ctrl+shift+g ctrl+r", "previous", "the one before"),
        ("tui.altScreen.searchClose", "escape", "close", "end the search"),
    ),
    "editor": (
        ("tui.input.submit", "enter", "submit", "send"),
        ("tui.input.newLine", "shift+enter ctrl+j", "new_line", "a new line"),
        ("app.message.followUp", "alt+enter", "follow_up", "send for afterwards; idle: a new line"),
        ("tui.editor.cursorUp", "up", "up", "a line up, or the prompt before"),
        ("tui.editor.cursorDown", "down", "down", "a line down, or the next prompt"),
        ("tui.editor.historyPrevious", "", "history(-1)", "the prompt before"),
        ("tui.editor.historyNext", "", "history(1)", "the next prompt"),
        ("tui.editor.cursorLeft", "left ctrl+b", "cursor_left", "a character left"),
        ("tui.editor.cursorRight", "right", "cursor_right", "a character right"),
        ("tui.editor.cursorWordLeft", "alt+left ctrl+left alt+b", "cursor_word_left", "a word left"),
        ("tui.editor.cursorWordRight", "alt+right ctrl+right alt+f", "cursor_word_right", "a word right"),
        ("tui.editor.cursorLineStart", "home ctrl+a", "cursor_line_start", "to the line's start"),
        ("tui.editor.cursorLineEnd", "end ctrl+e", "cursor_line_end", "to the line's end"),
        ("tui.editor.pageUp", "ctrl+pageUp", "cursor_page_up", "a page of lines up"),
        ("tui.editor.pageDown", "ctrl+pageDown", "cursor_page_down", "a page of lines down"),
        ("tui.editor.jumpForward", "ctrl+]", "jump(1)", "to the next place of the letter typed then"),
        ("tui.editor.jumpBackward", "ctrl+alt+]", "jump(-1)", "to the last place of the letter typed then"),
        ("tui.editor.deleteCharBackward", "backspace", "delete_left", "delete to the left"),
        ("tui.editor.deleteCharForward", "delete", "delete_right", "delete to the right"),
        ("tui.editor.deleteWordBackward", "ctrl+w alt+backspace", "cut_word_left", "cut the last word"),
        ("tui.editor.deleteWordForward", "alt+d alt+delete", "cut_word_right", "cut the next word"),
        ("tui.editor.deleteToLineStart", "ctrl+u", "cut_to_start", "cut to the line's start"),
        ("tui.editor.deleteToLineEnd", "ctrl+k", "cut_to_end", "cut to the line's end"),
        ("tui.editor.yank", "ctrl+y", "yank", "put back what was cut"),
        ("tui.editor.yankPop", "alt+y", "yank_pop", "after ctrl+y: what was cut before, in its place"),
        ("tui.editor.undo", "ctrl+-", "undo", "undo"),
    ),
    "list": (
        ("tui.select.up", "up", "move(-1)", "a row up"),
        ("tui.select.down", "down", "move(1)", "a row down"),
        ("tui.select.pageUp", "pageUp", "page(-1)", "a page up"),
        ("tui.select.pageDown", "pageDown", "page(1)", "a page down"),
        ("tui.select.confirm", "enter", "choose", "take the row"),
        ("tui.select.cancel", "escape ctrl+c", "leave", "leave"),
        ("tui.input.tab", "tab", "tab", "take a proposal; in the list of conversations: all folders"),
    ),
    "sessions": (
        ("app.session.toggleNamedFilter", "ctrl+n", "named", "only those with a name"),
        ("app.session.togglePath", "ctrl+p", "path", "show the folder"),
        ("app.session.toggleSort", "ctrl+s", "sort", "last used first, or newest first"),
        ("app.session.rename", "ctrl+r", "rename", "name the conversation"),
        ("app.session.delete", "ctrl+d", "delete", "delete the conversation"),
        ("app.session.deleteNoninvasive", "ctrl+backspace", "delete_unsought", "so, if nothing is sought"),
    ),
    "models": (
        ("app.models.enableAll", "ctrl+a", "enable_all", "all that the search shows"),
        ("app.models.clearAll", "ctrl+x", "clear_all", "none of them"),
        ("app.models.toggleProvider", "ctrl+p", "toggle_provider", "all models of the provider, or none"),
        ("app.models.reorderUp", "alt+up", "reorder(-1)", "earlier in the order"),
        ("app.models.reorderDown", "alt+down", "reorder(1)", "later in the order"),
        ("app.models.save", "ctrl+s", "save", "keep it for the next times, too"),
    ),
    "tree": (
        ("app.tree.foldOrUp", "ctrl+left alt+left", "fold", "fold, or go to the fork above"),
        ("app.tree.unfoldOrDown", "ctrl+right alt+right", "unfold", "unfold, or go to the fork below"),
        ("app.tree.editLabel", "shift+l", "edit_label", "label the entry"),
        ("app.tree.toggleLabelTimestamp", "shift+t", "times", "show times"),
        ("app.tree.filter.default", "ctrl+d", "only('default')", "what was said and done"),
        ("app.tree.filter.noTools", "ctrl+t", "only('no-tools')", "without tools"),
        ("app.tree.filter.userOnly", "ctrl+u", "only('user')", "your prompts alone"),
        ("app.tree.filter.labeledOnly", "ctrl+l", "only('labeled')", "labelled entries alone"),
        ("app.tree.filter.all", "ctrl+a", "only('all')", "everything"),
        ("app.tree.filter.cycleForward", "ctrl+o", "next_filter(1)", "the next of these"),
        ("app.tree.filter.cycleBackward", "shift+ctrl+o", "next_filter(-1)", "the one before"),
    ),
}  # fmt: skip
"""Id, keys, what Textual calls, and what it is for: in the order in which they are listed for a person."""

_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "-": ("minus", "underscore"),  # a terminal sends the same for both with ctrl
    "]": ("right_square_bracket",),
    "[": ("left_square_bracket",),
    "/": ("slash", "underscore"),
    "return": ("enter",),
    "esc": ("escape",),
}
_ORDER: Final = ("alt", "ctrl", "shift", "super")


def actions() -> tuple[KeyAction, ...]:
    """All actions, in the order in which they are listed for a person."""
    return tuple(
        KeyAction(name, tuple(keys.split()), run, description, where)
        for where, rows in _TABLE.items()
        for name, keys, run, description in rows
    )


class Keys:
    """The keys in effect. `overrides` are a person's, by action id; an empty list takes the keys away."""

    def __init__(self, overrides: Mapping[str, Sequence[str]] | None = None) -> None:
        self._overrides: dict[str, Sequence[str]] = dict(overrides or {})
        self._runs: dict[str, str] | None = None

    def use(self, overrides: Mapping[str, Sequence[str]]) -> None:
        """Other changes of the person, in place of the present ones."""
        self._overrides = dict(overrides)
        self._runs = None

    def run_of(self, key: str) -> str | None:
        """What a key calls in the editor and around it, by Textual's name of the key; None for other keys."""
        if self._runs is None:
            self._runs = {
                name: action.run
                for action in reversed(actions())
                if action.where in ("chat", "editor")
                for name in textual_keys(self.of(action.id))
            }
        return self._runs.get(key)

    @property
    def overrides(self) -> Mapping[str, Sequence[str]]:
        """The person's changes."""
        return self._overrides

    def of(self, action_id: str) -> tuple[str, ...]:
        """The keys of an action, as a person writes them; none for an action that there is not."""
        if action_id in self._overrides:
            return tuple(self._overrides[action_id])
        return next((action.keys for action in actions() if action.id == action_id), ())

    def hint(self, action_id: str) -> str:
        """The key to name to a person; empty if there is none."""
        return next(iter(self.of(action_id)), "")

    def keymap(self) -> dict[str, tuple[str, ...]]:
        """The keys of every action, as the clash rules of shortcuts want them."""
        return {action.id: self.of(action.id) for action in actions()}

    def textual_keymap(self) -> dict[str, str]:
        """The person's changes in Textual's words, by action id."""
        return {name: ",".join(textual_keys(keys)) for name, keys in self._overrides.items()}


def bindings_for(where: Where, *, priority: bool = False) -> list[Binding]:
    """What one reader of keys binds; the ids let the person's keymap replace the keys.

    With `priority` they come before what the focused widget does with a key.
    """
    return [
        Binding(
            _joined(action.keys), action.run, action.description, show=False, priority=priority, id=action.id
        )
        for action in actions()
        if action.where == where
    ]


def _joined(keys: Iterable[str]) -> str:
    return ",".join(textual_keys(keys)) or NO_KEY


NO_KEY: Final = "f63"
"""No keyboard has it: the key of an action that has none until the person gives it one."""


def textual_keys(keys: Iterable[str]) -> list[str]:
    """Keys as Textual names them; one that a terminal may report in two ways stands there twice."""
    return [name for key in keys for name in _textual_names(key)]


def _textual_names(key: str) -> list[str]:
    *modifiers, last = _parts(key.strip().lower())
    ordered = [modifier for modifier in _ORDER if modifier in modifiers]
    if ordered == ["shift"] and len(last) == 1 and last.isalpha():
        return [last.upper(), f"shift+{last}"]  # terminals send the capital letter
    return ["+".join([*ordered, name]) for name in _NAMES.get(last, (last,))]


def _parts(key: str) -> list[str]:
    if key.endswith("++"):
        return [*key[:-2].split("+"), "plus"]
    return ["plus"] if key == "+" else key.split("+")

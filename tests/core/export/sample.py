"""A session with everything that a page can show, and with everything that could harm one."""

from __future__ import annotations

from hookspecs.messages import (
    AssistantMessage,
    BashExecutionMessage,
    Cost,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCallContent,
    ToolResultMessage,
    Usage,
    UserMessage,
)
from pi_core.history.sessions import memory_session
from pi_core.history.store import SessionStore

HOSTILE = (
    "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    "<!--\"'>&amp;]]>"
)
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
ANSI = (
    "\x1b[31mred\x1b[0m \x1b]0;owned title\x07plain \x1b]8;;http://x.invalid\x1b\\link\x1b]8;;\x1b\\\x00\x08"
)


def user(text: str) -> UserMessage:
    return UserMessage(content=text, timestamp=1)


def answer(*blocks: TextContent | ThinkingContent | ToolCallContent) -> AssistantMessage:
    usage = Usage(total_tokens=1234, cost=Cost(total=0.25))
    return AssistantMessage(
        content=[*blocks], provider="scripted", model="scripted-1", usage=usage, timestamp=2
    )


def result(tool: str, text: str, details: object = None, *, is_error: bool = False) -> ToolResultMessage:
    return ToolResultMessage(
        tool_call_id="c",
        tool_name=tool,
        content=[TextContent(text=text)],
        details=details,
        is_error=is_error,
        duration_ms=1500,
        timestamp=3,
    )


PROSE = """# It is the cache

- `make clean` helps
- see [the docs](https://example.invalid)

| step | time |
|---|---|
| clean | 2 s |

```python
print('<b>')
```
"""


def conversation() -> SessionStore:
    """Two branches behind one tool call, with thinking, a summary, a mark, a change and a picture."""
    store = memory_session("/home/me/project")
    store.append_model_change("scripted", "scripted-1")
    store.append_message(user("Why does the **build** fail?\nIt worked yesterday."))
    thought = ThinkingContent(thinking="I should look at the log first.")
    call = ToolCallContent(id="c", name="bash", arguments={"command": "make build", "timeout": 60})
    store.append_message(answer(thought, TextContent(text="Let me look."), call))
    fork = store.append_message(result("bash", "\n".join(f"line {n}" for n in range(40)), is_error=True))
    store.append_message(answer(TextContent(text=PROSE)))
    store.append_message(user("And the old branch?"))
    store.append_message(answer(TextContent(text="This is said on the first branch.")))
    store.branch_with_summary(fork, "We tried to **clean** first.")
    store.append_message(user("Try something else."))
    edit = ToolCallContent(
        id="d", name="edit", arguments={"path": "Makefile", "oldText": "a", "newText": "b"}
    )
    marked = store.append_message(answer(TextContent(text="This is said on the second branch."), edit))
    diff = {"diff": "  1 all:\n- 2 a\n+ 2 b"}
    store.append_message(result("edit", "Edited Makefile", diff))
    picture = ImageContent(data=PIXEL, mime_type="image/png")
    store.append_message(UserMessage(content=[TextContent(text="See"), picture], timestamp=4))
    store.append_message(BashExecutionMessage(command="ls", output="a\nb", exit_code=0, timestamp=5))
    store.append_custom_message("todo", "two things are left")
    store.append_label(marked, "here it was")
    store.append_session_info("The build")
    return store


def hostile() -> SessionStore:
    """Text that tries to leave its place, wherever a session can hold text."""
    store = memory_session(f"/home/{HOSTILE}")
    store.append_model_change(HOSTILE, HOSTILE)
    store.append_message(user(HOSTILE))
    call = ToolCallContent(id=HOSTILE, name=HOSTILE, arguments={"path": HOSTILE, HOSTILE: HOSTILE})
    text = TextContent(
        text=f"{HOSTILE}\n\n[a](javascript:document.title='owned') ![x](http://x.invalid/x.png)"
    )
    message = answer(ThinkingContent(thinking=HOSTILE), text, call)
    message.model, message.error_message = HOSTILE, HOSTILE
    marked = store.append_message(message)
    store.append_message(result("bash", ANSI + HOSTILE))
    store.append_message(result("edit", HOSTILE, {"diff": f"+{HOSTILE}\n-{ANSI}"}))
    store.append_message(result("bash", "x" * 3_000_000))
    for mime, data in (("image/svg+xml", PIXEL), ('image/png"><script>', PIXEL), ("image/png", '"><script>')):
        store.append_message(UserMessage(content=[ImageContent(data=data, mime_type=mime)], timestamp=1))
    store.append_message(BashExecutionMessage(command=HOSTILE, output=HOSTILE, exit_code=0, timestamp=5))
    store.append_custom_message(HOSTILE, HOSTILE)
    store.append_label(marked, HOSTILE)
    store.append_session_info(HOSTILE)
    return store

"""The page: what was said on the branch that the session stands on, and a way to every other branch.

One file with its own style and script, and a policy that forbids everything else. Without scripts all
entries are shown.

Touches: the files of its own style and script.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Final

from hookspecs.messages import AssistantMessage, UserMessage, text_of
from pi_core.export.blocks import entry_to_html
from pi_core.export.order import Place, walk
from pi_core.export.text import escaped, first_line
from pi_core.history.entries import MessageEntry
from pi_core.history.store import SessionStore
from pi_core.history.tree import labels_of
from pi_core.version import VERSION

_DEEPEST: Final = 12
"""The deepest indentation of the list."""
_PAGE: Final = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="pi {version}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<header>
<h1>{title}</h1>
<p class="facts">{facts}</p>
<p class="tools"><button id="theme" type="button">Dark or light</button>
<button id="unfold" type="button">Unfold all</button></p>
</header>
<nav aria-label="Everything that was said">{tree}</nav>
<main>{articles}</main>
<script type="application/json" id="places">{places}</script>
<script>{script}</script>
</body>
</html>
"""


def page_of(store: SessionStore) -> str:
    """The whole page of a session."""
    places = walk(store.get_entries())
    numbers = {place.entry.id: number for number, place in enumerate(places)}
    rows = list(_rows(store, places))
    style, script = _resource("page.css"), _resource("page.js")
    leaf = numbers.get(store.get_leaf_id() or "", -1)
    return _PAGE.format(
        policy=_policy(style, script),
        version=VERSION,
        title=escaped(_title(store)),
        facts=escaped(" · ".join(_facts(store))),
        style=style,
        script=script,
        tree="\n".join(line for line, _ in rows),
        articles="\n".join(article for _, article in rows),
        places=json.dumps({"parents": [place.parent for place in places], "leaf": leaf}),
    )


def _rows(store: SessionStore, places: Sequence[Place]) -> Iterator[tuple[str, str]]:
    """The line in the list and the article of each entry that is shown."""
    on_branch = {entry.id for entry in store.get_branch()}
    labels = labels_of(store.get_entries())
    for number, place in enumerate(places):
        shown = entry_to_html(place.entry)
        if shown is None:
            continue
        kind, line, body = shown
        here = place.entry.id in on_branch
        label = labels.get(place.entry.id)
        mark = f" <mark>{escaped(label.label or '')}</mark>" if label is not None else ""
        classes = f"{kind} d{min(place.depth, _DEEPEST)}"
        yield (
            f'<a class="{classes}{" here" * here}" href="#e{number}">{escaped(line) or "&nbsp;"}{mark}</a>',
            f'<article id="e{number}" class="{kind}{" off" * (not here)}">'
            f"{_time(place)}{mark}{body}</article>",
        )


def _policy(style: str, script: str) -> str:
    """Only the page's own style and script count, and nothing is fetched."""
    return (
        f"default-src 'none'; img-src data:; style-src '{_digest(style)}'; "
        f"script-src '{_digest(script)}'; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _resource(name: str) -> str:
    return files("pi_core.export").joinpath(name).read_text(encoding="utf-8")


def _time(place: Place) -> str:
    return f"<time>{escaped(place.entry.timestamp[:19].replace('T', ' '))}</time>"


def _title(store: SessionStore) -> str:
    """The session's name, else the first thing that the person said."""
    if store.session_name:
        return store.session_name
    said = (
        first_line(text_of(entry.message.content))
        for entry in store.get_entries()
        if isinstance(entry, MessageEntry) and isinstance(entry.message, UserMessage)
    )
    return next((line for line in said if line), f"Session {store.session_id}")


def _facts(store: SessionStore) -> list[str]:
    messages = [entry.message for entry in store.get_entries() if isinstance(entry, MessageEntry)]
    answers = [message for message in messages if isinstance(message, AssistantMessage)]
    cost = sum(answer.usage.cost.total for answer in answers)
    return [
        store.header.timestamp[:10],
        *_distinct([answer.model for answer in answers]),
        f"{len(messages)} messages",
        *([f"${cost:.2f}"] if cost else []),
        store.cwd,
        store.session_id,
    ]


def _distinct(names: Sequence[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name]

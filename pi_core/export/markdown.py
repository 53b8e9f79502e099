"""Markdown as HTML that can do no harm: no tags of its own, no pictures from elsewhere, no dangerous links.

Pure.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlsplit

from markdown_it import MarkdownIt

from pi_core.export.text import escaped, shown

_SCHEMES: Final = frozenset({"http", "https", "mailto"})


def markdown_to_html(text: str) -> str:
    """The HTML of a Markdown text. Whatever looks like HTML in it is shown as it was written."""
    try:
        rendered: str = _reader().render(shown(text))
    except Exception:  # noqa: BLE001 - a text that the reader cannot take is shown as it is
        return f'<div class="plain">{escaped(text)}</div>'
    return rendered


class _Reader(MarkdownIt):
    def validateLink(self, url: str) -> bool:
        """Whether an address leads to a page, a mailbox, or a place in this page or beside it."""
        try:
            return urlsplit(url.strip()).scheme.lower() in {"", *_SCHEMES}
        except ValueError:
            return False


@lru_cache(maxsize=1)
def _reader() -> MarkdownIt:
    reader = _Reader("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")
    reader.add_render_rule("link_open", _link_open)
    return reader


def _link_open(self: Any, tokens: Any, index: int, options: Any, env: Any) -> str:
    """Links leave the page without telling where they come from."""
    tokens[index].attrSet("rel", "noreferrer noopener")
    tokens[index].attrSet("target", "_blank")
    rendered: str = self.renderToken(tokens, index, options, env)
    return rendered

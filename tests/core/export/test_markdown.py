"""Markdown that can do no harm."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_core.export.markdown import markdown_to_html

TAG = re.compile(r"<[^>]*>")
ALLOWED = re.compile(
    r"</?(p|h[1-6]|em|strong|s|ul|ol|li|pre|code|blockquote|hr|br|table|thead|tbody|tr|th|td|a|div)"
    r"( [^<>]*)?>"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**b** ~~s~~ `c`", "<p><strong>b</strong> <s>s</s> <code>c</code></p>"),
        ("<b onclick=x>", "<p>&lt;b onclick=x&gt;</p>"),
        ("[a](javascript:x)", "<p>[a](javascript:x)</p>"),
        ("[a](JAVASCRIPT:x)", "<p>[a](JAVASCRIPT:x)</p>"),
        ("[a](data:text/html,x)", "<p>[a](data:text/html,x)</p>"),
        ("[a](vbscript:x)", "<p>[a](vbscript:x)</p>"),
        ("[a](file:///etc/passwd)", "<p>[a](file:///etc/passwd)</p>"),
        (
            "[a](https://x.invalid)",
            '<p><a href="https://x.invalid" rel="noreferrer noopener" target="_blank">a</a></p>',
        ),
        (
            "![p](http://x.invalid/p.png)",
            '<p>!<a href="http://x.invalid/p.png" rel="noreferrer noopener" target="_blank">p</a></p>',
        ),
    ],
)
def test_what_is_formatted_and_what_is_shown_as_it_is(text: str, expected: str) -> None:
    """Formatting works, tags are text, pictures are links, and links lead to pages only."""
    assert expected == markdown_to_html(text).strip()


@given(st.text(alphabet="<>&\"'`*_~[]()!#|-:\\/= \njavscriptonlodxmg0", max_size=80))
def test_only_harmless_tags_come_out(text: str) -> None:
    """Of any text: known tags, without a handler or a dangerous address."""
    rendered = markdown_to_html(text)
    for tag in TAG.findall(rendered):
        assert ALLOWED.fullmatch(tag), tag
        assert not re.search(r"\son\w+=", re.sub(r'"[^"]*"', '""', tag))
        assert not re.search(r'href="\s*(javascript|vbscript|data|file):', tag, re.IGNORECASE)

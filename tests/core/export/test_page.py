"""The page of a session, in a real browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pi_core.export.page import page_of
from pi_core.history.sessions import memory_session
from tests.core.export.sample import conversation, hostile, user
from tests.support.browser import Browser, corner

DARK = "--blink-settings=preferredColorScheme=0"
LIGHT = "--blink-settings=preferredColorScheme=1"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    return Browser(tmp_path_factory.mktemp("browser"))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(page_of(conversation()), encoding="utf-8")
    return path


def shown(dom: str) -> str:
    """The text of the articles that are shown."""
    articles = re.findall(r'<article id="e\d+" class="([^"]*)">(.*?)</article>', dom, re.DOTALL)
    return "\n".join(re.sub(r"<[^>]+>", " ", body) for kind, body in articles if "off" not in kind.split())


def test_the_page_opens_on_the_branch_of_the_session(browser: Browser, page: Path) -> None:
    """What leads to the leaf is shown, with a choice where branches part; the other branch is not."""
    dom = browser.dom(page)
    text = shown(dom)
    assert "This is said on the second branch." in text
    assert "This is said on the first branch." not in text
    assert (1, "branch 2 of 2") == (dom.count('class="branches"'), re.findall(r"branch \d of \d", dom)[0])


def test_a_line_of_the_list_leads_to_its_branch(browser: Browser, page: Path) -> None:
    """Following it shows the branch to its end, and marks the line."""
    line = re.search(r'href="(#e\d+)">This is said on the first', page.read_text(encoding="utf-8"))
    assert line is not None
    dom = browser.dom(page, line[1])
    assert "This is said on the first branch." in shown(dom)
    assert "This is said on the second branch." not in shown(dom)
    assert "branch 1 of 2" in dom
    assert re.search(rf'<a class="[^"]*current[^"]*" href="{line[1]}"', dom)


def test_every_kind_of_thing_is_there(page: Path) -> None:
    """Prose is formatted; thinking, output and arguments are folded; changes, marks, pictures are shown."""
    html = page.read_text(encoding="utf-8")
    for part in (
        "<title>The build</title>",
        "<h1>It is the cache</h1>",
        "<summary>Thinking</summary>",
        "<summary>bash · failed · 40 lines · 1.5 s</summary>",
        "<b>bash</b> <code>make build</code>",
        '<span class="added">+ 2 b</span>',
        "<mark>here it was</mark>",
        '<img alt="" src="data:image/png;base64,',
        "<summary>exit code 0 · 2 lines</summary>",
        "We tried to <strong>clean</strong> first.",
        "two things are left",
    ):
        assert part in html
    assert "<details open" not in html


def test_dark_and_light_are_what_the_person_prefers(browser: Browser, page: Path) -> None:
    """The ground of the same page is dark or light."""
    assert max(corner(browser.picture(page, DARK))) < 64
    assert min(corner(browser.picture(page, LIGHT))) > 192


def test_text_cannot_leave_its_place(browser: Browser, tmp_path: Path) -> None:
    """Whatever a session holds, no tag, script, picture or address of it comes to life."""
    path = tmp_path / "hostile.html"
    path.write_text(page_of(hostile()), encoding="utf-8")
    dom = browser.dom(path)
    head = dom[dom.index("<title>") : dom.index("</title>")]
    assert head.startswith("<title>&lt;/script&gt;")
    assert 2 == dom.count("<script")
    assert "<img" not in dom
    assert not re.findall(r'(?:href|src)="(?!#|https?:|data:image/png)', dom)
    assert "&lt;img src=x onerror=" in dom


def test_nothing_is_fetched_and_nothing_else_runs() -> None:
    """The policy of the page names its own style and script by their digests, and nothing more."""
    html = page_of(conversation())
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    assert 2 == policy[1].count("'sha256-")
    assert "unsafe" not in policy[1]


def test_codes_of_terminals_are_gone() -> None:
    """Colours, titles, links and control characters of output are left out, its words are not."""
    html = page_of(hostile())
    assert "red plain link" in html
    assert not re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", html)
    assert "owned title" not in html


def test_huge_output_is_cut_in_the_middle() -> None:
    """Both ends are shown and what is missing is said; the page stays small."""
    html = page_of(hostile())
    assert "[… 2800000 characters are not shown …]" in html
    assert len(html) < 400_000


@pytest.mark.slow
def test_a_page_of_any_length_opens(browser: Browser, tmp_path: Path) -> None:
    """Its script looks at each entry once: twenty thousand of them take seconds and not minutes."""
    store = memory_session(str(tmp_path))
    for _ in range(20_000):
        store.append_message(user("hi"))
    path = tmp_path / "long.html"
    path.write_text(page_of(store), encoding="utf-8")
    assert 20_000 == browser.dom(path).count("<article ")

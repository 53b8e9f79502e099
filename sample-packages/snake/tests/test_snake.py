"""The game keeps its rules, and the component its keys."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st
from pi_sample_snake import SnakeScreen, extension
from pi_sample_snake.game import HEIGHT, WIDTH, begun, moved, picture, steered

from pi_core.testing import RecordingUI
from pi_core.testing.plugin import HarnessMaker

HEADINGS = ((0, 1), (0, -1), (1, 0), (-1, 0))


def test_an_apple_makes_it_longer() -> None:
    """And another one lies somewhere else."""
    game = replace(begun(Random(1)), apple=(7, HEIGHT // 2))
    after = moved(game, Random(1))
    assert (after.score, len(after.snake)) == (1, 4)
    assert after.apple not in after.snake


def test_a_wall_ends_it() -> None:
    game = begun(Random(1))
    for _ in range(WIDTH):
        game = moved(replace(game, apple=None), Random(1))
    assert game.over
    assert moved(game, Random(1)) == game


def test_nobody_turns_on_the_spot() -> None:
    game = begun(Random(1))
    assert steered(game, (-1, 0)) == game
    assert steered(game, (0, 1)).heading == (0, 1)


@given(st.lists(st.sampled_from(HEADINGS), max_size=60), st.integers(0, 1000))
def test_it_never_leaves_the_field(headings: list[tuple[int, int]], seed: int) -> None:
    """Whatever is pressed, each piece has a place of its own within the frame."""
    dice = Random(seed)
    game = begun(dice)
    for heading in headings:
        game = moved(steered(game, heading), dice)
    assert len(set(game.snake)) == len(game.snake)
    assert all(0 <= x < WIDTH and 0 <= y < HEIGHT for x, y in game.snake)
    assert {len(line) for line in picture(game)} == {2 * WIDTH + 2}


def test_keys_steer_pause_and_end() -> None:
    """The answer is the best score."""
    drawn: list[int] = []
    ended: list[int] = []
    tui = SimpleNamespace(request_render=lambda: drawn.append(1))
    screen = SnakeScreen(tui, None, ended.append, best=7, seed=1)
    screen.handle_input("down")
    assert screen.game.heading == (0, 1)
    screen.handle_input("p")
    screen.tick()
    assert drawn == []
    screen.handle_input("p")
    screen.tick()
    assert drawn == [1]
    screen.handle_input("q")
    assert ended == [7]


def test_the_best_score_is_kept(pi_harness: HarnessMaker) -> None:
    """A worse one changes nothing."""
    ui = RecordingUI(custom=[5, 3])
    pi = pi_harness(extension, ui=ui)
    pi.run_command("snake", "1")
    pi.run_command("snake", "1")
    assert [entry.data for entry in pi.host.session.entries] == [{"best": 5}]


def test_without_a_screen_it_says_so(pi_harness: HarnessMaker) -> None:
    """And plays nothing."""
    pi = pi_harness(extension)
    pi.run_command("snake")
    assert pi.host.session.entries == []

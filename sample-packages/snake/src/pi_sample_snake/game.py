"""The game as a value: who is where, and what one step makes of it. Pure, but for the dice it is handed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import TypeAlias

Place: TypeAlias = tuple[int, int]

WIDTH, HEIGHT = 20, 12


@dataclass(frozen=True, slots=True)
class Game:
    """The snake from its head on; `heading` is where the next step goes."""

    snake: tuple[Place, ...]
    heading: Place
    apple: Place | None
    over: bool = False

    @property
    def score(self) -> int:
        """Apples that were eaten."""
        return len(self.snake) - 3


def begun(dice: Random) -> Game:
    """A new game: three pieces in the middle, on the way to the right."""
    middle = HEIGHT // 2
    snake = ((6, middle), (5, middle), (4, middle))
    return Game(snake, (1, 0), _apple(snake, dice))


def steered(game: Game, heading: Place) -> Game:
    """Another heading; nobody turns on the spot."""
    head, neck = game.snake[0], game.snake[1]
    back = (neck[0] - head[0], neck[1] - head[1])
    return game if heading == back else replace(game, heading=heading)


def moved(game: Game, dice: Random) -> Game:
    """One step: into an apple it grows, into a wall or itself it is over."""
    if game.over:
        return game
    head = (game.snake[0][0] + game.heading[0], game.snake[0][1] + game.heading[1])
    eats = head == game.apple
    rest = game.snake if eats else game.snake[:-1]
    if not (0 <= head[0] < WIDTH and 0 <= head[1] < HEIGHT) or head in rest:
        return replace(game, over=True)
    snake = (head, *rest)
    return replace(game, snake=snake, apple=_apple(snake, dice) if eats else game.apple)


def picture(game: Game) -> list[str]:
    """The field with its frame, two columns a place."""
    edge = "──" * WIDTH
    rows = ["".join(_sign(game, (x, y)) for x in range(WIDTH)) for y in range(HEIGHT)]
    return [f"┌{edge}┐", *(f"│{row}│" for row in rows), f"└{edge}┘"]


def _sign(game: Game, place: Place) -> str:
    if place == game.snake[0]:
        return "██"
    return "▓▓" if place in game.snake else "()" if place == game.apple else "  "


def _apple(snake: tuple[Place, ...], dice: Random) -> Place | None:
    """A free place; None if there is none left, and the game is won."""
    free = [(x, y) for x in range(WIDTH) for y in range(HEIGHT) if (x, y) not in snake]
    return dice.choice(free) if free else None

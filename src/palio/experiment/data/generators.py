r"""Data sets that are exactly defined, written from their definitions.

The finite ones (MONK's problems, balance scale, tic-tac-toe) are the whole space, row by row in
lexicographic order. The random ones are drawn by a NumPy generator that the name seeds, so they
are the same everywhere; values have four decimals, so that the last bit of a processor's logarithm
does not change the fingerprint. Their sizes are twice the training sample of their source, so that
either half in 5×2 cv is that sample.

References
----------
- Thrun et al. (1991), The MONK's problems, CMU-CS-91-197.
- Siegler (1976), Three aspects of cognitive development; UCI repository, "Balance Scale".
- Aha (1991), Incremental constructive induction; UCI repository, "Tic-Tac-Toe Endgame".
- Breiman, Friedman, Olshen & Stone (1984), Classification and Regression Trees, pages 43–49 (LED,
  200 training instances) and 49–55 (waveforms, 300).
- Breiman (1996), Bias, variance, and arcing classifiers, TR 460: twonorm, threenorm and ringnorm,
  300 training instances; ringnorm with :math:`a = 2 / \sqrt{20}`, as in Delve.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.registry import Registry

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

Sample = tuple["NDArray[np.float64]", "NDArray[np.int64]"]

_MONK = {
    "head_shape": ("round", "square", "octagon"),
    "body_shape": ("round", "square", "octagon"),
    "is_smiling": ("yes", "no"),
    "holding": ("sword", "balloon", "flag"),
    "jacket_color": ("red", "yellow", "green", "blue"),
    "has_tie": ("yes", "no"),
}
_SQUARES = tuple(
    f"{row}-{column}"
    for row in ("top", "middle", "bottom")
    for column in ("left", "middle", "right")
)
_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
_SEGMENTS = ("1110111", "0010010", "1011101", "1011011", "0111010",
             "1101011", "1101111", "1010010", "1111111", "1111011")  # fmt: skip
"""The lit segments of the digits 0 to 9: top, upper left and right, middle, lower left and
right, bottom."""


@dataclass(frozen=True)
class Generator:
    """A generator: its name, what it is, and the function that makes its frame, target last."""

    name: str
    label: str
    make: Callable[[], pd.DataFrame]


def monks(rule: Callable[[dict[str, str]], bool]) -> pd.DataFrame:
    """Return the 432 robots of the MONK's problems, and which of them the rule picks.

    >>> int(monks(first_monk)["class"].sum())
    216
    """
    robots = [dict(zip(_MONK, values, strict=True)) for values in product(*_MONK.values())]
    return _frame(_MONK, [(*robot.values(), int(rule(robot))) for robot in robots])


def first_monk(robot: dict[str, str]) -> bool:
    """Pick robots whose head and body have one shape, or whose jacket is red."""
    return robot["head_shape"] == robot["body_shape"] or robot["jacket_color"] == "red"


def second_monk(robot: dict[str, str]) -> bool:
    """Pick robots of which exactly two of the six attributes have their first value."""
    return sum(robot[name] == values[0] for name, values in _MONK.items()) == 2


def third_monk(robot: dict[str, str]) -> bool:
    """Pick a green jacket and a sword, or neither a blue jacket nor an octagonal body.

    The rule itself: the 5% of wrong labels in the published *training* sample are not added.
    """
    jacket = robot["jacket_color"]
    return (jacket == "green" and robot["holding"] == "sword") or (
        jacket != "blue" and robot["body_shape"] != "octagon"
    )


def balance_scale() -> pd.DataFrame:
    """Return the 625 settings of a scale, and the side it tips to (L, B, R)."""
    names = ("left-weight", "left-distance", "right-weight", "right-distance")
    settings = product(range(1, 6), repeat=4)
    return _frame(names, [(*each, _heavier_side(*each)) for each in settings])


def _heavier_side(*setting: int) -> str:
    left, right = setting[0] * setting[1], setting[2] * setting[3]
    return "B" if left == right else "L" if left > right else "R"


def tic_tac_toe() -> pd.DataFrame:
    """Return the 958 boards on which a game can end when x moves first, and whether x has won."""
    boards = sorted(_endings(), reverse=True)
    rows = [(*board, "positive" if _has_won(board, "x") else "negative") for board in boards]
    return _frame([f"{square}-square" for square in _SQUARES], rows)


def _endings() -> set[str]:
    """Play all games at once, move by move."""
    going, ended = {"b" * 9}, set()
    for mover in "xoxoxoxox":
        moved = {
            board[:square] + mover + board[square + 1 :]
            for board in going
            for square in range(9)
            if board[square] == "b"
        }
        won = {board for board in moved if _has_won(board, mover)}
        ended |= won
        going = moved - won
    return ended | going


def _has_won(board: str, player: str) -> bool:
    return any(all(board[square] == player for square in line) for line in _LINES)


def twonorm(rng: np.random.Generator, rows: int) -> Sample:
    """Draw from two unit Gaussians in 20 dimensions, at (a, …, a) and (−a, …, −a), a = 2/√20.

    >>> X, y = twonorm(np.random.default_rng(0), 100_000)
    >>> round(float(np.mean((X.sum(axis=1) < 0) != y)), 2)  # the Bayes error is Φ(−2)
    0.02
    """
    y = rng.integers(0, 2, rows)
    a = 2 / np.sqrt(20)
    return rng.normal(size=(rows, 20)) + np.where(y == 0, a, -a)[:, None], y


def threenorm(rng: np.random.Generator, rows: int) -> Sample:
    """Draw class 0 from twonorm's two Gaussians, class 1 from one at (a, −a, a, …), a = 2/√20."""
    y = rng.integers(0, 2, rows)
    a = 2 / np.sqrt(20)
    same = rng.choice([a, -a], size=rows)[:, None] * np.ones(20)
    alternating = a * np.tile([1.0, -1.0], 10)
    return rng.normal(size=(rows, 20)) + np.where(y[:, None] == 0, same, alternating), y


def ringnorm(rng: np.random.Generator, rows: int) -> Sample:
    """Draw class 0 from N(0, 4I), class 1 from N((a, …, a), I) inside it, a = 2/√20."""
    y = rng.integers(0, 2, rows)
    noise = rng.normal(size=(rows, 20))
    return np.where(y[:, None] == 0, 2 * noise, noise + 2 / np.sqrt(20)), y


def waveform(rng: np.random.Generator, rows: int, irrelevant: int = 0) -> Sample:
    """Mix two of three triangular waves at 21 points, with noise; then add columns of noise."""
    points = np.arange(1, 22)
    waves = np.stack([np.maximum(6 - np.abs(points - peak), 0) for peak in (11, 15, 7)])
    y = rng.integers(0, 3, rows)
    first, second = np.array([0, 0, 1])[y], np.array([1, 2, 2])[y]
    u = rng.uniform(size=(rows, 1))
    values = rng.normal(size=(rows, 21 + irrelevant))
    values[:, :21] += u * waves[first] + (1 - u) * waves[second]
    return values, y


def led(rng: np.random.Generator, rows: int, irrelevant: int = 0) -> Sample:
    """Light a digit's seven segments, each wrong with probability 0.1; then toss fair coins."""
    segments = np.array([[int(lit) for lit in digit] for digit in _SEGMENTS])
    y = rng.integers(0, 10, rows)
    wrong = rng.uniform(size=(rows, 7)) < 0.1
    coins = rng.integers(0, 2, size=(rows, irrelevant))
    return np.hstack([segments[y] ^ wrong, coins]).astype(np.float64), y


def _drawn(name: str, rows: int, draw: Callable[..., Sample], **options: int) -> pd.DataFrame:
    """Return so many rows, always the same ones under one name."""
    seed = int.from_bytes(hashlib.sha256(f"palio {name}".encode()).digest())
    values, y = draw(np.random.default_rng(seed), rows, **options)
    names = [f"x{column}" for column in range(1, values.shape[1] + 1)]
    frame = _frame(names, np.column_stack([np.round(values, 4), y]))
    return frame.astype({"class": np.int64})


def _frame(names: Iterable[str], rows: Any) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(rows, columns=[*names, "class"])


def _random(
    name: str, label: str, rows: int, draw: Callable[..., Sample], **options: int
) -> Generator:
    return Generator(name, f"{label}, {rows} rows", lambda: _drawn(name, rows, draw, **options))


GENERATORS: Registry[Generator] = Registry.of(
    "data set",
    Generator("monks-1", "MONK's first problem, all 432 robots", lambda: monks(first_monk)),
    Generator("monks-2", "MONK's second problem, all 432 robots", lambda: monks(second_monk)),
    Generator(
        "monks-3", "MONK's third problem without noise, all 432 robots", lambda: monks(third_monk)
    ),
    Generator("balance-scale", "balance scale, all 625 settings", balance_scale),
    Generator("tic-tac-toe", "tic-tac-toe, all 958 final boards", tic_tac_toe),
    _random("twonorm", "two Gaussians in 20 dimensions", 600, twonorm),
    _random("ringnorm", "a Gaussian inside a wider one in 20 dimensions", 600, ringnorm),
    _random("threenorm", "three Gaussians in 20 dimensions", 600, threenorm),
    _random("waveform-21", "mixtures of three waves", 600, waveform),
    _random("waveform-40", "mixtures of three waves and 19 columns of noise", 600, waveform,
            irrelevant=19),
    _random("led-7", "digits of seven segments, 10% noise", 400, led),
    _random("led-24", "digits of seven segments, 10% noise, and 17 coins", 400, led,
            irrelevant=17),
)  # fmt: skip

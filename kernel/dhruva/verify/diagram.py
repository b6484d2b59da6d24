"""A trace as a sequence diagram: one line of life per cell that has a state, time downwards, inline SVG.

What happens comes from the outside, on the left; each cell whose state changed shows the state that it came
to, the others their change in small print. Colours are the page's own (CSS variables), so that light and dark
need one drawing.
"""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

Json = Mapping[str, Any]

OUTSIDE = "outside"
LEFT, FIRST, COLUMN, TOP, PILL = 70, 210, 168, 64, 22  # FIRST: room for what comes from the outside
ROW, SMALL = 46, 15  # heights of a step, and of a line of small print under it
LINES = 3  # of small print per step, at most
LETTERS = 58  # of a line of small print, at most


def sequence(trace: Json, fails: str) -> str:
    """The drawing; `fails` is the property that the last step breaks."""
    lives = _lives(trace)
    height, body = TOP, []
    for number, step in enumerate(trace["steps"], 1):
        is_last = number == len(trace["steps"])
        drawn, taken = _step(number, step, lives, height, is_last)
        body.append(drawn)
        height += taken
    width = LEFT + FIRST + COLUMN * max(len(lives), 2)
    height += 34
    parts = [
        f'<svg class="sequence" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{len(trace["steps"])} steps to: {escape(fails)}">',
        *_heads(lives, height - 28),
        *body,
        f'<text class="fails" x="{LEFT}" y="{height - 8}">✗ {escape(fails)}</text>',
        "</svg>",
    ]
    return "\n".join(parts)


def _lives(trace: Json) -> list[str]:
    """The cells that have a state, in the order in which they are met."""
    changes = [change for step in trace["steps"] for change in step["changes"]]
    return list(dict.fromkeys(change["cell"] for change in changes if change["before"] or change["after"]))


def _x(lives: list[str], cell: str) -> int:
    return LEFT + FIRST + COLUMN * lives.index(cell)


def _heads(lives: list[str], bottom: int) -> Iterator[str]:
    yield f'<line class="life" x1="{LEFT}" y1="34" x2="{LEFT}" y2="{bottom}"/>'
    yield f'<text class="head" x="{LEFT}" y="24">{OUTSIDE}</text>'
    for cell in lives:
        x = _x(lives, cell)
        yield f'<line class="life" x1="{x}" y1="34" x2="{x}" y2="{bottom}"/>'
        yield f'<text class="head" x="{x}" y="24">{escape(cell)}</text>'


def _step(number: int, step: Json, lives: list[str], y: int, is_last: bool) -> tuple[str, int]:
    moved = [change for change in step["changes"] if change["cell"] in lives and _moves(change)]
    touched = [change["cell"] for change in step["changes"] if change["cell"] in lives]
    small = [change["text"] for change in step["changes"] if change not in moved and not change["ghost"]]
    shown = [_cut(line) for line in small[:LINES]]
    if len(small) > LINES:
        shown[-1] = f"and {len(small) - LINES + 1} more"
    kind = "step last" if is_last else "step"
    first = next((change["cell"] for change in moved), touched[0] if touched else None)
    target = LEFT + FIRST - PILL * 2 if first is None else _x(lives, first)
    end = target - (_width(moved[0]["after"]) // 2 if moved else 0)
    parts = [
        f'<g class="{kind}">',
        f'<text class="number" x="{LEFT - 14}" y="{y + 4}">{number}</text>',
        f'<circle class="begin" cx="{LEFT}" cy="{y}" r="3"/>',
        f'<line class="arrow" x1="{LEFT + 3}" y1="{y}" x2="{end - 6}" y2="{y}"/>',
        f'<path class="tip" d="M{end} {y} l-8 -4 v8 z"/>',
        f'<text class="action" x="{LEFT + 12}" y="{y - 7}">{escape(step["action"])}</text>',
        *(_pill(_x(lives, change["cell"]), y, change["after"]) for change in moved),
        *(
            f'<text class="small" x="{LEFT + 12}" y="{y + 25 + SMALL * at}">{escape(line)}</text>'
            for at, line in enumerate(shown)
        ),
        "</g>",
    ]
    return "".join(parts), ROW + SMALL * len(shown) + (10 if shown else 0)


def _moves(change: Json) -> bool:
    return bool(change["before"] != change["after"])


def _pill(x: int, y: int, state: str | None) -> str:
    name, width = state or "gone", _width(state)
    gone = "" if state else " gone"
    return (
        f'<g class="pill{gone}"><rect x="{x - width // 2}" y="{y - PILL // 2}" width="{width}" '
        f'height="{PILL}" rx="{PILL // 2}"/><text x="{x}" y="{y + 4}">{escape(name)}</text></g>'
    )


def _width(state: str | None) -> int:
    return max(PILL * 4, 8 * len(state or "gone") + 14)


def _cut(text: str) -> str:
    return text if len(text) <= LETTERS else text[: LETTERS - 1] + "…"

"""Recording: one call per path, late cells, and functions that are none."""

from itertools import count

import pytest

from dhruva.explore import ModelError, Read
from dhruva.explore.fields import Layout
from dhruva.explore.trie import Function


def layout() -> Layout:
    cells = Layout([("a", 0), ("b", 0)])
    for value in (1, 2, 3):
        cells.field("b").code(value)
        cells.field("a").code(value)
    cells.arrange()
    return cells


def packed(cells: Layout, a: int, b: int) -> tuple[int]:
    return (a << cells.field("a").shift | b << cells.field("b").shift,)


def test_python_is_called_once_per_path() -> None:
    cells, calls = layout(), []

    def run(read: Read) -> object:
        calls.append(1)
        return "odd" if read("a") % 2 else (read("b"), read("never met"))

    function = Function("f", run)
    for a in range(4):
        for b in range(4):
            words = packed(cells, a, b)
            leaf = function.find(words) or function.record(cells, words)
            assert leaf.result == ("odd" if a % 2 else (b, None))
    assert len(calls) == len(function.leaves) == 2 + 2 * 4
    assert sorted(len(path) for path, _ in function.paths()) == [1, 1] + [3] * 8
    assert {field.key for field in function.fields} == {"a", "b", "never met"}


def test_a_function_that_reads_differently_is_refused() -> None:
    cells, turn = layout(), count()
    function = Function("action 'x'", lambda read: read("ab"[next(turn)]))
    function.record(cells, packed(cells, 0, 0))
    with pytest.raises(ModelError, match="action 'x' is not a function of what it reads"):
        function.record(cells, packed(cells, 1, 1))


def test_a_function_without_reads_has_one_leaf() -> None:
    cells = layout()
    function = Function("f", lambda _read: 7)
    function.record(cells, packed(cells, 0, 0))
    leaf = function.find(packed(cells, 3, 2))
    assert leaf is not None
    assert leaf.result == 7

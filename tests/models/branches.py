"""Which answers the conditions of the kernel give while the quick models are explored.

`python -m tests.models.branches` loads `step`, `walk`, `rules` and `decide` so that each condition writes
down what it answers (tests of `if`, `while`, ternaries and comprehensions, operands of `and` and `or`, cases
of `match`), explores every quick run, and prints the answers that a condition never gave.

In a process of its own, since the kernel is loaded otherwise than everybody else has it.
"""

import ast
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

LOOKED_AT = ("dhruva.step", "dhruva.walk", "dhruva.rules.", "dhruva.decide.")
TOOK = "_took"
ROOT = Path(__file__).parents[2]


class Site(NamedTuple):
    """A condition: where it stands, and its text."""

    module: str
    function: str
    text: str


class Never(NamedTuple):
    """An answer that a condition of a function never gave."""

    function: str
    condition: str
    answer: bool


SITES: list[Site] = []
ANSWERS: dict[int, set[bool]] = defaultdict(set)


def took(site: int, value: Any) -> Any:
    """The value, and that the condition gave it."""
    ANSWERS[site].add(bool(value))
    return value


class Marked(ast.NodeTransformer):
    """Every condition of the functions of a module asks `took`."""

    def __init__(self, module: str) -> None:
        self.module = module
        self.within: list[str] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.within.append(node.name)
        self.generic_visit(node)
        self.within.pop()
        return node

    def visit_If(self, node: ast.If) -> Any:
        return self._tested(node)

    def visit_While(self, node: ast.While) -> Any:
        return self._tested(node)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        return self._tested(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """The last operand is what the whole says: of a value nobody asks it."""
        return self._operands(node, len(node.values) - 1)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        texts = [ast.unparse(one) for one in node.ifs]
        self.generic_visit(node)
        node.ifs = [self._asked(one, text) for one, text in zip(node.ifs, texts, strict=True)]
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST:
        texts = [ast.unparse(case.pattern) for case in node.cases]
        self.generic_visit(node)
        for case, text in zip(node.cases, texts, strict=True):
            taken = self._asked(ast.Constant(True), f"case {text}")
            ANSWERS[len(SITES) - 1].add(False)  # that a case is left out is no news
            case.body.insert(0, ast.Expr(taken))
        return node

    def _tested(self, node: Any) -> Any:
        text, test = ast.unparse(node.test), node.test
        node.test = ast.Constant(True)  # visited on its own
        self.generic_visit(node)
        if isinstance(test, ast.BoolOp):
            node.test = self._operands(test, len(test.values))
        else:
            node.test = self._asked(self.visit(test), text)
        return node

    def _operands(self, node: ast.BoolOp, count: int) -> ast.BoolOp:
        texts = [ast.unparse(one) for one in node.values]
        asked = [self.visit(one) for one in node.values]
        asked[:count] = [self._asked(one, text) for one, text in zip(asked[:count], texts, strict=False)]
        return ast.BoolOp(node.op, asked)

    def _asked(self, node: ast.expr, text: str) -> ast.expr:
        if not self.within:
            return node
        SITES.append(Site(self.module, self.within[-1], text))
        name, number = ast.Name(TOOK, ast.Load()), ast.Constant(len(SITES) - 1)
        return ast.Call(name, [number, node], [])


class Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        """From the source, never from what was compiled before."""
        path = self.get_filename(fullname)
        source = self.get_data(path).decode()
        return compile(marked(source, fullname.removeprefix("dhruva.")), path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__[TOOK] = took
        super().exec_module(module)


class Finder(MetaPathFinder):
    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        if not name.startswith(LOOKED_AT):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.origin is not None:
            spec.loader = Loader(name, spec.origin)
        return spec


def marked(source: str, module: str) -> ast.Module:
    """The module with every condition asking `took`."""
    tree: ast.Module = Marked(module).visit(ast.parse(source))
    return ast.fix_missing_locations(tree)


def explore() -> None:
    """Every quick run, by a kernel that is loaded anew."""
    sys.meta_path.insert(0, Finder())
    from dhruva.explore import check
    from dhruva.explore.command import load
    from dhruva.verify.manifest import QUICK, read

    folder = ROOT / "models"
    for run in read(folder / "manifest.toml").runs(QUICK):
        model = load(folder / f"{run.model}.py", run.sets)
        model.properties = []  # which are not asked here
        model.allow_deadlock("nor is where it ends")
        check(model, "vector")


def never() -> list[Never]:
    """The answers that no condition gave, each once however often its text stands in a function."""
    missing = (
        Never(f"{site.module}.{site.function}", site.text, answer)
        for number, site in enumerate(SITES)
        for answer in (False, True)
        if answer not in ANSWERS[number]
    )
    return list(dict.fromkeys(missing))


def main() -> None:
    explore()
    sys.stdout.write(json.dumps({"conditions": len(SITES), "never": never()}, indent=1) + "\n")


if __name__ == "__main__":
    main()

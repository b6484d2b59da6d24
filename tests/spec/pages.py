"""Generated pages: docs/generated and models/README.md. `make docs` writes them, a test finds stale ones."""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from dhruva import show
from dhruva.machines import MACHINES
from dhruva.verify import listing
from dhruva.verify.trace import Kind, Matrix, Requirement, matrix
from dhruva.wiring import WIRING

ROOT = Path(__file__).resolve().parents[2]
GENERATED = ROOT / "docs" / "generated"
SHOWN_AT_MOST = 6  # names of places and of evidence in one cell of the matrix


def pages(root: Path = ROOT) -> dict[str, str]:
    """Every generated page by its path below docs/generated."""
    made = {f"machines/{machine.name}.md": show.page(machine) for machine in MACHINES.values()}
    made["machines/README.md"] = show.index(MACHINES.values())
    made["wiring.md"] = show.wiring(WIRING)
    made["traceability.md"] = traceability(matrix(root))
    return made


def others(root: Path = ROOT) -> dict[str, str]:
    """Generated pages that stand elsewhere, by their path below the root."""
    return {"models/README.md": listing.page(root / "models")}


def differing(made: Mapping[str, str], root: Path = ROOT) -> list[str]:
    """Those of the pages that stand elsewhere that are not what the code says now."""
    return [
        name
        for name, text in made.items()
        if not (root / name).is_file() or (root / name).read_text() != text
    ]


def stale(made: Mapping[str, str], folder: Path = GENERATED) -> list[str]:
    """Pages that differ from the code, are missing, or are made by nothing any more."""
    there = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
    return sorted(name for name in made.keys() | there.keys() if made.get(name) != there.get(name))


def write(made: Mapping[str, str], folder: Path = GENERATED) -> None:
    for name in stale(made, folder):
        path = folder / name
        if name in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(made[name])
        else:
            path.unlink()


def traceability(found: Matrix) -> str:
    """The matrix as a page."""
    lines = [
        show.NOTICE,
        "# Traceability",
        "Each requirement, the places that implement it, and what shows that they do. Strongest first: "
        "**proof** (without bounds), **model** (every reachable state within bounds), **property** "
        "(Hypothesis), **test**. A requirement with no place is later work. *Parts* counts the parts of the "
        "specification that have evidence of their own.",
        "```\n" + totals(found) + "\n```",
        "| id | requirement | implemented by | strongest | evidence | parts |\n|---|---|---|---|---|---|\n"
        + "\n".join(_row(requirement) for requirement in found.requirements),
    ]
    return "\n\n".join(lines) + "\n"


def _row(r: Requirement) -> str:
    strongest = r.strongest.name.lower() if r.strongest else "–"
    evidence = sorted({(-item.kind, item.cite.where) for item in r.evidence})
    cells = (
        r.id,
        r.title,
        _some(f"`{place}`" for place in r.places),
        strongest,
        _some(f"`{where}`" for _, where in evidence),
        f"{r.parts_shown}/{len(r.parts)}",
    )
    return "| " + " | ".join(cells) + " |"


def _some(names: Iterable[str]) -> str:
    """The first few names, and how many more there are."""
    every = list(names)
    more = f" and {len(every) - SHOWN_AT_MOST} more" if len(every) > SHOWN_AT_MOST else ""
    return "<br>".join(every[:SHOWN_AT_MOST]) + more


def totals(found: Matrix) -> str:
    """One line per family: how many requirements, how many implemented, and by which evidence shown."""
    head = [
        "family",
        "ids",
        "implemented",
        *(kind.name.lower() for kind in reversed(Kind)),
        "nothing",
        "parts",
    ]
    rows = [head]
    families = list(dict.fromkeys(r.id[:3] for r in found.requirements))
    rows += [_totals(name, [r for r in found.requirements if r.id.startswith(name)]) for name in families]
    rows.append(_totals("all", found.requirements))
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    return "\n".join("  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) for row in rows)


def _totals(name: str, group: Iterable[Requirement]) -> list[str]:
    some = list(group)
    strongest = Counter(r.strongest for r in some)
    return [
        name,
        str(len(some)),
        str(sum(1 for r in some if r.places)),
        *(str(strongest[kind]) for kind in reversed(Kind)),
        str(strongest[None]),
        f"{sum(r.parts_shown for r in some)}/{sum(len(r.parts) for r in some)}",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description="The pages under docs/generated.")
    parser.add_argument("--write", action="store_true", help="write what is stale")
    parser.add_argument("--totals", action="store_true", help="print the totals of the traceability matrix")
    asked = parser.parse_args()
    found = matrix(ROOT)
    if asked.write:
        write(pages())
        for name in differing(others()):
            (ROOT / name).write_text(others()[name])
    if asked.totals:
        sys.stdout.write(totals(found) + "\n")
        for requirement in found.unproven:
            sys.stdout.write(f"implemented, and nothing shows it: {requirement.id} {requirement.title}\n")
        for cite in found.unknown:
            sys.stdout.write(f"unknown id: {cite.part} in {cite.where}\n")
    return 1 if found.unproven or found.unknown else 0


if __name__ == "__main__":
    sys.exit(main())

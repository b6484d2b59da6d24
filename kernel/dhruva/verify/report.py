"""What `dhruva verify` prints: one screen that a reviewer reads in a minute."""

from collections.abc import Iterable, Iterator, Sequence

from dhruva.assume import ASSUMPTIONS
from dhruva.verify.models import Broken, Checked
from dhruva.verify.tables import TableReport


def aligned(rows: Iterable[Sequence[object]]) -> str:
    """Columns as wide as they need to be; numbers to the right."""
    grid = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if cell.replace(",", "").replace(".", "").isdigit() else cell.ljust(width)
            for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in grid
    )


def tables(reports: Sequence[TableReport]) -> str:
    head = ("table", "states", "events", "rows", "refused", "guarded", "digest", "verdict")
    rows = [(*r[:6], r.digest[:12], "FAULT" if r.faults else "sound") for r in reports]
    return aligned([head, *rows])


def models(checked: Sequence[Checked]) -> str:
    head = ("model", "bounds", "states", "transitions", "depth", "properties", "verdict", "seconds")
    return aligned([head, *map(_model, checked)])


def _model(one: Checked) -> tuple[object, ...]:
    r = one.report
    bounds = " ".join(f"{name}={value}" for name, value in r.bounds.items()) or "-"
    return (
        r.model,
        bounds,
        f"{r.distinct:,}",
        f"{r.transitions:,}",
        r.depth,
        len(r.properties),
        r.verdict,
        f"{r.seconds:.1f}",
    )


def broken(found: Sequence[Broken]) -> str:
    head = ("broken on purpose", "fails", "steps", "verdict", "seconds")
    rows = [
        (
            b.path.stem,
            b.must_fail,
            "-" if b.took is None else b.took,
            "caught" if b.caught else "MISSED",
            f"{b.seconds:.1f}",
        )
        for b in found
    ]
    return aligned([head, *rows])


def assumptions() -> str:
    rows = [(f"A{n}", one.name, one.who) for n, one in enumerate(ASSUMPTIONS, 1)]
    return aligned([("", "assumed of the outside", "guaranteed by"), *rows])


def failures(
    reports: Sequence[TableReport], checked: Sequence[Checked], found: Sequence[Broken]
) -> Iterator[str]:
    """All that speaks against us, in full."""
    for table in reports:
        yield from table.faults
    for one in checked:
        if not one.holds:
            yield str(one.report)
    for b in found:
        if not b.caught:
            yield (
                f"{b.path}: {b.must_fail!r} must fail after {b.must_take} steps; "
                f"failed: {', '.join(b.failed) or 'nothing'}, after {b.took} steps"
            )


CLAIM = """\
Claimed: every table is sound; every reachable state of each model, within its bounds and under these
assumptions, meets its properties; each fault planted in models/broken is found.
Not claimed: anything beyond those bounds, and anything about the shell that runs it."""

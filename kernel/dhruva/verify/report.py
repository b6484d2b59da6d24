"""What `dhruva verify` prints: one screen of at most 100 columns that a reviewer reads in a minute."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

WIDTH = 100
Json = Mapping[str, Any]


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


def summary(said: Json) -> str:
    """The whole screen, from a record."""
    return "\n".join(line[:WIDTH] for line in _lines(said))


def _lines(said: Json) -> Iterator[str]:
    yield from models(said).splitlines()
    yield ""
    yield from aligned(_parts(said)).splitlines()
    yield ""
    yield from aligned(_assumptions(said)).splitlines()
    yield ""
    yield from _claims(said)
    yield ""
    yield _last(said)


def models(said: Json) -> str:
    """One line per model: how many runs, and its largest."""
    head = ("model", "runs", "largest at", "states", "transitions", "depth", "claims", "verdict", "s")
    return aligned(
        [head, *(_model(said, name) for name in dict.fromkeys(run["model"] for run in said["runs"]))]
    )


def _model(said: Json, name: str) -> tuple[object, ...]:
    runs = [run for run in said["runs"] if run["model"] == name]
    largest = max(runs, key=lambda run: run["transitions"])
    claims = {p["name"] for run in runs for p in run["properties"]}
    bad = [run["verdict"] for run in runs if run["verdict"] != "holds"]
    took = sum(said["timing"]["runs"][key] for key in _timed(said, name))
    return (
        name,
        len(runs),
        _cut(" ".join(f"{key}={value}" for key, value in largest["bounds"].items() if value), 18),
        f"{sum(run['distinct'] for run in runs):,}",
        f"{sum(run['transitions'] for run in runs):,}",
        max(run["depth"] for run in runs),
        len(claims),
        bad[0] if bad else "holds",
        f"{took:.1f}",
    )


def _timed(said: Json, model: str) -> list[str]:
    return [key for key in said["timing"]["runs"] if key.split(" ")[1] == model]


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _parts(said: Json) -> Iterator[tuple[str, str]]:
    rows = [row for table in said["tables"] for row in table["rows"]]
    yield (
        "tables",
        f"{len(said['tables'])} machines, {len(rows)} rows, digest {said['digest']['kernel'][:12]}",
    )
    taken = sum(1 for row in rows if row["taken"])
    yield "rows taken", f"{taken} of {len(rows)} in some model (the rest: schedule, later work)"
    caught = sum(1 for one in said["broken"] if one["caught"])
    yield "broken on purpose", f"{caught} of {len(said['broken'])} caught by the property they name"
    yield from _mutants(said["mutants"])
    yield "proofs", _proofs(said["proofs"])
    kinds = [one["strongest"] for one in said["requirements"]]
    shown = ", ".join(f"{kinds.count(kind)} by {kind}" for kind in ("proof", "model", "property", "test"))
    later = sum(1 for one in said["requirements"] if not one["places"])
    yield "requirements", f"{len(kinds)}: {shown}; {later} later work"
    if said["mutants"] is not None:
        counted = sum(1 for one in said["requirements"] if one["caught"])
        yield "", f"{counted} of them caught a mutant of what implements them"


def _mutants(found: Json | None) -> Iterator[tuple[str, str]]:
    if found is None:
        yield "mutants", "not hunted (--quick)"
        return
    totals = dict(found["totals"])
    every, killed = sum(totals.values()), totals.pop("killed")
    yield "mutants", f"{killed:,} of {every:,} killed by a property"
    rest = ", ".join(f"{count} {fate}" for fate, count in totals.items() if count)
    if rest:
        yield "", f"the others: {rest}"


def _proofs(found: Json | None) -> str:
    if found is None:
        return "not run"
    proved = sum(1 for claim in found["claims"] if claim["verdict"] == "proved")
    return f"{proved} of {len(found['claims'])} claims proved over {found['inputs']} inputs"


def _assumptions(said: Json) -> Iterator[tuple[str, str, str]]:
    yield "", "assumed of the outside", "guaranteed by"
    for number, one in enumerate(said["assumptions"], 1):
        yield f"A{number}", one["name"], one["who"]


def _claims(said: Json) -> Iterator[str]:
    for head, lines in (("Claimed: ", said["claimed"]), ("Not claimed: ", said["not claimed"])):
        yield from _wrapped(head + " ".join(lines))


def _wrapped(text: str) -> Iterator[str]:
    line = ""
    for word in text.split():
        if len(line) + 1 + len(word) > WIDTH:
            yield line
            line = word
        else:
            line = f"{line} {word}".strip()
    yield line


def _last(said: Json) -> str:
    took = sum(said["timing"]["parts"].values())
    failures = len(said["against"])
    found = "everything that was asked for holds" if not failures else f"{failures} failures, printed above"
    return f"{said['verdict'].upper()}: {found} ({said['size']} bounds, {took:.0f} s)"


def survivors(said: Json) -> Iterator[str]:
    """Each mutant that no property kills, with what each model said."""
    for one in (said["mutants"] or {}).get("not killed", ()):
        yield f"{one['fate']}: {one['mutant']}" + (f" ({one['refused']})" if one["refused"] else "")
        for word in one["said"]:
            yield (
                f"    {word['run']}: {word['outcome']} {word['by']}".rstrip()
                + f" ({word['answers that differ']} answers differ, {word['new states']} new states)"
            )

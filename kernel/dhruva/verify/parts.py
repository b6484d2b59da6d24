"""The sections of the report, each a function of the record."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from math import log10
from typing import Any

from dhruva.verify.diagram import sequence

Json = Mapping[str, Any]
STRENGTH = {"proof": "good", "model": "good", "property": "", "test": "warn"}


def figure(number: int | str, text: str) -> str:
    shown = f"{number:,}" if isinstance(number, int) else number
    return f'<div class="figure"><b>{shown}</b><small>{escape(text)}</small></div>'


def chip(text: str, kind: str) -> str:
    return f'<span class="chip {kind}">{escape(text)}</span>'


def items(lines: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{prose(line)}</li>" for line in lines) + "</ul>"


def prose(text: str) -> str:
    """A text of ours, in which `what is typed` stands between two marks."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def lead(text: str) -> str:
    """The first words of a section; they may hold tags."""
    return f'<p class="lead">{text}</p>'


def cited(ids: Iterable[str]) -> str:
    """Ids that lead to their requirement; a part leads to the whole."""
    return " ".join(f'<a href="#{_whole(id_)}">{escape(id_)}</a>' for id_ in ids)


def _whole(id_: str) -> str:
    return id_.rstrip("abcdefghijklmnopqrstuvwxyz")


def _table(head: Sequence[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """A list; a column whose title begins with `#` holds numbers."""
    yield f'<div class="wide"><table class="list"><tr>{_heads(head)}</tr>'
    yield from (_row(head, row) for row in rows)
    yield "</table></div>"


def _heads(head: Sequence[str]) -> str:
    return "".join(f"<th{_number(title)}>{title.lstrip('#')}</th>" for title in head)


def _row(head: Sequence[str], row: Iterable[str]) -> str:
    cells = (f"<td{_number(title)}>{cell}</td>" for title, cell in zip(head, row, strict=True))
    return f"<tr>{''.join(cells)}</tr>"


def _number(title: str) -> str:
    return ' class="number"' if title.startswith("#") else ""


def models(said: Json) -> Iterator[str]:
    """Each model, what it leaves out, and its runs."""
    yield lead("Each run visits every state that its model can reach at these bounds.")
    head = ("size", "bounds", "#states", "#transitions", "#depth", "#claims", "verdict")
    yield '<div class="wide"><table class="list"><tr>' + _heads(head) + "</tr>"
    for model in said["models"]:
        out = model["leaves out"]
        note = f" <small>leaves out: {escape(out)}</small>" if out else ""
        yield f'<tr><td class="group" colspan="{len(head)}"><b>{escape(model["model"])}</b>{note}</td></tr>'
        yield from (_row(head, _run(run)) for run in said["runs"] if run["model"] == model["model"])
    yield "</table></div>"


def _run(run: Json) -> list[str]:
    because = f"<br><small>{escape(run['because'])}</small>" if run["because"] else ""
    return [
        run["size"],
        f"<code>{escape(_bounds(run))}</code>{because}",
        f"{run['distinct']:,}",
        f"{run['transitions']:,}",
        str(run["depth"]),
        str(len(run["properties"])),
        verdict(run["verdict"]),
    ]


def _bounds(run: Json) -> str:
    return " ".join(f"{name}={value}" for name, value in run["bounds"].items())


def verdict(word: str) -> str:
    return chip(word, "good" if word in ("holds", "proved") else "bad")


def tables(said: Json) -> Iterator[str]:
    """Each machine as a matrix; the warmer a cell, the more often its row was taken."""
    yield lead(
        "A state per line, an event per column, the target in the cell. A dot is refused, as a value, and "
        "changes nothing. The shade is how often models took the row, on a scale of powers of ten."
    )
    yield '<p class="legend">once ' + "".join(f'<i style="{_heat(10**n)}"></i>' for n in range(0, 9, 2))
    yield " a hundred million times</p>"
    for table in said["tables"]:
        rows = {(row["from"], row["on"]): row for row in table["rows"]}
        yield f'<h3 id="table-{escape(table["machine"])}">{escape(table["machine"])} {_sound(table)}</h3>'
        yield '<div class="wide fit"><table class="matrix"><tr><th></th>'
        yield "".join(f"<th>{escape(event)}</th>" for event in table["events"]) + "</tr>"
        for state in table["states"]:
            cells = "".join(_cell(rows.get((state, event))) for event in table["events"])
            mark = " ·" if state == table["initial"] else " ∎" if state in table["final"] else ""
            yield f'<tr><th class="state">{escape(state)}{mark}</th>{cells}</tr>'
        yield "</table></div>"


def _sound(table: Json) -> str:
    return chip("sound", "good") if not table["faults"] else chip("; ".join(table["faults"]), "bad")


def _cell(row: Json | None) -> str:
    if row is None:
        return '<td class="refused">·</td>'
    said = [f"taken {row['taken']:,} times", f"cites {' '.join(row['cites'])}"]
    said += [f"when {', '.join(row['when'])}"] * bool(row["when"]) + [
        f"then {', '.join(row['then'])}"
    ] * bool(row["then"])
    notes = [*(f"[{symbol}]" for symbol in row["when"]), *(f"{{{symbol}}}" for symbol in row["then"])]
    small = "".join(f"<small>{escape(note)}</small>" for note in notes)
    kind = "" if row["taken"] else ' class="cold"'
    style = f' style="{_heat(row["taken"])}"' if row["taken"] else ""
    return f'<td{kind}{style} title="{escape("; ".join(said))}">{escape(row["to"])}{small}</td>'


def _heat(taken: int) -> str:
    return f"background: rgba(var(--heat), {min(0.06 + 0.075 * log10(max(taken, 1)), 0.7):.3f})"


def properties(said: Json) -> Iterator[str]:
    """Each property once: its sentence, what it is evidence for, where it was checked, what it caught."""
    killed: dict[tuple[str, str], int] = {}
    for one in (said["mutants"] or {}).get("killed", ()):
        key = (one["run"].split(" ")[0], one["property"])
        killed[key] = killed.get(key, 0) + 1
    yield lead("What each model says, in a sentence, and in how many states it was asked.")
    for model in said["models"]:
        runs = [run for run in said["runs"] if run["model"] == model["model"]]
        named: dict[str, list[tuple[Json, Json]]] = {}
        for run in runs:
            for claim in run["properties"]:
                named.setdefault(claim["name"], []).append((run, claim))
        yield f"<details open><summary><b>{escape(model['model'])}</b> <small>{len(named)}</small></summary>"
        yield from _table(
            ("property", "kind", "evidence for", "#runs", "#states", "#mutants killed", "verdict"),
            (_property(name, there, killed.get((model["model"], name), 0)) for name, there in named.items()),
        )
        yield "</details>"


def _property(name: str, there: list[tuple[Json, Json]], killed: int) -> list[str]:
    claim = there[0][1]
    bad = [one["verdict"] for _, one in there if one["verdict"] != "holds"]
    sentence = f"<br><small>{prose(claim['sentence'])}</small>" if claim["sentence"] else ""
    return [
        f"{escape(name)}{sentence}",
        claim["kind"].replace("_", " "),
        cited(claim["cites"]),
        str(len(there)),
        f"{sum(run['distinct'] for run, _ in there):,}",
        str(killed or ""),
        verdict(bad[0] if bad else "holds"),
    ]


def broken(said: Json) -> Iterator[str]:
    """Each planted fault, and the shortest trace to what it breaks."""
    yield lead(
        "One fault each, in a table, a guard, a wire, a decision or an assumption. The property named must "
        "fail, after the number of steps named; below is the shortest way there."
    )
    for number, one in enumerate(said["broken"]):
        caught = chip("caught", "good") if one["caught"] else chip("missed", "bad")
        steps = "" if one["steps"] is None else f" after {one['steps']} steps"
        name = escape(one["model"].replace("_", " "))
        yield f'<details class="trace"{" open" if number == 0 else ""}>'
        yield f"<summary><b>{name}</b> · {escape(one['fails'])}{steps} {caught}</summary><div>"
        yield f"<p>{escape(one['about'])}</p>"
        if one["trace"] is not None:
            yield sequence(one["trace"], one["fails"])
            yield f"<p>{prose(one['sentence'])}</p>"
        yield "</div></details>"


def mutants(said: Json) -> Iterator[str]:
    """How many of each kind came to what, and everyone that no property kills."""
    found = said["mutants"]
    if found is None:
        yield lead("Not hunted in this run.")
        return
    yield lead(
        "One thing changed in a table, the wiring, a decision, a guard or a rule. Killed means that the "
        "verdict of a property changed. What a check of tables, an exception or a count notices is told "
        "apart."
    )
    fates = list(found["totals"])
    yield from _table(
        ("kind", "", *(f"#{fate}" for fate in fates)),
        (
            [kind, _bar(totals), *(str(totals[fate] or "") for fate in fates)]
            for kind, totals in _kinds(found)
        ),
    )
    rest = found["not killed"]
    yield f"<details><summary>{len(rest)} that no property kills</summary>"
    yield from _table(("fate", "mutant", "what the models said"), (_survivor(one) for one in rest))
    yield "</details>"


def _kinds(found: Json) -> Iterator[tuple[str, Json]]:
    yield from found["by kind"].items()
    yield "all", found["totals"]


def _bar(totals: Json) -> str:
    every = sum(totals.values()) or 1
    parts = (
        f'<i class="k-{fate.replace(" ", "-")}" style="width: {100 * count / every:.2f}%"></i>'
        for fate, count in totals.items()
        if count
    )
    return f'<div class="bar">{"".join(parts)}</div>'


def _survivor(one: Json) -> list[str]:
    lines = [f"{word['run']}: {word['outcome']} {word['by']}" for word in one["said"][:4]]
    lines += [one["refused"]] if one["refused"] else []
    return [
        chip(one["fate"], "warn"),
        escape(one["mutant"]),
        "<br>".join(f"<small>{escape(line)}</small>" for line in lines),
    ]


def proofs(said: Json) -> Iterator[str]:
    found = said["proofs"]
    if found is None:
        yield lead("Not run.")
        return
    yield lead("For any number of tasks, contenders and versions: the real step on symbolic cells.")
    yield from _table(
        ("claim", "evidence for", "rung", "#paths", "#checks", "verdict"),
        (
            [
                f"{escape(claim['name'])}<br><small>{prose(claim['sentence'])}"
                + (f" ({escape(claim['scope'])})" if claim.get("scope") else "")
                + "</small>",
                cited(claim["cites"]),
                escape(claim["rung"]),
                f"{claim['paths']:,}",
                f"{claim['checks']:,}",
                verdict(claim["verdict"]),
            ]
            for claim in found["claims"]
        ),
    )
    if found.get("assumed"):
        yield f'<div class="card"><h3>Supposed of a world, not proved</h3>{items(found["assumed"])}</div>'


def requirements(said: Json) -> Iterator[str]:
    """The traceability matrix, with the mutant that each requirement's evidence caught."""
    yield lead(
        "Strongest first: proof (without bounds), model (every reachable state within bounds), property "
        "(random inputs), test. <i>Caught</i>: a mutant of something that implements the requirement, and a "
        "property that cites the requirement and noticed it."
    )
    yield from _table(
        ("id", "requirement", "strongest", "#parts", "implemented by", "caught"),
        (_requirement(one) for one in said["requirements"]),
    )


def _requirement(one: Json) -> list[str]:
    strongest = one["strongest"]
    places = one["places"]
    more = f"<small> and {len(places) - 3} more</small>" if len(places) > 3 else ""
    caught = one["caught"]
    return [
        f'<b id="{one["id"]}">{one["id"]}</b>',
        escape(one["title"]),
        chip(strongest, STRENGTH[strongest])
        if strongest
        else chip("later work" if not places else "nothing", "none"),
        f"{one['parts']['shown']}/{one['parts']['of']}",
        "<br>".join(f"<code>{escape(place)}</code>" for place in places[:3]) + more,
        ""
        if caught is None
        else f"<small>{escape(caught['mutant'])}<br>by {escape(caught['property'])}</small>",
    ]


def assumptions(said: Json) -> Iterator[str]:
    yield lead(
        "Written once, in <code>assume.py</code>: models explore all that they allow, and replay checks that "
        "a real run did nothing else."
    )
    yield from _table(
        ("", "assumed of the outside", "guaranteed by"),
        ([f"A{n}", escape(one["name"]), escape(one["who"])] for n, one in enumerate(said["assumptions"], 1)),
    )
    yield f'<div class="first"><div class="card"><h3>Claimed</h3>{items(said["claimed"])}</div>'
    yield f'<div class="card"><h3>Trusted</h3>{items(said["trusted"])}</div></div>'

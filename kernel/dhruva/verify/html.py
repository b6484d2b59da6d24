"""The report (`build/report.html`): one static file, made from the record alone.

The first screen says the verdict, the counts and what is not claimed. Then, for who wants to look: models,
tables with how often each row was taken, every property with its sentence and its evidence, the traces of
the broken models, the mutants, every requirement, and what is assumed and trusted. There is no script, and
nothing is fetched; light and dark follow the reader's system.
"""

from collections.abc import Iterator, Mapping
from html import escape
from importlib.resources import files
from typing import Any

from dhruva.verify import parts
from dhruva.verify.parts import Json, figure, items

SECTIONS: Mapping[str, Any] = {
    "Models": parts.models,
    "Tables": parts.tables,
    "Properties": parts.properties,
    "Broken models": parts.broken,
    "Mutants": parts.mutants,
    "Proofs": parts.proofs,
    "Requirements": parts.requirements,
    "Assumptions": parts.assumptions,
}


def page(said: Json) -> str:
    """The whole file."""
    return "\n".join(_page(said)) + "\n"


def _page(said: Json) -> Iterator[str]:
    style = files("dhruva.verify").joinpath("report.css").read_text(encoding="utf-8")
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>dhruva: {escape(said['verdict'])}</title>"
    yield '<link rel="icon" href="data:,">'
    yield f"<style>\n{style}</style>\n</head>\n<body>"
    yield from _first(said)
    links = "".join(f'<a href="#{_anchor(name)}">{name}</a>' for name in SECTIONS)
    yield f"<nav><div>{links}</div></nav>\n<main>"
    for name, section in SECTIONS.items():
        yield f'<section id="{_anchor(name)}"><h2>{name}</h2>'
        yield from section(said)
        yield "</section>"
    yield "</main>"
    yield from _foot(said)
    yield "</body>\n</html>"


def _anchor(name: str) -> str:
    return name.lower().replace(" ", "-")


def _first(said: Json) -> Iterator[str]:
    """The first screen."""
    failures = len(said["against"])
    word = "everything that was asked for" if not failures else f"{failures} failures"
    kernel = said["digest"]["kernel"][:12]
    yield f'<header class="{said["verdict"]}"><h1>dhruva · what was verified</h1>'
    yield f'<div class="verdict"><strong>{escape(said["verdict"].capitalize())}</strong>'
    yield f"<span>{word}, at {said['size']} bounds · kernel <code>{kernel}</code></span></div>"
    yield '<div class="first"><div><div class="figures">'
    yield from _figures(said)
    yield "</div></div>"
    yield f'<div class="card unclaimed"><h3>Not claimed</h3>{items(said["not claimed"])}</div></div>'
    if failures:
        yield '<div class="wide"><table class="list"><tr><th>what speaks against us</th></tr>'
        yield from (f"<tr><td><pre>{escape(line)}</pre></td></tr>" for line in said["against"])
        yield "</table></div>"
    yield "</header>"


def _figures(said: Json) -> Iterator[str]:
    runs = said["runs"]
    claims = {(run["model"], p["name"]) for run in runs for p in run["properties"]}
    yield figure(sum(run["distinct"] for run in runs), f"distinct states in {len(runs)} runs of models")
    yield figure(sum(run["transitions"] for run in runs), "transitions, each checked")
    yield figure(len(claims), "properties, by name and model")
    rows = [row for table in said["tables"] for row in table["rows"]]
    yield figure(
        len(rows), f"rows of {len(said['tables'])} tables, {sum(1 for r in rows if r['taken'])} taken"
    )
    yield figure(
        sum(1 for b in said["broken"] if b["caught"]), f"of {len(said['broken'])} planted faults caught"
    )
    yield _mutants(said["mutants"])
    shown = [one for one in said["requirements"] if one["strongest"] in ("proof", "model")]
    yield figure(len(shown), f"of {len(said['requirements'])} requirements by model or proof")
    yield figure(len(said["assumptions"]), "assumptions about the outside")
    yield _proofs(said["proofs"])


def _mutants(found: Json | None) -> str:
    if found is None:
        return figure("–", "mutants were not hunted")
    killed, every = found["totals"]["killed"], sum(found["totals"].values())
    return figure(killed, f"of {every:,} mutants killed by a property")


def _proofs(found: Json | None) -> str:
    if found is None:
        return figure("–", "proofs were not run")
    proved = sum(1 for claim in found["claims"] if claim["verdict"] == "proved")
    return figure(proved, f"of {len(found['claims'])} claims proved without bounds")


def _foot(said: Json) -> Iterator[str]:
    versions = " · ".join(f"{name} {number}" for name, number in said["versions"].items())
    took = " · ".join(f"{name}: {seconds:.0f} s" for name, seconds in said["timing"]["parts"].items())
    digests = " · ".join(f"{name} <code>{digest}</code>" for name, digest in said["digest"].items())
    yield f"<footer><p>{digests}</p>"
    yield f"<p>{escape(versions)}</p><p>{escape(took)}</p>"
    yield f"<p>Made from <code>record.json</code> (form {said['form']}), which has it all as data.</p>"
    yield "</footer>"

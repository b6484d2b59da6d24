"""The record (`build/record.json`): what was checked, how far, under what, and what came of it (VER-3).

The same code gives the same bytes under any hash seed, but for the section `timing`. The report in HTML is
made from the record alone, and two records can be compared (`against`).
"""

import json
import platform
from collections.abc import Iterable
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from dhruva import __version__
from dhruva.assume import ASSUMPTIONS
from dhruva.cells import Kind
from dhruva.explore.replay import Trace
from dhruva.explore.values import show_change
from dhruva.identity import digest
from dhruva.machines import MACHINES
from dhruva.table import Machine
from dhruva.verify import claims, hunt
from dhruva.verify.findings import Findings
from dhruva.verify.hunt import Fate
from dhruva.verify.models import Broken, Checked
from dhruva.verify.trace import Requirement

FORM = 1
"""Raised when a field changes its meaning."""

PACKAGES = ("numpy", "scipy", "z3-solver", "cvc5")
Json = dict[str, Any]


def record(found: Findings, folder: Path) -> Json:
    """Everything as plain data."""
    against = found.against()
    return {
        "form": FORM,
        "verdict": "holds" if not against else "violated",
        "size": found.size,
        "digest": {"kernel": digest(), "models": _models_digest(folder)},
        "versions": _versions(),
        "against": against,
        "tables": [_table(found, machine) for machine in MACHINES.values()],
        "runs": [_run(one) for one in found.checked],
        "models": _models(found),
        "broken": [_broken(one) for one in found.broken],
        "mutants": None if found.fates is None else _mutants(found.fates),
        "proofs": None if found.proofs is None else {k: v for k, v in found.proofs.items() if k != "seconds"},
        "requirements": [_requirement(found, one) for one in found.matrix.requirements],
        "assumptions": [{"name": one.name, "who": one.who} for one in ASSUMPTIONS],
        "claimed": list(claims.CLAIMED),
        "not claimed": list(claims.NOT_CLAIMED),
        "trusted": list(claims.TRUSTED),
        "timing": {
            "parts": {name: round(took, 1) for name, took in found.seconds.items()},
            "runs": {f"{one.run.size} {one.run.name}": round(one.report.seconds, 2) for one in found.checked},
        },
    }


def text(said: Json) -> str:
    return json.dumps(said, indent=1, ensure_ascii=False) + "\n"


def _models_digest(folder: Path) -> str:
    """Of the files of all models, names and bytes."""
    hashed = blake2b(digest_size=16)
    for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.toml")]):
        hashed.update(f"{path.relative_to(folder).as_posix()}\0".encode())
        hashed.update(path.read_bytes())
    return hashed.hexdigest()


def _versions() -> Json:
    found = {"dhruva": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "absent"
    return found


def _table(found: Findings, machine: Machine[Any, Any]) -> Json:
    taken = found.coverage
    rows = machine.to_json()
    for row in rows["rows"]:
        row["taken"] = taken[machine.name, str(row["from"]), str(row["on"])]
    faults = next(one.faults for one in found.tables if one.machine == machine.name)
    return {**rows, "closed by": machine.closed_by, "faults": list(faults)}


def _run(one: Checked) -> Json:
    r = one.report
    return {
        "model": one.run.model,
        "size": one.run.size,
        "bounds": r.bounds,
        "because": one.run.because,
        "pinned": one.run.pin is not None,
        **one.counted._asdict(),
        "never enabled": [str(count.what) for count in r.coverage.actions if not count.fired],
        "notes": list(r.notes),
        "properties": [
            {
                "name": p.name,
                "kind": p.kind,
                "verdict": p.verdict,
                "cites": list(p.cites),
                "sentence": p.sentence,
                "steps": None if p.trace is None else len(p.trace),
            }
            for p in r.properties
        ],
    }


def _models(found: Findings) -> list[Json]:
    return [
        {"model": model, "leaves out": found.manifest.leaves_out.get(model, "")}
        for model in found.manifest.models
    ]


def _broken(one: Broken) -> Json:
    return {
        "model": one.name,
        "about": one.about,
        "fails": one.must_fail,
        "sentence": one.sentence,
        "steps": one.took,
        "caught": one.caught,
        "trace": None if one.trace is None else _trace(one.trace),
    }


def _trace(trace: Trace) -> Json:
    """The steps, and of each only what it changed; ghosts are what a model remembers and no rule reads."""
    return {
        "loop": trace.loop,
        "steps": [
            {
                "action": step.action,
                "changes": [
                    {
                        "cell": _named(change.key),
                        "before": _state(change.before),
                        "after": _state(change.after),
                        "text": show_change(_named(change.key), change.before, change.after),
                        "ghost": not (isinstance(change.key, tuple) and isinstance(change.key[0], Kind)),
                    }
                    for change in step.changes
                ],
            }
            for step in trace.steps
        ],
    }


def _named(key: Any) -> str:
    """A cell in few letters: `attempt 20.1.1`."""
    if not isinstance(key, tuple):
        return str(key)
    return " ".join(
        _named(part) if not hasattr(part, "_fields") else ".".join(map(str, part)) for part in key
    )


def _state(cell: Any) -> str | None:
    """The state of a cell that has one."""
    if cell is None:
        return None
    return str(getattr(cell, "state", getattr(cell, "status", ""))) or None


def _mutants(fates: Iterable[Fate]) -> Json:
    listed = list(fates)
    kinds = list(dict.fromkeys(one.kind for one in listed))
    return {
        "totals": dict(hunt.totals(listed)),
        "by kind": {kind: dict(hunt.totals(one for one in listed if one.kind == kind)) for kind in kinds},
        "killed": [
            {"mutant": one.name, "property": word.said.by, "run": word.run, "steps": word.said.steps}
            for one in listed
            if (word := one.killer) is not None
        ],
        "not killed": [_survivor(one) for one in listed if one.fate != hunt.KILLED],
    }


def _survivor(one: Fate) -> Json:
    return {
        "mutant": one.name,
        "kind": one.kind,
        "fate": one.fate,
        "refused": one.refused,
        "said": [
            {
                "run": word.run,
                "outcome": word.said.outcome,
                "by": word.said.by,
                "answers that differ": word.said.differs,
                "new states": word.said.new,
            }
            for word in one.words
        ],
    }


def _requirement(found: Findings, one: Requirement) -> Json:
    credit = found.credits.get(one.id)
    strongest = one.strongest
    return {
        "id": one.id,
        "title": one.title,
        "places": list(one.places),
        "strongest": None if strongest is None else strongest.name.lower(),
        "evidence": {
            kind: sorted({item.cite.where for item in one.evidence if item.kind.name.lower() == kind})
            for kind in ("proof", "model", "property", "test")
        },
        "parts": {"shown": one.parts_shown, "of": len(one.parts)},
        "caught": None if credit is None else credit._asdict(),
    }

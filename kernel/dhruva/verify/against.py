"""What changed in meaning between two records: rows, counts, verdicts, evidence."""

from collections.abc import Iterator, Mapping
from typing import Any

Json = Mapping[str, Any]
ROW = ("to", "when", "then")
COUNTS = ("verdict", "distinct", "transitions", "depth")


def changes(old: Json, new: Json) -> list[str]:
    """One line per change; nothing means the same."""
    return [
        *_verdict(old, new),
        *_rows(old, new),
        *_runs(old, new),
        *_broken(old, new),
        *_mutants(old, new),
        *_proofs(old, new),
        *_requirements(old, new),
        *_listed(
            "assumption", [a["name"] for a in old["assumptions"]], [a["name"] for a in new["assumptions"]]
        ),
    ]


def _verdict(old: Json, new: Json) -> Iterator[str]:
    if old["verdict"] != new["verdict"]:
        yield f"verdict: {old['verdict']} -> {new['verdict']}"
    if old["digest"]["kernel"] != new["digest"]["kernel"]:
        yield f"kernel: digest {old['digest']['kernel']} -> {new['digest']['kernel']}"


def _rows(old: Json, new: Json) -> Iterator[str]:
    was = {(t["machine"], r["from"], r["on"]): r for t in old["tables"] for r in t["rows"]}
    now = {(t["machine"], r["from"], r["on"]): r for t in new["tables"] for r in t["rows"]}
    for key in [*was, *(key for key in now if key not in was)]:
        name = f"{key[0]}: row {key[1]} -{key[2]}->"
        if key not in now:
            yield f"{name} {was[key]['to']} is gone"
        elif key not in was:
            yield f"{name} {now[key]['to']} is new"
        else:
            for part in ROW:
                before, after = was[key][part], now[key][part]
                if before != after:
                    yield f"{name}: {part} {_shown(before)} -> {_shown(after)}"


def _runs(old: Json, new: Json) -> Iterator[str]:
    was, now = _by_bounds(old), _by_bounds(new)
    yield from _listed("run", list(was), list(now))
    for name in was:
        if name in now:
            for part in COUNTS:
                if was[name][part] != now[name][part]:
                    yield f"{name}: {part} {_shown(was[name][part])} -> {_shown(now[name][part])}"
            yield from _properties(name, was[name], now[name])


def _properties(run: str, old: Json, new: Json) -> Iterator[str]:
    was, now = ({p["name"]: p for p in one["properties"]} for one in (old, new))
    yield from _listed(f"{run}: property", list(was), list(now))
    for name in was:
        if name in now and was[name]["verdict"] != now[name]["verdict"]:
            yield f"{run}: {name}: {was[name]['verdict']} -> {now[name]['verdict']}"
        if name in now and was[name]["sentence"] != now[name]["sentence"]:
            yield f"{run}: {name} says otherwise: {now[name]['sentence']}"


def _by_bounds(said: Json) -> dict[str, Json]:
    return {
        " ".join([run["model"], *(f"{name}={value}" for name, value in run["bounds"].items())]): run
        for run in said["runs"]
    }


def _broken(old: Json, new: Json) -> Iterator[str]:
    was, now = ({b["model"]: b for b in one["broken"]} for one in (old, new))
    yield from _listed("broken model", list(was), list(now))
    for name in was:
        for part in ("fails", "steps", "caught"):
            if name in now and was[name][part] != now[name][part]:
                yield f"broken {name}: {part} {_shown(was[name][part])} -> {_shown(now[name][part])}"


def _mutants(old: Json, new: Json) -> Iterator[str]:
    if old["mutants"] is None or new["mutants"] is None:
        return
    for fate in new["mutants"]["totals"]:
        before, after = old["mutants"]["totals"].get(fate, 0), new["mutants"]["totals"][fate]
        if before != after:
            yield f"mutants {fate}: {before} -> {after}"
    was, now = ([m["mutant"] for m in one["mutants"]["not killed"]] for one in (old, new))
    yield from _listed("not killed:", was, now)


def _proofs(old: Json, new: Json) -> Iterator[str]:
    if old["proofs"] is None or new["proofs"] is None:
        return
    was, now = ({c["name"]: c for c in one["proofs"]["claims"]} for one in (old, new))
    yield from _listed("claim", list(was), list(now))
    for name in was:
        if name in now and was[name]["verdict"] != now[name]["verdict"]:
            yield f"claim {name}: {was[name]['verdict']} -> {now[name]['verdict']}"


def _requirements(old: Json, new: Json) -> Iterator[str]:
    was, now = ({r["id"]: r for r in one["requirements"]} for one in (old, new))
    for id_ in now:
        before = was.get(id_, {}).get("strongest")
        if before != now[id_]["strongest"]:
            yield f"{id_}: strongest evidence {_shown(before)} -> {_shown(now[id_]['strongest'])}"
        if (
            bool(was.get(id_, {}).get("caught")) != bool(now[id_]["caught"])
            and new["mutants"]
            and old["mutants"]
        ):
            yield f"{id_}: {'now' if now[id_]['caught'] else 'no longer'} shown by a mutant"


def _listed(what: str, old: list[str], new: list[str]) -> Iterator[str]:
    yield from (f"{what} {name} is gone" for name in old if name not in new)
    yield from (f"{what} {name} is new" for name in new if name not in old)


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)

"""`dhruva verify`: everything re-checked from nothing, on all cores, with nothing remembered (VER-3).

Exit codes: 0 everything that was asked for holds, 1 something does not, 2 usage.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from dhruva.explore import ModelError
from dhruva.machines import MACHINES
from dhruva.verify import against, html, hunt, manifest, models, proofs, record, report, work
from dhruva.verify.findings import Findings
from dhruva.verify.manifest import FULL, QUICK, Manifest, ManifestError, Run
from dhruva.verify.tables import check_tables
from dhruva.verify.trace import Matrix, matrix
from dhruva.verify.work import Crash, Job

USAGE = 2
NOWHERE = Matrix((), ())


def verify(
    folder: Annotated[Path, typer.Option("--models", help="The folder of the models.")] = Path("models"),
    out: Annotated[Path, typer.Option(help="Where record.json and report.html go.")] = Path("build"),
    quick: Annotated[bool, typer.Option("--quick", help="Small bounds, no mutants, no proofs.")] = False,
    no_pins: Annotated[
        bool, typer.Option("--no-pins", help="Compare with no count of the manifest.")
    ] = False,
    no_proofs: Annotated[bool, typer.Option("--no-proofs", help="Leave the proofs out.")] = False,
    pin: Annotated[bool, typer.Option("--pin", help="Write what was counted into the manifest.")] = False,
    old: Annotated[
        Path | None, typer.Option("--against", metavar="RECORD", help="Print what changed since this record.")
    ] = None,
    engine: Annotated[str, typer.Option(help="auto, vector or reference.")] = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print the record instead of a table.")] = False,
) -> None:
    """Re-check everything from nothing: tables, models, broken models, mutants, traceability, proofs."""
    try:
        before = None if old is None else _record(old)
        found = _findings(folder, engine, quick, not (no_pins or pin), proved=not (quick or no_proofs))
    except (FileNotFoundError, ManifestError, ModelError) as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(USAGE) from error
    if pin:
        counted = {one.run: one.counted for one in found.checked if one.holds}
        manifest.write(found.manifest.pinned(counted), folder / "manifest.toml")
    said = record.record(found, folder)
    _write(said, out)
    for line in said["against"]:
        typer.echo(f"{line}\n", err=True)
    typer.echo(record.text(said).rstrip() if as_json else _screen(said, out))
    if before is not None:
        typer.echo("\n".join(["", f"since {old}:", *(against.changes(before, said) or ["nothing changed"])]))
    raise typer.Exit(1 if said["against"] else 0)


def _screen(said: record.Json, out: Path) -> str:
    survivors = list(report.survivors(said))
    parts = [*(["\n".join(survivors)] if survivors else []), report.summary(said)]
    return "\n\n".join(parts) + f"\nrecord: {out / 'record.json'}   report: {out / 'report.html'}"


def _write(said: record.Json, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / "record.json").write_text(record.text(said), encoding="utf-8")
    (out / "report.html").write_text(html.page(said), encoding="utf-8")


def _record(path: Path) -> Any:
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ManifestError(f"{path} is no record: {error}") from error
    form = said.get("form") if isinstance(said, dict) else None
    if form != record.FORM:
        raise ManifestError(f"{path} is a record of form {form}, and this is form {record.FORM}")
    return said


def _findings(folder: Path, engine: str, quick: bool, pins: bool, proved: bool) -> Findings:
    seconds: dict[str, float] = {}
    listed = manifest.read(folder / "manifest.toml")
    unlisted = tuple(models.unlisted(folder, listed))
    runs = listed.runs(QUICK) if quick else _all(listed)
    with _timed(seconds, "models, broken models" + ("" if quick else ", mutants")):
        found = _explored(folder, engine, listed, runs, quick)
    found = replace(found, pins=pins, unlisted=unlisted, seconds=seconds)
    if found.fates is not None:
        with _timed(seconds, "credits"):
            late = work.done(hunt.credit_jobs(folder, found.fates), _progress)
        shown = {
            **hunt.credited(found.fates),
            **{c.id: c for c in late.values() if isinstance(c, hunt.Credit)},
        }
        found = replace(found, credits=dict(sorted(shown.items())))
    root = folder.resolve().parent
    if proved and proofs.there(root):
        with _timed(seconds, "proofs"):
            try:
                found = replace(found, proofs=proofs.run(root, _progress))
            except proofs.ProofsError as error:
                found = replace(found, crashed={**found.crashed, "proofs": str(error)})
    return found


def _all(listed: Manifest) -> list[Run]:
    """Full and quick; what is the same at both is explored once."""
    full = listed.runs(FULL)
    return [*full, *(run for run in listed.runs(QUICK) if run.name not in {one.name for one in full})]


def _explored(folder: Path, engine: str, listed: Manifest, runs: list[Run], quick: bool) -> Findings:
    """Long runs first, so that mutants and broken models fill the other cores."""
    named = {run.size + " " + run.name: run for run in models.longest_first(runs)}
    broken = models.files(folder / "broken") if (folder / "broken").is_dir() else []
    hunted = [] if quick else hunt.jobs(folder)
    jobs = [
        *(Job(name, models.explore, (folder, engine, run), _told) for name, run in named.items()),
        *hunted,
        *(Job(f"broken {path.stem}", models.explore_broken, (engine, path)) for path in broken),
    ]
    everything = work.done(jobs, _progress)
    crashed = {name: one.message for name, one in everything.items() if isinstance(one, Crash)}
    done = {name: one for name, one in everything.items() if name not in crashed}
    root = folder.resolve().parent
    return Findings(
        size=QUICK if quick else FULL,
        pins=True,
        manifest=listed,
        tables=tuple(check_tables(MACHINES.values())),
        crashed=crashed,
        checked=tuple(done[name] for run in runs if (name := run.size + " " + run.name) in done),
        broken=tuple(done[name] for path in broken if (name := f"broken {path.stem}") in done),
        matrix=matrix(root) if (root / "docs" / "spec").is_dir() else NOWHERE,
        fates=None if quick else tuple(one for job in hunted for one in done.get(job.name, ())),
    )


def _told(one: models.Checked) -> str:
    r = one.report
    return f"{r.verdict}, {r.distinct:,} states, {r.seconds:.1f} s"


@contextmanager
def _timed(seconds: dict[str, float], part: str) -> Iterator[None]:
    began = time.perf_counter()
    yield
    seconds[part] = time.perf_counter() - began


def _progress(line: str) -> None:
    typer.echo(line, err=True)

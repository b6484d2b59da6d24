"""All that one run of `dhruva verify` found, and what of it speaks against us."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dhruva.machines import MACHINES
from dhruva.verify.hunt import Credit, Fate
from dhruva.verify.manifest import Manifest
from dhruva.verify.models import Broken, Checked
from dhruva.verify.mutants import LATER
from dhruva.verify.tables import TableReport
from dhruva.verify.trace import Matrix

RowName = tuple[str, str, str]  # machine, state, event


@dataclass(frozen=True)
class Findings:
    """Parts that were not asked for are None."""

    size: str
    pins: bool
    manifest: Manifest
    tables: tuple[TableReport, ...]
    checked: tuple[Checked, ...]
    broken: tuple[Broken, ...]
    matrix: Matrix
    unlisted: tuple[str, ...] = ()
    crashed: Mapping[str, str] = field(default_factory=dict)  # what a model or a mutant's world raised
    fates: tuple[Fate, ...] | None = None
    credits: Mapping[str, Credit] = field(default_factory=dict)
    proofs: Mapping[str, Any] | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def coverage(self) -> dict[RowName, int]:
        """How often each row of each table was taken, over all runs."""
        taken = {(m.name, str(row.source), str(row.on)): 0 for m in MACHINES.values() for row in m.rows}
        for one in self.checked:
            for count in one.report.coverage.edges:
                edge: Any = count.what
                name = (edge.machine, str(edge.source), str(edge.on))
                if name in taken:
                    taken[name] += count.fired
        return taken

    @property
    def untaken(self) -> list[RowName]:
        """Rows that no model takes; asked only where models of the kernel were run."""
        if not any(one.report.coverage.edges for one in self.checked):
            return []
        return [row for row, fired in self.coverage.items() if not fired and row[0] not in LATER]

    def against(self) -> list[str]:
        """Every failure, in full; nothing means that all that was asked for holds."""
        return list(self._against())

    def _against(self) -> Iterator[str]:
        for table in self.tables:
            yield from table.faults
        yield from self.unlisted
        for one in self.checked:
            if not one.holds:
                yield f"{one.run.name}\n{one.report}"
            elif self.pins and one.run.pin not in (None, one.counted):
                yield f"{one.run.name}: counted {_counts(one.counted)}, pinned {_counts(one.run.pin)}"
        yield from (f"{name}: {message}" for name, message in self.crashed.items())
        for machine, state, event in self.untaken:
            yield f"{machine}: no model takes the row {state} -{event}->"
        for b in self.broken:
            if b.trace is None or (self.pins and not b.caught):
                how = "does not fail" if b.took is None else f"fails after {b.took} steps"
                yield f"models/broken/{b.name}.py: {b.must_fail!r} {how}, and must after {b.must_take}"
        for requirement in self.matrix.unproven:
            yield f"{requirement.id} is implemented, and nothing shows it"
        for cite in self.matrix.unknown:
            yield f"{cite.where} cites {cite.part}, which docs/spec has not"
        for claim in (self.proofs or {}).get("claims", ()):
            if claim["verdict"] != "proved":
                yield f"proofs: {claim['name']!r} is {claim['verdict']}"
        yield from (f"proofs: {fault}" for fault in (self.proofs or {}).get("faults", ()))


def _counts(counted: Any) -> str:
    return ", ".join(f"{name} {value}" for name, value in counted._asdict().items())

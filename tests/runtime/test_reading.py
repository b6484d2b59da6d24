"""A look at a store: one snapshot, nothing written, nothing recovered, whoever serves it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dhruva.cells import Kind
from dhruva.runtime.api import Authority
from dhruva.runtime.reading import reading
from dhruva.runtime.replay import replay
from dhruva.runtime.shipped import shipped
from dhruva.runtime.store import OtherTables, Query, StoreError
from tests.runtime.authorities import run


async def load(_inputs: dict[str, Any]) -> dict[str, Any]:
    return {}


async def stored(path: Path, *names: str) -> None:
    async with Authority.open(path, limit=1) as here:
        here.executor(load)
        for name in names:
            await (await here.create(name, load)).ended()


def test_what_is_read_is_one_snapshot(tmp_path: Path) -> None:
    async def main() -> None:
        async with Authority.open(tmp_path / "work.db", limit=1) as here:
            here.executor(load)
            await (await here.create("first", load)).ended()
            with reading(tmp_path / "work.db") as look:
                assert len(look.page(Query()).tasks) == 1
                await (await here.create("second", load)).ended()
                assert len(look.page(Query()).tasks) == 1
                assert replay(look.store, shipped()).bad is None
            with reading(tmp_path / "work.db") as look:
                assert len(look.page(Query()).tasks) == 2

    run(main())


def test_nothing_can_be_written_through_it(tmp_path: Path) -> None:
    run(stored(tmp_path / "work.db", "first"))
    with reading(tmp_path / "work.db") as look:
        with pytest.raises(StoreError, match="is open for reading alone"):
            look.store.begin()
        with pytest.raises(Exception, match="readonly"):
            look.store.connection.execute("DELETE FROM cells")


def test_cells_of_a_kind_come_in_parts(tmp_path: Path) -> None:
    run(stored(tmp_path / "work.db", "a", "b", "c"))
    with reading(tmp_path / "work.db") as look:
        every = [key for key, _ in look.scan(Kind.TASK)]
        first = look.some(Kind.TASK, 2)
        rest = look.some(Kind.TASK, 2, first[-1][0])
        assert [key for _, key, _ in (*first, *rest)] == every
        assert look.some(Kind.PARKED, 2) == []


def test_other_tables_are_named(tmp_path: Path) -> None:
    run(stored(tmp_path / "work.db"))
    with (
        pytest.raises(OtherTables, match="was written with tables"),
        reading(tmp_path / "work.db", shipped()._replace(tables="others")),
    ):
        pass

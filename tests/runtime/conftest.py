"""Every journal that is written in a test is replayed when the test is over (SHL-7, VER-6)."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from dhruva.ids import ProcessId
from dhruva.runtime.api import Authority
from dhruva.runtime.calls import Kernel
from dhruva.runtime.engine import Engine
from dhruva.runtime.replay import replay
from dhruva.runtime.shipped import shipped
from dhruva.runtime.sqlite import SqliteStore
from dhruva.runtime.store import NotAStore, OtherTables, Store
from tests.runtime.authorities import authority, run
from tests.runtime.stores import KINDS, bad_record


@pytest.fixture
def tampered() -> bool:
    """A test that asks for this leaves a bad journal on purpose."""
    return True


@pytest.fixture(params=KINDS)
def play(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., None]:
    """Runs a story on an authority of each kind."""

    def played(story: Callable[[Authority], Awaitable[None]], limit: int | None = 4, **named: Any) -> None:
        async def main() -> None:
            async with authority(request.param, tmp_path, limit, **named) as here:
                await story(here)

        run(main())

    return played


@pytest.fixture(autouse=True)
def every_journal_replays_clean(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[None]:
    """Memory stores keep a journal here, too. Cells that changed without a link are seen at the end.

    A file `work.db` of our tables that no engine here opened was written by other processes of the test.
    """
    seen: list[Engine] = []
    init = Engine.__init__

    def watched(
        self: Engine,
        store: Store,
        kernel: Kernel,
        process: ProcessId,
        _journal: bool = True,
        now: Callable[[], int] = int,
    ) -> None:
        init(self, store, kernel, process, True, now)
        seen.append(self)

    monkeypatch.setattr(Engine, "__init__", watched)
    yield
    if "tampered" in request.fixturenames:
        return
    kernels = {}
    for engine in seen:
        if isinstance(engine.store, SqliteStore):
            kernels[engine.store.path] = engine.kernel
        else:
            assert replay(engine.store, engine.kernel).bad is None
    for path, kernel in kernels.items():
        assert bad_record(path, kernel) is None
    written = tmp_path / "work.db"
    if written.is_file() and written not in kernels:
        with suppress(NotAStore, OtherTables):
            assert bad_record(written, shipped()) is None

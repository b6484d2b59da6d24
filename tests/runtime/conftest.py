"""Every journal that an engine writes in a test is replayed when the test is over (SHL-7, VER-6)."""

from collections.abc import Iterator

import pytest

from dhruva.runtime.batch import Engine, Kernel
from dhruva.runtime.replay import replay
from dhruva.runtime.sqlite import SqliteStore
from dhruva.runtime.store import Store
from tests.runtime.stores import bad_record


@pytest.fixture
def tampered() -> bool:
    """A test that asks for this leaves a bad journal on purpose."""
    return True


@pytest.fixture(autouse=True)
def every_journal_replays_clean(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Memory stores keep a journal here, too. Cells that changed without a link are seen at the end."""
    seen: list[Engine] = []
    init = Engine.__init__

    def watched(self: Engine, store: Store, kernel: Kernel, process: int, _journal: bool = True) -> None:
        init(self, store, kernel, process, True)  # type: ignore[arg-type]
        seen.append(self)

    monkeypatch.setattr(Engine, "__init__", watched)
    yield
    if "tampered" in request.fixturenames:
        return
    for engine in seen:
        if isinstance(engine.store, SqliteStore):
            assert bad_record(engine.store.path, engine.kernel) is None
        else:
            assert replay(engine.store, engine.kernel).bad is None

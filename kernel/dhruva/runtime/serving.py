"""A process in the service of a store: how it enrols, what it watches, how it leaves (LIF-15)."""

from collections.abc import Callable
from pathlib import Path

from dhruva.ids import ProcessId
from dhruva.runtime.calls import Kernel
from dhruva.runtime.engine import OWNERS, Engine
from dhruva.runtime.memory import MemoryStore
from dhruva.runtime.owner import Owner
from dhruva.runtime.recovery import Recovery, strike_off
from dhruva.runtime.shell import Post, Told
from dhruva.runtime.sqlite import SqliteStore
from dhruva.runtime.store import StoreError, Writes

Now = Callable[[], int]


def in_memory(kernel: Kernel, journal: bool, now: Now) -> Engine:
    """An engine on a new store that nobody else can see."""
    store = MemoryStore()
    transaction = store.begin()
    process = ProcessId(transaction.new_id())
    transaction.rollback()
    return Engine(store, kernel, process, journal, now)


class Served(Post):
    """A store on a file. This process is enrolled in it for as long as it holds its own lock."""

    def __init__(self, path: Path, kernel: Kernel, now: Now, create: bool) -> None:
        if not create and not path.exists():
            raise StoreError(f"{path} is not there")
        store = SqliteStore(path, kernel.tables)
        try:
            self.owner = Owner(path)
            try:
                super().__init__(Engine(store, kernel, _enrolled(store, self.owner), True, now))
                self.engine.resume()
            except BaseException:
                self.owner.release()
                raise
        except BaseException:
            store.close()
            raise
        self.inherited = (self.owner.descriptor,)
        self._recovery = Recovery(self.engine, path)
        self._recovery.clear_away()

    def watch(self, told: Told) -> None:
        self._recovery.run(told)

    def close(self) -> None:
        """What this process could not end is left to the next one, which finds its lock free."""
        left = True
        try:
            left = not strike_off(self.engine)
        except StoreError:
            pass
        finally:
            self.engine.store.close()
            if left:
                self.owner.let_go()
            else:
                self.owner.release()


def _enrolled(store: SqliteStore, owner: Owner) -> ProcessId:
    """An id that no process had before, durable together with the name of its lock."""
    transaction = store.begin()
    try:
        process = ProcessId(transaction.new_id())
        transaction.commit(Writes({}, (), {f"{OWNERS}{process}": owner.nonce.encode()}, None))
    except BaseException:
        transaction.rollback()
        raise
    return process

"""Who lives: each process that opens a store holds an advisory lock of its own for as long as it lives.

`flock` on a file named by a nonce, never a POSIX record lock: those are dropped when any descriptor of
the file is closed. That the lock is granted to another proves that whoever held it is gone (LIF-15);
nothing else does, least of all its age. A child process that runs a body is given the descriptor, so its
owner is not gone before it is; a process that was merely forked lets go of it.
"""

import fcntl
import glob
import os
import secrets
import weakref
from collections.abc import Iterable
from enum import Enum
from pathlib import Path

from dhruva.runtime.turnstile import private


def _file(store: Path, nonce: str) -> Path:
    return store.with_name(f"{store.name}-owner-{nonce}")


class Owner:
    """This process, as the owner of what it runs."""

    def __init__(self, store: Path) -> None:
        while not self._took(store):
            pass  # someone cleared the file away before it was locked
        _sync(store.parent)  # the file must outlive a power cut, or nobody could prove that we are gone
        _OWNERS.add(self)

    def _took(self, store: Path) -> bool:
        self.nonce = secrets.token_hex(8)
        self._path = _file(store, self.nonce)
        self.descriptor = private(self._path, os.O_CREAT | os.O_EXCL)
        if _granted(self.descriptor, self._path):
            return True
        os.close(self.descriptor)
        return False

    def release(self) -> None:
        """This process owns nothing any more, and is enrolled no longer."""
        self._path.unlink(missing_ok=True)
        self.let_go()

    def let_go(self) -> None:
        """Whoever comes next finds the lock free, and settles what is left."""
        _OWNERS.discard(self)
        os.close(self.descriptor)

    def forget(self) -> None:
        """In a forked child: the lock is its parent's."""
        os.close(self.descriptor)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


_OWNERS: "weakref.WeakSet[Owner]" = weakref.WeakSet()


def _forget_all() -> None:
    for owner in list(_OWNERS):
        owner.forget()


os.register_at_fork(after_in_child=_forget_all)


class Unproven(Enum):
    """Why an owner is not proven gone."""

    LIVES = "its lock is held"
    UNKNOWN = "its lock file is not there"


class Gone:
    """The proof: this process holds the lock of the one that is gone, so nobody else recovers it."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path, self._descriptor = path, descriptor

    def settled(self) -> None:
        """Nothing of it is left. Only who holds the lock removes the file."""
        self._path.unlink(missing_ok=True)
        self.leave()

    def leave(self) -> None:
        """The rest is left to the next one."""
        os.close(self._descriptor)


def prove_gone(store: Path, nonce: str) -> Gone | Unproven:
    """Whether the process of this nonce is gone, by taking its lock."""
    path = _file(store, nonce)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return Unproven.UNKNOWN
    granted = _granted(descriptor, path)
    if granted:
        return Gone(path, descriptor)
    os.close(descriptor)
    return Unproven.LIVES if granted is None else Unproven.UNKNOWN


def _granted(descriptor: int, path: Path) -> bool | None:
    """Whether the lock is ours now. None: another holds it. False: it is no longer the lock of that name."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(descriptor), os.stat(path, follow_symlinks=False))
    except BlockingIOError:
        return None
    except FileNotFoundError:
        return False


def clear_away(store: Path, enrolled: Iterable[str]) -> None:
    """Lock files of processes that died before they were enrolled: they own nothing."""
    known = {_file(store, nonce) for nonce in enrolled}
    begins = _file(store, "").name
    for path in store.parent.glob(f"{glob.escape(begins)}*"):
        if path not in known:
            proof = prove_gone(store, path.name.removeprefix(begins))
            if isinstance(proof, Gone):
                proof.settled()

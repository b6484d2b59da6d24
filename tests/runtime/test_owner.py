"""Evidence that a process lives, or is gone: its lock, and nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dhruva.runtime.owner import Gone, Owner, Unproven, clear_away, prove_gone
from dhruva.runtime.store import StoreError

pytestmark = pytest.mark.cites("LIF-15")


def locks(folder: Path) -> list[Path]:
    return sorted(folder.glob("work.db-owner-*"))


def test_a_lock_that_is_held_proves_nothing_and_one_that_is_granted_proves_the_end(tmp_path: Path) -> None:
    store = tmp_path / "work.db"
    owner = Owner(store)
    assert prove_gone(store, owner.nonce) == Unproven.LIVES
    owner.let_go()
    proof = prove_gone(store, owner.nonce)
    assert isinstance(proof, Gone)
    assert prove_gone(store, owner.nonce) == Unproven.LIVES, "two would recover it at the same time"
    proof.leave()
    again = prove_gone(store, owner.nonce)
    assert isinstance(again, Gone)
    again.settled()
    assert prove_gone(store, owner.nonce) == Unproven.UNKNOWN
    assert locks(tmp_path) == []


def test_the_file_is_private_and_a_link_is_not_followed(tmp_path: Path) -> None:
    store = tmp_path / "work.db"
    owner = Owner(store)
    (lock,) = locks(tmp_path)
    assert lock.stat().st_mode & 0o777 == 0o600
    owner.release()
    assert locks(tmp_path) == []
    (tmp_path / "elsewhere").touch()
    lock.symlink_to(tmp_path / "elsewhere")
    assert prove_gone(store, owner.nonce) == Unproven.UNKNOWN
    with pytest.raises(StoreError, match="cannot be opened"):
        Owner(tmp_path / "nowhere" / "work.db")


def test_a_forked_process_lets_go_and_a_child_that_is_given_the_lock_holds_it(tmp_path: Path) -> None:
    store = tmp_path / "work.db"
    owner = Owner(store)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:  # lives on until the pipe closes
        os.close(write)
        os.read(read, 1)
        os._exit(0)
    os.close(read)
    body = subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=(owner.descriptor,)
    )
    owner.let_go()
    assert prove_gone(store, owner.nonce) == Unproven.LIVES
    body.communicate(b"\n")
    assert isinstance(prove_gone(store, owner.nonce), Gone)
    os.close(write)
    os.waitpid(child, 0)


def test_locks_that_nobody_enrolled_are_cleared_away_and_no_others(tmp_path: Path) -> None:
    store = tmp_path / "work.db"
    lives, enrolled, stray = Owner(store), Owner(store), Owner(store)
    enrolled.let_go()
    stray.let_go()
    clear_away(store, [enrolled.nonce])
    assert {path.name.rpartition("-")[2] for path in locks(tmp_path)} == {lives.nonce, enrolled.nonce}
    lives.release()

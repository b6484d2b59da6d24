"""Planting faults: a module's source with one piece of text exchanged, executed as a module of its own.

A test module can be executed a second time too, so that a fault is shown to its very properties
without touching the ones that pytest collected.
"""

from functools import cache
from pathlib import Path
from types import ModuleType

from hypothesis import Phase, settings

settings.register_profile(
    "planted",
    database=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    report_multiple_bugs=False,
)


def planted(module: ModuleType, old: str, new: str) -> ModuleType:
    """The module with `old`, which must stand in its source exactly once, replaced by `new`."""
    path = Path(module.__file__ or "")
    text = path.read_text(encoding="utf-8")
    if (times := text.count(old)) != 1:
        raise LookupError(f"{path.name} has {times} times, instead of once: {old!r}")
    return _executed(path, text.replace(old, new))


@cache
def rehearsal(path: Path) -> ModuleType:
    """A second copy of a test module, whose properties stop at the first failure and remember nothing."""
    profile = settings.get_current_profile_name()
    settings.load_profile("planted")
    try:
        return _executed(path, path.read_text(encoding="utf-8"))
    finally:
        settings.load_profile(profile)


def _executed(path: Path, text: str) -> ModuleType:
    module = ModuleType(path.stem)
    exec(compile(text, str(path), "exec"), module.__dict__)
    return module

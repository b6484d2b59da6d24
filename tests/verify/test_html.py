"""The report in a real browser: no error, the first screen as promised, light and dark; and what it holds."""

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from dhruva.assume import ASSUMPTIONS
from dhruva.machines import MACHINES
from dhruva.verify import claims
from dhruva.verify.html import page

CHROMIUM = shutil.which("chromium")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--enable-logging=stderr",
)
DARK = "--blink-settings=preferredColorScheme=0"
SCREEN = (1280, 800)
BAD = 'a <b> & "c"'  # must be shown as it is written

RUN = {
    "model": "gate",
    "size": "full",
    "bounds": {"limit": 1},
    "because": "one suffices",
    "pinned": True,
    "verdict": "holds",
    "distinct": 12_345_678,
    "transitions": 99_000_000,
    "depth": 30,
    "never enabled": [],
    "notes": [],
    "properties": [
        {
            "name": BAD,
            "kind": "always",
            "verdict": "holds",
            "cites": ["ACT-1a"],
            "sentence": "so it is",
            "steps": None,
        }
    ],
}
TRACE = {
    "loop": None,
    "steps": [
        {
            "action": "ask(1)",
            "changes": [
                {"cell": "scope 1", "before": "ATTACHED", "after": "RUNNING", "text": "…", "ghost": False},
                {"cell": "attempt 1.1.1", "before": None, "after": "running", "text": "…", "ghost": False},
                {
                    "cell": "lanes 1",
                    "before": None,
                    "after": None,
                    "text": f"lanes 1 = {BAD}",
                    "ghost": False,
                },
            ],
        },
        {"action": "crash", "changes": []},
    ],
}
RECORD: dict[str, Any] = {
    "form": 1,
    "verdict": "holds",
    "size": "full",
    "digest": {"kernel": "0123456789abcdef", "models": "fedcba"},
    "versions": {"dhruva": "0", "python": "3"},
    "against": [],
    "tables": [
        {
            **machine.to_json(),
            "closed by": machine.closed_by,
            "faults": [],
            "rows": [{**row, "taken": 10 ** (at % 9)} for at, row in enumerate(machine.to_json()["rows"])],
        }
        for machine in MACHINES.values()
    ],
    "runs": [RUN],
    "models": [{"model": "gate", "leaves out": "the rest"}],
    "broken": [
        {
            "model": "slot_kept",
            "about": BAD,
            "fails": BAD,
            "sentence": "s",
            "steps": 2,
            "caught": True,
            "trace": TRACE,
        }
    ],
    "mutants": {
        "totals": {"killed": 8, "survived": 1, "no difference": 1},
        "by kind": {"row dropped": {"killed": 8, "survived": 1, "no difference": 1}},
        "killed": [{"mutant": "m", "property": BAD, "run": "gate limit=1", "steps": 3}],
        "not killed": [
            {
                "mutant": BAD,
                "kind": "row dropped",
                "fate": "survived",
                "refused": None,
                "said": [{"run": "gate", "outcome": "survived", "by": ""}],
            }
        ],
    },
    "proofs": None,
    "requirements": [
        {
            "id": "ACT-1",
            "title": "Request",
            "places": ["step.py", "walk.py", "wiring.py", "cells.py"],
            "strongest": "model",
            "evidence": {},
            "parts": {"shown": 1, "of": 2},
            "caught": {"id": "ACT-1", "mutant": BAD, "property": "p", "run": "r"},
        },
        {
            "id": "ACT-2",
            "title": "Later",
            "places": [],
            "strongest": None,
            "evidence": {},
            "parts": {"shown": 0, "of": 1},
            "caught": None,
        },
    ],
    "assumptions": [{"name": one.name, "who": one.who} for one in ASSUMPTIONS],
    "claimed": list(claims.CLAIMED),
    "not claimed": list(claims.NOT_CLAIMED),
    "trusted": list(claims.TRUSTED),
    "timing": {"parts": {"all": 1.0}, "runs": {}},
}
MEASURE = """<script>
const box = (s) => document.querySelector(s).getBoundingClientRect();
document.documentElement.dataset.measured = [".verdict", ".figures", ".unclaimed"]
  .map((s) => Math.round(box(s).bottom) + ":" + Math.round(box(s).right)).join(" ") + " "
  + getComputedStyle(document.body).backgroundColor;
</script></body>"""


class Balanced(HTMLParser):
    """Whether every tag that is opened is closed, in order."""

    VOID = frozenset({"meta", "link", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """`<line .../>` is whole."""

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag


def browse(file: Path, *more: str) -> tuple[str, list[str]]:
    """The page's document as Chromium has it, and what its console said."""
    assert CHROMIUM is not None
    size = f"--window-size={SCREEN[0]},{SCREEN[1]}"
    profile = f"--user-data-dir={file.parent / 'profile'}"
    command = [CHROMIUM, *FLAGS, *more, size, profile, "--dump-dom", file.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no chromium: `make chromium` installs it")


@needs_chromium
@pytest.mark.cites("VER-3")
@pytest.mark.parametrize(("flags", "is_dark"), [((), False), ((DARK,), True)], ids=["light", "dark"])
def test_the_first_screen_shows_verdict_counts_and_what_is_not_claimed(
    tmp_path: Path, flags: tuple[str, ...], is_dark: bool
) -> None:
    file = tmp_path / "report.html"
    file.write_text(page(RECORD).replace("</body>", MEASURE))
    document, console = browse(file, *flags)
    assert console == []
    measured = re.search(r'data-measured="([^"]+)"', document)
    assert measured is not None
    boxes, colour = measured[1].split(" rgb(")
    for one in boxes.split():
        bottom, right = map(int, one.split(":"))
        assert (bottom <= SCREEN[1], right <= SCREEN[0]) == (True, True)
    brightness = sum(int(part) for part in re.findall(r"\d+", colour)[:3])
    assert (brightness < 200) is is_dark


@needs_chromium
def test_an_error_on_the_console_would_be_seen(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(page(RECORD).replace("</body>", "<script>nobody()</script></body>"))
    assert browse(file)[1] != []


def test_the_page_is_whole_and_fetches_nothing() -> None:
    text = page(RECORD)
    parser = Balanced()
    parser.feed(text)
    assert parser.open == []
    assert not re.search(r'(?:src|href)="(?!#|data:)', text)
    assert "<script" not in text
    assert "url(" not in text


def test_names_are_shown_as_they_are_written() -> None:
    assert BAD not in page(RECORD)
    assert page(RECORD).count("a &lt;b&gt; &amp;") >= 5


def test_every_part_is_there() -> None:
    text = page(RECORD)
    for machine in MACHINES:
        assert f'id="table-{machine}"' in text
    for word in ("12,345,678", "so it is", "slot kept", "the rest", "1 that no property kills", 'id="ACT-1"'):
        assert word in text
    assert text.count("<svg") == 1


def test_failures_stand_on_the_first_screen() -> None:
    text = page({**RECORD, "verdict": "violated", "against": [BAD]})
    assert text.index("what speaks against us") < text.index("<nav>")


def test_the_same_record_gives_the_same_page() -> None:
    assert page(RECORD) == page(RECORD)

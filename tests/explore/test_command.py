"""From a file to an exit code; no mistake ends in a traceback."""

import io
import json
from pathlib import Path

import pytest

from dhruva.explore.command import load, run

GATE = """
from dhruva.explore import Model

def model(tasks: int = 3, limit: int = 2, strict: bool = True, name: str = "gate") -> Model:
    m = Model(name, tasks=tasks, limit=limit, strict=strict)
    m.var("slots", 0)
    top = limit if strict else limit + 1
    m.action("take", lambda read: {"slots": read("slots") + 1} if read("slots") < top else None)
    m.action("free", lambda read: {"slots": read("slots") - 1} if read("slots") else None)
    m.always("within the limit", lambda read: read("slots") <= limit, "slots stay within the limit")
    return m
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "gate.py"
    file.write_text(text)
    return file


def outcome(file: Path, **options: object) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    code = run(file, out=out, err=err, **options)  # type: ignore[arg-type]
    return code, out.getvalue(), err.getvalue()


@pytest.mark.cites("VER-7")
def test_a_model_is_one_file_and_its_bounds_are_set_from_outside(tmp_path: Path) -> None:
    file = write(tmp_path, GATE)
    assert load(file).bounds == {"tasks": 3, "limit": 2, "strict": True}
    model = load(file, {"limit": "5", "strict": "no", "name": "other"})
    assert (model.name, model.bounds) == ("other", {"tasks": 3, "limit": 5, "strict": False})
    code, out, err = outcome(file)
    assert (code, err) == (0, "")
    assert "gate (tasks=3, limit=2, strict=True): holds\n3 distinct states, 4 transitions, depth 2" in out


def test_exit_codes(tmp_path: Path) -> None:
    file = write(tmp_path, GATE)
    assert outcome(file)[0] == 0
    assert outcome(file, sets={"strict": "false"})[0] == 1
    assert outcome(file, sets={"width": "1"})[0] == 2
    assert outcome(file, sets={"limit": "50"}, max_states=10)[0] == 3


def test_json_has_what_others_rely_on(tmp_path: Path) -> None:
    code, out, _ = outcome(write(tmp_path, GATE), sets={"strict": "0"}, as_json=True)
    said = json.loads(out)
    assert code == 1
    assert (said["model"], said["engine"], said["verdict"]) == ("gate", "vector", "violated")
    assert (said["distinct"], said["transitions"], said["depth"]) == (4, 5, 3)
    assert said["bounds"] == {"tasks": 3, "limit": 2, "strict": False}
    assert said["seconds"] >= 0
    (failed, _deadlock) = said["properties"]
    assert {"name", "kind", "verdict", "cites", "trace"} <= failed.keys()
    assert [step["action"] for step in failed["trace"]["steps"]] == ["take", "take", "take"]


@pytest.mark.parametrize(
    ("text", "sets", "message"),
    [
        ("import nothing_like_this", {}, "ModuleNotFoundError: No module named 'nothing_like_this' (line 1)"),
        ("def model(:", {}, "SyntaxError"),
        ("raise SystemExit(5)", {}, "raised SystemExit: 5 (line 1) on import"),
        ("def model():\n    raise SystemExit", {}, "model() raised SystemExit"),
        ("x = 1", {}, "defines no function model(...)"),
        ("model = 3", {}, "defines no function model(...)"),
        ("def model(n):\n    return n", {}, "bound 'n' of model(...) needs a default"),
        ("def model(n=1):\n    return n", {}, "model() returned 1, not a Model"),
        ("def model(n=1):\n\n    return 1 // (n - 1)", {}, "model(n=1) raised ZeroDivisionError"),
        (GATE, {"limit": "two"}, "bound 'limit' is a whole number, not 'two'"),
        (GATE, {"limit": "-1"}, "bound 'limit' cannot be negative: -1"),
        (GATE, {"strict": "maybe"}, "bound 'strict' is true or false, not 'maybe'"),
        (GATE, {"width": "2"}, "no bound 'width' to set; bounds of this model: tasks, limit, strict, name"),
        (
            "from dhruva.explore import Model\ndef model(n=0):\n    return Model('none', n=n)",
            {},
            "model 'none' has no variables with n=0",
        ),
    ],
)
def test_bad_files_and_bounds_are_usage_errors(
    tmp_path: Path, text: str, sets: dict[str, str], message: str
) -> None:
    code, out, err = outcome(write(tmp_path, text), sets=sets)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_no_such_file(tmp_path: Path) -> None:
    assert outcome(tmp_path / "none.py") == (2, "", f"error: there is no model file {tmp_path / 'none.py'}\n")


def test_a_mistake_met_while_searching_is_said_in_json_too(tmp_path: Path) -> None:
    text = GATE.replace('read("slots") <= limit', 'read("slot") <= limit')
    code, out, err = outcome(write(tmp_path, text), as_json=True)
    assert code == 1
    assert "property 'within the limit' raised TypeError" in json.loads(out)["error"]
    assert "property 'within the limit' raised TypeError" in err


def test_the_line_is_named_for_a_relative_path_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "def model(n=1):\n\n    return 1 // (n - 1)")
    monkeypatch.chdir(tmp_path)
    assert (
        "raised ZeroDivisionError: integer division or modulo by zero (line 3)" in outcome(Path("gate.py"))[2]
    )

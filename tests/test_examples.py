"""The examples under docs/examples: the demo does what it tells, and would say so if it did not."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "docs" / "examples"


@pytest.mark.cites("LIF-15", "SHL-7")
def test_the_demo_kills_resumes_and_replays() -> None:
    command = [sys.executable, "-W", "error", str(EXAMPLES / "demo.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "SIGKILL" in done.stdout
    assert "NOT" not in done.stdout
    assert done.stdout.count("  ok ") == 9
    assert done.stdout.rstrip().endswith("and the journal shows it.")


def test_a_claim_that_does_not_hold_fails_the_demo() -> None:
    program = "import demo; demo.check('one is two', 1 == 2)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=EXAMPLES, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (1, "  NOT one is two\n")

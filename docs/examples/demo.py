"""`make demo`: a night's work is killed in the middle, resumed, and its journal checked.

Everything is real: a process of its own, a SQLite file, SIGKILL, and the `dhruva` command. What is claimed
on the way is checked; the demo fails if it is not so.
"""

import json
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).with_name("nightly.py")
MIDDLE = "load stock: part 4 of 6"  # here it is killed
SECONDS = 60


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="dhruva-demo-") as folder:
        store = str(Path(folder) / "work.db")
        say("A program creates four tasks on a SQLite file and runs them. In mid-work it is killed.")
        killed = run_until_killed(store)
        check("the two loads began side by side, and the report had not begun", "report" not in killed)

        say("The process is gone. The file knows what was accepted, and what waits for what:")
        show("ls", store)
        waiting = ask("why", store, "report")
        say(f"Why has the report not begun?  {waiting['text']}.")
        done = ask("show", store, "load sales")["status"]
        check(f"the load that had ended before stays {done}", done == "completed")

        say("The same program is started again. It proves that the first process is gone, and goes on:")
        lines = run_to_its_end(store)
        check("no task was accepted twice", "four tasks" not in lines)
        check("the load that had ended was not run again", "load sales" not in lines)
        check("the load that was cut short ran again, as a new attempt", "load stock: attempt 2" in lines)
        check("what waited for it followed", "report: over 800 rows" in lines and "mail: to anna" in lines)
        show("ls", store)

        say("Every transaction of both processes is stepped again, from the journal, with the tables:")
        show("replay", store)
        check("each of them is one that the models know", ask("replay", store)["bad"] is None)
    say("Nothing that was accepted was lost, nothing was recorded twice, and the journal shows it.")


def say(text: str) -> None:
    print(f"\n{text}", flush=True)  # noqa: T201 - it tells a story


def check(claim: str, holds: bool) -> None:
    print(f"  {'ok ' if holds else 'NOT'} {claim}", flush=True)  # noqa: T201
    if not holds:
        sys.exit(1)


def run_until_killed(store: str) -> str:
    lines: list[str] = []
    with subprocess.Popen([sys.executable, PROGRAM, store], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            told(line)
            if line.startswith(MIDDLE):
                process.send_signal(signal.SIGKILL)
                break
    print("  | … SIGKILL", flush=True)  # noqa: T201
    check("it was killed, not ended", process.returncode == -signal.SIGKILL)
    return "".join(lines)


def run_to_its_end(store: str) -> str:
    command = [sys.executable, str(PROGRAM), store]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    for line in done.stdout.splitlines():
        told(line)
    check("it ended by itself", done.returncode == 0)
    return str(done.stdout)


def told(line: str) -> None:
    print(f"  | {line.rstrip()}", flush=True)  # noqa: T201


def ask(*words: str) -> Any:
    """What the command answers, as JSON."""
    command = [sys.executable, "-m", "dhruva", *words, "--json"]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    return json.loads(answer.stdout)


def show(*words: str) -> None:
    """What the command prints for people."""
    print(f"\n  $ dhruva {words[0]} work.db", flush=True)  # noqa: T201
    command = [sys.executable, "-m", "dhruva", *words]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    for line in answer.stdout.splitlines():
        print(f"  {line}", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()

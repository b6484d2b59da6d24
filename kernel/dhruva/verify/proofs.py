"""The proofs as a part of `dhruva verify`: a folder of the repository beside the models, run as it is.

The proofs need solvers that the kernel does not; so they run as a program of their own and hand back one
file. Where the folder or a solver is missing the part is left out, and the summary says so.
"""

import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

SOLVERS = ("z3", "cvc5")


class ProofsError(RuntimeError):
    """The proofs ended without saying what they found."""


def there(root: Path) -> bool:
    return (root / "proofs" / "__main__.py").is_file() and all(map(importlib.util.find_spec, SOLVERS))


def run(root: Path, progress: Callable[[str], None]) -> Mapping[str, Any]:
    """What `python -m proofs` says of every claim; ProofsError with its last words if it says nothing."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "proofs.json"
        command = [sys.executable, "-m", "proofs", "--json", str(file)]
        with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            last = ""
            for line in process.stdout:
                last = line.rstrip()
                progress(f"proofs: {last}")
        if not file.is_file():
            raise ProofsError(f"`python -m proofs` ended with code {process.returncode}: {last}")
        said: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return said

"""The solvers are in the extra `dhruva[proofs]`: every module of the library can be imported without them."""

import subprocess
import sys

BLOCKED = """
import importlib, pkgutil, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("z3", "cvc5", "crosshair", "proofs"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
import dhruva
found = [one.name for one in pkgutil.walk_packages(dhruva.__path__, "dhruva.")]
for name in found:
    if not name.endswith("__main__"):
        importlib.import_module(name)
print(len(found))
"""


def test_the_library_imports_without_the_solvers() -> None:
    answer = subprocess.run([sys.executable, "-c", BLOCKED], capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert int(answer.stdout) > 100

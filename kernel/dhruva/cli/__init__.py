"""The `dhruva` command: the same words as the API, the same rules and the same refusals."""

from dhruva.cli import change, look, rules, verify
from dhruva.cli.app import app, main

__all__ = ["app", "change", "look", "main", "rules", "verify"]

"""`dhruva verify`: everything re-checked from nothing (VER-3)."""

from dhruva.cli.app import app
from dhruva.verify.command import verify

app.command()(verify)

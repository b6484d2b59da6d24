"""Re-checking from nothing: what `dhruva verify` runs and reports (VER-3)."""

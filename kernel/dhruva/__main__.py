"""`python -m dhruva` is the `dhruva` command."""

from dhruva.cli import main

main()

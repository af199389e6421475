"""``python -m vramtuner.core``: the command line without an installed script."""

from vramtuner.core.cli import main

main()

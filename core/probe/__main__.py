"""The probe process: ``python -m vramtuner.core.probe``."""

from vramtuner.core.probe.server import main

main()

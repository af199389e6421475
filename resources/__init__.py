"""Data only: model presets and their tapes, the GPU catalogue, icons.  Read with ``importlib.resources``."""

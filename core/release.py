"""Which release of vramtuner this is."""

from importlib.metadata import PackageNotFoundError, version


def own_version() -> str:
    """The version that is installed; ``unknown`` where it runs from a folder that was not installed."""
    try:
        return version("vramtuner")
    except PackageNotFoundError:
        return "unknown"

"""What a typed text finds."""

import pytest

from vramtuner.core.device.find import catalogue
from vramtuner.core.units import GIB
from vramtuner.gui.panels.setup import _device_groups
from vramtuner.gui.search_box import matches

XTX = "Radeon RX 7900 XTX · 24 GiB rx7900xtx gfx1100"


@pytest.mark.parametrize(
    "query",
    [
        "",
        "7900",
        "xtx 7900",
        "RX7900XTX",
        "rx-7900",
        "GFX1100",
        "24 GiB",
        "24gib",
        "24 GB",
        "radeon 24 gib",
        "24g 7900",
    ],
)
def test_found(query: str) -> None:
    assert matches(query, XTX)


@pytest.mark.parametrize("query", ["4 GiB", "7900 48 GiB", "xtxx", "gfx90a", "instinct", "124 gib"])
def test_not_found(query: str) -> None:
    assert not matches(query, XTX)


@pytest.mark.parametrize("size", [16, 24, 48])
def test_a_size_finds_the_cards_of_that_size(size: int) -> None:
    here, planned = _device_groups(())
    assert not here.entries
    found = {entry.data for entry in planned.entries if matches(f"{size} GiB", f"{entry.text} {entry.search}")}
    assert found == {device.key for device in catalogue() if round(device.vram_bytes / GIB) == size}

"""The colours of the stacked components: told apart by everybody, in light and dark."""

from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt
import pytest

from vramtuner.core.forecast import COMPONENT_NAMES
from vramtuner.gui.theme import DARK, LIGHT, Colours

Vector = npt.NDArray[np.float64]
# Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB.
SIGHT = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
SRGB_TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = SRGB_TO_XYZ.sum(axis=1)


def linear(colour: str) -> Vector:
    value = np.array([int(colour[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def lab(rgb: Vector) -> Vector:
    """CIELAB of linear sRGB."""
    ratio = SRGB_TO_XYZ @ rgb.clip(0, 1) / WHITE
    x, y, z = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(one: str, other: str) -> float:
    """WCAG's ratio."""
    dark, light = sorted(float(linear(colour) @ SRGB_TO_XYZ[1]) + 0.05 for colour in (one, other))
    return light / dark


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("sight", SIGHT)
def test_components_are_told_apart(colours: Colours, sight: str) -> None:
    assert len(colours.components) == len(COMPONENT_NAMES)
    seen = [lab(SIGHT[sight] @ linear(colour)) for colour in colours.components]
    # A difference of 2.3 is just seen side by side; a legend is read from afar, and neighbours share an edge.
    assert min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)) > 12
    assert min(float(np.linalg.norm(a - b)) for a, b in pairwise(seen)) > 24


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_neighbours_differ_in_greyscale_and_all_from_the_ground(colours: Colours) -> None:
    assert min(contrast(a, b) for a, b in pairwise(colours.components)) > 1.5
    assert min(contrast(colour, colours.surface) for colour in colours.components) > 1.5

"""The colours: text and controls that are read, lines and areas told apart by everybody, in light and dark."""

from importlib.resources import files
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt
import pytest
from pytestqt.qtbot import QtBot

from vramtuner.core.forecast import COMPONENT_NAMES
from vramtuner.gui.plots.live_plot import curve_looks, phase_colours
from vramtuner.gui.theme import DARK, LIGHT, Colours, Scheme
from vramtuner.gui.window import Window

SCHEMES = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
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


@SCHEMES
@pytest.mark.parametrize("sight", SIGHT)
def test_components_are_told_apart(colours: Colours, sight: str) -> None:
    assert len(colours.components) == len(COMPONENT_NAMES)
    seen = [lab(SIGHT[sight] @ linear(colour)) for colour in colours.components]
    # A difference of 2.3 is just seen side by side; a legend is read from afar, and neighbours share an edge.
    assert min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)) > 12
    assert min(float(np.linalg.norm(a - b)) for a, b in pairwise(seen)) > 24


@SCHEMES
def test_neighbours_differ_in_greyscale_and_all_from_the_ground(colours: Colours) -> None:
    assert min(contrast(a, b) for a, b in pairwise(colours.components)) > 1.5
    assert min(contrast(colour, colours.surface) for colour in colours.components) > 1.5


# ---- text, controls and lines (the ratios are those of WCAG 2.2: 1.4.3 for text, 1.4.11 for what else has to be seen)


@SCHEMES
def test_text_is_read_on_every_ground(colours: Colours) -> None:
    for ground in (colours.window, colours.surface, colours.field, colours.raised):
        for text in (colours.text, colours.muted, colours.accent, colours.good, colours.bad, colours.warning):
            assert contrast(text, ground) >= 4.5, (text, ground)
    assert contrast(colours.on_accent, colours.accent) >= 4.5
    # What cannot be used need not be read, but it helps; on buttons it lies on the window's colour.
    assert contrast(colours.disabled, colours.surface) >= 3 and contrast(colours.disabled, colours.window) >= 2.9


@SCHEMES
def test_controls_and_the_focus_are_seen(colours: Colours) -> None:
    for ground in (colours.window, colours.surface):
        assert contrast(colours.outline, ground) >= 3
        assert contrast(colours.accent, ground) >= 3
    assert contrast(colours.accent, colours.border) >= 3  # a button's rim with the focus and without
    assert contrast(colours.accent, colours.outline) >= 1.5  # a field's, which is twice as wide besides
    assert contrast(colours.muted, colours.field) >= 3  # the box of a check


@SCHEMES
@pytest.mark.parametrize("sight", SIGHT)
def test_curves_of_a_run_are_told_apart(colours: Colours, sight: str) -> None:
    """By hue or lightness; those of one axis have dashes of their own besides."""
    looks = curve_looks(colours)
    assert len({style for _, style in looks.values()}) == len(looks)
    for group in ([colour for colour, _ in looks.values()], list(phase_colours(colours).values())):
        seen = [lab(SIGHT[sight] @ linear(colour)) for colour in group]
        assert min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)) > 12


@SCHEMES
def test_lines_are_seen_across_areas_of_any_colour(colours: Colours) -> None:
    """No colour of a line differs from all the areas' in lightness, so that a line has a rim in the ground's colour."""
    for line in (colours.accent, colours.good, colours.bad, colours.text):
        assert contrast(line, colours.surface) >= 3


@pytest.mark.parametrize(("scheme", "colours"), [(Scheme.LIGHT, LIGHT), (Scheme.DARK, DARK)])
def test_a_line_has_its_rim(qtbot: QtBot, window: Window, scheme: Scheme, colours: Colours) -> None:
    window._theme.use(scheme)
    plot = window.forecast.plot
    qtbot.wait(30)
    picture, row = plot.plot.grab().toImage(), plot.height() * 4 // 5  # through the weights, below the names of lines
    across = [picture.pixelColor(x, row).name() for x in range(plot.plot.width())]
    first = across.index(colours.accent)
    last = len(across) - across[::-1].index(colours.accent)
    assert colours.components[0] in across
    for rim in (across[first - 3 : first], across[last : last + 3]):
        # As near to the ground's colour as smoothing leaves it; that of the weights is far from it.
        assert max(contrast(colour, colours.accent) for colour in rim) > 2.8


def test_pictures_of_controls_are_in_the_colours_of_their_scheme() -> None:
    icons = files("vramtuner.resources") / "icons"
    for scheme, colours in (("light", LIGHT), ("dark", DARK)):
        for name, colour in (("arrow-down", colours.muted), ("arrow-up", colours.muted), ("check", colours.on_accent)):
            assert f'stroke="{colour}"' in (icons / f"{name}-{scheme}.svg").read_text()

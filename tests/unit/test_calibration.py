"""Calibration: known corrections are found, wild points do not move it, and what is none is refused."""

import random
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vramtuner.core import calibration as module
from vramtuner.core.calibration import (
    Calibration,
    Observation,
    Stack,
    calibrate,
    calibrations_folder,
    find_calibration,
    forget_calibration,
    save_calibration,
)
from vramtuner.core.errors import BadInputError
from vramtuner.core.units import GIB, MIB

STACK = Stack(
    device="Radeon PRO W7900 at 0000:03:00.0", driver="6.12.12", torch="2.13.0+rocm7.0", transformers="5.24.0",
    dtype="bf16", attention="flash", weights="none",
)  # fmt: skip
LENGTHS = (1, 128, 512, 1024, 2048, 4096)


def passes(slope: float, offset: int, noise: float = 0.0, outside: int | None = None) -> list[Observation]:
    chance, found = random.Random(7), []
    for tokens in LENGTHS:
        forecast = 1_000_000 + 524_288 * tokens
        measured = forecast * (1 + slope) + offset + noise * chance.gauss(0, 1)
        found.append(Observation(tokens, forecast, round(measured), outside))
    return found


def calibrated(points: list[Observation]) -> Calibration:
    return calibrate(points, stack=STACK, created="2026-12-03T04:05:06", model="m", model_hash="h", levers="l")


@given(st.floats(-0.2, 0.2), st.integers(-100 * MIB, 500 * MIB))
def test_a_line_is_found_with_no_error(slope: float, offset: int) -> None:
    found = calibrated(passes(slope, offset))
    assert found.slope == pytest.approx(slope, abs=1e-6)
    assert abs(found.offset_bytes - offset) <= 1000
    assert found.slope_error < 1e-6
    for point in found.observations:
        assert found.corrected_bytes(point.forecast_bytes) == pytest.approx(point.measured_bytes, abs=2000)


def test_the_errors_are_those_of_the_scatter() -> None:
    """Many calibrations of the same noisy device: their spread is what each of them says of itself."""
    chance, slopes, offsets, said = random.Random(1), [], [], []
    for _ in range(300):
        points = [
            Observation(n, 10**6 * n, round(10**6 * n * 1.02 + 5e6 + 2e5 * chance.gauss(0, 1))) for n in range(1, 31)
        ]
        found = calibrated(points)
        slopes.append(found.slope)
        offsets.append(found.offset_bytes)
        said.append((found.slope_error, found.offset_error_bytes))
    assert np.mean(slopes) == pytest.approx(0.02, abs=0.0005)
    # Of normal scatter the method's spread is about 5 % above that of least squares, whose errors it reports.
    assert np.std(slopes) == pytest.approx(np.mean([slope for slope, _ in said]), rel=0.25)
    assert np.std(offsets) == pytest.approx(np.mean([offset for _, offset in said]), rel=0.25)


def test_one_wild_pass_does_not_move_it() -> None:
    points = passes(0.01, 20 * MIB)
    wild = msgspec.structs.replace(points[3], measured_bytes=points[3].measured_bytes + 2 * GIB)
    found = calibrated([*points[:3], wild, *points[4:]])
    assert found.slope == pytest.approx(0.01, abs=1e-4)
    assert abs(found.offset_bytes - 20 * MIB) < MIB


def test_what_is_outside_torch_is_a_median_with_its_error() -> None:
    points = [
        msgspec.structs.replace(point, outside_bytes=700 * MIB + shift * MIB)
        for point, shift in zip(passes(0, 0), (0, 1, -1, 2, -2, 300), strict=True)
    ]
    found = calibrated(points)
    assert found.overhead_bytes is not None
    assert abs(found.overhead_bytes - 700 * MIB) <= MIB
    assert found.overhead_error_bytes is not None
    assert 0 < found.overhead_error_bytes < 5 * MIB
    assert calibrated(passes(0, 0)).overhead_bytes is None


@pytest.mark.parametrize(
    ("points", "says"),
    [
        (passes(0, 0)[:2], "2 lengths are too few"),
        ([passes(0, 0)[0]] * 5, "1 lengths are too few"),
        ([Observation(n, 10**9 + n, 10**9 + n) for n in range(5)], "too much alike"),
        (passes(0, 0, noise=2e8), "scatter"),
        (passes(0.6, 0), "no correction"),
        (passes(-0.6, 0), "no correction"),
        ([], "0 lengths are too few"),
    ],
)
def test_what_is_no_correction_is_refused_with_the_reason(points: list[Observation], says: str) -> None:
    with pytest.raises(BadInputError, match=says) as caught:
        calibrated(points)
    assert len(str(caught.value).splitlines()) == 1


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def test_it_is_kept_for_its_stack_alone_and_can_be_forgotten() -> None:
    found = calibrated(passes(0.01, MIB, outside=600 * MIB))
    path = save_calibration(found)
    assert path.parent == calibrations_folder()
    assert find_calibration(STACK) == found
    for other in ({"torch": "2.12.0+rocm7.0"}, {"attention": "math"}, {"device": "another"}, {"driver": ""}):
        assert find_calibration(msgspec.structs.replace(STACK, **other)) is None
    assert forget_calibration(STACK)
    assert find_calibration(STACK) is None
    assert not forget_calibration(STACK)


@pytest.mark.parametrize("text", [b"", b"{}", b"null", b"\xff", b'{"format": 1}'])
def test_a_file_that_is_none_is_passed_over(text: bytes) -> None:
    path = save_calibration(calibrated(passes(0, 0)))
    path.write_bytes(text)
    assert find_calibration(STACK) is None


def test_another_stack_in_the_file_is_not_believed() -> None:
    found = calibrated(passes(0, 0))
    path = save_calibration(found)
    other = msgspec.structs.replace(found, stack=msgspec.structs.replace(STACK, torch="2.9"))
    path.write_bytes(msgspec.json.encode(other))
    assert find_calibration(STACK) is None


def test_it_says_what_it_found_and_where() -> None:
    text = calibrated(passes(0.012, 3 * MIB, outside=650 * MIB)).text
    for part in ("outside torch 0.63 GiB", "offset 3.0 MiB", "slope +1.20%", "6 passes of m from 1 to 4,096 tokens"):
        assert part in text
    assert module.FORMAT_VERSION == 1


@pytest.mark.parametrize(
    "change",
    [
        {"observations": ()}, {"slope": -5.0}, {"slope": 1e300}, {"offset_bytes": 10**300}, {"slope_error": -1.0},
        {"offset_error_bytes": -1}, {"overhead_bytes": -GIB},
    ],
)  # fmt: skip
def test_a_file_that_was_changed_by_hand_does_no_harm(change: dict[str, object]) -> None:
    found = calibrated(passes(0.01, MIB))
    path = save_calibration(found)
    assert find_calibration(STACK) == found
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(found, **change)))
    assert find_calibration(STACK) is None and module.all_calibrations() == ()

"""Matrices: every cell is the forecast of its own, whoever computes it, and every file says the same."""

import csv
import io
import json
import pickle
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from html.parser import HTMLParser
from multiprocessing import get_context
from pathlib import Path

import msgspec
import pytest

from vramtuner.core import heat
from vramtuner.core.device.find import find_device
from vramtuner.core.errors import BadInputError, CancelledError
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.matrix import (
    NOT_RECORDED,
    Cell,
    Figures,
    Gap,
    Grid,
    Matrix,
    Question,
    Variant,
    answer,
    at_hand,
    compute,
    matrix_of,
    record_missing,
)
from vramtuner.core.matrix_files import to_csv, to_json, write_matrix
from vramtuner.core.matrix_html import to_html
from vramtuner.core.matrix_text import cell_sentence, levers_text, short_name, to_markdown, to_text
from vramtuner.core.model.find import find_model, load_preset
from vramtuner.core.probe.client import Probe
from vramtuner.core.recording import find_tapes
from vramtuner.core.request import phases
from vramtuner.core.settings import Levers
from vramtuner.core.units import GIB

LENGTHS = (512, 4096)
GRID = Grid(
    models=(load_preset("gpt2"), load_preset("llama-2-7b")),
    devices=(find_device("w6600"), find_device("w7900")),
    variants=(Variant("none", Levers()), Variant("nf4", Levers(weights="nf4"))),
    lengths=LENGTHS,
)


def forecast_of(question: Question) -> Forecast:
    spec, device, levers = question.spec, question.device, question.levers
    tapes = find_tapes(spec, phases(spec, device, levers))
    assert tapes is not None
    return forecast(spec, device, levers, *tapes)


def matrix(grid: Grid = GRID) -> Matrix:
    return matrix_of(grid, compute(tuple(map(at_hand, grid.questions()))))


@pytest.fixture(scope="module")
def made() -> Matrix:
    return matrix()


# ---- cells


def test_every_cell_is_its_forecast(made: Matrix) -> None:
    for question, cell in zip(GRID.questions(), made.cells, strict=True):
        current = forecast_of(question)
        assert isinstance(cell, Figures)
        assert (cell.limit_tokens, cell.bound_by) == (current.limit.tokens, current.limit.bound_by)
        assert cell.tokens == min(4096, question.spec.max_positions)
        assert cell.peak_bytes == current.peak_bytes(cell.tokens)
        assert cell.needed_bytes == current.needed_bytes(cell.tokens)
        assert cell.fits == (cell.tokens <= cell.limit_tokens)


def test_cells_are_where_the_axes_say(made: Matrix) -> None:
    for v, variant in enumerate(GRID.variants):
        for m, spec in enumerate(GRID.models):
            for d, device in enumerate(GRID.devices):
                current = forecast_of(Question(spec, device, variant.levers))
                found = made.cell(v, m, d)
                assert isinstance(found, Figures) and found.limit_tokens == current.limit.tokens
                assert found.pool_bytes == current.pool_bytes and found.levers == variant.levers


def test_a_limit_fits_its_pool_and_one_token_more_does_not(made: Matrix) -> None:
    question = GRID.questions()[3]  # llama-2-7b on the w7900: neither positions nor the tape end before
    cell = made.cells[3]
    assert isinstance(cell, Figures)
    current = forecast_of(question)
    assert current.needed_bytes(cell.limit_tokens) <= cell.pool_bytes < current.needed_bytes(cell.limit_tokens + 1)


def test_peaks_at_lengths_end_with_the_positions(made: Matrix) -> None:
    gpt2, llama = made.cell(0, 0, 1), made.cell(0, 1, 1)
    assert isinstance(gpt2, Figures) and isinstance(llama, Figures)
    assert gpt2.peaks_bytes[0] is not None and gpt2.peaks_bytes[1] is None  # its table has 1,024 rows
    assert llama.peaks_bytes[1] == llama.peak_bytes  # 4,096 tokens are its cap


@pytest.fixture(scope="module", params=["threads", "processes"])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    made = ThreadPoolExecutor(3)
    if request.param == "processes":
        made.shutdown()
        made = ProcessPoolExecutor(2, mp_context=get_context("spawn"))
    with made:
        yield made


def test_every_executor_gives_the_same_cells(executor: Executor, made: Matrix) -> None:
    seen: dict[int, Cell] = {}
    threads = set()

    def on_cell(place: int, cell: Cell) -> None:
        seen[place] = cell
        threads.add(threading.current_thread())

    cells = compute(tuple(map(at_hand, GRID.questions())), executor=executor, on_cell=on_cell)
    assert cells == made.cells
    assert seen == dict(enumerate(made.cells))
    assert threads == {threading.current_thread()}


def test_a_question_travels_with_its_tapes() -> None:
    question = at_hand(GRID.questions()[0])
    first, second = (pickle.loads(pickle.dumps(question)) for _ in range(2))
    assert first.tapes[0] is second.tapes[0]  # one object a process, so that what follows from it is computed once
    assert answer(first) == answer(question)
    assert pickle.loads(pickle.dumps(GRID.questions()[0])).tapes is None


def test_what_cannot_be_forecast_is_a_cell_with_its_reason() -> None:
    small, large = find_device("w6600"), find_device("w7900")
    spec = load_preset("llama-2-7b")
    levers = Levers(pool_bytes=30 * GIB)
    cells = compute([at_hand(Question(spec, device, levers)) for device in (small, large)])
    assert isinstance(cells[0], Gap) and "does not fit Radeon PRO W6600" in cells[0].reason
    assert not cells[0].is_missing and len(cells[0].reason.splitlines()) == 1
    assert isinstance(cells[1], Figures) and cells[1].pool_bytes == 30 * GIB
    [clash] = compute([at_hand(Question(spec, large, Levers(new_tokens=5000)))])
    assert isinstance(clash, Gap) and "5,000 new tokens" in clash.reason


def test_a_tape_that_is_not_at_hand_is_said_so() -> None:
    question = at_hand(Question(load_preset("gpt2"), find_device("w7900"), Levers(batch_size=7)))
    assert question.tapes is None and answer(question) == NOT_RECORDED


def test_a_grid_of_nothing_and_one_that_nobody_reads_are_refused() -> None:
    with pytest.raises(BadInputError, match="0 cells"):
        Grid((), GRID.devices, GRID.variants).questions()
    with pytest.raises(BadInputError, match="20,000 cells"):
        Grid(GRID.models * 100, GRID.devices * 25, GRID.variants).questions()


def test_cancelling_ends_a_computation() -> None:
    asked = tuple(map(at_hand, GRID.questions()))
    seen: list[int] = []
    with pytest.raises(CancelledError):
        compute(asked, on_cell=lambda place, cell: seen.append(place), cancelled=lambda: len(seen) >= 2)
    assert 2 <= len(seen) < len(asked)


# ---- recording


@pytest.fixture(scope="module")
def probe() -> Iterator[Probe]:
    with closing(Probe()) as started:
        yield started


def test_missing_tapes_are_recorded_once_each_and_cells_are_as_forecast(
    tiny_llama: Path, tiny_gpt2: Path, probe: Probe
) -> None:
    folders = tuple(find_model(str(path)) for path in (tiny_llama, tiny_gpt2))
    levers = Levers(batch_size=3)
    grid = Grid(folders, (find_device("w7900"), find_device("rx7900xtx")), (Variant("b3", levers),))
    asked = tuple(map(at_hand, grid.questions()))
    assert all(question.tapes is None for question in asked)
    stages: list[str] = []
    ready = record_missing(asked, probe, on_event=lambda event: stages.append(getattr(event, "stage", "")))
    numbers = {stage.partition(",")[0] for stage in stages if stage}
    assert numbers == {"tape 1 of 2", "tape 2 of 2"}  # both cards take the same kernel
    for question, cell in zip(grid.questions(), compute(ready), strict=True):
        assert isinstance(cell, Figures) and cell.limit_tokens == forecast_of(question).limit.tokens


def test_a_tape_that_cannot_be_recorded_is_the_reason_of_its_cells(probe: Probe) -> None:
    spec = load_preset("gpt2")
    broken = msgspec.structs.replace(spec, config=spec.config | {"n_head": 7}, name="broken")
    asked = [at_hand(Question(model, find_device("w7900"), Levers())) for model in (broken, spec)]
    first, second = compute(record_missing(asked, probe))
    assert isinstance(first, Gap) and first.reason and not first.is_missing and "\n" not in first.reason
    assert isinstance(second, Figures)


# ---- files

HOSTILE = "=cmd|' /C <script>alert(1)</script> & *a*_b_ [x](y) `z`\x1b[31m"


@pytest.fixture(scope="module")
def hostile() -> Matrix:
    spec = msgspec.structs.replace(load_preset("gpt2"), name=HOSTILE)
    device = msgspec.structs.replace(find_device("w7900"), name="+<b>card</b>|", source="=<i>found</i>")
    return matrix(Grid((spec,), (device,), (Variant("none", Levers()),), (512,)))


class Cells(HTMLParser):
    """The text of every cell of the tables, and every tag."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self._open = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self._open = True

    def handle_endtag(self, tag: str) -> None:
        self._open = self._open and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self._open:
            self.rows[-1][-1] += data


def limits(matrix: Matrix, variant: int) -> list[list[str]]:
    """The table of limits as people read it."""
    rows = []
    for m, spec in enumerate(matrix.models):
        cells = [matrix.cell(variant, m, d) for d in range(len(matrix.devices))]
        assert all(isinstance(cell, Figures) for cell in cells)
        texts = [f"{c.limit_tokens:,}" if c.limit_tokens else "does not fit" for c in cells if isinstance(c, Figures)]
        rows.append([spec.name, f"{spec.max_positions:,}", *texts])
    return rows


def test_csv_has_every_figure(made: Matrix) -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(made))))
    assert len(rows) == len(made.cells)
    for question, cell, row in zip(GRID.questions(), made.cells, rows, strict=True):
        assert isinstance(cell, Figures)
        assert (row["model"], row["device"]) == (question.spec.name, question.device.name)
        assert (int(row["limit_tokens"]), row["bound_by"]) == (cell.limit_tokens, cell.bound_by)
        assert (int(row["peak_bytes"]), int(row["pool_bytes"])) == (cell.peak_bytes, cell.pool_bytes)
        assert [row[f"peak_bytes_at_{n}"] for n in LENGTHS] == [
            "" if peak is None else str(peak) for peak in cell.peaks_bytes
        ]
        assert row["device_source"].startswith("catalogue, nominal") and row["method"] == cell.method
        assert row["vramtuner"] == made.version and row["reason"] == ""


def test_html_and_markdown_have_the_same_limits(made: Matrix) -> None:
    page = Cells(to_html(made))
    lines = [line for line in to_markdown(made).splitlines() if line.startswith("| ")]
    plain = [[cell.strip().replace("\\", "") for cell in line.strip("|").split("|")] for line in lines]
    for variant in range(2):
        for row in limits(made, variant):
            assert row in page.rows and row in plain


def test_lengths_are_a_table_for_each_device(made: Matrix) -> None:
    llama = made.cell(0, 1, 1)
    assert isinstance(llama, Figures) and llama.peaks_bytes[1] is not None
    row = f"| 4,096 | – | {llama.peaks_bytes[1] / GIB:.2f} GiB |"
    assert "## Peak memory on Radeon PRO W7900: none (defaults)\n\n| Tokens | GPT-2 | Llama-2-7B |" in to_markdown(made)
    assert row in to_markdown(made)
    assert "GiB *" in to_text(made)  # 7 billion parameters do not fit 8 GiB


def test_the_page_needs_nothing_and_says_where_it_is_from(made: Matrix) -> None:
    page = to_html(made)
    assert not Cells(page).tags & {"script", "link", "img", "iframe", "object"}
    assert "http:" not in page and "https:" not in page and "url(" not in page
    assert "prefers-color-scheme: dark" in page
    assert made.version in page and "catalogue, nominal" in page and "not yet verified on a GPU" in page


def test_names_cannot_do_anything(hostile: Matrix) -> None:
    page = to_html(hostile)
    assert not Cells(page).tags & {"script", "b", "i"}
    assert Cells(page).rows[1][0] == HOSTILE.replace("\x1b", "�")
    [row] = csv.reader(io.StringIO(to_csv(hostile).split("\n", 1)[1]))
    assert not [cell for cell in row if cell[:1] in ("=", "+", "-", "@")]
    markdown = to_markdown(hostile)
    lines = [line for line in markdown.splitlines() if line.startswith("| ")]
    counts = [line.replace("\\|", "").count("|") for line in lines]
    assert counts == [4, 4, 4, 3, 3, 3]  # a bar more would be a column more
    assert "<" not in markdown.replace("\\<", "") and "[x]" not in markdown and "`" not in markdown.replace("\\`", "")
    for text in (page, markdown, to_csv(hostile), to_text(hostile), json.dumps(to_json(hostile))):
        assert "\x1b" not in text


def test_json_can_be_read_back(made: Matrix) -> None:
    value = json.loads(msgspec.json.encode(to_json(made)))
    assert [cell["limit_tokens"] for cell in value["cells"]] == [
        cell.limit_tokens for cell in made.cells if isinstance(cell, Figures)
    ]
    assert [device["key"] for device in value["devices"]] == ["w6600", "w7900"]
    assert value["variants"][1]["levers"]["weights"] == "nf4"


def test_gaps_are_explained_together() -> None:
    small, large = find_device("w6600"), find_device("w7900")
    grid = Grid(GRID.models, (small, large), (Variant("large pool", Levers(pool_bytes=30 * GIB)),))
    text = to_text(matrix(grid))
    [note] = [line for line in text.splitlines() if line.startswith("No forecast")]
    assert note.startswith("No forecast of every model on W6600: a pool of 30.00 GiB does not fit")


@pytest.mark.parametrize("suffix", [".csv", ".md", ".html", ".HTML"])
def test_files_are_of_the_kind_that_their_suffix_says(made: Matrix, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"matrix{suffix}"
    write_matrix(made, path)
    write = {".csv": to_csv, ".md": to_markdown, ".html": to_html}[suffix.lower()]
    assert path.read_text(encoding="utf-8") == write(made)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(("name", "said"), [("m.txt", ".csv, .md, .html"), ("m", "suffixes"), ("no/m.md", "no folder")])
def test_other_files_are_refused(made: Matrix, tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(BadInputError, match=said):
        write_matrix(made, tmp_path / name)
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(BadInputError, match="is a folder"):
        write_matrix(made, tmp_path / "d.csv")


# ---- words and colours


def test_words() -> None:
    names = {short_name(find_device(key)) for key in ("w7900", "rx7900xtx", "r9700", "mi300x", "radeonvii")}
    assert names == {"W7900", "RX 7900 XTX", "R9700", "MI300X", "Radeon VII"}
    assert levers_text(Levers()) == "defaults"
    levers = Levers(weights="nf4", pool_bytes=10 * GIB, token_cap=8192, checkpointing=True)
    assert levers_text(levers) == "pool 10GiB, tokens 8,192, weights nf4, checkpointing on"


def test_a_sentence_says_limit_bound_and_need(made: Matrix) -> None:
    spec, device = load_preset("llama-2-7b"), find_device("w7900")
    cell = made.cell(0, 1, 1)
    assert isinstance(cell, Figures)
    text = cell_sentence(spec, device, cell)
    assert f"at most {cell.limit_tokens:,} tokens (made for 4,096), bound by the KV cache" in text
    assert text.endswith(f"4,096 tokens need {cell.needed_bytes / GIB:.2f} GiB of a 38.40 GiB pool.")
    assert "does not fit at all, bound by the weights" in cell_sentence(spec, find_device("w6600"), made.cell(0, 1, 0))
    assert cell_sentence(spec, device, NOT_RECORDED).endswith("no forecast, not recorded yet.")


@pytest.mark.parametrize("ramp", [heat.LIGHT, heat.DARK], ids=["light", "dark"])
def test_colours_survive_greyscale_and_text_is_readable(ramp: tuple[heat.Heat, ...]) -> None:
    shades = [heat.luminance(found.background) for found in ramp]
    assert len(ramp) == heat.LEVELS
    assert shades == sorted(shades, reverse=shades[0] > shades[-1])
    assert all(heat.contrast(found.background, found.text) >= 4.5 for found in ramp)
    steps = [heat.contrast(one.background, other.background) for one, other in zip(ramp, ramp[2:], strict=False)]
    assert min(steps) >= 1.25  # two doublings apart can be told by lightness alone


def test_heat_is_by_doublings() -> None:
    assert [heat.level_of(2**n) for n in range(7, 20)] == [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9]

"""The window in other languages: no string is missed, German is whole and has room, numbers are the language's own."""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QCoreApplication, QLocale, QObject, Qt, QTranslator
from PySide6.QtGui import QAction, QTextDocumentFragment
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QGraphicsView,
    QLabel,
    QLineEdit,
    QMenu,
    QSpinBox,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from vramtuner.core import words
from vramtuner.core.device.find import find_device
from vramtuner.core.model.find import find_model
from vramtuner.core.settings import Levers
from vramtuner.gui import i18n
from vramtuner.gui.i18n import Language, install_language, remove_language
from vramtuner.gui.panels.script import ScriptDialog
from vramtuner.gui.presenter import Presenter
from vramtuner.gui.scripting import demo_of
from vramtuner.gui.values import Choice, Notice
from vramtuner.gui.welcome import Situation, next_step
from vramtuner.gui.window import Window

sys.path.insert(0, str(Path(__file__).parents[2] / "packaging"))
import translations

sys.path.insert(0, str(Path(__file__).parent))
from test_accessibility import run_of_a_second

Open = Callable[..., Window]
TABS = ("forecast", "live", "devices", "compare", "matrix")
GERMAN_TS = translations.FOLDER / "vramtuner_de.ts"
GERMANY = (QLocale(QLocale.Language.German, QLocale.Country.Germany),)


class Pseudo(QTranslator):
    """A language in which every sentence is put into brackets, and nothing else is."""

    def translate(self, context: str, source: str, disambiguation: str | None = None, n: int = -1) -> str:
        return f"⟦{source}⟧" if context == i18n.CONTEXT else ""

    def isEmpty(self) -> bool:
        return False


@pytest.fixture
def pseudo(qapp: QApplication) -> Iterator[None]:
    translator = Pseudo()
    assert QCoreApplication.installTranslator(translator)
    i18n._translated.cache_clear()
    words.use(i18n._translated)
    yield
    QCoreApplication.removeTranslator(translator)
    i18n._translated.cache_clear()
    remove_language()


@pytest.fixture
def german(qapp: QApplication) -> Iterator[None]:
    install_language(Language.GERMAN, GERMANY)
    yield
    remove_language()


# ---- no string is missed

ALLOWED = re.compile(
    r"""
    (?<!\w)(?:
    (?:Llama|Qwen|Gemma|Phi|Mistral|GPT|Mixtral|OPT|Falcon|Yi|DeepSeek|GLM|StableLM|Pythia|TinyLlama|SmolLM|OLMo|Granite
      |LlamaForCausalLM|[A-Z]\w+ForCausalLM|NeoX|Nemo|StarCoder2?|BLOOM|MPT|Bloom|Cohere|Command|Coder|Small|Instruct)[\w.]*
    | (?:AMD|Radeon|Instinct|PRO|Pro|RX|AI|XTX?|XL|GRE|MI\d+\w*|W\d+\w*|Ryzen|Max|Strix|Halo|Phoenix|Point|Graphics|Duo
      |VII|Vega|\d+[MS]|LP|LE|Dual|Slot|variant|[A-Z]?\d{3,4}[A-Z]*|Series|R9|GPU|APU)
    | gfx\w+ | \d+x\d+ | v?\d[\w.+]*
    | TiB | GiB | MiB | KiB | GB | MB | B | s | ms | W | Hz | k | x
    | (?:Ctrl|Shift|Alt|Esc|Del|F\d+|Left|Right|Up|Down|Return|Enter)(?:\+\w+)*
    | vramtuner | PyTorch | torch | transformers | safetensors | bitsandbytes | pip | config\.json
    | auto | static | offloaded | fp\d+ | bf16 | f16 | int\d | nf4 | dq | q\d_\d | flash | math | eager | none
    | PID | VRAM | GTT | HIP | CPU | ROCm | hqq | lm_head
    | [\w.]*\w+_\w+(?::\w+)? | True | False
    | Deutsch | English
    )(?!\w)
    """,
    re.VERBOSE,
)


def bare(text: str) -> str:
    """What of a text is outside of all brackets, and is neither a name, a unit nor a number."""
    if "<b>" in text or "</" in text:
        text = QTextDocumentFragment.fromHtml(text).toPlainText()
    text = re.sub(r"\w+Error: .*", "", text)  # a cause in the words of Python and of the system
    outside, depth = [], 0
    for letter in text:
        depth += letter == "⟦"
        if not depth:
            outside.append(letter)
        depth = max(depth - (letter == "⟧"), 0)
    left = ALLOWED.sub(" ", "".join(outside).replace("&", "").replace("\u200b", ""))
    return left if re.search(r"[^\W\d_]{2,}", left) else ""


def texts(top: QWidget) -> Iterator[tuple[str, str]]:
    """Every text that a window shows or says, with where it is."""
    for thing in (top, *top.findChildren(QObject)):
        if isinstance(thing, QAction):
            yield "action", thing.text()
            yield "action's tip", thing.toolTip()
        elif isinstance(thing, QWidget):
            yield from ((f"{type(thing).__name__}'s {what}", text) for what, text in texts_of(thing))
        elif isinstance(thing, QAbstractItemModel):
            yield from ((f"{type(thing).__name__}'s cell", text) for text in cells(thing))


def texts_of(widget: QWidget) -> Iterator[tuple[str, str]]:
    yield "tip", widget.toolTip()
    yield "name", widget.accessibleName()
    yield "description", widget.accessibleDescription()
    if widget.isWindow():
        yield "title", widget.windowTitle().replace("[*]", "")
    if isinstance(widget, QLabel | QAbstractButton):
        yield "text", widget.text()
    if isinstance(widget, QLineEdit):
        yield "placeholder", widget.placeholderText()
        yield "text", widget.text()
    if isinstance(widget, QSpinBox):
        yield "text", widget.text()
        yield "special", widget.specialValueText()
    if isinstance(widget, QMenu):
        yield "title", widget.title()
    if isinstance(widget, QTabBar):
        for place in range(widget.count()):
            yield "tab", widget.tabText(place)
            yield "tab's tip", widget.tabToolTip(place)
    if isinstance(widget, QComboBox):
        for place in range(widget.count()):
            yield "entry", widget.itemText(place)
    if isinstance(widget, QGraphicsView):
        for item in widget.scene().items():
            if isinstance(item, pg.AxisItem):
                yield "axis", item.labelText
            elif isinstance(item, pg.TextItem):
                yield "label", item.toPlainText()
    if isinstance(widget, QAbstractItemView) and widget.model() is not None:
        yield from (("cell", text) for text in cells(widget.model()))


def cells(model: QAbstractItemModel) -> Iterator[str]:
    roles = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole,
             Qt.ItemDataRole.AccessibleDescriptionRole)  # fmt: skip
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount()  # that of a list is not public
    for role in roles:
        for row in range(min(model.rowCount(), 40)):
            for column in range(columns):
                yield str(model.data(model.index(row, column), role) or "")
        for column in range(columns):
            yield str(model.headerData(column, Qt.Orientation.Horizontal, role) or "")


def missed(*tops: QWidget) -> list[str]:
    found = {
        f"{where}: {text!r} has {left.split()}" for top in tops for where, text in texts(top) if (left := bare(text))
    }
    return sorted(found)


def check(*tops: QWidget) -> None:
    found = missed(*tops)
    assert not found, "\n".join(("", *found))


def settle(qtbot: QtBot, window: Window) -> None:
    qtbot.waitUntil(lambda: not window.session.stale)
    qtbot.wait(300)


@pytest.mark.parametrize("tab", TABS)
def test_every_text_of_a_tab_goes_through_the_translation(
    pseudo: None, qtbot: QtBot, open_window: Open, tab: str
) -> None:
    window = open_window(levers=Levers(weights="nf4", token_cap=8192))
    window.levers.section.button.setChecked(True)
    window.tabs.setCurrentWidget(getattr(window, tab))
    window.live.player.show_series(run_of_a_second())
    settle(qtbot, window)
    check(window)


@pytest.mark.parametrize(
    ("model", "device", "levers"),
    [
        ("llama-2-7b", "w6600", Levers()),
        ("qwen3-8b", "rx7900xtx", Levers(weights="int8", kv_cache="int4", prefill_chunk=512, new_tokens=100)),
        ("gpt2", "cpu", Levers(pass_kind="training")),
        ("llama-2-7b", "w7900", Levers(pass_kind="autograd", checkpointing=True, attention="eager")),
        ("gemma-2-9b", "mi300x", Levers(token_cap=100_000, allocator="expandable_segments:True", beams=3)),
    ],
)
def test_every_text_of_a_plan_goes_through_the_translation(
    pseudo: None, qtbot: QtBot, open_window: Open, model: str, device: str, levers: Levers
) -> None:
    window = open_window()
    window.levers.section.button.setChecked(True)
    window.session.open_choice(Choice(find_model(model), find_device(device), levers))
    qtbot.wait(400)
    window.compare.pin_current()
    window.compare.all_rows.setChecked(True)
    window.session.change(token_cap=1000)
    window.tabs.setCurrentWidget(window.compare)
    qtbot.wait(200)
    check(window)


def test_every_text_of_scripts_and_of_the_presenter_goes_through_the_translation(
    pseudo: None, qtbot: QtBot, open_window: Open
) -> None:
    window = open_window()
    settle(qtbot, window)
    plan = window.session.forecast
    assert plan is not None
    window.session.set_script(demo_of(plan))
    window.present_menu.edit()
    dialog = window.present_menu.dialog
    assert isinstance(dialog, ScriptDialog)
    dialog.table.selectRow(1)
    dialog.delete.click()
    check(dialog)
    dialog.close()
    window.present_menu.present()
    presenter = window.present_menu.presenter
    assert isinstance(presenter, Presenter)
    qtbot.wait(200)
    check(presenter)
    presenter.close()


def test_every_text_of_a_notice_and_of_bad_input_goes_through_the_translation(
    pseudo: None, qtbot: QtBot, open_window: Open, enter: Callable[[QLineEdit, str], None], tmp_path: Path
) -> None:
    window = open_window()
    settle(qtbot, window)
    for field, text in ((window.levers.cap, "many"), (window.levers.pool, "900 GiB"), (window.levers.pool, "0")):
        enter(field, text)
        assert field.error.text().startswith("⟦"), field.error.text()
    enter(window.levers.cap, "many")
    enter(window.levers.cap, "4096")
    enter(window.levers.pool, "10GiB")
    for path in ("nothing", tmp_path):
        window.session.tell(None)
        window.keeper.open_path(Path(path))
        check(window)
    (tmp_path / "a.vramsession").write_text("{}")
    window.keeper.open_session(tmp_path / "a.vramsession")
    check(window)
    window.session.profile()
    window.menus.use_lengths("x")
    window.menus.use_language(Language.GERMAN)
    assert window.session.notice is not None
    check(window)


@pytest.mark.parametrize("torch", [True, False])
@pytest.mark.parametrize("gpu", ["", "AMD Radeon PRO W7900"])
@pytest.mark.parametrize(("model", "device"), [("llama-2-7b", "w7900"), ("gpt2", "cpu")])
def test_what_a_first_start_says_goes_through_the_translation(
    pseudo: None, torch: bool, gpu: str, model: str, device: str
) -> None:
    for can_install in (True, False):
        for gone in (True, False):
            now = Situation(find_model(model), find_device(device), gpu, torch, "make", can_install, True, gone)
            said = next_step(now)
            assert not [text for text in (said.text, said.label, said.tip) if bare(text.replace("make", ""))]


def test_the_check_sees_a_text_that_is_not_translated(pseudo: None, qtbot: QtBot, open_window: Open) -> None:
    window = open_window()
    window.session.tell(Notice("Plain text."))
    assert any("Plain text." in one for one in missed(window))
    assert bare("⟦a ⟦b⟧ c⟧ 9,472 · Llama-2-7B on ⟦x⟧") and not bare("⟦a ⟦b⟧ c⟧ 9,472 · Llama-2-7B ⟦x⟧")

"""The window in other languages: no string is missed, German is whole and has room, numbers are the language's own."""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from string import Formatter

import pyqtgraph as pg
import pytest
from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QCoreApplication,
    QLocale,
    QObject,
    QSettings,
    Qt,
    QTranslator,
)
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
from vramtuner.core.errors import BadInputError
from vramtuner.core.model.find import find_model
from vramtuner.core.settings import Levers
from vramtuner.core.units import GIB, format_bytes, format_tokens
from vramtuner.gui import i18n
from vramtuner.gui.i18n import Language, chosen_language, install_language, read_bytes, read_tokens, remove_language
from vramtuner.gui.panels.script import ScriptDialog
from vramtuner.gui.presenter import Presenter
from vramtuner.gui.scripting import demo_of
from vramtuner.gui.values import Choice, Notice
from vramtuner.gui.welcome import Situation, next_step
from vramtuner.gui.window import Window

sys.path.insert(0, str(Path(__file__).parents[2] / "packaging"))
import translations

sys.path.insert(0, str(Path(__file__).parent))
from test_accessibility import lacking, run_of_a_second

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
def as_started() -> Iterator[None]:
    """A program has one language; what it has read once and keeps has sentences of that in it."""

    def forget() -> None:
        for name, module in list(sys.modules.items()):
            if name.startswith("vramtuner."):
                for value in vars(module).values():
                    if callable(getattr(value, "cache_clear", None)):
                        value.cache_clear()

    forget()
    yield
    forget()


@pytest.fixture
def pseudo(qapp: QApplication, as_started: None) -> Iterator[None]:
    translator = Pseudo()
    assert QCoreApplication.installTranslator(translator)
    i18n._translated.cache_clear()
    words.use(i18n._translated)
    yield
    QCoreApplication.removeTranslator(translator)
    i18n._translated.cache_clear()
    remove_language()


@pytest.fixture
def german(qapp: QApplication, as_started: None) -> Iterator[None]:
    install_language(Language.GERMAN, GERMANY)
    yield
    remove_language()


# ---- no string is missed

ALLOWED = re.compile(
    r"""
    (?<!\w)(?:
    CPU\ stand-in | one\ of\ \d+\ dies | with\ \d+\ GiB\ of\ RAM | partition\ \d+\ of\ \d+ |
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


# ---- German is whole


def test_german_says_everything_and_nothing_that_is_gone() -> None:
    wanted, known = translations.templates(), translations.read_ts(GERMAN_TS)
    assert sorted(set(wanted) - set(known)) == [] and sorted(set(known) - set(wanted)) == []  # `make translations`
    assert [text for text, said in known.items() if not said] == []
    assert {text: len(said) for text, said in known.items()} == {
        text: 2 if template.is_plural else 1 for text, template in wanted.items()
    }


def test_every_place_of_a_text_is_in_its_translation() -> None:
    for text, said in translations.read_ts(GERMAN_TS).items():
        for form in said:
            assert places(form) == places(text), form


def places(text: str) -> list[str]:
    return sorted(f"{name}!{how}:{spec}" for _, name, spec, how in Formatter().parse(text) if name is not None)


def test_what_surrounds_a_text_is_in_its_translation() -> None:
    """Spaces at the ends join parts of a sentence, and a file dialog reads the patterns."""
    for text, said in translations.read_ts(GERMAN_TS).items():
        for form in said:
            assert (form[0].isspace(), form[-1].isspace()) == (text[0].isspace(), text[-1].isspace()), form
            assert re.findall(r"\(\*.*?\)|\n|;;|</?b>", form) == re.findall(r"\(\*.*?\)|\n|;;|</?b>", text), form


def test_what_is_checked_in_is_what_lrelease_makes() -> None:
    assert GERMAN_TS.with_suffix(".qm").read_bytes() == translations.released(GERMAN_TS)


def test_a_new_text_is_found_and_one_that_is_gone_is_dropped(tmp_path: Path) -> None:
    source = 'say("a {b}", b=1); mark("c" if d else "e"); plural("one", "{n} many", n=2); Labels({"k": "f"}); say(g)'
    found = dict(translations.templates_of(source))
    assert found == {"a {b}": False, "c": False, "e": False, "{n} many": True, "f": False}
    path, wanted = tmp_path / "a.ts", {t: translations.Template(t, "a.py", p) for t, p in found.items()}
    translations.write_ts(path, "de_DE", {"c": ["C"], "gone": ["X"], "{n} many": ["{n} A", "{n} B"]}, wanted)
    known = translations.read_ts(path)
    assert known == {"a {b}": [], "c": ["C"], "e": [], "{n} many": ["{n} A", "{n} B"], "f": []}


# ---- numbers by locale


def test_german_writes_and_reads_its_numbers(german: None) -> None:
    assert (format_tokens(9472), format_tokens(1)) == ("9.472 Token", "1 Token")
    assert format_bytes(27.84 * GIB) == "27,84 GiB" and format_bytes(1_234.5 * GIB, 1) == "1.234,5 GiB"
    assert words.number(0.125, "+.1%") == "+12,5%"
    for text in ("10,5 GiB", "10.5 GiB", "10,5GiB", "10,50 g", "10752 MiB", "10.752,0 MiB"):
        assert read_bytes(text) == 21 * GIB // 2, text
    for text in ("4096", "4.096", "4k", "4,096", "4_096"):
        assert read_tokens(text) == 4096, text
    for text in ("1.024 GiB", "1.024.000 KiB"):  # a point that groups, or one for a fraction
        with pytest.raises(BadInputError, match="auf zwei Arten"):
            read_bytes(text)
    for text in ("1.02.3 GiB", "10,5,5 GiB", "GiB", "1.0,5 GiB"):
        with pytest.raises(BadInputError, match="keine Größe"):
            read_bytes(text)
    for text in ("4.5k", "1,5k", "40.96"):
        with pytest.raises(BadInputError, match="keine Anzahl"):
            read_tokens(text)


def test_english_reads_and_writes_as_before() -> None:
    assert (format_tokens(9472), format_bytes(27.84 * GIB)) == ("9,472 tokens", "27.84 GiB")
    assert (read_bytes("10.5 GiB"), read_tokens("4,096")) == (21 * GIB // 2, 4096)
    with pytest.raises(BadInputError):
        read_bytes("10,5 GiB")


def test_files_and_the_command_line_stay_as_they_are(german: None) -> None:
    said = words.say("{name} on {name2}", name="A", name2=words.say("the CPU stand-in"))
    assert said == "A auf der CPU-Ersatz" and words.in_english(said) == "A on the CPU stand-in"
    assert words.in_english(format_bytes(27.84 * GIB)) == "27.84 GiB"
    with words.plain():
        assert (format_tokens(9472), words.say("Pool")) == ("9,472 tokens", "Pool")
    assert words.in_english(words.joined("; ", [words.say("Runs"), "x"])) == "Runs; x"


def test_a_translation_with_a_wrong_place_gives_way_to_english() -> None:
    words.use(lambda template, count: template.replace("{a}", "{zzz}"), words.Separators(".", ","))
    try:
        assert words.say("{a} and {b:.1f}", a=1, b=2.5) == "1 and 2,5"
    finally:
        words.use()


def test_boxes_take_the_numbers_of_the_language(
    german: None, qtbot: QtBot, open_window: Open, enter: Callable[[QLineEdit, str], None]
) -> None:
    window = open_window()
    enter(window.levers.pool, "10,5 GiB")
    enter(window.levers.cap, "2.048")
    levers = window.session.choice.levers
    assert (levers.pool_bytes, levers.token_cap) == (21 * GIB // 2, 2048)
    assert window.levers.cap.text() == "2.048"
    window.session.change(new_tokens=1024)
    assert window.levers.new_tokens.text() == "1.024"


# ---- German in the window


@pytest.mark.parametrize("tab", TABS)
def test_german_has_its_room(german: None, qtbot: QtBot, open_window: Open, tab: str) -> None:
    window = open_window()
    window.resize(1280, 720)
    window.levers.section.button.setChecked(True)
    window.session.tell(Notice(words.say("The language changes when vramtuner is started again.")))
    window.live.player.show_series(run_of_a_second())
    window.tabs.setCurrentWidget(getattr(window, tab))
    settle(qtbot, window)
    assert window.width() == 1280
    foreign = [text for _, text in texts(window) if re.search(r"[0-9],[0-9]{3}(?![0-9])|[0-9]\.[0-9]+ [GMK]iB", text)]
    assert not foreign
    # Advice comes when it is worked out, and has its room in the layout that follows.
    qtbot.waitUntil(lambda: not [text for widget in window.findChildren(QWidget) if (text := short(widget))])


def short(widget: QWidget) -> str:
    return lacking(widget) if widget.isVisible() else ""


def test_no_key_is_given_twice_in_german(german: None, open_window: Open) -> None:
    window = open_window()
    window.levers.section.button.setChecked(True)
    bar = [action.text() for action in window.menuBar().actions()]
    tabs = [window.tabs.tabText(place) for place in range(window.tabs.count())]
    parts = [one.text() for kind in (QAbstractButton, QLabel) for one in window.findChildren(kind)]
    assert doubled([*bar, *tabs, *parts]) == {}
    for menu in window.menuBar().findChildren(QMenu):
        assert doubled([action.text() for action in menu.actions()]) == {}, menu.title()


def doubled(texts: list[str]) -> dict[str, list[str]]:
    by_key: dict[str, list[str]] = {}
    for text in texts:
        for key in re.findall(r"&(\w)", text.replace("&&", "")):
            by_key.setdefault(key.lower(), []).append(text)
    return {key: found for key, found in by_key.items() if len(set(found)) > 1}


# ---- which language


def test_the_choice_is_kept_for_the_next_start(open_window: Open) -> None:
    window = open_window()
    assert chosen_language() is Language.SYSTEM
    window.menus.use_language(Language.GERMAN)
    assert chosen_language() is Language.GERMAN and words.say("Pool") == words.say("Pool")
    assert window.session.notice is not None and "started again" in window.session.notice.text
    try:
        assert install_language(chosen_language()).language() == QLocale.Language.German
        assert open_window().menuBar().actions()[0].text() == "&Datei"
    finally:
        remove_language()


@pytest.mark.parametrize(
    ("choice", "system", "text", "number"),
    [
        (Language.SYSTEM, "de_DE", "Hebel", "1.024,5"),
        (Language.GERMAN, "en_US", "Hebel", "1.024,5"),
        (Language.ENGLISH, "de_DE", "Levers", "1,024.5"),
        (Language.SYSTEM, "C", "Levers", "1,024.5"),
        (Language.SYSTEM, "fr_FR", "Levers", "1\u202f024,5"),
    ],
)
def test_the_language_follows_the_choice_or_the_system(
    qapp: QApplication, choice: Language, system: str, text: str, number: str
) -> None:
    try:
        install_language(choice, (QLocale(system),))
        assert (words.say("Levers"), words.number(1024.5, ",.1f")) == (text, number)
    finally:
        remove_language()


def test_a_setting_that_nobody_wrote_is_the_system(qapp: QApplication) -> None:
    QSettings().setValue("window/language", "xx")
    assert chosen_language() is Language.SYSTEM

"""One person's whole way, in a real window on a real X display: ``python journey.py MODEL_FOLDER OUT_FOLDER``.

Opens a model folder, chooses the CPU stand-in, moves the levers, profiles, exports a validated file, and takes pictures
of the screen on the way.  Only keys and clicks; what came out is printed as JSON for `test_journey.py` to judge.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QDeadlineTimer, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QWidget

from vramtuner.core.device.find import find_device
from vramtuner.core.model.find import load_preset
from vramtuner.core.settings import Levers
from vramtuner.gui.app import make_application
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Scheme, Theme
from vramtuner.gui.values import Choice
from vramtuner.gui.window import Window

SIZE = (1440, 860)


class Journey:
    """The person."""

    def __init__(self, folder: Path, out: Path) -> None:
        self.folder, self.out = folder, out
        self.application = make_application()
        self.theme = Theme(self.application, Scheme.LIGHT)
        self.session = Session(Choice(load_preset("llama-2-7b"), find_device("w7900"), Levers()))
        self.window = Window(self.session, self.theme)
        self.story: dict[str, object] = {}

    def go(self) -> dict[str, object]:
        window, session = self.window, self.session
        window.resize(*SIZE)
        window.show()
        assert QTest.qWaitForWindowExposed(window)
        self.story["first"] = window.verdict.sentence.text()
        self.picture("1-first")

        self.answer_dialog(str(self.folder))
        QTest.mouseClick(window.setup.open_folder, Qt.MouseButton.LeftButton)
        self.wait(lambda: session.choice.spec.folder == str(self.folder.resolve()))
        self.type_into(self.editor(window.setup.device), "cpu")
        self.wait(lambda: session.choice.device.kind == "cpu" and not session.stale)
        self.type_into(window.levers.pool, "1.5 GiB")
        self.type_into(window.levers.cap, "2048")
        window.levers.attention.setFocus()
        QTest.keyClicks(window.levers.attention, "e")
        self.wait(lambda: session.choice.levers.attention == "eager" and not session.stale)
        self.story["plan"] = window.verdict.sentence.text()
        self.picture("2-plan")

        QTest.mouseClick(window.activity.profile, Qt.MouseButton.LeftButton)
        self.wait(lambda: len(session.current_measurements) >= 2)
        self.picture("3-live")
        self.wait(lambda: session.run is None)
        window.tabs.setCurrentWidget(window.forecast)
        self.story["errors"] = [measurement.error for measurement in session.current_measurements]
        self.story["points"] = [measurement.result.tokens for measurement in session.current_measurements]
        self.picture("4-profiled")

        target = self.out / "deploy.env"
        self.answer_dialog(str(target))
        QTest.mouseClick(window.activity.export, Qt.MouseButton.LeftButton)
        self.wait(target.exists)
        self.wait(lambda: session.run is None)
        self.story["notice"] = session.notice.text if session.notice else ""
        window.tabs.setCurrentWidget(window.forecast)
        self.picture("5-exported")
        self.theme.use(Scheme.DARK)
        self.picture("6-dark")
        window.close()
        return self.story

    def wait(self, until: Callable[[], object], seconds: int = 60) -> None:
        deadline = QDeadlineTimer(seconds * 1000)
        while not until():
            assert not deadline.hasExpired(), self.session.notice
            QTest.qWait(20)

    def picture(self, name: str) -> None:
        """The screen as it is, not the widget as it would be."""
        # Two passes: one lets the layout settle, one the painting reach the display.
        for _ in range(2):
            QApplication.processEvents()
            QTest.qWait(60)
        screen = self.window.screen()
        corner = self.window.pos()
        shot = screen.grabWindow(0, corner.x(), corner.y(), self.window.width(), self.window.height())
        assert shot.save(str(self.out / f"{name}.png"))

    def editor(self, combo: QWidget) -> QLineEdit:
        found = combo.findChild(QLineEdit)
        assert found is not None
        return found

    def type_into(self, field: QLineEdit, text: str) -> None:
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Qt.Key.Key_Return)

    def answer_dialog(self, text: str) -> None:
        """Type into the file dialog that comes up next; it runs an event loop of its own."""

        def answer() -> None:
            dialog = QApplication.activeModalWidget()
            if not isinstance(dialog, QFileDialog):
                QTimer.singleShot(50, answer)
                return
            name = dialog.findChild(QLineEdit, "fileNameEdit")
            assert name is not None
            # Pasted, not typed: the dialog's completer answers to single keys at its own pace.
            name.setText(text)
            QTest.keyClick(name, Qt.Key.Key_Return)
            if dialog.isVisible():
                dialog.accept()

        QTimer.singleShot(50, answer)


def main() -> int:
    journey = Journey(Path(sys.argv[1]), Path(sys.argv[2]))
    story = journey.go()
    story["torch"] = "torch" in sys.modules
    sys.stdout.write(json.dumps(story))
    return 0


if __name__ == "__main__":
    sys.exit(main())

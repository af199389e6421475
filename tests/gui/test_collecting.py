"""Garbage that holds widgets is collected, and on no thread but the GUI's."""

import gc
import threading
import weakref

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from vramtuner.gui.collecting import Collector


class Cycle:
    """Garbage that only the collector ends, with a widget in it."""

    def __init__(self, ended: list[int]) -> None:
        self.own, self.widget = self, QWidget()
        weakref.finalize(self, lambda: ended.append(threading.get_ident()))


def test_another_thread_never_collects_and_the_gui_thread_does(qtbot: QtBot) -> None:
    collector = Collector()
    ended: list[int] = []
    for _ in range(400):
        Cycle(ended)

    def allocate() -> None:
        kept = [[number] for number in range(200_000)]  # far more than what makes Python collect by itself
        assert kept

    thread = threading.Thread(target=allocate)
    thread.start()
    thread.join()
    assert not ended and not gc.isenabled()
    qtbot.waitUntil(lambda: len(ended) == 400, timeout=20_000)
    assert set(ended) == {threading.get_ident()}
    collector.deleteLater()

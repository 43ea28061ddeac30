"""Tests of progress bars."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from contextlib import redirect_stderr

import pytest

import skparaphrase
from skparaphrase import _progress
from skparaphrase._progress import progress_bar


class _Terminal:
    """A standard error that is a terminal, and keeps what is written."""

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text

    def flush(self):
        pass

    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(_progress, "_DELAY", 0)
    return _Terminal()


def _count(terminal):
    with redirect_stderr(terminal), progress_bar(3, "Counting") as advance:
        for _ in range(3):
            advance(1)


def test_a_bar_is_shown_only_if_it_is_asked_for(terminal):
    _count(terminal)
    assert terminal.text == ""
    with skparaphrase.show_progress():
        _count(terminal)
    assert "Counting:" in terminal.text and "3/3" in terminal.text
    before = terminal.text
    _count(terminal)
    assert terminal.text == before


def test_only_the_outermost_bar_is_shown(terminal):
    with skparaphrase.show_progress(), redirect_stderr(terminal):
        with progress_bar(1, "Outer") as advance:
            _count(terminal)
            advance(1)
    assert "Outer" in terminal.text and "Counting" not in terminal.text


def test_what_ends_soon_has_no_bar(terminal, monkeypatch):
    monkeypatch.setattr(_progress, "_DELAY", 60)
    with skparaphrase.show_progress():
        _count(terminal)
    assert terminal.text == ""


def test_there_is_no_bar_in_a_file(terminal, monkeypatch):
    monkeypatch.setattr(terminal, "isatty", lambda: False)
    with skparaphrase.show_progress():
        _count(terminal)
    assert terminal.text == ""


def test_after_an_error_bars_are_shown_again(terminal):
    with skparaphrase.show_progress():
        with pytest.raises(KeyError), progress_bar(3, "Failing"):
            raise KeyError
        _count(terminal)
    assert "Counting" in terminal.text


def test_tqdm_is_needed(monkeypatch):
    monkeypatch.setattr(_progress, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match="pip install tqdm"):
        with skparaphrase.show_progress():
            pass

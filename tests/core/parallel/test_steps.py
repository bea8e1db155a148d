"""How far the work is: a bar on a terminal, a line now and then elsewhere, nothing if not asked."""

import io
import re
import sys
import threading

import pytest

from sfmcore.parallel.progress import remaining, steps


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_gets_a_bar_with_the_time_that_is_left(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with steps("pairs", 4, done=1) as step:
        step()
        shown = sys.stderr.getvalue()
    assert re.search(r"pairs: +25%.*1/4 \[", shown)


def test_elsewhere_there_are_lines():
    said, two = [], threading.Event()

    def say(line):
        said.append(line)
        if len(said) >= 2:
            two.set()

    with steps("pairs", 8, done=2, say=say, interval=0.01) as step:
        step()
        assert two.wait(60)
    count = len(said)
    assert said[-1] == "3 of 8 pairs, less than a minute left"
    # None comes after the end.
    threading.Event().wait(0.05)
    assert len(said) == count


def test_before_the_first_step_nobody_knows_how_long_it_takes():
    said, some = [], threading.Event()
    with steps("halves", 3, say=lambda line: (said.append(line), some.set()), interval=0.01):
        assert some.wait(60)
    assert said[0] == "0 of 3 halves"


@pytest.mark.parametrize(("show", "total"), [(False, 5), (True, 0)])
def test_nothing_is_said_unless_asked_for(capsys, show, total):
    said = []
    with steps("pairs", total, show=show, say=said.append, interval=0.001) as step:
        step()
        threading.Event().wait(0.02)
    assert said == []
    assert capsys.readouterr().err == ""


def test_lines_go_to_standard_error_by_default(capsys):
    with steps("pairs", 1, interval=0.001):
        threading.Event().wait(0.2)
    assert "0 of 1 pairs\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("seconds", "done", "total", "words"),
    [
        (60, 1, 2, "about 1 min left"),
        (59, 1, 2, "less than a minute left"),
        (3600, 1, 3, "about 2.0 h left"),
        (5000, 1, 2, "about 83 min left"),
        (5, 2, 2, "less than a minute left"),
    ],
)
def test_the_time_that_is_left_is_in_words(seconds, done, total, words):
    assert remaining(seconds, done, total) == words

"""Threads whose end need not be waited for."""

import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest

from sfmcore.parallel.workers import workers


def test_results_come_in_order_and_errors_where_they_belong():
    def slowly(number: int) -> int:
        time.sleep(0.02 / (1 + number))
        return 12 // (3 - number)

    with workers(3) as pool:
        results = pool.map(slowly, range(5))
        assert [next(results) for _ in range(3)] == [4, 6, 12]
        with pytest.raises(ZeroDivisionError):
            next(results)


def test_the_end_of_the_block_waits_for_what_was_begun_and_drops_the_rest():
    begun, done = threading.Event(), []

    def work(number: int) -> None:
        begun.set()
        time.sleep(0.05)
        done.append(number)

    with workers(1) as pool:
        futures = [pool.submit(work, number) for number in range(3)]
        begun.wait()
    assert done == [0]
    assert [future.cancelled() for future in futures] == [False, True, True]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, GeneratorExit])
def test_an_interrupt_does_not_wait(kind):
    never, begun = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        never.wait(30)

    start = time.monotonic()
    with suppress(kind), workers(1) as pool:
        pool.submit(work)
        begun.wait()
        raise kind
    assert time.monotonic() - start < 10
    never.set()


def test_a_signal_that_another_thread_gets_is_heard():
    """The system may give a signal to any thread; the main one waits for a result meanwhile."""
    program = """
import signal, sys, threading
from sfmcore.parallel.workers import workers

def interrupt(number, frame):
    raise KeyboardInterrupt

def other(_):
    # To this very thread, as the system may do.
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
    threading.Event().wait()

signal.signal(signal.SIGTERM, interrupt)
try:
    with workers(1) as pool:
        list(pool.map(other, [0]))
except KeyboardInterrupt:
    print("heard")
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=20, check=True
    )
    assert ended.stdout == "heard\n"

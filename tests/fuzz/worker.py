"""A process that tries inputs, with limits on its memory and time; it may die of an input."""

import faulthandler
import multiprocessing
import os
import resource
import shutil
import signal
import tempfile
import traceback
import warnings
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from tests.fuzz.base import Finding, Harness

SECONDS = 10.0
"""Processor time that one input may take."""
WALL_SECONDS = 120.0
"""Time after which an input is thought to wait without end; a busy machine is slow."""
_ADDRESSES = 3 << 30
_RESIDENT = 2 << 30


@dataclass(frozen=True)
class Reply:
    """What came of an input: an outcome, or a finding with a key that alike findings share."""

    outcome: str = ""
    key: str = ""
    details: str = ""
    case: bytes = b""


class Worker:
    """Tries inputs in a child, which is started again after it died.

    Parameters
    ----------
    harness : Harness
    seed : int
    """

    def __init__(self, harness: Harness, seed: int) -> None:
        self.harness, self.seed = harness, seed
        self._start()

    def _start(self) -> None:
        # A fresh interpreter: threads of libraries do not survive a fork.
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._folder = tempfile.mkdtemp(prefix="fuzz-")
        arguments = (self.harness, theirs, self._folder, SECONDS)
        self._process = context.Process(target=_work, args=arguments, daemon=True)
        self._process.start()
        theirs.close()
        self._connection.recv()  # everything is imported

    def number(self, number: int) -> Reply:
        """Try the input of a number."""
        return self._ask(number)

    def case(self, case: bytes) -> Reply:
        """Try a given input."""
        return self._ask(case)

    def _ask(self, request: int | bytes) -> Reply:
        case = request if isinstance(request, bytes) else made(self.harness, self.seed, request)
        key = "waits without end"
        try:
            self._connection.send(case)
            if self._connection.poll(WALL_SECONDS):
                reply = self._connection.recv()
                # What it holds stays its peak, and would be blamed on the next input.
                if "memory" in reply.key.lower():
                    self.close()
                    self._start()
                return reply
        except (EOFError, OSError):
            self._process.join()
            code = self._process.exitcode or 0
            key = f"dies of {signal.Signals(-code).name}" if code < 0 else f"exits with {code}"
            if code == -signal.SIGPROF:
                key = f"takes more than {SECONDS:g} s"
        details = (Path(self._folder) / "stderr").read_text(errors="replace")[-4000:]
        self.close()
        self._start()
        return Reply(key=key, details=details, case=case)

    def close(self) -> None:
        """End the child and remove its folder."""
        self._connection.close()  # the child then ends by itself, and cleans up
        self._process.join(2.0)
        self._process.kill()
        self._process.join()
        shutil.rmtree(self._folder, ignore_errors=True)


def made(harness: Harness, seed: int, number: int) -> bytes:
    """The input of a number, which depends on nothing else but the seed."""
    return harness.make(Random(f"{seed}/{number}"))


def _work(harness: Harness, connection: Connection, folder: str, seconds: float) -> None:
    """Try the inputs that come, in an empty folder."""
    warnings.simplefilter("ignore")
    place = Path(folder, "work")
    # Decoders in C print what they think of an input.
    errors = os.open(Path(folder, "stderr"), os.O_CREAT | os.O_RDWR | os.O_APPEND, 0o600)
    os.dup2(errors, 2)
    faulthandler.enable(2)
    made(harness, 0, 0)  # its seeds, and what it imports
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESSES, _ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection.send("ready")
    while True:
        try:
            case = connection.recv()
        except EOFError:
            return
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        os.chdir(place)
        os.ftruncate(errors, 0)
        # The kernel ends the process when the time is over, even inside C.
        signal.setitimer(signal.ITIMER_PROF, seconds)
        reply = _tried(harness, case)
        signal.setitimer(signal.ITIMER_PROF, 0)
        connection.send(reply)


def _tried(harness: Harness, case: bytes) -> Reply:
    try:
        outcome = harness.check(case)
    except Finding as finding:
        return Reply(key=str(finding), details=traceback.format_exc(), case=case)
    except BaseException as error:
        details = traceback.format_exc()
        return Reply(key=f"{type(error).__name__} in {_origin(error)}", details=details, case=case)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    if peak > _RESIDENT:
        return Reply(key="takes more than 2 GiB of memory", details=outcome, case=case)
    return Reply(outcome=outcome)


def _origin(error: BaseException) -> str:
    """The innermost function of the packages that an error went through."""
    origin = "the harness"
    for frame, _ in traceback.walk_tb(error.__traceback__):
        module = frame.f_globals.get("__name__", "")
        if module.split(".")[0] in ("sfmcore", "sfmbio", "sfmvision"):
            origin = f"{module}.{frame.f_code.co_qualname}"
    return origin

"""Running a command: streams, signals, errors in a sentence, exit codes."""

import argparse
import errno
import io
import os
import shlex
import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import FrameType
from typing import Any

from sfmcore.commandline.loading import memory_limit
from sfmcore.data.errors import UserError

DONE, INCOMPLETE, FAILED, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141


def run(
    build_parser: Callable[[], argparse.ArgumentParser], arguments: Sequence[str] | None = None
) -> int:
    """Run a command; return its exit code.

    0 done; 1 done, but some inputs could not be used and ``--strict`` was given; 2 bad usage or
    unreadable input; 130 interrupted; 141 when nobody reads the output any more.

    Parameters
    ----------
    build_parser : callable
        Returns the parser. Its options hold `run`, a function of the options that returns how
        many inputs it left out, and `strict`.
    arguments : sequence of str, optional
        Those of the process by default.
    """
    _open_streams()
    try:
        parser = build_parser()
        options = parser.parse_args(arguments)
        given = sys.argv[1:] if arguments is None else arguments
        options.command_line = shlex.join([parser.prog, *given])
    finally:
        _settle_output()  # of --help

    def say(text: str) -> None:
        print(f"{parser.prog}: {text}", file=sys.stderr)

    def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
        say(f"warning: {message}")

    with warnings.catch_warnings():
        warnings.showwarning = show_warning
        _listen_to_signals()
        try:
            # Not before the options are known to be good: it brings scikit-learn.
            from sklearn.exceptions import ConvergenceWarning

            warnings.simplefilter("once", ConvergenceWarning)
            unusable = options.run(options)
            sys.stdout.flush()
        except KeyboardInterrupt:
            # Work that is given up on may warn when it is put away.
            warnings.simplefilter("ignore")
            say("interrupted")
            return INTERRUPTED
        except BrokenPipeError:
            return BROKEN_PIPE
        except UserError as error:
            say(str(error))
            return FAILED
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            say(f"{where}{error.strerror or error}")
            return FAILED
        except ImportError as error:
            say(f"can't be loaded: {error}{memory_limit()}")
            return FAILED
        except MemoryError as error:
            say(f"out of memory: {error}" if str(error) else "out of memory")
            return FAILED
        except RuntimeError as error:
            if "start new thread" not in str(error):
                raise
            say("can't start another thread: lower --threads, or raise the limits (ulimit)")
            return FAILED
        finally:
            _settle_output()
    return INCOMPLETE if unusable and options.strict else DONE


class _Closed(io.StringIO):
    """Standard output where there is none: a table that nobody gets is not done."""

    def write(self, text: str) -> int:
        raise OSError(errno.EBADF, "standard output is closed")


def _open_streams() -> None:
    """Make standard output and error fit for use."""
    # Closed by the caller; `print` would fall back from the one to the other.
    if sys.stdout is None:
        sys.stdout = _Closed()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if hasattr(sys.stdout, "reconfigure"):
        # Names that are not UTF-8 go out as they came in.
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
    if hasattr(sys.stderr, "reconfigure"):
        sys.stderr.reconfigure(errors="backslashreplace")


def _settle_output() -> None:
    """Write out what standard output holds back, or let it go nowhere.

    Python does so once more at exit, and would end with a complaint and an exit code of its own.
    """
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _listen_to_signals() -> None:
    """Clean up as after Ctrl-C when the process is told to end or its terminal goes away."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # Who runs it with nohup has set the second to be ignored.
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            with suppress(ValueError):  # not the main thread: its owner handles signals
                signal.signal(number, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt

"""Inputs that broke a property once, as small as fuzzing made them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.fuzz.__main__ import HARNESSES
from tests.fuzz.worker import Reply, Worker

FOUND = [
    (
        "models",
        b"today_scenes_paper\n"
        b'{"path": ["state", "model", 0, "parameters", "n_burn_in"], '
        b'"value": 9223372036854775808}\n',
    ),
    ("fasta", b"p>\xfe"),
    ("fasta", b'p>"\x00'),
    ("fasta", b"p>\x1b"),
    (
        "models",
        b"format3_scenes_histograms\n"
        b'{"path": ["state", "parameters", "alpha"], "value": 1%s}\n' % (b"0" * 400),
    ),
    (
        "models",
        b'format2_proteins_paper\n{"path": ["state", "parameters", "max_pixels"], "value": 0}\n',
    ),
    (
        "models",
        b'format3_proteins_two_classes\n{"path": ["state", "classes", 0], "value": "\\u0000"}\n',
    ),
    (
        "models",
        b"format3_scenes_best\n"
        b'{"array": "inputs0/moments_texture_weights", "kind": "all", "at": 0, "value": 1e308}\n',
    ),
]


@pytest.fixture(scope="module")
def tried() -> Iterator[Callable[[str, bytes], Reply]]:
    """Tries an input of a harness in the harness's process, which is started when first needed."""
    workers: dict[str, Worker] = {}

    def call(name: str, case: bytes) -> Reply:
        if name not in workers:
            workers[name] = Worker(HARNESSES[name], 0)
        return workers[name].case(case)

    with pytest.MonkeyPatch.context() as patch:
        # A new process must be able to import this folder, which pytest does without.
        patch.syspath_prepend(Path(__file__).parents[2])
        yield call
    for worker in workers.values():
        worker.close()


@pytest.mark.parametrize(("name", "case"), FOUND)
def test_what_was_found_once_keeps_the_property(tried, name, case):
    reply = tried(name, case)
    assert not reply.key, reply.details

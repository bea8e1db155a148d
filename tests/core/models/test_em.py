"""EM that is interrupted goes on from its last cycle, and ends with the same bits."""

from contextlib import suppress

import numpy as np
import pytest

from sfmcore.data.ragged import Ragged
from sfmcore.files.checkpoint import checkpoint
from sfmcore.models import gmm, growing, hmm
from sfmcore.models.gmm import DiagonalGMM
from sfmcore.models.hmm import CategoricalHMM
from sfmcore.parallel import halfway
from sfmcore.parallel.halfway import resumable
from sfmcore.parallel.plan import running


class KilledError(Exception):
    pass


def sequences():
    random = np.random.default_rng(0)
    return Ragged.from_items([random.integers(0, 6, 40) for _ in range(60)])


def rows():
    random = np.random.default_rng(0)
    return np.concatenate([random.normal(k, 1.0, (60, 3)) for k in (0.0, 1.5, 3.0)])


def mixture():
    return DiagonalGMM(3, n_init=2, max_iter=60, tol=0.0, random_state=0)


def chain():
    return CategoricalHMM(3, 6, n_init=2, max_iter=60, tol=0.0, random_state=0)


MODELS = {"hmm": (chain, sequences, hmm._BaumWelch), "gmm": (mixture, rows, gmm._MixtureEM)}


@pytest.fixture
def always(monkeypatch):
    """Keep every state, not one a second."""
    monkeypatch.setattr(halfway, "_SECONDS", 0.0)


@pytest.fixture
def estimate(monkeypatch):
    """Fit a model, within a checkpoint if there is a folder; how many E-steps were made."""

    def call(name, model, folder=None, kill_after=None):
        _, data, problem = MODELS[name]
        steps = 0
        with monkeypatch.context() as patch:
            begin = problem.expect

            def expect(own):
                nonlocal steps
                steps += 1
                if steps == kill_after:
                    raise KilledError
                return begin(own)

            patch.setattr(problem, "expect", expect)
            if folder is None:
                model.estimate(data())
            else:
                with checkpoint(folder, {}, [0]) as store, running(store=store), resumable("em"):
                    model.estimate(data())
        return steps

    return call


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kills", [[40], [30, 9, 4], [3, 3, 60]])
def test_an_interrupted_run_ends_with_the_same_bits(name, kills, estimate, always, tmp_path):
    make = MODELS[name][0]
    plain, survived = make(), make()
    whole = estimate(name, plain)
    for kill in kills:
        with suppress(KilledError):
            estimate(name, survived, tmp_path, kill)
        survived = make()
    left = estimate(name, survived, tmp_path)
    if kills == [40]:
        # A cycle, and the step at the parameters; the short runs of the starts are not repeated.
        assert left <= whole - 40 + 5
    for key, own in plain.get_arrays().items():
        assert survived.get_arrays()[key].tobytes() == own.tobytes()
    assert survived.history_.tobytes() == plain.history_.tobytes()
    assert (survived.n_iter_, survived.converged_) == (plain.n_iter_, plain.converged_)


def test_a_run_on_growing_samples_goes_on_in_its_sample(monkeypatch, estimate, always, tmp_path):
    monkeypatch.setattr(growing, "_LEAST", 5)
    seen = []
    begin = hmm._BaumWelch.expect

    def expect(problem):
        seen.append(len(problem._data))
        return begin(problem)

    monkeypatch.setattr(hmm._BaumWelch, "expect", expect)
    plain, survived = chain(), chain()
    whole = estimate("hmm", plain)
    sizes = sorted(set(seen))
    assert len(sizes) > 1
    with suppress(KilledError):
        estimate("hmm", survived, tmp_path, whole - 20)
    killed_in = seen[-1]
    seen.clear()
    survived = chain()
    estimate("hmm", survived, tmp_path)
    assert killed_in == sizes[-1] == min(seen)
    assert survived.history_.tobytes() == plain.history_.tobytes()


def test_without_a_place_nothing_is_written(always, tmp_path):
    with checkpoint(tmp_path, {}, [0]) as store, running(store=store):
        chain().estimate(sequences())
    assert not list((tmp_path / "results").iterdir())


def test_only_one_step_of_a_block_has_the_place(tmp_path):
    with checkpoint(tmp_path, {}, [0]) as store, running(store=store), resumable("em"):
        assert halfway.halfway().found() is None
        second = halfway.halfway()
        second.keep(lambda: 1)
        assert second.found() is None


def test_states_are_kept_once_a_second(monkeypatch, tmp_path):
    now = [100.0]
    monkeypatch.setattr(halfway.time, "monotonic", lambda: now[0])
    with checkpoint(tmp_path, {}, [0]) as store, running(store=store), resumable("em"):
        place = halfway.halfway()
        made = []
        for moment in (100.5, 101.1, 101.9, 102.2):
            now[0] = moment
            place.keep(lambda moment=moment: made.append(moment) or moment)
    assert made == [101.1, 102.2]
    with checkpoint(tmp_path, {}, [0]) as store, running(store=store), resumable("em"):
        assert halfway.halfway().found() == 102.2

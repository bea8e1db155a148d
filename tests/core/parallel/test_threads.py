"""The number of threads, and what a forked process makes of it."""

import os
import subprocess
import sys

import pytest

from sfmcore.parallel.threads import available_processors, effective_threads

FORK = """
import os
import numpy as np
from sfmcore import SFMClassifier
from sfmcore.kernels import _products
y = np.arange(60) % 2
X = np.random.default_rng(0).normal(size=(60, 3)) + y[:, None]
many = np.random.default_rng(1).normal(size=(40_000, 3))
model = SFMClassifier(random_state=0, n_jobs=2).fit(X, y)
labels = model.predict(many)
rows = many[:500].astype(np.float32)
out, again = np.empty((2, 500, 500), dtype=np.float32)
# A kernel whose number of threads something fitted may hold.
_products.products(rows, rows, out, 2)
child = os.fork()
if child == 0:
    _products.products(rows, rows, again, 2)
    same = np.array_equal(model.predict(many), labels) and np.array_equal(again, out)
    os._exit(0 if same else 3)
os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_predicts_the_same_and_ends():
    # OpenMP's threads stay behind in a fork: with two it waited for ever.
    run = subprocess.Popen([sys.executable, "-W", "ignore", "-c", FORK], start_new_session=True)
    try:
        assert run.wait(timeout=60) == 0
    finally:
        if run.poll() is None:
            os.killpg(run.pid, 9)
            run.wait()


def test_more_threads_than_any_use_are_not_started():
    # OpenMP ended the process where the system gave no more.
    assert effective_threads(10**6) == max(64, 4 * available_processors())
    assert effective_threads(3) == 3

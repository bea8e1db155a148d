"""What is counted: calls of three kernels, on inputs that are the same everywhere.

This runs under valgrind, where all takes some fifty times as long: so the extensions are loaded
without the package around them, which would import scikit-learn.

    python -m benchmarks.instructions.workload CALLS
"""

import importlib.machinery
import importlib.util
import random
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def extension_file(name: str) -> Path:
    """The file of an extension of ``sfmcore.kernels``.

    Raises
    ------
    FileNotFoundError
        If it has not been built.
    """
    package = importlib.util.find_spec("sfmcore")
    folders = [] if package is None else package.submodule_search_locations or []
    places = [str(Path(folder, "kernels")) for folder in folders]
    spec = importlib.machinery.PathFinder.find_spec(name, places)
    if spec is None or spec.origin is None:
        raise FileNotFoundError(f"sfmcore.kernels.{name} is not built: run pip install -e .")
    return Path(spec.origin)


@cache
def load(name: str) -> ModuleType:
    """The extension alone."""
    path = str(extension_file(name))
    full = f"sfmcore.kernels.{name}"
    spec = importlib.util.spec_from_file_location(full, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    if name == "_simd":
        # Found here by the kernels, which follow its width; they would import the package for it.
        sys.modules[full] = module
    else:
        load("_simd")
    spec.loader.exec_module(module)
    return module


def uniforms(seed: int, *shape: int) -> Floats:
    """Numbers in [0, 1) that no version of Python or NumPy changes."""
    source = random.Random(seed)
    return np.array([source.random() for _ in range(int(np.prod(shape)))]).reshape(shape)


def shares(seed: int, *shape: int) -> Floats:
    """Rows that sum to 1."""
    values = uniforms(seed, *shape) + 0.05
    total: Floats = values.sum(axis=-1, keepdims=True)
    return values / total


def offsets_of(lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Where items of these lengths begin, and the end."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def expected_statistics() -> object:
    """HMM of 10 states and 22 symbols, 64 sequences of 100 to 200 codes."""
    n_states, n_symbols, n_items = 10, 22, 64
    lengths = (100 + 100 * uniforms(1, n_items)).astype(np.int64)
    values = (n_symbols * uniforms(2, int(lengths.sum()))).astype(np.uint8)
    order = np.argsort(-lengths, kind="stable").astype(np.int64)
    model = shares(3, n_states), shares(4, n_states, n_states), shares(5, n_states, n_symbols)
    weights = np.ones(n_items)
    return load("_hmm").expected_statistics(values, offsets_of(lengths), order, *model, weights, 1)


def gibbs_sweep() -> object:
    """LDA of 40 topics and 50 words, 40 documents of 200 tokens in two shards side by side."""
    n_topics, n_words, n_items, length = 40, 50, 40, 200
    tokens = (n_words * uniforms(6, n_items, length) ** 2).astype(np.uint16)
    tokens.sort(axis=1)
    topics = (n_topics * uniforms(7, n_items * length)).astype(np.uint16)
    cells = topics.astype(np.int64) * n_words + tokens.ravel()
    counts = np.bincount(cells, minlength=n_topics * n_words).astype(np.float64)
    keys = (2.0**63 * uniforms(8, n_items)).astype(np.uint64)
    lda = load("_lda")
    return lda.gibbs_sweep(
        tokens.ravel(),
        offsets_of(np.full(n_items, length)),
        topics,
        np.ones(n_items, dtype=np.float32),
        counts.reshape(n_topics, n_words),
        np.array([0, n_items // 2, n_items], dtype=np.int64),
        keys,
        0.1,
        0.01,
        1,
    )


def risks() -> object:
    """J(u) of 2000 rows of 100 columns, float64; a third of the rows has no label."""
    n_rows, n_columns = 2000, 100
    rows = uniforms(9, n_rows, n_columns) - 0.5
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    signs = (3 * uniforms(10, n_rows)).astype(np.int8) - np.int8(1)
    weights = uniforms(11, n_rows) / n_rows
    u = 4 * uniforms(12, n_columns) - 2
    return load("_objective").risks(rows, signs, weights, u, False, 1)


# By extension and function. An extension is counted as a whole, so it stands here once.
KERNELS: dict[str, Callable[[], object]] = {
    "_hmm.expected_statistics": expected_statistics,
    "_lda.gibbs_sweep": gibbs_sweep,
    "_objective.risks": risks,
}


def extension_of(kernel: str) -> str:
    """Name of the extension that a kernel is in."""
    return kernel.partition(".")[0]


if __name__ == "__main__":
    for call in KERNELS.values():
        for _ in range(int(sys.argv[1])):
            call()

"""What an image is like as a whole."""

import numpy as np
import pytest

from sfmvision.descriptors.batch import Describer, InMemory
from sfmvision.descriptors.dense_sift import DenseSIFT
from sfmvision.descriptors.summary import summary, summary_size


@pytest.fixture
def described(picture):
    """Descriptors of an image, grey or in opponent colours."""

    def call(colour="grey", kind="blobs", number=1):
        sift = DenseSIFT(grid=None, step=6, bin_sizes=(4, 6), colour=colour)
        describer = Describer(sift, None, False, 10**7, InMemory())
        return describer.describe(describer.source(picture(kind, number)))

    return call


@pytest.mark.parametrize("colour", ["grey", "opponent"])
def test_it_is_what_plain_numpy_finds(described, colour):
    one = described(colour)
    found = summary(one)
    n = one.values.shape[1]
    values = one.values.astype(np.float64)
    assert found.dtype == np.float32
    assert found.shape == (summary_size(n),)
    np.testing.assert_allclose(found[:n], values.mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(found[n : 2 * n], values.std(axis=0), rtol=1e-5, atol=1e-5)
    assert found[2 * n] == pytest.approx(one.flat.mean())
    cells = one.cells.reshape(-1, 6).astype(np.float64)
    np.testing.assert_allclose(found[-9:-6], cells[:, :3].mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(found[-6:-3], cells[:, :3].std(axis=0), rtol=1e-5, atol=1e-6)
    deviations = np.sqrt(np.maximum(cells[:, 3:] - cells[:, :3] ** 2, 0.0))
    np.testing.assert_allclose(found[-3:], deviations.mean(axis=0), rtol=1e-5, atol=1e-6)


def test_kinds_of_images_are_far_from_each_other(described):
    rows = {
        kind: np.array([summary(described(kind=kind, number=number)) for number in range(4)])
        for kind in ("blobs", "noise", "stripes")
    }
    for kind, own in rows.items():
        within = np.linalg.norm(own - own.mean(axis=0), axis=1).max()
        for other, others in rows.items():
            if other != kind:
                assert np.linalg.norm(own.mean(axis=0) - others.mean(axis=0)) > within

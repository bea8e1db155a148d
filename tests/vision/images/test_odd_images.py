"""Each odd file is read as its format says, or refused with a reason."""

import numpy as np
import pytest

from sfmvision.images.errors import ImageError
from sfmvision.images.reading import read_image
from tests.vision.images.odd_images import Odd, every

FILES = every()


def test_the_corpus_is_large():
    assert len(FILES) >= 300
    assert sum(isinstance(odd.expected, str) for odd in FILES) >= 80


@pytest.mark.parametrize("odd", FILES, ids=lambda odd: odd.name)
def test_an_odd_file(odd: Odd, capfd):
    if isinstance(odd.expected, str):
        with pytest.raises(ImageError) as caught:
            read_image(odd.data)
        assert caught.value.reason == odd.expected
    else:
        image = read_image(odd.data)
        assert image.shape == odd.expected.shape
        assert np.abs(image - odd.expected).max() <= odd.tolerance
    assert capfd.readouterr() == ("", "")

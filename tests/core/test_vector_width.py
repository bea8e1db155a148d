"""The switch of the vectors' width."""

import pytest

from sfmcore.kernels import _simd


def test_limit_gives_the_width_before_and_holds_until_the_next():
    before = _simd.limit_width(128)
    try:
        assert before in (128, 256, 512)
        assert _simd.limit_width(512) == 128
        # What the processor lacks is not used.
        assert _simd.limit_width(before) <= 512
    finally:
        assert _simd.limit_width(before) == before


@pytest.mark.parametrize("bits", [0, -128, 8, 64, 384, 1024])
def test_other_numbers_are_refused(bits):
    with pytest.raises(ValueError, match="bits must be 128, 256 or 512"):
        _simd.limit_width(bits)
    assert _simd.limit_width(512) >= 128

"""A container gives back its header and its arrays, or says why not.

What a forger may do to one is tried through the model file: see ``test_model_file.py``.
"""

import io
from pathlib import Path

import numpy as np
import pytest

from sfmcore.files.container import ContainerError, glance, pack, seems_packed, unpack

MODELS = sorted((Path(__file__).parents[2] / "golden" / "models").glob("*.sfm"))
HEADER = {"format": "toy", "of": ["é", None, 0.1]}
ARRAYS = {"b": np.arange(6, dtype=">i4").reshape(2, 3).T, "a/1": np.array(True), "none": np.ones(0)}


def test_header_and_arrays_come_back_in_their_order():
    header, arrays = unpack(bytes(pack(HEADER, ARRAYS)))
    assert {key: header[key] for key in HEADER} == HEADER
    assert header.keys() - HEADER.keys() == {"arrays"}
    assert list(arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        native = array.astype(array.dtype.newbyteorder("="))
        np.testing.assert_array_equal(arrays[name], native, strict=True)
        assert arrays[name].flags.writeable
        assert arrays[name].flags.c_contiguous


def test_there_are_stored_models():
    assert len(MODELS) > 3


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_a_stored_model_packs_to_its_own_bytes(path):
    """A file that an earlier release wrote: not a byte of the container has moved."""
    header, arrays = unpack(path.read_bytes())
    assert pack({key: header[key] for key in header if key != "arrays"}, arrays) == (
        path.read_bytes()
    )


def test_any_damage_or_cut_is_refused():
    whole = bytes(pack(HEADER, ARRAYS))
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        for data in (bytes(damaged), whole[:place]):
            with pytest.raises(ContainerError, match=r"is damaged|is cut short"):
                unpack(data)


def test_a_header_is_seen_where_the_seal_does_not_hold():
    whole = bytes(pack(HEADER, ARRAYS))
    assert glance(whole[:-1] + b"?") == {**HEADER, "arrays": unpack(whole)[0]["arrays"]}
    for data in (b"", b"PK\3\4", whole[:-100]):
        with pytest.raises(ContainerError, match="cannot be read"):
            glance(data)


def test_a_container_is_known_by_either_end():
    whole = bytes(pack(HEADER, ARRAYS))
    for data in (whole, whole[:-1], whole[:3], whole[1:]):
        file = io.BytesIO(data)
        assert seems_packed(file)
        assert file.tell() == 0
    for data in (whole[1:-1], b">seq1\nMKV\n", bytes(200)):
        assert not seems_packed(io.BytesIO(data))


@pytest.mark.parametrize(
    ("header", "error", "words"),
    [({"a": float("nan")}, ValueError, "JSON"), ({"a": object()}, TypeError, "JSON")],
)
def test_a_header_that_json_cannot_hold_is_refused(header, error, words):
    with pytest.raises(error, match=words):
        pack(header, {})

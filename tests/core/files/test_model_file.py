"""A model file gives back exactly what was saved, or refuses with one sentence."""

import bz2
import hashlib
import io
import json
import os
import pickle
import random
import subprocess
import sys
import time
import tracemalloc
import warnings
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from sfmcore.data.errors import ModelFileError
from sfmcore.files import container
from sfmcore.files.model_file import load_model, read_header, save_model

KIND = "protein classifier"
STATE = {"labels": ["a", "é"], "C": 0.1, "seed": None, "nested": {"n": 3, "exact": True}}
ARRAYS = {
    "weights": np.linspace(-1, 1, 6).reshape(2, 3),
    "hmm/0/counts": np.arange(4, dtype=np.uint16),
    "hmm/0-mask": np.array([True, False]),
}
DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]

FOREIGN = "FILE is not a model file of sfm-pacbayes"
CUT = "FILE is cut short or changed: it does not end with the checksum it was written with"
DAMAGED = "FILE is damaged: its content does not match its checksum"
UNREADABLE = "FILE is damaged: its content cannot be read"
OTHER_FORM = "FILE holds the array 'weights' in another form than it says"
NEWER = (
    "FILE was written by a newer version (format 14); this one reads up to 13: upgrade sfm-pacbayes"
)


def same(found, expected):
    """Whether two (state, arrays) pairs agree in every type, key and bit."""

    def bits(arrays):
        return {k: (a.dtype.str, a.shape, a.tobytes()) for k, a in arrays.items()}

    return repr(sort(found[0])) == repr(sort(expected[0])) and bits(found[1]) == bits(expected[1])


def sort(value):
    if isinstance(value, dict):
        return {key: sort(value[key]) for key in sorted(value)}
    return [sort(item) for item in value] if isinstance(value, list) else value


def refusal(path, kind=KIND):
    """The sentence a file is refused with."""
    with pytest.raises(ModelFileError) as caught:
        load_model(path, kind)
    sentence = str(caught.value)
    assert sentence.count(str(path)) == 1
    assert "\n" not in sentence
    return sentence.replace(str(path), "FILE")


def sealed(body):
    """The bytes of an archive that has room for the checksum, with the right checksum."""
    return body[:-64] + hashlib.sha256(body[:-84]).hexdigest().encode()


def forged(members, deflated=(), tamper=lambda archive: None):
    """A sealed archive of the given (name, bytes) pairs, as another program might make it."""
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w") as archive:
        warnings.simplefilter("ignore", UserWarning)  # of names given twice
        for name, data in members:
            archive.writestr(name, data, zipfile.ZIP_DEFLATED if name in deflated else None)
        tamper(archive)
        archive.comment = b"sfm-pacbayes sha256 " + bytes(64)
    return sealed(buffer.getvalue())


def peak(function):
    """The most bytes that a call held at once."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def members(path):
    with zipfile.ZipFile(path) as archive:
        return [(info.filename, archive.read(info)) for info in archive.infolist()]


def write_at(path, position, data):
    """Overwrite a part in place: many times faster than writing the whole file anew."""
    with path.open("r+b") as file:
        file.seek(position)
        file.write(data)


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "toy.model"
    save_model(path, KIND, STATE, ARRAYS)
    return path


@pytest.fixture
def edit(model):
    """Rewrite the model with its header changed by a function, then sealed again."""

    def rewrite(change, **added):
        parts = dict(members(model))
        header = json.loads(parts["header.json"])
        change(header)
        parts["header.json"] = json.dumps(header).encode()
        model.write_bytes(forged([*parts.items(), *added.items()]))
        return model

    return rewrite


# ---- What goes in comes out

text = st.text(max_size=5)
states = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
names = st.from_regex(r"\A[a-zA-Z0-9_][a-z._-]{0,3}(/[a-zA-Z0-9_][a-z._-]{0,3}){0,2}\Z")
arrays = npst.arrays(
    st.sampled_from(DTYPES).flatmap(lambda code: st.sampled_from([f"<{code}", f">{code}"])),
    npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=3),
)


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.dictionaries(text, states, max_size=3),
    st.dictionaries(names, arrays, max_size=3),
    st.booleans(),
)
def test_round_trip(tmp_path, state, arrays, transpose):
    if transpose:
        arrays = {name: array.T for name, array in arrays.items()}
    path = tmp_path / "any.model"
    save_model(path, KIND, state, arrays)
    found = load_model(path, KIND)
    native = {k: a.astype(a.dtype.newbyteorder("="), order="C") for k, a in arrays.items()}
    assert same(found, (state, native))
    for array in found[1].values():
        assert array.flags.writeable
        assert array.flags.aligned
        assert array.flags.c_contiguous


@pytest.mark.parametrize(
    "value", [np.float32(0.1), np.float64(-0.0), np.int8(-3), np.bool_(True), np.str_("x")]
)
def test_numpy_scalars_become_plain(tmp_path, value):
    save_model(tmp_path / "m", KIND, {"a": [value]}, {})
    (found,) = load_model(tmp_path / "m", KIND)[0]["a"]
    assert type(found) is type(value.item())
    assert repr(found) == repr(value.item())


@pytest.mark.parametrize("value", [0.1 + 0.2, 5e-324, -0.0, 1.7976931348623157e308, 2**200])
def test_numbers_come_back_to_the_last_bit(tmp_path, value):
    save_model(tmp_path / "m", KIND, {"a": value}, {})
    assert repr(load_model(tmp_path / "m", KIND)[0]["a"]) == repr(value)


def test_nan_payload_comes_back(tmp_path):
    array = np.array([0x7FF8DEADBEEF0001, 0xFFF0000000000000], dtype=np.uint64).view(np.float64)
    save_model(tmp_path / "m", KIND, {}, {"a": array})
    assert load_model(tmp_path / "m", KIND)[1]["a"].tobytes() == array.tobytes()


def test_another_process_loads_the_same_bits(model):
    code = (
        "import sys, hashlib; from sfmcore.files.model_file import load_model\n"
        "state, arrays = load_model(sys.argv[1], sys.argv[2])\n"
        "print(ascii(state)); [print(k, a.dtype, a.shape, a.tobytes().hex()) "
        "for k, a in sorted(arrays.items())]"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, model, KIND], check=True, capture_output=True, text=True
    )
    state, arrays = load_model(model, KIND)
    expected = [ascii(state)]
    expected += [f"{k} {a.dtype} {a.shape} {a.tobytes().hex()}" for k, a in sorted(arrays.items())]
    assert done.stdout.splitlines() == expected
    assert same((state, arrays), (STATE, ARRAYS))


def test_numpy_opens_the_arrays(model):
    with np.load(model, allow_pickle=False) as opened:
        assert set(opened.files) == {"header.json", *ARRAYS}
        for name, array in ARRAYS.items():
            np.testing.assert_array_equal(opened[name], array, strict=True)


def test_archive_tools_find_it_sound(model):
    with zipfile.ZipFile(model) as archive:
        assert archive.testzip() is None
        assert archive.namelist()[0] == "header.json"


def test_header_says_what_the_file_holds(model):
    header = read_header(model)
    assert header["kind"] == KIND
    assert header["version"] == 13
    assert header["state"] == STATE
    assert header["arrays"]["weights"] == {"dtype": "<f8", "shape": [2, 3]}
    assert header["packages"]["numpy"] == np.__version__
    with pytest.raises(ModelFileError, match="does not exist"):
        read_header(f"{model}.other")


# ---- Equal models, equal bytes


def test_equal_models_give_equal_bytes(model, tmp_path, monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 2e9)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    (tmp_path / "elsewhere").mkdir()
    other = tmp_path / "elsewhere" / "other.model"
    state = dict(reversed(STATE.items()))
    arrays = {k: np.asfortranarray(a) for k, a in reversed(ARRAYS.items())}
    arrays["weights"] = arrays["weights"].astype(">f8")
    save_model(other, KIND, state, arrays)
    assert other.read_bytes() == model.read_bytes()
    for word in (b"toy", b"elsewhere", os.uname().nodename.encode()):
        assert word not in model.read_bytes()


def test_a_pipe_gets_the_same_bytes(model):
    code = (
        "import sys; from sfmcore.files.model_file import load_model, save_model\n"
        "save_model('/dev/stdout', sys.argv[2], *load_model(sys.argv[1], sys.argv[2]))"
    )
    command = [sys.executable, "-c", code, model, KIND]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    assert done.stdout == model.read_bytes()


def test_one_bit_of_a_model_changes_the_bytes(model, tmp_path):
    changed = {**ARRAYS, "weights": np.nextafter(ARRAYS["weights"], 2)}
    save_model(tmp_path / "other", KIND, STATE, changed)
    assert (tmp_path / "other").read_bytes() != model.read_bytes()


# ---- What cannot be saved


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (float("nan"), ValueError, r"state\['a'\] is nan"),
        ([1, float("-inf")], ValueError, r"state\['a'\]\[1\] is -inf"),
        (np.float32("inf"), ValueError, "is inf"),
        ("\ud800", ValueError, "surrogate"),
        ((1, 2), TypeError, "is a tuple"),
        ({1: 2}, TypeError, "key 1"),
        (b"x", TypeError, "is a bytes"),
        (1j, TypeError, "is a complex"),
        (np.zeros(2), TypeError, "is a ndarray"),
        (np.datetime64("2020-01-01"), TypeError, "is a date"),
        (object(), TypeError, "is a object"),
        pytest.param(10**5000, ValueError, "digits", id="huge"),
    ],
)
def test_state_that_would_not_come_back_is_refused(tmp_path, value, error, words):
    with pytest.raises(error, match=words):
        save_model(tmp_path / "m", KIND, {"a": value}, {})
    assert os.listdir(tmp_path) == []


def test_state_that_holds_itself_is_refused(tmp_path):
    state = {}
    state["self"] = state
    with pytest.raises(ValueError, match="nested too deeply"):
        save_model(tmp_path / "m", KIND, state, {})


def test_deepest_state_comes_back(tmp_path):
    state, saved = {}, 0
    while True:
        try:
            save_model(tmp_path / "m", KIND, state, {})
        except ValueError:
            break
        assert load_model(tmp_path / "m", KIND)[0] == state
        state, saved = {"in": [state]}, saved + 1
    assert saved > 20


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.array([object()]), "type object"),
        (np.array(["text"]), "type <U4"),
        (np.zeros(2, np.float16), "type float16"),
        (np.zeros(2, np.complex64), "type complex64"),
        (np.zeros(2, "M8[s]"), "type datetime64"),
        (np.zeros(2, [("a", "i4")]), "type .*'a'"),
        (np.ma.masked_array([1.0], [True]), "not MaskedArray"),
        ([1.0], "not list"),
    ],
)
def test_array_that_would_not_come_back_is_refused(tmp_path, array, words):
    with pytest.raises(TypeError, match=words):
        save_model(tmp_path / "m", KIND, {}, {"a": array})
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "name",
    ["", "/a", "a/", "a//b", "..", "../a", "a/../b", ".a", "a\\b", "a\0", "a\n", "é", "x" * 201],
)
def test_array_name_that_could_leave_the_folder_is_refused(tmp_path, name):
    with pytest.raises(ValueError, match="no name for an array"):
        save_model(tmp_path / "m", KIND, {}, {name: np.zeros(1)})


def test_kind_must_fit_a_sentence(tmp_path):
    with pytest.raises(ValueError, match="kind must be"):
        save_model(tmp_path / "m", "\x1b[31m", {}, {})


def test_old_model_survives_a_refused_one(model):
    before = model.read_bytes()
    with pytest.raises(TypeError):
        save_model(model, KIND, {"a": object()}, {})
    assert model.read_bytes() == before


def test_place_that_cannot_be_written(tmp_path):
    for place, reason in [("no/m", "No such file or directory"), (".", "Is a directory")]:
        path = os.path.join(tmp_path, place)
        with pytest.raises(ModelFileError) as caught:
            save_model(path, KIND, {}, {})
        assert str(caught.value) == f"cannot write {path}: {reason}"


# ---- What is refused, and the sentence


def test_missing_file(tmp_path):
    assert refusal(tmp_path / "none") == "FILE does not exist"


def test_folder(tmp_path):
    assert refusal(tmp_path) == "FILE is a folder, not a model file"


def test_pipe_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path / "pipe") == "FILE is a device or a pipe, not a model file"


def test_path_through_a_file(model):
    assert refusal(model / "below") == "cannot read FILE: Not a directory"


def test_empty_file(tmp_path):
    (tmp_path / "m").touch()
    assert refusal(tmp_path / "m") == "FILE is empty, so it is not a model file"


def npz(**arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def other_zip(name, content):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, content)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b">seq1\nMKV\n" * 50,
        b"\x89PNG\r\n\x1a\n" + bytes(100),
        b"\x1f\x8b\x08" + bytes(100),
        pickle.dumps({"weights": ARRAYS["weights"]}),
        npz(weights=ARRAYS["weights"]),
        other_zip("data.txt", "text"),
        other_zip("header.json", '{"format": "other", "version": 8}'),
        other_zip("header.json", "[]"),
        b"P",
    ],
    ids=["fasta", "png", "gzip", "pickle", "npz", "zip", "like ours", "list", "short"],
)
def test_foreign_file(tmp_path, content):
    (tmp_path / "m").write_bytes(content)
    # One byte may be the first of ours.
    assert refusal(tmp_path / "m") == (CUT if content == b"P" else FOREIGN)


def test_large_foreign_file_is_not_read_whole(tmp_path):
    with (tmp_path / "m").open("wb") as file:
        file.write(b">seq1\n")
        file.truncate(2**28)
    assert peak(lambda: refusal(tmp_path / "m")) < 2**20
    assert refusal(tmp_path / "m") == FOREIGN


def test_every_cut_is_refused(model):
    for length in range(model.stat().st_size - 1, 0, -1):
        os.truncate(model, length)
        assert refusal(model) == CUT


def test_every_changed_byte_is_refused(model):
    whole = model.read_bytes()
    sentences = set()
    for position, byte in enumerate(whole):
        write_at(model, position, bytes([byte ^ 1 << position % 8]))
        sentences.add(refusal(model))
        write_at(model, position, bytes([byte]))
    assert sentences == {DAMAGED, CUT}
    assert same(load_model(model, KIND), (STATE, ARRAYS))


def test_added_and_missing_bytes_are_refused(model):
    whole = model.read_bytes()
    for content in (whole + b"\0", whole + whole, b"\0" + whole, whole[1:], whole[::-1]):
        model.write_bytes(content)
        assert refusal(model)


def test_repacked_file_is_refused(model):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members(model):
            archive.writestr(name, data)
    model.write_bytes(buffer.getvalue())
    assert refusal(model) == CUT


def test_other_kind(model):
    assert refusal(model, "scene classifier") == (
        "FILE holds a protein classifier, not a scene classifier"
    )
    save_model(model, "image model", {}, {})
    assert refusal(model) == "FILE holds an image model, not a protein classifier"


def test_newer_format(edit):
    def change(header):
        del header["arrays"], header["state"], header["kind"]
        header["version"] = 14

    assert refusal(edit(change)) == NEWER


def test_newer_format_without_our_checksum(model):
    header = {"format": "sfm-pacbayes model", "version": 14}
    model.write_bytes(other_zip("header.json", json.dumps(header)))
    assert refusal(model) == NEWER


@pytest.mark.parametrize("version", [0, -1, True, 1.0, "1", None, [1]])
def test_nonsense_version(edit, version):
    assert "damaged" in refusal(edit(lambda header: header.update(version=version)))


# ---- What only a forger makes: the checksum holds, the content does not


def test_forgery_without_changes_loads(edit):
    """Else the tests below would refuse for another reason than they say."""
    assert same(load_model(edit(lambda header: None), KIND), (STATE, ARRAYS))


def test_missing_array(edit):
    spec = {"dtype": "<f8", "shape": [1]}
    path = edit(lambda header: header["arrays"].update(more=spec))
    assert refusal(path) == "FILE lacks the array 'more' that its header lists"


def test_extra_array(edit):
    path = edit(lambda header: header["arrays"].pop("weights"))
    assert refusal(path) == "FILE holds more than its header lists"


def test_array_given_twice(edit):
    path = edit(lambda header: None, **{"hmm/0-mask.npy": b""})
    assert refusal(path) == "FILE holds more than its header lists"


@pytest.mark.parametrize(
    "spec",
    [
        {"dtype": "<i8"},
        {"dtype": "<f4"},
        {"dtype": "<f4", "shape": [4, 3]},
        {"shape": [3, 2]},
        {"shape": [6]},
        {"shape": [2, 4]},
        {"shape": [2**62, 2**62]},
        {"shape": []},
    ],
)
def test_array_of_another_type_or_shape_than_declared(edit, spec):
    path = edit(lambda header: header["arrays"]["weights"].update(spec))
    assert refusal(path) == OTHER_FORM


@pytest.mark.parametrize("dtype", ["|O", "<U1", "<f2", "<c16", "|V8", "f8", "object"])
def test_type_that_no_model_holds(edit, dtype):
    path = edit(lambda header: header["arrays"]["weights"].update(dtype=dtype))
    assert refusal(path) == "FILE holds array 'weights' of a type that no such file holds"


@pytest.mark.parametrize(
    "spec",
    [
        {"shape": [0, 2**63]},
        {"shape": [0, -1]},
        {"shape": [1] * 33},
        {"shape": [True]},
        {"shape": [6.0]},
        {"shape": "6"},
        {"shape": None},
        {"dtype": ["<f8"]},
    ],
)
def test_nonsense_shape_or_type(edit, spec):
    path = edit(lambda header: header["arrays"]["weights"].update(spec))
    assert refusal(path) == UNREADABLE


@pytest.mark.parametrize("shape", [[0, 2**62], [0, 2**62, 2**62]])
def test_empty_array_of_an_impossible_shape(edit, shape):
    """No data to give it away: NumPy itself must be kept from raising."""
    preamble = container._preamble("<f8", shape)
    path = edit(
        lambda header: header["arrays"].update(none={"dtype": "<f8", "shape": shape}),
        **{"none.npy": preamble},
    )
    assert refusal(path) == UNREADABLE


class Trap:
    """Unpickling this would be noticed."""

    def __reduce__(self):
        return os.mkdir, ("trapped",)


def test_pickled_array_is_not_opened(model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    buffer = io.BytesIO()
    np.save(buffer, np.array([Trap()], dtype=object), allow_pickle=True)
    parts = dict(members(model))
    size = len(parts["weights.npy"])
    parts["weights.npy"] = buffer.getvalue().ljust(size, b".")[:size]
    model.write_bytes(forged(parts.items()))
    assert refusal(model) == OTHER_FORM
    assert not os.path.exists("trapped")


def test_fortran_order_is_refused(model):
    """Its size is right, and its values would be in the wrong places."""
    parts = dict(members(model))
    buffer = io.BytesIO()
    np.save(buffer, np.asfortranarray(ARRAYS["weights"]))
    assert len(buffer.getvalue()) == len(parts["weights.npy"])
    parts["weights.npy"] = buffer.getvalue()
    model.write_bytes(forged(parts.items()))
    assert refusal(model) == OTHER_FORM


@pytest.mark.parametrize("member", ["header.json", "weights.npy"])
def test_bomb_is_not_unpacked(edit, model, member):
    spec = {"dtype": "|u1", "shape": [2**24]}
    parts = dict(members(edit(lambda header: header["arrays"].update(weights=spec))))
    parts["header.json"] = parts["header.json"].ljust(2**24 if member == "header.json" else 1)
    if member == "weights.npy":
        parts[member] = container._preamble(**spec) + bytes(2**24)
    model.write_bytes(forged(parts.items(), deflated=[member]))
    assert model.stat().st_size < 2**16
    assert peak(lambda: refusal(model)) < 2**20


def test_bomb_with_the_sizes_it_declares_is_not_unpacked(edit, model):
    """Python unpacks bzip2 in one go, and only then cuts the result to the declared size."""
    spec = {"dtype": "|u1", "shape": [1000]}
    parts = dict(members(edit(lambda header: header["arrays"].update(weights=spec))))
    content = container._preamble(**spec) + bytes(2**24)
    size = len(content) - 2**24 + 1000
    parts["weights.npy"] = bz2.compress(content).ljust(size, b"\0")
    assert len(parts["weights.npy"]) == size

    def say_bzip2(archive):
        info = archive.getinfo("weights.npy")
        info.compress_type, info.CRC = zipfile.ZIP_BZIP2, zipfile.crc32(content[:size])

    model.write_bytes(forged(parts.items(), tamper=say_bzip2))
    assert peak(lambda: refusal(model)) < 2**20
    assert refusal(model) == OTHER_FORM


@pytest.mark.parametrize("offset", [2**31, 2**40, 2**63, 2**64 - 1])
def test_member_beyond_the_end(model, offset):
    def move(archive):
        archive.getinfo("weights.npy").header_offset = offset

    model.write_bytes(forged(members(model), tamper=move))
    assert refusal(model) == UNREADABLE


def test_overlapping_members_are_refused(model):
    """Each array holds the entries of all smaller ones: small file, much memory."""
    nested, starts, specs = b"", {}, {}
    for i in range(20):
        # Last made is outermost: what is nested so far becomes the data of the next.
        spec = {"dtype": "|u1", "shape": [len(nested) + 1000]}
        content = container._preamble(**spec) + nested + bytes(1000)
        entry = io.BytesIO()
        with zipfile.ZipFile(entry, "w") as archive:
            archive.writestr(f"a{i}.npy", content)
        inside = len(content) - len(nested) - 1000 + entry.getvalue().index(content)
        starts = {key: start + inside for key, start in starts.items()}
        starts[f"a{i}"], specs[f"a{i}"] = 0, spec
        nested = entry.getvalue()[: archive.start_dir]
    outermost = f"a{i}.npy"

    def list_all(archive):
        base = archive.getinfo(outermost).header_offset
        for key, start in starts.items():
            name = f"{key}.npy"
            size = len(container._preamble(**specs[key])) + specs[key]["shape"][0]
            content_at = start + 30 + len(name)
            info = zipfile.ZipInfo(name)
            info.header_offset, info.file_size, info.compress_size = base + start, size, size
            info.CRC = zipfile.crc32(nested[content_at : content_at + size])
            if name != outermost:
                archive.filelist.append(info)

    header = {**read_header(model), "arrays": specs}
    content = nested[30 + len(outermost) :]
    parts = [("header.json", json.dumps(header)), (outermost, content)]
    model.write_bytes(forged(parts, tamper=list_all))
    with zipfile.ZipFile(model) as archive:
        assert sum(info.file_size for info in archive.infolist()) > 3 * model.stat().st_size
    assert refusal(model) == UNREADABLE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "\ufeff{}",
        "[" * 100_000,
        '{"format": "sfm-pacbayes model"}',
        '{"format": "sfm-pacbayes model", "version": 1}',
        '{"format": "sfm-pacbayes model", "version": ' + "9" * 5000 + "}",
    ],
)
def test_header_that_is_not_ours(model, text):
    model.write_bytes(forged([("header.json", text)]))
    assert "FILE" in refusal(model)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("kind", 5),
        ("kind", "\x1b[31m"),
        ("state", []),
        ("state", None),
        ("state", {"a": float("nan")}),
        ("state", {"a": "\ud800"}),
        ("arrays", []),
        ("arrays", {"weights": None}),
        ("arrays", {"../weights": {"dtype": "<f8", "shape": [2, 3]}}),
        ("packages", None),
    ],
)
def test_header_with_a_part_of_another_form(edit, part, value):
    path = edit(lambda header: header.update({part: value}))
    assert refusal(path) == UNREADABLE


def test_infinity_spelt_as_a_number_is_refused(model):
    parts = dict(members(model))
    header = parts["header.json"]
    parts["header.json"] = header.replace(b'"C": 0.1', b'"C": 1e999')
    assert parts["header.json"] != header
    model.write_bytes(forged(parts.items()))
    assert "FILE" in refusal(model)


def test_any_changed_byte_under_a_mended_checksum(model):
    """Without the checksum's help: the same content, or a refusal, and no other exception."""
    whole = model.read_bytes()
    refused = 0
    for position in range(len(whole) - 84):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << position % 8
        write_at(model, 0, sealed(bytes(damaged)))
        try:
            found = load_model(model, KIND)
        except ModelFileError:
            refused += 1
        else:
            assert same(found, (STATE, ARRAYS))
    assert refused > len(whole) / 2


def test_any_changed_header_under_mended_checksums(model):
    """A header changed at random loads or is refused, and raises nothing else."""
    chance = random.Random(0)
    parts = dict(members(model))
    header = parts["header.json"]
    outcomes = set()
    for _ in range(500):
        changed = bytearray(header)
        for _ in range(chance.randint(1, 3)):
            start = chance.randrange(len(changed))
            new = chance.choice([b"", b"0", b"-", b'"', b"{", b"]", b"null", b"9e9", b"\xff"])
            changed[start : start + chance.randint(0, 4)] = new
        model.write_bytes(forged([("header.json", bytes(changed)), *list(parts.items())[1:]]))
        try:
            load_model(model, KIND)
        except ModelFileError:
            outcomes.add("refused")
        else:
            outcomes.add("loaded")
    assert outcomes == {"refused", "loaded"}

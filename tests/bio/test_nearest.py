"""`ProteinClassifier.nearest`: ids and classes of training records, kept in the model file."""

import numpy as np
import pytest
from Bio.Seq import Seq
from Bio.SeqRecord import SeqRecord

from sfmbio import ProteinClassifier
from sfmbio.catalogue import Catalogue
from sfmcore.data.errors import ModelFileError
from sfmcore.files.model_file import load_model, save_model
from tests.golden.test_model_files import FOLDER

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

GREASY = ["AVLIAVLLIVAVLWF", "LLAVIVALLIAVFW", "VVLAILLAFFWW", "ILVLAVLIAAVWFF"]
CHARGED = ["KDEKRDEKKDERHH", "EKDRKKEDEKRDHK", "RRDEKEKDHHRR", "DKEKRDEEKHRH"]
POLAR = ["SNQTSNTQSNQTCC", "QTSNSTNQQSCN", "NNQSTQSTCCNN", "TSQNNSTQTNCS"]
X = GREASY + CHARGED + POLAR
Y = ["greasy"] * 4 + ["charged"] * 4 + ["polar"] * 4
IDS = [f"{label[0]}{number}" for number, label in enumerate(Y)]
SMALL = {"n_states": 2, "n_init": 1, "em_max_iter": 4, "n_directions": 2, "random_state": 0}


def fitted(X=X, y=Y, parameters=None, **keywords):
    return ProteinClassifier(**SMALL, **(parameters or {})).fit(X, y, **keywords)


@pytest.fixture(scope="module")
def model():
    return fitted(ids=IDS)


@pytest.fixture(scope="module")
def two():
    return fitted(X[:8], Y[:8], ids=IDS[:8])


def same(one, other):
    return all(
        np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        for a, b in zip(vars(one).values(), vars(other).values(), strict=True)
    )


def test_training_sequences_are_nearest_to_themselves(model, two):
    for made, count in ((model, 12), (two, 8)):
        found = made.nearest(X[:count])
        assert len(found) == count
        assert found.ids.tolist() == IDS[:count]
        assert found.labels.tolist() == Y[:count]
        assert found.identity.tolist() == [1.0] * count
        assert np.all(found.e_value < 1e-3)


def test_ids_change_nothing_of_what_is_learnt(model):
    plain = fitted()
    assert np.array_equal(plain.predict_proba(X), model.predict_proba(X))
    # Without a name the place is one.
    assert plain.nearest([X[7]]).ids.tolist() == ["X[7]"]


def test_the_nearest_need_not_be_of_the_label_that_is_predicted(model):
    mixed = CHARGED[0] + "SNQT" * 20
    found = model.nearest([mixed])
    assert found.ids.tolist() != [None]
    assert found.labels[0] == Y[IDS.index(found.ids[0])]


def test_records_of_biopython_have_ids_of_their_own():
    records = [SeqRecord(Seq(text), id=name) for text, name in zip(X, IDS, strict=True)]
    records[5].id = "<unknown id>"
    assert fitted(records).nearest(records).ids.tolist() == [*IDS[:5], "X[5]", *IDS[6:]]
    assert fitted(iter(records)).nearest([X[6]]).ids.tolist() == [IDS[6]]
    # Names that are given beside them count more.
    given = fitted(records, ids=[f"n{number}" for number in range(12)])
    assert given.nearest([X[6]]).ids.tolist() == ["n6"]


def test_a_repeated_sequence_is_its_first_record_with_a_label():
    y = [None, *Y, "polar"]
    found = fitted([X[0], *X, X[0]], y, ids=["bare", *IDS, "late"]).nearest([X[0]])
    assert (found.ids.tolist(), found.labels.tolist()) == ([IDS[0]], ["greasy"])


def test_a_record_without_label_has_none():
    more = ["WYWYHWYCWYWYHWC", "CCHHWWCCHHWWCC"]
    found = fitted(X_unlabeled=more, ids=IDS, unlabeled_ids=["u0", None]).nearest(more)
    assert found.ids.tolist() == ["u0", "X_unlabeled[1]"]
    assert found.labels.tolist() == [None, None]


def test_a_sequence_of_weight_0_is_nearest_to_nothing():
    weights = np.ones(12)
    weights[3] = 0.0
    found = fitted(sample_weight=weights, ids=IDS).nearest(X)
    assert IDS[3] not in found.ids.tolist()
    assert found.ids[[0, 1, 2, *range(4, 12)]].tolist() == IDS[:3] + IDS[4:]


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"ids": IDS[:-1]}, "X has 12 items, ids has 11"),
        ({"ids": "abc"}, "ids must be a list of ids, not one id"),
        ({"ids": ["", *IDS[1:]]}, "ids: item 0 is empty"),
        ({"unlabeled_ids": ["a"]}, "unlabeled_ids name the sequences in X_unlabeled"),
        ({"X_unlabeled": X[:2], "unlabeled_ids": ["a"]},
         "X_unlabeled has 2 items, unlabeled_ids has 1"),
    ],
)  # fmt: skip
def test_ids_that_do_not_fit_are_refused_before_anything_is_learnt(keywords, message, monkeypatch):
    def learn(*_):
        raise AssertionError("the work began before the refusal")

    monkeypatch.setattr(ProteinClassifier, "learn", learn)
    with pytest.raises(ValueError, match=message):
        fitted(**keywords)


def test_without_references_nothing_is_near(tmp_path):
    made = fitted(ids=IDS, parameters={"reference_residues": 0})
    path = tmp_path / "m.sfm"
    made.save(path)
    for one in (made, ProteinClassifier.load(path)):
        found = one.nearest(X[:2])
        assert found.ids.tolist() == found.labels.tolist() == [None, None]
        assert np.isnan(found.identity).all()
        assert np.isnan(found.e_value).all()
        assert found.references.tolist() == [-1, -1]


def test_a_model_that_is_fitted_again_forgets_its_records(model):
    made = fitted(ids=IDS)
    made.fit(X[:8], Y[:8])
    assert made.nearest(X[:1]).ids.tolist() == ["X[0]"]
    problem = made.problem(X, Y)
    made.learn(problem)
    assert made.nearest(X[:1]).ids.tolist() == [None]


def test_the_model_file_keeps_ids_and_classes(model, two, tmp_path):
    odd = [*IDS[:6], "caf\xe9 \u4e2d", "a\tb\x1b", "\udce9", *IDS[9:]]
    shown = [*IDS[:6], "caf\xe9 \u4e2d", "a\\tb\\x1b", "\\udce9", *IDS[9:]]
    for made, count in ((model, 12), (two, 8), (fitted(ids=odd), 12)):
        path = tmp_path / "m.sfm"
        made.save(path)
        assert same(ProteinClassifier.load(path).nearest(X[:count]), made.nearest(X[:count]))
    assert ProteinClassifier.load(path).nearest(X).ids.tolist() == shown


@pytest.mark.parametrize("name", ["format6_proteins_best", "format5_proteins_best"])
def test_files_of_earlier_formats_know_no_records(name):
    found = ProteinClassifier.load(FOLDER / f"{name}.sfm").nearest(X[:2])
    assert found.ids.tolist() == [None, None]


def test_records_that_do_not_fit_the_references_are_refused(model, two, tmp_path):
    path = tmp_path / "m.sfm"
    two.save(path)
    state, arrays = load_model(path, "protein classifier")
    names = {name.removeprefix("further/"): a for name, a in arrays.items() if "further/" in name}
    assert set(names) == {"names", "name_offsets", "classes"}
    text, offsets, classes = (names[key] for key in ("names", "name_offsets", "classes"))
    bad_text, tab, short = text.copy(), text.copy(), offsets.copy()
    bad_text[0], tab[0] = 0xFF, 9
    short[1] = 0
    for key, value, message in [
        ("names", bad_text, "decode"),
        ("names", tab, "one line of text"),
        ("names", text[:-1], "rise from 0"),
        ("names", text.astype(np.int64), "must be bytes"),
        ("name_offsets", offsets[:-1], "name_offsets must be int64 of shape"),
        ("name_offsets", short, "rise from 0"),
        ("classes", classes[1:], "the number of its class"),
        ("classes", classes + 2, "from -1 to 1"),
        ("classes", classes - 2, "from -1 to 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            Catalogue.of_arrays({**names, key: value}, len(classes), 2)
        save_model(path, "protein classifier", state, {**arrays, f"further/{key}": value})
        with pytest.raises(ModelFileError, match="its parts do not fit"):
            ProteinClassifier.load(path)
    save_model(path, "protein classifier", state, {**arrays, "further/more": classes})
    with pytest.raises(ModelFileError, match="more"):
        ProteinClassifier.load(path)
    del arrays["further/classes"]
    save_model(path, "protein classifier", state, arrays)
    with pytest.raises(ModelFileError, match="classes"):
        ProteinClassifier.load(path)

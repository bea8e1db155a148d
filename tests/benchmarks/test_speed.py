"""The runner of the speed benchmarks, and every case on tiny data. Nothing here looks at times."""

import json
from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from benchmarks.speed import (
    alignment,
    choosing,
    codebook,
    dense_sift,
    fasta,
    gmm,
    hmm,
    jobs,
    lda,
    lda_inference,
    objective,
    predict,
    products,
    scaling,
    search,
    spaced_words,
    two_threads,
    widths,
)
from benchmarks.speed.case import Case, Disagreement, Prepared, Skipped, agree, needed
from benchmarks.speed.environment import PINNED, fair
from benchmarks.speed.machine import Machine, Work, limit_of, measure_machine
from benchmarks.speed.processes import run_job
from benchmarks.speed.registry import all_groups
from benchmarks.speed.report import table
from benchmarks.speed.running import chosen, make_parser, run, run_command_line
from sfmcore import SFMClassifier, SFMClassifierCV
from sfmcore.data.ragged import Ragged
from sfmcore.learning import search as optimize

MACHINE = Machine("a processor", "a BLAS", 1000, 1e10, {"float32": 1e11, "float64": 5e10})
FIELDS = ("name", "ours_s", "peer", "peer_s", "ratio", "unit", "limit", "limit_share")
DOCUMENTS = lda.Size(12, 3, n_items=130, length=60, burn_in=60)
MIXTURE = gmm.Size(300, 5, 3)


def read_tiny():
    random = np.random.default_rng(0)
    lengths = random.integers(20, 60, 24)
    return Ragged.from_items([random.integers(hmm.N_SYMBOLS, size=n) for n in lengths])


def tiny_search():
    def read():
        X, y = load_wine(return_X_y=True)
        return X[::4], y[::4]

    searches = [search.Search("wines", read), search.Search("drawn", read, n_draws=2)]
    searches.append(search.Search("kernel", read, n_landmarks=9))
    models = {
        "wines": SFMClassifier(n_components=2),
        # One C, so that both ways learn the same voters, however near two values of C are.
        "chosen": SFMClassifierCV((1,), n_column_voters=0, cv=2, Cs=(8.0,)),
    }
    return search.cases(searches, [search.Fit(name, models[name], read) for name in models])


def irises():
    X, y = load_iris(return_X_y=True)
    return X[30:90], y[30:90]


def tiny_groups():
    threads = two_threads.Sizes(read_tiny, 3, DOCUMENTS, MIXTURE, n_images=3, side=64)
    return {
        "hmm": hmm.cases(read_tiny, states=[3]),
        "lda": lda.cases([DOCUMENTS]),
        "lda_inference": lda_inference.cases([DOCUMENTS]),
        "gmm": gmm.cases([MIXTURE]),
        "objective": objective.cases([(90, 7, np.float64), (90, 7, np.float32)]),
        "search": tiny_search(),
        "choosing": choosing.cases(
            [choosing.Vectors("60 irises", irises)], n_components=(1,), n_column_voters=0
        ),
        "dense_sift": dense_sift.cases(64),
        "codebook": codebook.cases(codebook.Sizes(3000, words=[9], fitted=[4])),
        "products": products.cases([(70, 9, 40)]),
        "spaced_words": spaced_words.cases(read_tiny, rank=5),
        "alignment": alignment.cases((alignment.Size(3, 70, 40),), (alignment.Size(1, 5, 30),)),
        "fasta": fasta.cases(300),
        "two_threads": two_threads.cases(threads),
        "widths": widths.cases(widths.Sizes(read_tiny, 3, (90, 7, np.float64), MIXTURE)),
    }


TINY = tiny_groups()


def quick(cases, **options):
    return run(cases, MACHINE, pairs=1, shortest=0.0, **options)


def case(name, **parts):
    parts = {"ours": lambda: None, "unit": "s a call", **parts}
    return Case(name, lambda: Prepared(**parts))


@pytest.mark.slow
@pytest.mark.parametrize(
    "one", [pytest.param(c, id=f"{c.name} {c.peer}") for cases in TINY.values() for c in cases]
)
def test_a_case_agrees_with_its_peer_and_gives_every_field(one):
    outcome = quick([one])
    if outcome.skipped:
        pytest.skip(outcome.skipped[0])
    assert outcome.stopped == []
    (timing,) = outcome.timings
    values = timing.as_json()
    assert set(FIELDS) <= values.keys()
    json.dumps(values, allow_nan=False)
    assert values["name"] == one.name
    assert (values["peer"] is None) == (values["ratio"] is None) == (one.peer == "")
    assert (values["limit"] is None) == (values["limit_share"] is None)
    if values["limit"] is not None:
        assert 0 < values["limit_s"] < np.inf
        assert values["flops"] > 0
        assert values["counted"]
    assert values["n_threads"] == (2 if "2 threads" in one.name else 1)


def test_every_group_has_tiny_cases_or_runs_whole_jobs():
    full = all_groups()
    assert full.keys() - TINY.keys() == {"predict", "jobs", "startup"}
    everyone = [(c.name, c.peer) for cases in full.values() for c in cases]
    assert len(set(everyone)) == len(everyone)


def test_the_ratio_is_the_peers_time_over_ours_and_the_share_the_limits(tmp_path):
    work = Work("nothing", 1e11, "float32")
    made = case("sums", peer=lambda: None, peer_name="NumPy 0", work=work, details={"n": 3})
    path = tmp_path / "speed.json"
    (timing,) = quick([made], json_file=path).timings
    (values,) = json.loads(path.read_text())
    assert values["ratio"] == pytest.approx(values["peer_s"] / values["ours_s"])
    assert values["limit"] == "arithmetic 100 GFLOP/s float32"
    assert values["limit_share"] == pytest.approx(1.0 / values["ours_s"])
    assert (values["n"], values["pairs"], values["blas"]) == (3, 1, "a BLAS")
    header, row = table([timing]).splitlines()
    assert header.split()[0] == "case"
    assert row.endswith("arithmetic 100 GFLOP/s float32  NumPy 0")


@pytest.mark.slow
def test_a_search_says_what_both_reach_and_leaves_ours_in_its_place():
    ours = optimize._lbfgs
    one, *_, fit = tiny_search()
    for values in (timing.as_json() for timing in quick([one, fit]).timings):
        assert values["J_ours"] == pytest.approx(values["J_peer"], rel=1e-3)
        assert values["values_ours"] > 0 < values["values_peer"]
        assert values["search_ours_s"] > 0
        assert values["search_peer_s"] > 0
    assert optimize._lbfgs is ours


def test_without_peer_and_limit_there_are_nulls():
    values = quick([case("alone")]).timings[0].as_json()
    assert [values[name] for name in FIELDS[2:]] == [None, None, None, "s a call", None, None]


def test_a_failed_check_stops_its_case_before_it_is_timed_and_no_other(capsys):
    timed = []

    def check():
        agree("sums", [1.0, 2.0], [1.0, 2.5], rtol=1e-3)

    cases = [case("bad", ours=lambda: timed.append("bad"), check=check), case("good")]
    outcome = quick(cases)
    assert timed == []
    assert [t.name for t in outcome.timings] == ["good"]
    assert outcome.stopped == ["stopped: bad: sums differ, by 0.5 at most"]
    assert outcome.stopped[0] in capsys.readouterr().err


def test_two_threads_with_other_bits_are_stopped():
    made = two_threads.compared("s", lambda n: n, lambda n: [np.array([0.5])])
    made.check()
    other = two_threads.compared("s", lambda n: n, lambda n: [np.array([float(n)])])
    with pytest.raises(Disagreement, match="other bits"):
        other.check()


def test_a_peer_that_is_not_installed_is_a_sentence(capsys):
    def prepare():
        needed("sfm_no_such_peer", "sfm-no-such-peer")

    outcome = quick([Case("reading", prepare), case("good")])
    assert [t.name for t in outcome.timings] == ["good"]
    assert outcome.skipped == [
        "skipped: reading: sfm-no-such-peer is not installed (pip install sfm-no-such-peer)"
    ]
    assert outcome.skipped[0] in capsys.readouterr().err


def test_missing_data_skip_the_cases_that_need_them(monkeypatch, tmp_path):
    monkeypatch.setenv("SFM_DATA", str(tmp_path))
    # Both are read once and kept.
    monkeypatch.setattr(predict, "read_pool", predict.read_pool.__wrapped__)
    read = hmm.read_sequences.__wrapped__
    cases = [*hmm.cases(read, states=[2]), *jobs.cases(), *predict.cases()]
    outcome = quick(cases)
    assert outcome.timings == outcome.stopped == []
    assert len(outcome.skipped) == len(cases)
    assert all("no data at" in sentence for sentence in outcome.skipped)


def test_names_and_groups_choose_cases():
    groups = {"a": [case("one"), case("two")], "b": [case("three")]}
    assert [c.name for c in chosen(groups, None)] == ["one", "two", "three"]
    assert [c.name for c in chosen(groups, ["b", "two"])] == ["two", "three"]
    with pytest.raises(ValueError, match="no case or group is called 'thre'; did you mean 'three'"):
        chosen(groups, ["one", "thre"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "nothing like it"], "no case or group is called 'nothing like it'"),
        (["--pairs", "6"], "at least 7"),
        (["--json", "no/such/folder/x.json"], "no folder"),
        (["--markdown", "no/such/folder/x.md"], "no folder"),
    ],
)
def test_bad_options_end_with_code_2_and_a_sentence(arguments, message, capsys):
    with pytest.raises(SystemExit) as ended:
        run_command_line({"a": [case("one")]}, make_parser("").parse_args(arguments))
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_the_command_line_writes_json_and_markdown(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("benchmarks.speed.running.measure_machine", lambda: MACHINE)
    files = [tmp_path / "speed.json", tmp_path / "speed.md"]
    arguments = ["--json", str(files[0]), "--markdown", str(files[1]), "--pairs", "7"]
    assert run_command_line({"a": [case("one")]}, make_parser("").parse_args(arguments)) == 0
    (values,) = json.loads(files[0].read_text())
    head, _, *rows = files[1].read_text().splitlines()
    assert head.startswith(str(MACHINE))
    assert head.endswith("medians of 7 turns.")
    assert len(rows) == 3
    assert rows[2].startswith("| one | ")
    assert values["name"] in capsys.readouterr().out


def test_list_names_cases_and_runs_none(capsys):
    groups = {"a": [Case("one", lambda: pytest.fail("it ran"), "NumPy")], "b": [case("two")]}
    assert run_command_line(groups, make_parser("").parse_args(["--list"])) == 0
    assert capsys.readouterr().out.splitlines() == ["a  one  NumPy", "b  two"]


def test_rates_of_the_machine_are_positive_and_finite():
    machine = measure_machine(read_bytes=1 << 16, gemm_sizes=[8], repeats=1)
    rates = [machine.cache_bytes, machine.read_bytes_per_s, *machine.flops.values()]
    assert machine.flops.keys() == {"float32", "float64"}
    assert all(0 < rate < np.inf for rate in rates)


def test_the_slower_of_memory_and_arithmetic_binds_and_caches_need_no_memory():
    assert limit_of(Work("", 5e10, "float64", 1e9), MACHINE).seconds == 1.0
    assert limit_of(Work("", 5e9, "float64", 1e10), MACHINE).text == "memory 10.0 GB/s"
    assert limit_of(Work("", 5e9, "float64", 1e10), MACHINE).seconds == 1.0
    assert limit_of(Work("", 5.0, "float64", 1000), MACHINE).text.startswith("arithmetic")


def test_work_is_counted_as_the_models_say():
    data = Ragged.from_items([[0] * 5, [], [1] * 2])
    assert hmm.forward_work(data, 3).flops == 2 * 9 * 5 + 3 * 3 * 7
    assert hmm.statistics_work(data, 3).flops == 6 * 9 * 5 + 9 * 3 * 7
    assert hmm.statistics_work(data, 3, draws=2, passes=4).flops == 4 * (6 * 9 * 5 + 15 * 3 * 7)
    assert lda.sweep_work(10, 4, sweeps=2).flops == 6 * 10 * 4 * 2
    rows = np.zeros((5, 3), dtype=np.float32)
    assert (objective.risks_work(rows).flops, objective.risks_work(rows).read_bytes) == (60, 60)


@pytest.mark.parametrize("window", ["flat", "gaussian"])
def test_work_of_dense_sift_grows_with_pixels_and_patches(window):
    make = partial(dense_sift.DenseSIFT, window=window, bin_sizes=(4,))
    small, large = (dense_sift.sift_work(n, n, make(step=8)).flops for n in (64, 128))
    assert 3.5 * small < large < 5 * small
    assert dense_sift.sift_work(64, 64, make(step=4)).flops > small
    # One patch: four lines of seven taps, each over the width and at four places.
    one = dense_sift.sift_work(16, 16, make(grid=(1, 1))).flops
    smooth = 16 * 16 * (2 * (3 * 2 + 1) + 26)
    assert one == smooth + 2 * 7 * 8 * (4 * 16 + 4 * 4) + 9 * 128


def test_the_environment_leaves_the_blas_free_and_on_one_thread():
    environ = {"HOME": "/", "OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "8"}
    kept, left_out = fair(environ)
    assert left_out == ["OPENBLAS_CORETYPE"]
    assert kept == {"HOME": "/", **PINNED}
    assert fair(kept) == (kept, [])


def test_scaling_writes_seconds_per_unit_and_a_plot(tmp_path, capsys):
    makers = [scaling.hmm_statistics, scaling.lda_sweep, scaling.dense_sift, scaling.j_and_gradient]
    series = [scaling.Series(f.__name__, "unit", [2000, 8000], f) for f in makers]
    assert scaling.run_scaling(tmp_path / "new", pairs=1, series=series) == 0
    results = json.loads((tmp_path / "new" / "scaling.json").read_text())
    assert [r["name"] for r in results] == [f.__name__ for f in makers]
    for result in results:
        assert result["sizes"] == pytest.approx([2000, 8000], rel=0.1)
        assert np.isfinite(result["slope"])
        seconds = np.multiply(result["seconds_per_unit"], result["sizes"])
        assert seconds == pytest.approx(result["seconds"])
    assert (tmp_path / "new" / "scaling.png").stat().st_size > 5_000


def test_scaling_goes_in_four_steps_up_to_ten_million():
    by_name = {s.name.split(",")[0]: list(s.sizes) for s in scaling.all_series()}
    assert by_name["HMM expected statistics"] == [156_250, 625_000, 2_500_000, 10_000_000]
    assert by_name["LDA sweep"][-1] == 10_000_000
    assert all(len(sizes) == 4 for sizes in by_name.values())


def test_a_job_that_fails_is_stopped_with_what_it_said(tmp_path):
    arguments = ["train", str(tmp_path / "nothing"), "-o", str(tmp_path / "x.sfm")]
    with pytest.raises(Disagreement, match=r"^sfmbio train ended with 2: .*nothing"):
        run_job("sfmbio", arguments, {})


def test_a_job_leaves_its_largest_peak_memory():
    details = {"peak_mib": 1.0}
    run_job("json.tool", ["--help"], details)
    peak = details["peak_mib"]
    assert peak > 1.0
    details["peak_mib"] = 1e6
    run_job("json.tool", ["--help"], details)
    assert details["peak_mib"] == 1e6


def test_a_job_leaves_its_least_processor_time():
    details = {"processor_s": 1e6}
    run_job("json.tool", ["--help"], details)
    assert 0 < details["processor_s"] < 1e6
    details["processor_s"] = 1e-9
    run_job("json.tool", ["--help"], details)
    assert details["processor_s"] == 1e-9


def test_scenes_are_the_first_images_of_each_class(tmp_path):
    for name in ("coast/b.jpg", "coast/a.jpg", "coast/c.jpg", "street/d.jpg", "SOURCES.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    chosen_images = jobs.first_images(tmp_path, 2)
    found = sorted(path.read_text() for path in chosen_images.rglob("*.jpg"))
    assert found == ["coast/a.jpg", "coast/b.jpg", "street/d.jpg"]


def test_records_are_headers_not_other_marks(tmp_path):
    (tmp_path / "x.fasta").write_text(">a -> b\nMK\n>c\nL>\n")
    assert jobs.count_records(tmp_path / "x.fasta") == 2


def test_skipped_is_no_disagreement():
    assert not issubclass(Skipped, Disagreement)

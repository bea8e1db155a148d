"""Certificates on the command line: ``train --certify``, ``info``, and a column of ``evaluate``."""

import json
import math

import numpy as np
import pytest
from scipy.stats import binom

from sfmbio import ProteinClassifier
from sfmcore.files.model_file import load_model, save_model


@pytest.fixture
def output(tmp_path):
    return tmp_path / "out.sfm"


@pytest.fixture
def train(run, output, small):
    """Train into the test's own folder, with one pair for each class."""

    def call(*arguments):
        return run("train", *small, "--set", "n_pairs=1", *arguments, "-o", output)

    return call


@pytest.fixture
def no_fit(monkeypatch):
    """Fail the test if anything is learnt: what is wrong must be said before."""

    def fit(*_, **__):
        raise AssertionError("the work began before the refusal")

    monkeypatch.setattr(ProteinClassifier, "fit", fit)


def text_of(lines):
    """Lines of the certificate, which is the last thing but one that is said."""
    (start,) = (k for k, line in enumerate(lines) if line.startswith("certificate on "))
    (end,) = (k for k, line in enumerate(lines) if line.startswith("wrong label: "))
    return lines[start : end + 1]


def cells(line, n_cells):
    """The first columns of a row; the last holds words."""
    return line.split(maxsplit=n_cells - 1)


# train


def test_training_says_its_certificate(train, run, peptides, output):
    result = train(peptides, "--certify", "0.5")
    assert (result.code, result.out) == (0, "")
    head, columns, *rows, last = text_of(result.messages)
    report = ProteinClassifier.load(output).certificate_
    assert report.certificates[0].n_items == 60
    assert head == (
        "certificate on 60 sequences that nothing was learnt from (inverse kl (Chernoff)); all "
        "bounds hold together with probability 0.95, assuming that these and future sequences are "
        "i.i.d.:"
    )
    assert result.messages[-2] == str(report.coverage)
    assert columns.split("  ")[0] == "class"
    assert [cells(row, 7)[0] for row in rows] == list(report.labels)
    for row, part in zip(rows, report.certificates, strict=True):
        figures = [float(cell) for cell in cells(row, 7)[1:6]]
        expected = (part.vote_risk, part.vote_bound, part.gibbs_risk, part.gibbs_bound)
        np.testing.assert_allclose(figures[:4], expected, rtol=0, atol=1e-4)
        assert figures[4] == pytest.approx(part.divergence, abs=0.051)
        assert cells(row, 7)[6] == part.vote_form
    assert last.startswith(f"wrong label: {report.label_risk:.4f} of these sequences, true error ")
    assert result.messages[-1].endswith(f"; wrote {output}")
    # Limits are rounded up.
    for row, part in zip(rows, report.certificates, strict=True):
        _, _, vote, _, gibbs = cells(row, 7)[:5]
        for shown, limit in ((vote, part.vote_bound), (gibbs, part.gibbs_bound)):
            assert limit <= float(shown) < limit + 1e-4
    # And info prints the same table, on standard output.
    said = text_of(result.messages)
    result = run("info", output)
    assert (result.code, result.err) == (0, "")
    assert text_of(result.out.splitlines()) == said
    # With the line about sets of labels it ends the description.
    assert result.out.splitlines()[-2] == said[-1]


def test_limit_of_the_label_is_that_of_the_only_vote_for_two_classes(train, two_classes, output):
    lines = text_of(train(two_classes, "--certify", "0.5").messages)
    report = ProteinClassifier.load(output).certificate_
    assert [cells(row, 7)[0] for row in lines[2:-1]] == ["greasy"]
    limit = math.ceil(report.label_bound * 1e4) / 1e4
    assert lines[-1].endswith(f"of these sequences, true error at most {limit:.4f}")


def test_errors_of_another_vote_are_counted_as_well(train, two_classes):
    options = ("--certify", "0.5", "--set", "vote=raw")
    lines = text_of(train(two_classes, *options).messages)
    assert "of these sequences, true error at most " in lines[-1]
    lines = text_of(train(two_classes, *options, "--set", "certify_by=pac-bayes").messages)
    assert lines[-1].endswith("of these sequences, true error not bounded")


def test_pac_bayes_learns_u_on_what_is_kept(train, peptides, output):
    lines = text_of(train(peptides, "--certify", "0.5", "--set", "certify_by=pac-bayes").messages)
    assert lines[0].startswith("certificate on 60 sequences that no model has seen ")
    report = ProteinClassifier.load(output).certificate_
    assert not report.fresh
    assert report.coverage is None


def test_without_certify_nothing_is_said_and_info_says_how(train, run, two_classes, output):
    result = train(two_classes)
    assert "certificate" not in result.err
    last = run("info", output).out.splitlines()[-1]
    assert last.startswith("no certificate: the models were trained on every sequence. ")
    assert "'sfmbio train --certify 0.5'" in last


def test_a_share_of_zero_is_no_certificate(train, run, two_classes, output):
    assert "certificate" not in train(two_classes, "--certify", "0").err
    assert "no certificate: " in run("info", output).out


def test_quiet_training_keeps_its_certificate_to_the_file(train, run, two_classes, output):
    result = train(two_classes, "--certify", "0.5", "--quiet", "--set", "em_tol=0.1")
    assert (result.code, result.out, result.err) == (0, "", "")
    assert text_of(run("info", output).out.splitlines())


def test_share_seed_and_delta_reach_the_certificate(train, two_classes, output):
    result = train(two_classes, "--certify", "0.25", "--set", "delta=0.1", "--seed", "3")
    assert result.code == 0
    assert "hold together with probability 0.9," in result.err
    model = ProteinClassifier.load(output)
    assert model.certificate_.certificates[0].n_items == 2
    assert (model.certificate_fraction, model.random_state) == (0.25, 3)
    assert model.certificate_.delta == 0.1


def test_one_and_two_threads_certify_the_same(train, run, peptides, output):
    said = []
    for threads in (1, 2):
        train(peptides, "--certify", "0.5", "--threads", threads)
        said.append((output.read_bytes(), run("info", output).out))
    assert said[0] == said[1]


def test_paper_preset_is_certified(train, peptides, output):
    fast = ["--set", "max_iter=2", "--set", "n_restarts=1", "--set", "max_proposals=10"]
    result = train(peptides, "--preset", "paper", "--certify", "0.5", *fast)
    assert result.code == 0
    assert ProteinClassifier.load(output).prior_fraction == 0.25
    fast += ["--set", "certify_by=pac-bayes"]
    result = train(peptides, "--preset", "paper", "--certify", "0.5", *fast)
    assert result.code == 0
    assert len(text_of(result.messages)) == 6
    model = ProteinClassifier.load(output)
    assert (model.coupling, model.n_draws) == (1.0, 5)
    # u_0 is learnt on all that the models see, and not on a share of it.
    assert model.prior_fraction == 0.0
    assert all(pair.prior_mean.any() for pair in model.pairs_)


def test_unlabeled_sequences_are_not_certified_on(train, two_classes, write, output):
    more = write("more.fa", ">u\nAVLKDE\n>v\nKKAVLL\n")
    assert train(two_classes, "--certify", "0.5", "--unlabeled", more).code == 0
    assert ProteinClassifier.load(output).certificate_.certificates[0].n_items == 4


# What is refused


@pytest.mark.parametrize(
    ("share", "reason"),
    [
        ("1", "argument --certify: must be below 1: training needs some items, too"),
        ("1.0", "argument --certify: must be below 1"),
        ("-0.1", "argument --certify: must lie between 0 and 1, got '-0.1'"),
        ("1.5", "argument --certify: must lie between 0 and 1, got '1.5'"),
        ("nan", "argument --certify: must lie between 0 and 1, got 'nan'"),
        ("half", "argument --certify: must lie between 0 and 1, got 'half'"),
    ],
)
def test_a_share_that_is_none_is_bad_usage(train, two_classes, output, no_fit, share, reason):
    result = train(two_classes, "--certify", share)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("usage: sfmbio train ")
    assert reason in result.err.splitlines()[-1]
    assert not output.exists()


@pytest.mark.parametrize("command", ["train", "evaluate"])
def test_the_share_is_no_setting_but_an_option(run, two_classes, output, command):
    arguments = ["-o", output] if command == "train" else []
    result = run(command, two_classes, *arguments, "--set", "certificate_fraction=0.5")
    assert result.code == 2
    last = result.err.splitlines()[-1]
    assert "certificate_fraction has its own option: --certify" in last
    assert not output.exists()


def test_names_of_settings_do_not_offer_the_share(run, two_classes, output):
    result = run("train", two_classes, "-o", output, "--set", "colour=blue")
    assert "prior_fraction" in result.err
    assert "certificate_fraction" not in result.err


def test_a_share_of_the_prior_with_certify_is_refused_before_the_work(train, two_classes, no_fit):
    options = ("--set", "prior_fraction=0.25", "--set", "certify_by=pac-bayes")
    result = train(two_classes, "--certify", "0.5", *options)
    assert result.code == 2
    assert result.messages == [
        "certify_by='pac-bayes' learns u_0 on all items but those kept for the certificate: leave "
        "prior_fraction at 0 and prior at 'zero'"
    ]


def test_a_class_that_is_left_without_models_is_refused_by_name(train, two_classes, write, output):
    write("two/single.fasta", ">s\nSNQTSNTQSNQT\n")
    outcomes = [train(two_classes, "--certify", "0.5", "--seed", seed) for seed in range(4)]
    refused = [result for result in outcomes if result.code == 2]
    assert 0 < len(refused) < 4
    for result in refused:
        assert result.messages[-1] == (
            "certificate_fraction=0.5 left no item to learn the models of 'single' from: "
            "lower it, or leave rare classes out"
        )


def test_info_refuses_a_certificate_that_no_training_wrote(train, run, two_classes, output):
    train(two_classes, "--certify", "0.5")
    kind = "protein classifier"
    state, arrays = load_model(output, kind)
    state["certificate"]["delta"] = "small"
    save_model(output, kind, state, arrays)
    result = run("info", output)
    assert result.code == 2
    assert result.messages[0].startswith(f"{output}: its parts do not fit: delta must be")


# evaluate


def test_certified_accuracy_of_one_partition_is_that_of_the_binomial_tail(run, peptides, small):
    options = ["--partitions", 1, "--json", "-", "--set", "n_pairs=1", "--set", "delta=0.1"]
    report = json.loads(run("evaluate", peptides, *small, *options).out)
    assert report["certified_probability"] == pytest.approx(0.9)
    # 20 of 40 sequences of each class are tested.
    for row in report["classes"]:
        errors = round(60 * (1 - row["accuracies"][0] / 100))
        assert row["accuracy_mean"] == pytest.approx(100 * (1 - errors / 60))
        # The risk at which so few errors have a probability of delta.
        risk = 1 - row["certified_mean"] / 100
        assert errors / 60 < risk < 1
        assert binom.cdf(errors, 60, risk) == pytest.approx(0.1, rel=1e-6)


def test_certified_accuracy_of_several_partitions_is_their_mean(run, two_classes, small):
    options = ["--json", "-", "--set", "n_pairs=1"]
    report = json.loads(run("evaluate", two_classes, *small, "--partitions", 3, *options).out)
    assert report["certified_probability"] == pytest.approx(0.95)
    for row in report["classes"]:
        proven = []
        for accuracy in row["accuracies"]:
            errors = round(4 * (1 - accuracy / 100))
            # Of four items: the root of the binomial tail in (0, 1], by bisection.
            low, high = 0.0, 1.0
            for _ in range(60):
                middle = (low + high) / 2
                if binom.cdf(errors, 4, middle) > 0.05:
                    low = middle
                else:
                    high = middle
            proven.append(100 * (1 - high))
        assert row["certified_mean"] == pytest.approx(np.mean(proven), abs=1e-9)


def test_the_table_shows_the_certified_accuracy_and_its_probability(run, two_classes, small):
    options = [*small, "--partitions", 1, "--set", "n_pairs=1", "--set", "delta=0.2"]
    lines = run("evaluate", two_classes, *options).out.splitlines()
    report = json.loads(run("evaluate", two_classes, *options, "--json", "-").out)
    assert lines[0].endswith("certified %")
    for line, row in zip(lines[1:3], report["classes"], strict=True):
        assert float(line.split()[-1]) == pytest.approx(row["certified_mean"], abs=0.005)
    said = "certified: lower bound on accuracy from each test half, with probability 80 %"
    assert said in lines

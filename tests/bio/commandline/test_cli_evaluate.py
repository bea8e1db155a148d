"""``sfmbio evaluate``: the table, the JSON of the contract, groups, and what is refused."""

import gzip
import json

import numpy as np
import pytest

from sfmbio import ProteinClassifier

CONTRACT = ["label", "n_positive", "n_negative", "accuracy_mean", "accuracy_std", "majority"]
# Two superfamilies for each of two classes, and each sequence twice.
GREASY, CHARGED = ("AVLIAVLLIVAVL", "LLAVIVALLIAV"), ("KDEKRDEKKDER", "EKDRKKEDEKRD")
ASTRAL = "".join(
    f">d{number}{copy} {sccs} protein\n{text}\n"
    for number, (sccs, text) in enumerate(
        zip(("a.1.1.1", "a.1.2.1", "b.1.1.1", "b.2.1.1"), GREASY + CHARGED, strict=True)
    )
    for copy in "xy"
)


@pytest.fixture
def evaluate(run, small):
    """Evaluate with few partitions and a small model."""

    def call(*arguments, **keywords):
        return run("evaluate", "--partitions", 2, *small, *arguments, **keywords)

    return call


@pytest.fixture
def astral(write):
    return write("astral.fa", ASTRAL)


@pytest.fixture
def no_evaluation(monkeypatch):
    """Fail the test if anything is learnt: what is wrong must be said before."""

    def learn(*_, **__):
        raise AssertionError("the work began before the refusal")

    monkeypatch.setattr(ProteinClassifier, "learn", learn)


def report_of(result):
    return json.loads(result.out)


def test_a_json_file_that_is_also_read_is_refused(evaluate, two_classes, no_evaluation):
    path = two_classes / "greasy.fasta"
    before = path.read_bytes()
    result = evaluate(two_classes, "--json", path)
    message = f"{path}: this output would overwrite an input: give another name"
    assert (result.code, result.out, result.messages) == (2, "", [message])
    assert path.read_bytes() == before


def test_table_names_every_class_and_the_multiclass_accuracy(evaluate, peptides):
    result = evaluate(peptides)
    assert result.code == 0
    lines = result.out.splitlines()
    columns = "class          positive  negative  accuracy %  deviation  majority %  certified %"
    assert lines[0] == columns
    assert [line.split()[:3] for line in lines[1:4]] == [
        ["antimicrobial", "40", "80"],
        ["random", "40", "80"],
        ["transmembrane", "40", "80"],
    ]
    for line in lines[1:4]:
        accuracy, _, majority, certified = map(float, line.split()[3:])
        assert certified < accuracy
        assert majority == pytest.approx(66.67)
        # Measured: 84 to 91 % with two states.
        assert accuracy > 75
    assert lines[4].startswith("multiclass accuracy: ")
    assert float(lines[4].split()[2]) > 70
    assert lines[5] == (
        "certified: lower bound on accuracy from each test half, with probability 95 %"
    )
    names = "accuracy  balanced  macro F1  Matthews   AUROC  av. precision   ROC50"
    assert lines[6].split("  ", 1) == ["measure", "  " + names]
    assert [line.split()[0] for line in lines[7:9]] == ["mean", "deviation"]
    assert [line.split()[0] for line in lines[9:]] == ["confidence:", "sets", "sets"]
    assert len(lines[7].split()) == len(lines[8].split()) == 8


def test_json_has_the_keys_of_the_contract_and_says_what_the_table_says(
    evaluate, peptides, tmp_path
):
    path = tmp_path / "report.json"
    result = evaluate(peptides, "--json", path, "--seed", 3)
    assert result.code == 0
    report = json.loads(path.read_text())
    assert isinstance(report["protocol"], str)
    assert report["protocol"].startswith("one-versus-rest")
    assert (report["partitions"], report["seed"], report["group_by"]) == (2, 3, "none")
    assert [list(row)[:6] for row in report["classes"]] == [CONTRACT] * 3
    for row, line in zip(report["classes"], result.out.splitlines()[1:], strict=False):
        name, *figures = line.split()
        assert name == row["label"]
        shown = [float(figure) for figure in figures]
        keys = [*CONTRACT[1:], "certified_mean"]
        assert shown == pytest.approx([row[key] for key in keys], abs=0.006)
        assert 0 <= row["accuracy_mean"] <= 100
    means, deviations = (line.split()[1:] for line in result.out.splitlines()[-5:-3])
    for figures, mean, spread in zip(report["measures"].values(), means, deviations, strict=True):
        assert figures["mean"] == pytest.approx(float(mean), abs=6e-5)
        assert figures["std"] == pytest.approx(float(spread), abs=6e-5)
    mean = report["multiclass_accuracy_mean"]
    assert f"multiclass accuracy: {mean:.2f} %" in result.out
    assert report["parameters"]["n_states"] == 2
    assert report["preset"] == "best"
    assert "random_state" not in report["parameters"]


def test_json_on_standard_output_stands_alone(evaluate, two_classes, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    report = report_of(evaluate(two_classes, "--json", "-"))
    assert [row["label"] for row in report["classes"]] == ["charged", "greasy"]
    assert not (tmp_path / "-").exists()


def test_same_seed_gives_the_same_figures_for_any_number_of_threads(evaluate, peptides):
    figures = [
        report_of(evaluate(peptides, "--json", "-", "--seed", seed, "--threads", threads))
        for seed, threads in ((1, 1), (1, 2), (2, 1))
    ]
    assert figures[0] == figures[1]
    assert figures[0]["classes"] != figures[2]["classes"]


def test_one_partition_has_no_deviation(evaluate, two_classes):
    result = evaluate(two_classes, "--partitions", 1)
    assert [line.split()[4] for line in result.out.splitlines()[1:3]] == ["-", "-"]
    report = report_of(evaluate(two_classes, "--partitions", 1, "--json", "-"))
    assert report["classes"][0]["accuracy_std"] is None


def test_partitions_are_twenty_unless_told_otherwise(run, two_classes, small):
    assert report_of(run("evaluate", two_classes, *small, "--json", "-"))["partitions"] == 20


def test_paper_preset_is_reported(evaluate, two_classes):
    options = ["--preset", "paper", "--set", "max_iter=1", "--set", "n_restarts=0"]
    report = report_of(evaluate(two_classes, *options, "--json", "-"))
    assert report["preset"] == "paper"
    assert report["parameters"]["n_draws"] == 5


def test_labels_come_from_headers_and_tables_too(evaluate, astral, write):
    by_class = report_of(evaluate(astral, "--label-from", "astral:class", "--json", "-"))
    assert [row["label"] for row in by_class["classes"]] == ["a", "b"]
    table = write("l.tsv", "".join(f"d{n}{c}\t{'pq'[n // 2]}\n" for n in range(4) for c in "xy"))
    by_table = report_of(evaluate(astral, "--labels", table, "--json", "-"))
    assert [row["label"] for row in by_table["classes"]] == ["p", "q"]
    for key in CONTRACT[1:]:
        assert [row[key] for row in by_class["classes"]] == [
            row[key] for row in by_table["classes"]
        ]


# Groups


@pytest.mark.parametrize(("grouping", "group_size"), [("sequence", 2), ("superfamily", 2)])
def test_a_group_is_never_on_both_sides(evaluate, astral, write, monkeypatch, grouping, group_size):
    # Nothing but the groups: in another letter case a copy is still a copy.
    text = ASTRAL.replace(GREASY[0], GREASY[0].lower(), 1)
    trained_on = []
    learn = ProteinClassifier.learn

    def spy(self, problem, *rest):
        trained_on.append(sorted(item.tobytes() for item in problem.items))
        return learn(self, problem, *rest)

    monkeypatch.setattr(ProteinClassifier, "learn", spy)
    options = ["--label-from", "astral:class", "--group-by", grouping, "--partitions", 6]
    result = evaluate(write("a.fa", text), *options, "--json", "-")
    assert result.code == 0
    report = report_of(result)
    assert report["group_by"] == grouping
    assert grouping in report["protocol"]
    assert len(trained_on) == 6
    for items in trained_on:
        # One group of each class, whole.
        assert len(items) == 4
        assert len(set(items)) == 4 // group_size
    assert len({tuple(items) for items in trained_on}) > 1


def test_without_groups_copies_are_split(evaluate, astral, monkeypatch):
    trained_on = []
    learn = ProteinClassifier.learn

    def spy(self, problem, *rest):
        trained_on.append(len({item.tobytes() for item in problem.items}))
        return learn(self, problem, *rest)

    monkeypatch.setattr(ProteinClassifier, "learn", spy)
    assert evaluate(astral, "--label-from", "astral:class", "--partitions", 6).code == 0
    assert max(trained_on) > 2


def test_records_without_a_superfamily_are_all_named(evaluate, write, no_evaluation):
    fasta = write("all.fa", ASTRAL + ">p1 a\nAAA\n>p2 b\nKKK\n")
    options = ["--label-from", r"header:\s(.)", "--group-by", "superfamily"]
    result = evaluate(fasta, *options)
    assert (result.code, result.out) == (2, "")
    lines = result.err.splitlines()
    assert lines[-3] == "sfmbio: 2 records have no superfamily:"
    assert lines[-2].startswith(f"  {fasta}, line 17, 'p1': ")
    assert lines[-1].startswith(f"  {fasta}, line 19, 'p2': ")


def test_a_class_of_one_group_is_refused_by_name(evaluate, write, no_evaluation):
    fasta = write("all.fa", ASTRAL.replace("b.2.1.1", "b.1.1.2"))
    options = ["--label-from", "astral:class", "--group-by", "superfamily"]
    result = evaluate(fasta, *options)
    assert (result.code, result.out) == (2, "")
    assert result.messages[-1] == "a class with only one group can't be split into halves: b"


# Groups of a table

PAIRS = "".join(f"d{number}{copy}\tgroup {number}\n" for number in range(4) for copy in "xy")
BY_CLASS = "--label-from", "astral:class"


@pytest.fixture
def trained_on(monkeypatch):
    """Sequences that each partition learns from."""
    found = []
    learn = ProteinClassifier.learn

    def spy(self, problem, *rest):
        found.append(sorted(item.tobytes() for item in problem.items))
        return learn(self, problem, *rest)

    monkeypatch.setattr(ProteinClassifier, "learn", spy)
    return found


@pytest.mark.parametrize(
    "text",
    [
        PAIRS,
        "id,group\n" + PAIRS.replace("\t", ","),
        '"n","group","id"\n'
        + "".join(f'1,"{line[4:]}",{line[:3]}\n' for line in PAIRS.splitlines()),
        gzip.compress(PAIRS.encode(), mtime=0),
    ],
    ids=["plain", "commas", "as R writes it", "gzip"],
)
def test_groups_of_a_table_are_those_of_the_sequences(evaluate, astral, write, trained_on, text):
    protocol = [*BY_CLASS, "--partitions", 4, "--threads", 1, "--json", "-"]
    report = report_of(evaluate(astral, *protocol, "--groups", write("groups.tsv", text)))
    assert report["group_by"] == "table"
    assert report["protocol"].endswith(", each group in one half")
    by_table = list(trained_on)
    del trained_on[:]
    same = report_of(evaluate(astral, *protocol, "--group-by", "sequence"))
    assert trained_on == by_table
    assert same["classes"] == report["classes"]
    assert all(len(set(items)) == 2 for items in by_table)


def test_a_record_without_an_id_is_known_by_its_first_word(evaluate, astral, write):
    fasta = write("more.fa", ASTRAL + "> e a.1.1.1 more\nAVAVAV\n")
    table = write("groups.tsv", PAIRS + "e\tgroup 0\n")
    labels = write("labels.tsv", "".join(f"d{n}{c}\t{n // 2}\n" for n in range(4) for c in "xy"))
    labels.write_text(labels.read_text() + "e\t0\n")
    result = evaluate(fasta, "--labels", labels, "--groups", table)
    assert result.code == 0, result.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PAIRS.replace("d1x", "e1x"), "no group for 'd1x'; the first id of the table is 'd0x'"),
        (
            PAIRS.replace("d1", "e1").replace("d3y", "e"),
            "no group for 'd1x' and 2 more; the first id of the table is 'd0x'",
        ),
        (
            PAIRS.replace("d2y\tgroup 2", "d2y\t"),
            "no group for 'd2y'; the first id of the table is 'd0x'",
        ),
        (PAIRS + "d0x\tother\n", "two groups for one id: 'd0x' is 'group 0' in line 1 and "
                                  "'other' in line 9"),
        (PAIRS + "d9\n", "no id and group with a tab or comma between them in {}:9"),
        ("id\tgroup\n", "the table has no groups"),
        (b"PK\x03\x04", "this looks like a ZIP archive or an Excel file; text is expected, plain "
                        "or packed with gzip or bgzip"),
    ],
)  # fmt: skip
def test_a_bad_table_of_groups_is_a_sentence(evaluate, astral, write, no_evaluation, text, message):
    table = write("groups.tsv", text)
    result = evaluate(astral, *BY_CLASS, "--groups", table)
    assert (result.code, result.out) == (2, "")
    assert result.messages[-1] == f"{table}: {message.format(table)}"


def test_the_table_of_groups_is_refused_where_it_makes_no_sense(
    evaluate, astral, tmp_path, write, no_evaluation
):
    table = write("groups.tsv", PAIRS)
    for more, message in (
        (["--groups", table, "--group-by", "sequence"],
         "--groups and --group-by both define the groups: give one of them"),
        (["--groups", ""], "--groups: an empty name"),
        (["--groups", tmp_path / "none"], f"{tmp_path / 'none'}: No such file or directory"),
        (["--groups", table, "--json", table],
         f"{table}: this output would overwrite an input: give another name"),
        (["--groups", "-", "--labels", "-"], "-: standard input can be read only once"),
    ):  # fmt: skip
        labels = [] if "--labels" in more else BY_CLASS
        result = evaluate(astral, *labels, *more)
        assert (result.code, result.out, result.messages) == (2, "", [message])
    assert table.read_text() == PAIRS


def test_no_groups_by_name_and_a_table_go_together(evaluate, astral, write):
    options = ["--groups", write("groups.tsv", PAIRS), "--group-by", "none"]
    assert evaluate(astral, *BY_CLASS, *options).code == 0


def test_a_group_called_NA_is_pointed_out(evaluate, astral, write):
    table = write("groups.tsv", PAIRS.replace("group 0", "NA"))
    result = evaluate(astral, *BY_CLASS, "--groups", table)
    assert result.messages[0] == (
        f"{table}: 2 rows have the group 'NA', which is an ordinary group"
    )


# Folds


@pytest.fixture
def folds(run, small):
    """Evaluate on folds, with a small model."""

    def call(*arguments):
        return run("evaluate", *small, *arguments)

    return call


def test_folds_test_every_record_once(folds, peptides, tmp_path):
    path = tmp_path / "report.json"
    result = folds(peptides, "--folds", 3, "--json", path, "--seed", 2)
    assert result.code == 0
    assert "certified: lower bound on accuracy from each test fold" in result.out
    assert result.messages[-1].startswith("3 folds in ")
    report = json.loads(path.read_text())
    assert report["protocol"] == "one-versus-rest, stratified 3-fold cross-validation"
    assert (report["partitions"], report["group_by"]) == (3, "none")
    accuracies = report["multiclass_accuracies"]
    # A third of the 120 each.
    right = [share * 40 / 100 for share in accuracies]
    assert right == pytest.approx(np.rint(right))
    again = folds(peptides, "--folds", 3, "--json", "-", "--seed", 2, "--threads", 1)
    assert report_of(again) == report


@pytest.mark.parametrize("grouping", [["--group-by", "superfamily"], ["--groups"]])
def test_groups_are_whole_in_folds(folds, astral, write, trained_on, grouping):
    if grouping == ["--groups"]:
        grouping = ["--groups", write("groups.tsv", PAIRS)]
    report = report_of(folds(astral, *BY_CLASS, *grouping, "--folds", 2, "--json", "-"))
    kind = "superfamily" if "--group-by" in grouping else "group"
    assert report["protocol"].endswith(f"2-fold cross-validation, each {kind} in one fold")
    assert [(len(items), len(set(items))) for items in trained_on] == [(4, 2)] * 2
    assert not set(trained_on[0]) & set(trained_on[1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--folds", "5"],
            "5 folds need as many items of every class; these have fewer: a 4, b 4",
        ),
        (
            ["--folds", "3", "--group-by", "superfamily", "--label-from", "header:(AB)"],
            "3 folds need as many groups, and there are 2",
        ),
    ],
)
def test_folds_that_cannot_be_made_are_a_sentence(
    folds, astral, write, no_evaluation, arguments, message
):
    if "header:(AB)" in arguments:
        # Two superfamilies with both classes in each.
        text = "".join(
            f">{number} a.1.{number % 2}.1 class{number // 4}\nAVLKDE\n" for number in range(8)
        )
        options = [write("two.fa", text), *arguments[:-1], r"header:class(\d)"]
    else:
        options = [astral, *BY_CLASS, *arguments]
    result = folds(*options)
    assert (result.code, result.out) == (2, "")
    assert result.messages[-1] == message


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--folds", "1"], "argument --folds: must be a whole number of 2 to 999999999, got '1'"),
        (["--folds", "five"], "must be a whole number of 2 to 999999999, got 'five'"),
        # 20 is also what the halves are without the option.
        (
            ["--partitions", "20", "--folds", "5"],
            "argument --folds: not allowed with argument --partitions",
        ),
    ],
)
def test_bad_usage_of_folds_is_refused_by_option(folds, two_classes, arguments, reason):
    result = folds(two_classes, *arguments)
    assert (result.code, result.out) == (2, "")
    assert reason in result.err.splitlines()[-1]


# What is refused


def test_a_class_with_one_record_is_refused_by_name(evaluate, two_classes, write, no_evaluation):
    write("two/rare.fasta", ">r\nSNQTS\n")
    write("two/scarce.fasta", ">s\nSNQTS\n")
    result = evaluate(two_classes)
    assert (result.code, result.out) == (2, "")
    assert result.messages[-1].startswith("a class with only one item can't be split into halves")
    assert result.messages[-1].endswith(": rare, scarce")


def test_one_class_only_is_refused(evaluate, two_classes, no_evaluation):
    result = evaluate(two_classes / "greasy.fasta")
    assert (result.code, result.out) == (2, "")
    assert "only one class, 'greasy'" in result.messages[-1]


def test_bad_records_are_named_left_out_and_strict(evaluate, two_classes, write):
    path = write("two/more.fasta", ">a\nSNQ7\n>b\nSNQT\n>c\nSTNQ\n")
    result = evaluate(two_classes)
    assert result.code == 0
    assert f"{path}: record 1 ('a', line 1): invalid character '7' (line 2)" in result.messages
    assert "10 sequences in 3 classes: charged 4, greasy 4, more 2" in result.messages
    assert evaluate(two_classes, "--strict").code == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (
            ["--partitions", "0"],
            "argument --partitions: must be a whole number of 1 to 999999999, got '0'",
        ),
        (["--group-by", "family"], "argument --group-by: invalid choice: 'family'"),
        (["--set", "n_jobs=2"], "n_jobs has its own option: --threads"),
        (["--unlabeled", "x.fa"], "unrecognized arguments: --unlabeled"),
    ],
)
def test_bad_usage_is_refused_by_option(evaluate, two_classes, arguments, reason):
    result = evaluate(two_classes, *arguments)
    assert (result.code, result.out) == (2, "")
    assert reason in result.err.splitlines()[-1]


def test_bad_values_are_refused_before_the_work(evaluate, two_classes, no_evaluation):
    result = evaluate(two_classes, "--set", "coupling=0.5")
    assert (result.code, len(result.messages)) == (2, 1)
    assert result.messages[0].startswith("coupling feeds the classifier back")


def test_json_that_cannot_be_written_is_refused_before_the_work(
    evaluate, two_classes, tmp_path, no_evaluation
):
    path = tmp_path / "no" / "report.json"
    result = evaluate(two_classes, "--json", path)
    assert (result.code, result.messages) == (2, [f"{path}: No such file or directory"])
    result = evaluate(two_classes, "--json", tmp_path)
    assert (result.code, result.messages) == (2, [f"{tmp_path}: Is a directory"])


# What is said


def test_limits_are_warned_of_once_for_all_partitions(evaluate, two_classes):
    result = evaluate(
        two_classes, "--set", "em_max_iter=1", "--set", "em_tol=0", "--set", "n_pairs=1", "--quiet"
    )
    assert result.code == 0
    assert result.messages == [
        "warning: EM of 4 of 4 models stopped at the largest number of iterations"
    ]


def test_quiet_leaves_the_table_only(evaluate, two_classes):
    result = evaluate(two_classes, "--set", "em_tol=0.1", "--quiet")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("class ")


def test_an_interrupt_leaves_no_json(evaluate, two_classes, tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("sfmcore.files.atomic.os.replace", interrupt)
    result = evaluate(two_classes, "--json", tmp_path / "report.json")
    assert (result.code, result.out) == (130, "")
    assert [path.name for path in tmp_path.iterdir()] == ["two"]


def test_accuracy_is_that_of_random_labels_where_there_is_nothing_to_learn(evaluate, write):
    # Classes drawn from one source: an evaluation that leaks would say more.
    random = np.random.default_rng(0)
    for label in "pq":
        sequences = ("".join(random.choice(list("ADKLVW"), 20)) for _ in range(60))
        records = [f">{label}{n}\n{text}\n" for n, text in enumerate(sequences)]
        folder = write(f"in/{label}.fa", "".join(records)).parent
    report = report_of(evaluate(folder, "--partitions", 10, "--json", "-"))
    # 10 halves of 60: the mean of a coin has a deviation of 2 %.
    assert 40 < report["multiclass_accuracy_mean"] < 60


# Figures


def test_figures_are_drawn_of_proteins_too(evaluate, peptides, tmp_path):
    result = evaluate(peptides, "--figures", tmp_path / "deep")
    assert result.code == 0
    names = ["confusion.png", "objective.png"]
    assert sorted(path.name for path in (tmp_path / "deep").iterdir()) == names
    assert [f"wrote {tmp_path / 'deep' / name}" for name in names] == result.messages[-3:-1]


def test_figures_that_cannot_be_written_are_refused_before_the_work(evaluate, peptides, tmp_path):
    (tmp_path / "confusion.png").mkdir()
    result = evaluate(peptides, "--figures", tmp_path)
    assert (result.code, result.out) == (2, "")
    assert result.messages == [f"--figures {tmp_path}: Is a directory"]

"""``--report`` of ``sfmbio evaluate``, ``train`` and ``test``: what pages say, what is refused."""

import json
import re
import shutil
import sys

import pytest

from sfmbio.classifier import ProteinClassifier

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")


KINDS = ("antimicrobial", "transmembrane")


@pytest.fixture
def evaluate(run, small):
    def call(*arguments):
        return run("evaluate", "--partitions", 2, *small, *arguments)

    return call


@pytest.fixture
def no_work(monkeypatch):
    """Fail the test if anything is learnt: what is wrong must be said before."""

    def refuse(*_, **__):
        raise AssertionError("the work began before the refusal")

    monkeypatch.setattr(ProteinClassifier, "learn", refuse)


def text_of(path):
    return re.sub(r"<style>.*?</style>|<[^>]+>", " ", path.read_text(), flags=re.S)


def section_of(path, name):
    return re.search(rf'<h2 id="{name}">(.*?)</section>', path.read_text(), re.S)[1]


def test_an_evaluation_has_a_page_that_says_what_the_json_says(evaluate, peptides, tmp_path):
    page, figures = tmp_path / "page.html", tmp_path / "figures.json"
    result = evaluate(peptides, "--report", page, "--json", figures, "--learning-curve")
    assert result.code == 0
    assert f"wrote {page}" in result.messages
    report, text = json.loads(figures.read_text()), text_of(page)
    mean, spread = (report[f"multiclass_accuracy_{name}"] for name in ("mean", "std"))
    assert f"{mean:.2f} % (deviation {spread:.2f} over 2 halves)" in text
    for row in report["classes"]:
        assert f"{row['accuracy_mean']:.2f}" in text
        assert f"{row['certified_mean']:.2f}" in text
        assert f"{row['measures']['auroc']['mean']:.4f}" in text
    assert re.search(r"n_states\s+2\s+\[10, 20\]", text)
    assert "sfmbio evaluate --partitions 2 --states 2 --set n_init=1 --set em_max_iter=8" in text
    curve = report["learning_curve"]
    assert curve["n_train"] == [8, 15, 30, 60]
    assert [100 * share for share in curve["accuracies"][-1]] == report["multiclass_accuracies"]
    assert result.out.splitlines()[-1].startswith("accuracy by training items: 8 ")
    for size in curve["n_train"]:
        assert f" {size} " in text


def test_mistakes_have_their_sequence_and_their_nearest_training_record(
    evaluate, peptides, tmp_path
):
    page = tmp_path / "page.html"
    evaluate(peptides, "--report", page, "--partitions", 3)
    blocks = re.findall(
        r'<div class="block">\s*<h3>(\w+?)_(\d+)</h3>(.*?)(?=<div class="block">|$)',
        section_of(page, "mistakes"),
        re.S,
    )
    assert len(blocks) == 12
    for kind, _, block in blocks:
        truth, predicted = re.search(r"<p>(\w+), taken for (\w+) with confidence", block).groups()
        assert truth == kind != predicted
        # What is explained is the label that was told.
        assert f"<strong>{predicted}</strong> against" in block
        assert re.search(r'<pre tabindex="0"><b> +1</b> ', block)
    near = [name for *_, block in blocks for name in re.findall(r'"row">(\w+_\d+)</th>', block)]
    assert near
    labels = re.findall(r'"row">(\w+)_\d+</th><td>(\w+)</td>', page.read_text())
    assert labels
    assert all(kind == label for kind, label in labels)


@pytest.mark.slow
def test_suspects_are_those_of_the_folds_and_shown_once(run, small, all_peptides, write, tmp_path):
    # Every tenth peptide of one file is put into the other.
    records = {kind: (all_peptides / f"{kind}.fasta").read_text().split(">")[1:] for kind in KINDS}
    moved = {a: records[a][::10] for a in KINDS}
    for a, b in (KINDS, KINDS[::-1]):
        kept = [record for place, record in enumerate(records[a]) if place % 10]
        write(f"mixed/{a}.fasta", "".join(f">{record}" for record in kept + moved[b]))
    page, table = tmp_path / "page.html", tmp_path / "suspects.tsv"
    folds = [tmp_path / "mixed", "--folds", 3, *small]
    assert run("evaluate", *folds, "--report", page).code == 0
    assert run("suspects", *folds, "--stranger-below", 0, "--all", "-o", table).code == 0
    section = section_of(page, "suspects")
    rows = re.findall(r'<th scope="row">(\w+)</th><td>(\w+)</td><td>(\w+)</td>', section)
    assert len(rows) == 12
    lines = [line.split("\t") for line in table.read_text().splitlines()[1:]]
    told = {line[0]: (line[1], line[2]) for line in lines if "label" in line[5]}
    assert all(told[name] == (given, better) for name, given, better in rows)
    right = {record.split()[0] for own in moved.values() for record in own}
    assert sum(name in right for name, *_ in rows) >= 9
    # The sequence of what is no mistake above.
    mistakes = set(re.findall(r"<h3>(\w+)</h3>", section_of(page, "mistakes")))
    previews = re.findall(r'<h3>(\w+)</h3>.*?<pre tabindex="0"><b> +1</b> ([A-Z]+)', section, re.S)
    assert [name for name, _ in previews] == [row[0] for row in rows if row[0] not in mistakes]
    sequences = {
        record.split()[0]: "".join(record.split("\n")[1:])
        for own in records.values()
        for record in own
    }
    assert all(sequences[name].startswith(letters) for name, letters in previews)


def test_threads_change_nothing_but_the_command_line(evaluate, peptides, tmp_path):
    pages = []
    for threads in ("1", "2"):
        with_page = evaluate(peptides, "--report", tmp_path / "a.html", "--threads", threads)
        pages.append((tmp_path / "a.html").read_text().replace(f"--threads {threads}", ""))
    assert pages[0] == pages[1]
    # And a page changes nothing of the table.
    assert evaluate(peptides).out == with_page.out


def test_names_with_html_in_them_are_text(run, small, write, tmp_path):
    lines = [f"><i>{k}</i>&amp; x\n{text}\n" for k, text in enumerate(["AVLIAVLLIVAVL"] * 6)]
    write("in/<b>a.fasta", "".join(lines))
    write("in/c'd.fasta", "".join(line.replace("A", "K") for line in lines))
    page = tmp_path / "page.html"
    assert run("evaluate", tmp_path / "in", "--report", page, "--folds", 2, *small).code == 0
    html = page.read_text()
    assert "<i>0" not in html
    assert "<b>a" not in html
    assert "&lt;b&gt;a" in html


@pytest.mark.slow
def test_a_checkpoint_goes_on_to_the_same_page(evaluate, peptides, tmp_path):
    page = tmp_path / "page.html"
    pages = []
    for _ in range(2):
        result = evaluate(peptides, "--report", page, "--checkpoint", tmp_path / "kept")
        assert result.code == 0
        pages.append(page.read_text())
    assert pages[0] == pages[1]


def test_drawn_features_have_mistakes_without_reasons(run, two_classes, tmp_path):
    page = tmp_path / "page.html"
    paper = ["--preset", "paper", "--states", 2, "--set", "max_iter=1", "--set", "n_restarts=1"]
    # Labels that have nothing to do with the sequences.
    table = tmp_path / "labels.tsv"
    rows = [f"{kind}{k}\t{'even' if k % 2 else 'odd'}" for kind in "gc" for k in range(1, 5)]
    table.write_text("\n".join(["id\tlabel", *rows]) + "\n")
    result = run("evaluate", two_classes, "--labels", table, "--folds", 2, *paper, "--report", page)
    assert result.code == 0
    assert "taken for" in page.read_text()
    assert "against" not in text_of(page).split("How this report was made")[0].split("mistakes")[-1]


def test_training_has_a_page_of_what_it_knows(run, small, peptides, tmp_path):
    page, model = tmp_path / "page.html", tmp_path / "a.sfm"
    result = run("train", peptides, "-o", model, "--report", page, "--certify", 0.5, *small)
    assert result.code == 0
    text = re.sub(r"\s+", " ", text_of(page))
    assert "Training of a protein classifier" in text
    assert "antimicrobial 40 33.3" in text
    assert "sequences 120 of 3 classes" in text
    classifier = ProteinClassifier.load(model)
    assert f"Certificate on {classifier.certificate_.certificates[0].n_items} sequences" in text
    assert f"{classifier.certificate_.label_risk:.4f} of these sequences" in text
    assert f"based on {len(classifier.typicality_.scores)} held-out sequences" in text
    for coverage in (0.8, 0.9, 0.95):
        assured = 100 * classifier.label_sets_.assured(coverage)
        assert f"{100 * coverage:g} % {assured:.1f}" in text
    for pair in classifier.pairs_:
        assert f"{pair.objective[-1]:.4f} {pair.bound[-1]:.4f}" in text
    assert "certificate_fraction 0.5 0.0" in text
    assert re.search(r"\d of \d models reached their tolerance", text)


def test_the_model_file_is_the_same_without_a_page(run, small, model, peptides, tmp_path):
    other = tmp_path / "b.sfm"
    run("train", peptides, "-o", other, "--report", tmp_path / "page.html", *small)
    assert model.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("module", ["jinja2", "matplotlib"])
@pytest.mark.parametrize("command", ["train", "evaluate"])
def test_without_its_libraries_a_page_is_refused_before_the_work(
    run, peptides, tmp_path, no_work, monkeypatch, module, command
):
    monkeypatch.setitem(sys.modules, module, None)
    more = ["-o", tmp_path / "a.sfm"] if command == "train" else []
    result = run(command, peptides, "--report", tmp_path / "a.html", *more)
    name = {"jinja2": "Jinja2"}.get(module, module)
    assert result.code == 2
    assert result.messages == [f"--report needs {name}: pip install 'sfm-pacbayes[report]'"]
    assert not (tmp_path / "a.html").exists()


@pytest.mark.parametrize("name", ["", "-"])
def test_a_page_needs_the_name_of_a_file(run, peptides, no_work, name):
    result = run("evaluate", peptides, "--report", name)
    assert result.code == 2
    assert result.messages == [f"--report {name!r}: a page goes to a file, give its name"]


def test_a_page_is_no_other_output_and_no_input(run, peptides, write, no_work, tmp_path):
    path = tmp_path / "x"
    result = run("evaluate", peptides, "--report", path, "--json", path)
    assert result.messages == [f"{path}: is given to both --report and --json"]
    result = run("train", peptides, "--report", path, "-o", path)
    assert result.messages == [f"{path}: is given to both --report and --output"]
    records = write("a.fasta", ">a\nMKV\n")
    result = run("evaluate", records, "--report", records)
    assert result.code == 2
    assert result.messages == [
        f"{records}: this output would overwrite an input: give another name"
    ]
    missing = tmp_path / "none" / "a.html"
    result = run("evaluate", peptides, "--report", missing)
    assert (result.code, result.messages) == (2, [f"{missing}: No such file or directory"])


def test_the_test_of_a_model_has_a_page_that_says_what_the_json_says(
    run, small, peptides, tmp_path
):
    model, page, figures = (tmp_path / name for name in ("a.sfm", "page.html", "test.json"))
    # Sequences of two classes, so that some answers are wrong.
    folder = shutil.copytree(peptides, tmp_path / "in")
    records = (folder / "random.fasta").read_text().split(">")[1:5]
    with open(folder / "antimicrobial.fasta", "a") as file:
        file.writelines(f">antimicrobial_9{record[7:]}" for record in records)
    assert run("train", folder, "-o", model, "--quiet", *small).code == 0
    result = run("test", model, folder, "--report", page, "--json", figures)
    assert result.code == 0
    assert f"wrote {page}" in result.messages
    report, text = json.loads(figures.read_text()), " ".join(text_of(page).split())
    n_items = report["n_items"]
    assert "a labelled test set of sequences, given to a trained model" in text
    assert f"seen in training {n_items} of {n_items} sequences" in text
    assert f"accuracy {report['measures']['accuracy']:.4f}" in text
    wrong = n_items - sum(report["confusion"][k][k] for k in range(3))
    blocks = re.findall(
        r"<h3>(\w+?)_\d+</h3>\s*<p>(\w+), taken for (\w+) with confidence", page.read_text()
    )
    assert len(blocks) == min(wrong, 12) > 0
    assert all(kind == truth != predicted for kind, truth, predicted in blocks)
    # Nothing here is new to the model.
    assert 'id="suspects"' not in page.read_text()


def test_the_test_of_a_model_names_suspects_among_what_is_new(
    run, small, peptides, write, tmp_path
):
    model, page = tmp_path / "a.sfm", tmp_path / "page.html"
    records = {kind: (peptides / f"{kind}.fasta").read_text().split(">")[1:] for kind in KINDS}
    a, b = KINDS
    for kind in KINDS:
        write(f"learn/{kind}.fasta", "".join(f">{record}" for record in records[kind][::2]))
    # Of the new ones two are in the wrong file, and one in both.
    new = {kind: records[kind][1::2] for kind in KINDS}
    new[b] = new[b][5:] + new[a][:2]
    new[a] = [*new[a][2:], f"twin{new[b][0]}"]
    for kind in KINDS:
        text = "".join(f">{record}" for record in [*records[kind][:20:2], *new[kind]])
        write(f"ask/{kind}.fasta", text)
    assert run("train", tmp_path / "learn", "-o", model, "--quiet", *small).code == 0
    assert run("test", model, tmp_path / "ask", "--report", page).code == 0
    section = section_of(page, "suspects")
    text = " ".join(re.sub(r"<[^>]+>", " ", section).split())
    assert f"of {len(new[a]) + len(new[b])} sequences" in text
    assert "Items that training has seen are left out." in text
    twin = new[b][0].split()[0]
    assert f"equal to {twin}, labelled {b}" in text
    assert f"equal to twin{twin}, labelled {a}" in text


def test_pages_of_a_test_are_refused_as_those_of_training(run, model, peptides, tmp_path):
    model = shutil.copy(model, tmp_path / "a.sfm")
    before = model.read_bytes()
    result = run("test", model, peptides, "--report", model)
    assert result.code == 2
    assert "would overwrite an input" in result.err
    assert model.read_bytes() == before
    result = run("test", model, peptides, "--report", "x.html", "--json", "x.html")
    assert result.code == 2
    assert "is given to both --report and --json" in result.err

"""``--report`` of ``sfmvision evaluate``, ``train`` and ``test``."""

import base64
import io
import re
from pathlib import Path

import pytest
from PIL import Image

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")


@pytest.fixture
def mixed(own_scenes):
    """The textures under labels that have nothing to do with them: every other is a mistake."""
    for number in range(4):
        for a, b in (("blobs", "noise"), ("noise", "stripes")):
            first, second = (own_scenes / kind / f"{number}.png" for kind in (a, b))
            data = first.read_bytes(), second.read_bytes()
            first.write_bytes(data[1])
            second.write_bytes(data[0])
    return own_scenes


def test_mistakes_are_shown_with_their_evidence(run, small, mixed, tmp_path):
    page = tmp_path / "page.html"
    result = run("evaluate", mixed, "--partitions", 2, "--report", page, *small)
    assert result.code == 0
    assert f"wrote {page}" in result.messages
    html = page.read_text()
    blocks = re.findall(r"<h3>([^<]*\.png)</h3>(.*?)</div>\s*</div>", html, re.S)
    assert blocks
    for name, block in blocks:
        assert name.startswith(str(mixed))
        sources = re.findall(r'<img src="data:image/jpeg;base64,([^"]+)" alt="([^"]+)"', block)
        plain, coloured = (Image.open(io.BytesIO(base64.b64decode(data))) for data, _ in sources)
        assert plain.size == coloured.size == (56, 48)
        assert sources[0][1] == f"The image {name}"
        assert re.search(r"<strong>\w+</strong> against \w+: score", block)
        assert re.search(r'<th scope="row">topics</th><td class="n">[+-]\d', block)


def test_images_that_vanished_are_left_grey(mixed, tmp_path):
    from sfmcore.evaluation.halves import evaluate
    from sfmcore.evaluation.mistakes import most_confident_mistakes
    from sfmvision import SceneClassifier
    from sfmvision.reporting.mistakes import examine_mistakes, shown_images

    model = SceneClassifier(n_words=8, n_topics=3, n_sweeps=10, levels=(), random_state=0)
    paths = sorted(mixed.rglob("*.png"))
    batch = model.preparation.encode(paths, model)
    result = evaluate(
        model, batch, [path.parent.name for path in paths], partitions=2, examine=examine_mistakes
    )
    assert len(result.examined) == 2
    for path in paths:
        path.unlink()
    shown = shown_images(batch, result.examined)
    for mistake in most_confident_mistakes(result.answers, 3):
        assert shown.evidence(mistake).count("<img ") == 2


def test_training_has_a_page(run, small, scenes, tmp_path):
    page = tmp_path / "page.html"
    result = run("train", scenes, "-o", tmp_path / "a.sfm", "--report", page, *small)
    assert result.code == 0
    html = page.read_text()
    assert "Training of a scene classifier" in html
    assert "24 of 3 classes" in html
    assert "n_words" in html


def test_the_test_of_a_model_shows_its_mistakes(run, model, mixed, tmp_path):
    page = tmp_path / "page.html"
    result = run("test", model, mixed, "--report", page)
    assert result.code == 0
    html = page.read_text()
    blocks = re.findall(r"<h3>([^<]*\.png)</h3>\s*<p>(\w+), taken for (\w+) with", html)
    assert len(blocks) == 12  # of sixteen
    assert all(Path(name).parent.name == truth != told for name, truth, told in blocks)
    assert html.count('alt="Where it speaks for') == 12
    assert "seen in training" in html


def test_suspects_of_a_test_have_pictures(run, model, picture, encode, tmp_path):
    """New images under their own labels, two of them under another; one is two files."""
    page = tmp_path / "page.html"
    wrong = {("blobs", 20): "noise", ("noise", 21): "stripes"}
    for kind in ("blobs", "noise", "stripes"):
        for number in range(20, 28):
            folder = tmp_path / "new" / wrong.get((kind, number), kind)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{kind}{number}.png").write_bytes(encode(picture(kind, number), "PNG"))
    twin = (tmp_path / "new" / "blobs" / "blobs27.png").read_bytes()
    (tmp_path / "new" / "stripes" / "twin.png").write_bytes(twin)
    assert run("test", model, tmp_path / "new", "--report", page).code == 0
    section = re.search(r'<h2 id="suspects">(.*?)</section>', page.read_text(), re.S)[1]
    listed = [Path(name).name for name in re.findall(r'"row">([^<]+\.png)<', section)]
    assert {"twin.png", "blobs27.png"} <= set(listed)
    pictures = re.findall(r'base64,([^"]+)" alt="The image ([^"]+)"', section)
    mistakes = page.read_text().split('id="suspects"')[0]
    assert [Path(name).name for _, name in pictures] == [
        name for name in listed if f"{name}</h3>" not in mistakes
    ]
    assert pictures
    assert all(
        Image.open(io.BytesIO(base64.b64decode(data))).size == (56, 48) for data, _ in pictures
    )

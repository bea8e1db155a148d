"""Write the model files of the format that the installed revision writes.

    python tests/golden/write_models.py FOLDER --commit HASH

Runs with any revision that has a model file: with those of formats 1 and 2 it wrote theirs. Each
model gets a JSON with the inputs, and what that revision says of them.
"""

import argparse
import json
import platform
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn

# At the end, so that the packages come from where the revision is installed.
sys.path.append(str(Path(__file__).parents[2]))

from sfmbio import ProteinClassifier
from sfmcore.files.model_file import FORMAT_VERSION
from tests.golden.data import peptides, tile, tiles
from tests.golden.values import Arrays, as_text, outcome

CERTIFIED = ("certificate", "counted")
"""Ends of the names of models with a certificate."""
# Symbols beyond the 20 residues, lower case, and a sequence that is shorter than any pattern.
_ODD = ["A", "mkvlxllk", "ACDUOBZJX", "MK*LV"]


def certificate(model: Any) -> Arrays:
    """Limits of the certificate that the model keeps."""
    parts = model.certificate_.certificates
    names = ("gibbs_bound", "tandem_bound", "vote_bound", "catoni_bound", "divergence")
    return {name: np.array([getattr(part, name) for part in parts]) for name in names}


def nearest(model: Any, inputs: list) -> Arrays:
    """What the model says is nearest, by the records that it keeps."""
    found = model.nearest(inputs)
    return {
        "nearest": np.array([name or "" for name in found.ids]),
        "nearest_label": np.array(["" if label is None else str(label) for label in found.labels]),
        "identity": np.nan_to_num(found.identity),
        "score": found.score,
    }


def proteins() -> dict[str, Any]:
    """Unfitted protein classifiers by name, of those parameters that the revision has."""
    own: dict[str, Any] = {"n_states": 3, "n_pairs": 2, "random_state": 0}
    paper = ProteinClassifier.from_preset("paper", n_states=3, n_restarts=2, random_state=0)
    if FORMAT_VERSION < 3:
        models = {"proteins_best": ProteinClassifier(**own)}
    else:
        own |= {"n_states": (2, 3), "n_pairs": 1, "n_directions": 2, "n_landmarks": 8}
        if FORMAT_VERSION >= 5:
            own["kernel_rank"] = 6
        fast = {**own, "n_landmarks": 0}
        models = {
            "proteins_best": ProteinClassifier(**own),
            "proteins_fast": ProteinClassifier.from_preset("fast", **fast),
        }
        # Each direction takes 30 kB, so only those two have any.
        own["n_directions"] = 0
    two = {"property_weight": 0.5} if FORMAT_VERSION >= 11 else {}
    models |= {"proteins_paper": paper, "proteins_two_classes": ProteinClassifier(**own, **two)}
    if FORMAT_VERSION >= 12:
        models["proteins_groups"] = ProteinClassifier(**own)
        # More than are aligned with a sequence that has a clear relative.
        models["proteins_some_aligned"] = ProteinClassifier(**own, most_aligned=36)
    if FORMAT_VERSION >= 2:
        if FORMAT_VERSION >= 8:
            models["proteins_counted"] = ProteinClassifier(**own, certificate_fraction=0.5)
            own["certify_by"] = "pac-bayes"
        models["proteins_certificate"] = ProteinClassifier(**own, certificate_fraction=0.5)
    return models


def scenes() -> dict[str, Any]:
    """Unfitted scene classifiers by name, which came with format 3."""
    from sfmvision import SceneClassifier

    best = SceneClassifier(n_words=8, n_topics=3, n_gaussians=2, n_axes=4, random_state=0)
    paper = SceneClassifier.from_preset("paper", n_words=8, n_topics=4, n_restarts=2)
    histograms = SceneClassifier(
        n_words=8,
        n_topics=3,
        colour="opponent",
        n_gaussians=0,
        levels=((1, 1), (2, 2)),
        n_landmarks=6,
    )
    models = {"scenes_best": best, "scenes_paper": paper, "scenes_histograms": histograms}
    return {name: model.set_params(random_state=0) for name, model in models.items()}


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--commit", required=True, metavar="HASH", help="of the revision")
    options = parser.parse_args()
    warnings.simplefilter("ignore")

    def write(
        name: str, model: Any, items: dict[str, list], inputs: list, extra: Callable | None
    ) -> None:
        name = f"format{FORMAT_VERSION}_{name}"
        model.save(options.folder / f"{name}.sfm")
        arrays = outcome(model, inputs) | (extra(model) if extra else {})
        about = {
            "format": FORMAT_VERSION,
            "commit": options.commit,
            "versions": {
                "python": platform.python_version(),
                "numpy": np.__version__,
                "scipy": scipy.__version__,
                "scikit-learn": sklearn.__version__,
            },
            "model": " ".join(model.__repr__(N_CHAR_MAX=10_000).split()),
            **items,
        }
        lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in about.items()]
        values = as_text(arrays).rstrip("\n").replace("\n", "\n ")
        text = "{\n" + ",\n".join([*lines, f' "values": {values}']) + "\n}\n"
        (options.folder / f"{name}.json").write_text(text, encoding="utf-8")
        print(name)

    options.folder.mkdir(parents=True, exist_ok=True)
    sequences, labels, others = peptides()
    others = others[::2] + _ODD
    names = {}
    if FORMAT_VERSION >= 7:
        names["ids"] = [f"peptide {number}" for number in range(len(sequences))]
    # Sequences that have a clear relative.
    longest = max(sequences, key=len)
    near = [longest[1:] + "K", longest[:-2] + "AV"]
    for name, model in proteins().items():
        if name == "proteins_two_classes":
            numbers = [int(label == "random") for label in labels]
            model.fit(sequences, numbers, **names)
        elif name == "proteins_groups":
            groups = [number // 6 for number in range(len(sequences))]
            model.fit(sequences, labels, groups=groups, **names)
        else:
            model.fit(sequences, labels, **names)

        asked = [*others, *near] if name == "proteins_some_aligned" else others

        def extra(model: Any, name: str = name, asked: list = asked) -> Arrays:
            arrays = certificate(model) if name.endswith(CERTIFIED) else {}
            if FORMAT_VERSION >= 8:
                arrays["sets"] = model.predict_set(asked).astype(int)
            return arrays | (nearest(model, asked) if FORMAT_VERSION >= 7 else {})

        write(name, model, {"sequences": asked}, asked, extra)
    if FORMAT_VERSION >= 3:
        images, labels, _ = tiles()
        which = [(kind, number) for kind in sorted(set(labels)) for number in (8, 9)]
        for name, model in scenes().items():
            model.fit(images, labels)
            write(name, model, {"tiles": which}, [tile(*one) for one in which], None)


if __name__ == "__main__":
    main()

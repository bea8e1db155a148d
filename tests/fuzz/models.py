"""Model files: a model that predicts, or a sentence; never a traceback, a NaN or a new file."""

import base64
import functools
import json
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import cv2
import numpy as np

from sfmbio import ProteinClassifier
from sfmcore.data.errors import ModelFileError
from sfmvision import SceneClassifier
from tests.fuzz import edits
from tests.fuzz.base import kind_of, require
from tests.fuzz.commands import TABLE, called, rows
from tests.fuzz.mutations import mutated
from tests.fuzz.resealing import resealed

_FOLDER = Path(__file__).parents[1] / "golden/models"
_FASTA = b">a\nMKVLAAGGHH\n>b\nACDEFGHIKLMNPQRSTVWY\n>c\nM7\n>d\nM\n>e\nXXXX*LL\n"


class Models:
    """Documented are ModelFileError and exit code 2 with a sentence.

    An input is the name of a seed, and lines of JSON that say what is changed in it; so an input
    stays small, and a change can be left out.
    """

    def make(self, random: Random) -> bytes:
        """Change values of the header, numbers of the arrays, or bytes of a file."""
        name = random.choice([*seeds()])
        if random.random() < 0.15:
            content = base64.b64encode(mutated(seeds()[name], random)).decode()
            return _lines(name, [{"file": content, "seal": random.random() < 0.7}])
        return _lines(name, edits.drawn(seeds()[name], random))

    def check(self, case: bytes) -> str:
        """Load it, describe it and predict with it."""
        scenes = b"scenes" in case.split(b"\n", 1)[0]
        package, cls = ("sfmvision", SceneClassifier) if scenes else ("sfmbio", ProteinClassifier)
        inputs = _write_inputs(scenes)
        path = Path("model.sfm")
        path.write_bytes(self.file(case))
        known = {*inputs, path.name, TABLE.name}
        try:
            classes = cls.load(path).classes_
        except ModelFileError as error:
            require("\n" not in str(error), "a message of several lines")
            require({p.name for p in Path().iterdir()} <= known, "loading wrote a file")
            return kind_of(error, path)
        require(len(classes) >= 2, "a model of fewer than two classes")
        called(package, "info", str(path))
        command = ("predict", "--threads", "1", str(path), *inputs, "-o", str(TABLE))
        code, said = called(package, *command)
        require({p.name for p in Path().iterdir()} <= known, "predicting wrote a further file")
        if code:
            return f"predict: {said.splitlines()[-1][:60]}"
        table = rows()
        require(len(table) == (2 if scenes else 5), "rows are missing")
        wrong = [row for row in table if row["status"] == "the model gives no number for it"]
        return "no number" if wrong else "predictions"

    def units(self, case: bytes) -> list[bytes]:
        """The lines, each a change."""
        return case.splitlines(keepends=True)

    def file(self, case: bytes) -> bytes:
        """The model file that the changes make."""
        name, *lines = case.decode().splitlines()
        changes = [json.loads(line) for line in lines]
        # The seed itself may have been left out while minimising: then nothing is found.
        if name not in seeds():
            return b""
        if changes and "file" in changes[0]:
            content = base64.b64decode(changes[0]["file"])
            return resealed(content) if changes[0]["seal"] else content
        return edits.applied(seeds()[name], changes)


def _lines(name: str, changes: list[dict[str, Any]]) -> bytes:
    return "\n".join([name, *map(json.dumps, changes)]).encode() + b"\n"


def _write_inputs(scenes: bool) -> list[str]:
    if not scenes:
        Path("in.fa").write_bytes(_FASTA)
        return ["in.fa"]
    for name, image in _images().items():
        Path(name).write_bytes(image)
    return [*_images()]


@functools.cache
def _images() -> dict[str, bytes]:
    noise = np.random.default_rng(0).integers(0, 256, (48, 48, 3), dtype=np.uint8)
    flat = np.full((40, 40, 3), 128, np.uint8)
    return {
        f"{name}.png": cv2.imencode(".png", image)[1].tobytes()
        for name, image in (("noise", noise), ("flat", flat))
    }


@functools.cache
def seeds() -> dict[str, bytes]:
    """The kept files of old formats, and some of them in today's."""
    files = {path.stem: path.read_bytes() for path in sorted(_FOLDER.glob("*.sfm"))}
    with tempfile.TemporaryDirectory() as folder:
        for name in [name for name in files if name.startswith("format3")]:
            cls = SceneClassifier if "scenes" in name else ProteinClassifier
            path = Path(folder, "today.sfm")
            cls.load(_FOLDER / f"{name}.sfm").save(path)
            files[name.replace("format3", "today")] = path.read_bytes()
    return files

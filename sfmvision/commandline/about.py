"""What the command line says of itself before anything large is imported."""

from sfmcore.commandline.program import Program

PROGRAM = Program(
    "sfmvision",
    "sfmvision.classifier:SceneClassifier",
    "image",
    {"words": "n_words", "topics": "n_topics", "cache": "cache"},
)

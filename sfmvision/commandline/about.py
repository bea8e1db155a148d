"""Facts about the command line that are needed before anything large is imported."""

from sfmcore.commandline.program import Program

PROGRAM = Program(
    "sfmvision",
    "sfmvision.classifier:SceneClassifier",
    "image",
    {"words": "n_words", "topics": "n_topics", "cache": "cache"},
)

"""Facts about the command line that are needed before anything large is imported."""

from sfmcore.commandline.program import Program

PROGRAM = Program(
    "sfmbio", "sfmbio.classifier:ProteinClassifier", "sequence", {"states": "n_states"}
)

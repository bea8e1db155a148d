"""Makes the cases importable, which the command line of this folder shares with its tests."""

import sys
from pathlib import Path

# At the end, so that everything that is installed still comes from where it is installed.
sys.path.append(str(Path(__file__).parents[2]))

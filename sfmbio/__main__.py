"""``python -m sfmbio``."""

import sys

from sfmbio.cli import main

sys.exit(main())

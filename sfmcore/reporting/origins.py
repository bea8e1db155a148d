"""The part of a report that says how it was made."""

import platform
from typing import Any

from sfmcore.reporting.outcome import Origin
from sfmcore.reporting.parts import Code, Facts, Part, Section, Table, Text
from sfmcore.version import __version__

_SHOWN = 20


def versions() -> dict[str, str]:
    """Versions of what took part."""
    import numpy as np
    import scipy
    import sklearn

    return {
        "sfm-pacbayes": __version__,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }


def input_facts(origin: Origin) -> list[tuple[str, str]]:
    """What was read."""
    if not origin.inputs:
        return list(origin.notes)
    listed = ", ".join(origin.inputs[:_SHOWN])
    if len(origin.inputs) > _SHOWN:
        listed += f" and {len(origin.inputs) - _SHOWN} more"
    return [("input", listed), *origin.notes]


def making(origin: Origin) -> Section:
    """Say by which command, parameters and versions the report came about."""
    parts: list[Part] = [Code(origin.command_line)]
    if origin.preset is not None and not origin.changed:
        parts.append(Text(f"All parameters are those of the preset {origin.preset}."))
    elif origin.preset is not None:
        rows = [
            (name, _shown(value), _shown(usual)) for name, (value, usual) in origin.changed.items()
        ]
        header = ("parameter", "here", f"preset {origin.preset}")
        parts.append(Table("Parameters that differ from the preset", header, rows, (1, 2)))
    if origin.parameters:
        every = [(name, _shown(value)) for name, value in sorted(origin.parameters.items())]
        parts.append(Facts(every, "All parameters"))
    parts.append(Facts(list(origin.versions.items()), "Versions"))
    return Section("making", "How this report was made", parts)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)

"""The limits from margins, draws and joint draws, where all true risks are known."""

import math

import pytest

from benchmarks.certificate.further import SETTINGS, Setting, simulate

DELTA = 0.2
FOUR_CLASSES = [(setting, m) for setting in SETTINGS if setting[0] == 4 for m in (60, 200)]
IDS = [f"{n_classes}-{n_rows}-{vote}" for n_classes, n_rows, vote in SETTINGS]


def allowed(n_repetitions):
    """Three standard errors above delta."""
    return n_repetitions * DELTA + 3 * math.sqrt(n_repetitions * DELTA * (1 - DELTA))


def check(setting, n_repetitions):
    found = {row["kind"]: row for row in simulate(setting, DELTA, n_repetitions)}
    for kind in ("seen", "by heart"):
        assert found[kind]["failures"] <= allowed(n_repetitions)
    return found


# One and several rows, both votes, two classes and four; the others with those of more repetitions.
@pytest.mark.parametrize(
    "setting",
    [
        pytest.param(one, id=name, marks=() if number in (0, 3, 4) else pytest.mark.long)
        for number, (one, name) in enumerate(zip(SETTINGS, IDS, strict=True))
    ],
)
def test_limits_hold_in_simulation(setting):
    found = check(Setting(*setting, m=60), 25 if setting[0] == 2 else 4)
    # And they say something.
    assert found["seen"]["further"] < min(0.85, found["seen"]["twice_gibbs"])


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS[:4:3], ids=IDS[:4:3])
def test_limits_hold_in_500_repetitions(setting):
    check(Setting(*setting, m=60), 500)


@pytest.mark.long
@pytest.mark.parametrize(
    ("setting", "m"),
    [*((s, 60) for s in SETTINGS[1:3]), *((s, 200) for s in SETTINGS[:4]), *FOUR_CLASSES],
)
def test_limits_hold_in_500_repetitions_of_more(setting, m):
    check(Setting(*setting, m), 500)


@pytest.mark.parametrize("setting", [SETTINGS[0], SETTINGS[2], SETTINGS[4]])
def test_limits_fail_without_the_divergence(setting):
    # So the simulation can see a wrong limit: labels are noise, u learns them by heart.
    noise = {"right": 1.0 / setting[0], "shift": 0.0}
    n = 8 if setting[0] == 2 else 4
    found = {row["kind"]: row for row in simulate(Setting(*setting, m=30), DELTA, n, **noise)}
    assert found["misused"]["failures"] >= 0.75 * n
    assert found["by heart"]["failures"] <= allowed(n)

"""
Images: textures and patches
============================

:class:`~sfmvision.SceneClassifier` takes images as arrays or as files. We draw four textures, train
on them, ask which part of a picture speaks for its label, and turn pictures to see what it has not
learnt.
"""

# %%
# Four textures
# -------------
# Every picture is drawn anew, with its own scale, direction, light and grain. They are grey, so
# that colours give nothing away.

import matplotlib.pyplot as plt
import numpy as np
from scipy.ndimage import gaussian_filter

rng = np.random.default_rng(0)
SIZE = 64
ROW, COLUMN = np.mgrid[:SIZE, :SIZE]


def finish(values):
    """A grey picture of 8 bits, with noise, and not always of the same contrast."""
    values = (values - values.mean()) / values.std()
    light, contrast = rng.uniform(100, 150), rng.uniform(25, 45)
    return np.clip(light + contrast * values + rng.normal(0, 6, values.shape), 0, 255).astype("u1")


def ripples():
    """Waves that run across, more or less level."""
    bent = gaussian_filter(rng.normal(size=(SIZE, SIZE)), 12) * 60
    slope = rng.uniform(-0.2, 0.2)
    return finish(np.sin((ROW + slope * COLUMN + bent) * 2 * np.pi / rng.uniform(7, 11)))


def weave():
    """Threads that go over and under each other."""
    width = rng.uniform(5, 8)
    over = np.floor(ROW / width + rng.uniform()) + np.floor(COLUMN / width + rng.uniform())
    return finish(np.where(over % 2, np.sin(ROW * np.pi / width) ** 2,
                           np.sin(COLUMN * np.pi / width) ** 2))  # fmt: skip


def pebbles():
    """Stones: how much nearer the nearest of random points is than the next."""
    points = rng.uniform(-8, SIZE + 8, (rng.integers(70, 120), 2))
    away = np.hypot(ROW[..., None] - points[:, 0], COLUMN[..., None] - points[:, 1])
    first, second = np.partition(away, 1, axis=2)[..., :2].transpose(2, 0, 1)
    return finish(np.minimum(second - first, 4))


def clouds():
    """Noise without fine detail."""
    return finish(gaussian_filter(rng.normal(size=(SIZE, SIZE)), rng.uniform(2, 4)))


KINDS = (ripples, weave, pebbles, clouds)


def draw(number):
    """Pictures of every kind, and their labels."""
    pictures = [kind() for kind in KINDS for _ in range(number)]
    return pictures, [kind.__name__ for kind in KINDS for _ in range(number)]


train, y = draw(30)
test, y_test = draw(50)

figure, axes = plt.subplots(2, 4, figsize=(8, 4.2), layout="constrained")
for row in axes:
    for axis, kind in zip(row, KINDS, strict=True):
        axis.imshow(kind(), cmap="gray", vmin=0, vmax=255)
        axis.set_title(kind.__name__)
        axis.set_axis_off()

# %%
# Train and test
# --------------
# Each picture is a bag of patches: their descriptors become words, and topic models of each class
# turn these into features.

from sfmvision import SceneClassifier

model = SceneClassifier(n_words=100, n_topics=8, random_state=0).fit(train, y)
print(f"right labels of new pictures: {model.score(test, y_test):.3f}")

# %%
# One picture of two hundred is wrong. Photographs are harder: :doc:`/results/scenes` has figures
# for the paper's scenes, and :doc:`/images` the same from a shell, with folders of files.
#
# Which part speaks for the label?
# --------------------------------
# A picture that is half pebbles and half weave gets one label. ``explain_patches`` gives each patch
# its share of the score, for the label (blue) and against it (orange).

from sfmvision.explaining.overlay import evidence_map, overlay

mixed = np.hstack([pebbles()[:, : SIZE // 2], weave()[:, SIZE // 2 :]])
found, [patches] = model.explain_patches([mixed])
print(f"{found.label[0]}, before {found.runner_up[0]}")
evidence = evidence_map(patches, found[0])
for name, half in (("left", evidence[:, : SIZE // 2]), ("right", evidence[:, SIZE // 2 :])):
    print(f"the {name} half counts {half.sum():+.2f}")

figure, axes = plt.subplots(1, 2, figsize=(5, 2.7), layout="constrained")
axes[0].imshow(mixed, cmap="gray", vmin=0, vmax=255)
axes[1].imshow(overlay(mixed, evidence))
for axis, title in zip(axes, ("half and half", f"evidence for {found.label[0]}"), strict=True):
    axis.set_title(title)
    axis.set_axis_off()

# %%
# Nearly all of the evidence is in the half with the pebbles, and the other half is slightly against
# them. The map is smooth, since the largest patches are as wide as the picture.
#
# What it does not know
# ---------------------
# Patches are described with their direction, since what is up matters in most pictures. Turned by
# a quarter, ripples are something that was never shown.

for kind in KINDS:
    turned = [np.rot90(kind()) for _ in range(50)]
    labels, counts = np.unique(model.predict(turned), return_counts=True)
    said = ", ".join(f"{label} {n}" for label, n in zip(labels, counts, strict=True))
    print(f"{kind.__name__} turned: {said}; typicality {np.median(model.typicality(turned)):.3f}")
print(f"upright pictures: typicality {np.median(model.typicality(test)):.3f}")

# %%
# The other textures look much the same when they are turned. Turned ripples are called weave, which
# has threads that run down, and only their typicality, a p-value, says that something is wrong with
# them. What should not matter has to be shown in training:

taught = SceneClassifier(n_words=100, n_topics=8, random_state=0).fit(
    [*train, *map(np.rot90, train)], [*y, *y]
)
turned = [np.rot90(picture) for picture in test]
print(f"right labels of turned pictures: {model.score(turned, y_test):.3f}")
print(f"after training with turned ones: {taught.score(turned, y_test):.3f}")

"""The page of reasons for images: its size stays bounded, whatever the images are."""

import numpy as np

from sfmcore.reporting.reasons import MOST_BYTES
from sfmvision.explaining.page import Page
from sfmvision.explaining.patches import KINDS
from sfmvision.explaining.pictured import PictureReasons, jpeg_of


def test_a_page_stays_below_its_size():
    page = Page("model.sfm", 100_000)
    noise = np.random.default_rng(0).integers(0, 256, (300, 400, 3)).astype(np.uint8)
    sums = dict.fromkeys((*KINDS, "constant", "baseline", "remainder"), 0.1)
    picture = np.frombuffer(jpeg_of(noise), dtype=np.uint8)
    reasons = PictureReasons(0, "a", "b", 0.7, sums, picture)
    for number in range(150):
        page.add(f"{number}.png", noise, reasons)
    assert page.is_full
    text = page.text()
    assert len(text.encode()) < MOST_BYTES + 10_000 < 5_000_000
    assert "of 150 images are shown" in text


def test_float_and_grey_pixels_are_shown():
    page = Page("model.sfm", 3)
    sums = dict.fromkeys((*KINDS, "constant", "baseline", "remainder"), 0.0)
    grey = np.linspace(0.0, 1.0, 48).reshape(6, 8)
    reasons = PictureReasons(0, "a", "b", 0.0, sums, np.frombuffer(b"\xff\xd8", dtype=np.uint8))
    page.add("grey.png", grey, reasons)
    assert page.text().count('alt="The image grey.png"') == 1

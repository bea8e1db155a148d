"""Write tiles of scikit-image's textures: a folder of images for each class, from nothing else.

    python data/textures/make_tiles.py tiles

Brick, grass and gravel, each of 512 x 512 pixels, are cut into 64 tiles of 64 x 64 pixels.
"""

import argparse
from pathlib import Path

import cv2
import skimage.data

TEXTURES = ("brick", "grass", "gravel")
SIDE = 64


def write_tiles(folder: Path) -> int:
    """Write ``folder/TEXTURE/ROW_COLUMN.png``, and return how many.

    Parameters
    ----------
    folder : Path
        Made if it is not there.
    """
    count = 0
    for name in TEXTURES:
        texture = getattr(skimage.data, name)()
        (folder / name).mkdir(parents=True, exist_ok=True)
        for row in range(texture.shape[0] // SIDE):
            for column in range(texture.shape[1] // SIDE):
                tile = texture[row * SIDE :, column * SIDE :][:SIDE, :SIDE]
                path = folder / name / f"{row}_{column}.png"
                # Not imwrite: it takes no path beyond the system's code page.
                path.write_bytes(cv2.imencode(".png", tile)[1].tobytes())
                count += 1
    return count


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    print(f"{write_tiles(folder)} tiles in {folder}")

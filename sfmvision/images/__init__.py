"""From paths to pixels: which files are images of which class, and how each is read.

``folders`` and ``walking`` find the images. ``reading`` turns one into upright pixels or says why
not: ``kinds`` names the container, ``opening`` has Pillow decode it, ``structure`` checks what
Pillow leaves unchecked, ``pixels`` brings the result to RGB. ``errors`` name a path and a reason.
"""

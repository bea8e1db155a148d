"""From paths to pixels: which files are images of which class, and how each is read.

``folders`` and ``walking`` find the images, ``reading`` turns one into upright pixels or says why
not, with ``formats``, ``containers`` and ``pixels``; ``errors`` are those that name a path and a
reason.
"""

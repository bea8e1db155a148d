"""Dense descriptors of images, made once for each image.

``grid`` places the patches and ``dense_sift`` describes them, ``colours`` by their local colours;
a ``batch`` of images holds their descriptors, in memory or in a ``cache``; ``encoding`` fills it
and ``streaming`` passes over it in bounded memory.
"""

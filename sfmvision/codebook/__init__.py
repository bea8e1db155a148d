"""From descriptors to documents and vectors: what is learnt about images before their models.

``sampling`` draws descriptors, ``kmeans`` and ``codebook`` make visual words, ``layout`` counts
them by place; ``fisher`` and ``moments`` are Fisher vectors; ``scene_words`` joins them.
"""

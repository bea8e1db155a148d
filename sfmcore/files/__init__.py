"""Files on disk.

Atomic writing (``atomic``), the container of arrays for models and caches (``container``), and its
content for a model (``model_file``); files of users, compressed or not (``opening``), and their
tables of ids (``id_table``, ``groups``).
"""

"""Files on disk.

Written whole or not at all (``atomic``), the container of arrays that models and caches are kept in
(``container``), and what it holds of a model (``model_file``); what users wrote, packed or not
(``opening``), and their tables of ids (``id_table``, ``groups``).
"""

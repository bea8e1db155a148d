"""The command ``sfmbio``: options (``cli``), actions (``commands``), its table (``prediction``)."""

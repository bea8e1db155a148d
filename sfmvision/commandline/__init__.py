"""The command ``sfmvision``: options (``cli``), actions (``commands``), its table and figures."""

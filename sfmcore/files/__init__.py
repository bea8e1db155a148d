"""Files on disk: written atomically (``atomic``), and the container of a model (``model_file``)."""

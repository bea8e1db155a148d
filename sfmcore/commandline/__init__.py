"""Shared parts of the command lines of all domains.

``program`` builds parsers and ends commands; ``arguments`` and ``settings`` turn options into an
estimator; ``running`` runs a command with signals, errors in a sentence and exit codes;
``output``, ``rows``, ``tables``, ``evaluations``, ``description`` and ``certificate_text`` write.
"""

"""Errors that a user's input or request caused."""

from sfmcore.commandline.errors import InputError
from sfmcore.commandline.errors import UserError as SfmbioError

__all__ = ["InputError", "SfmbioError"]

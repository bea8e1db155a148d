"""Errors that a user's input or request caused."""


class UserError(Exception):
    """Something the user asked for can't be done; the text is one plain sentence.

    A command line prints the text without a traceback and ends with exit code 2.
    """


class InputError(UserError):
    """An input can't be read or used.

    Examples
    --------
    >>> str(InputError("proteins.fa: the file is empty"))
    'proteins.fa: the file is empty'
    """

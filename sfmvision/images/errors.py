"""Errors that a user's image or folder caused."""

from sfmcore.data.errors import InputError


class Unusable(Exception):  # noqa: N818 - becomes an ImageError, which has the path too
    """An image can't be used; the text is the reason."""


class Unsupported(Unusable):
    """An image of a kind that can't be read right.

    Parameters
    ----------
    what : str
        The kind, such as ``"HEIC image"``.

    Examples
    --------
    >>> str(Unsupported("HEIC image"))
    "HEIC image, which can't be read: convert it to PNG"
    """

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}, which can't be read: convert it to PNG")


class PathError(InputError):
    """An image or a folder can't be used; the text is the path and the reason.

    Parameters
    ----------
    path : str
        What was read, or ``"<bytes>"``.
    reason : str
        A few words without a line end, which can stand as a status in a table.

    Attributes
    ----------
    path : str
    reason : str
    """

    def __init__(self, path: str, reason: str) -> None:
        # Both are arguments of the base so that the error comes back from a worker process whole.
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class ImageError(PathError):
    """A file or bytes that can't be used as an image.

    Examples
    --------
    >>> error = ImageError("coast/a.jpg", "truncated JPEG")
    >>> str(error), error.reason
    ('coast/a.jpg: truncated JPEG', 'truncated JPEG')
    """


class FolderError(PathError):
    """A folder that can't be used as classes of images.

    Examples
    --------
    >>> str(FolderError("scenes", "not a folder"))
    'scenes: not a folder'
    """

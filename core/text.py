"""Text that comes from outside (folders, files, other programs), as it may be shown.

A name can hold what a terminal obeys (escape sequences, line breaks, marks that turn the reading direction) or bytes
that are no text at all.  Whatever becomes part of a message or a label goes through here first.
"""


def printable(text: str, most: int = 80) -> str:
    """Text on one line: no control characters, no longer than is read.

    Parameters
    ----------
    most
        Characters of the result; what is cut off is told by an ellipsis, which counts as one.

    >>> printable("a\\x1b[31m b")
    'a�[31m b'
    """
    plain = "".join(letter if letter.isprintable() else "�" for letter in text[: most + 1])
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


def one_line(text: str, most: int = 1000) -> str:
    """A message on one line: its line breaks and runs of spaces are single spaces, the rest as `printable`."""
    return printable(" ".join(text.split()), most)

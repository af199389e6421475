"""The few errors a user can cause, each with its next step in the message."""


class AppError(Exception):
    """A condition to report as one plain line: bad input, a missing device, a probe that died."""


class BadInputError(AppError):
    """What was given cannot be used; the message names the value and what would be accepted."""


class ProbeError(AppError):
    """The probe process could not do what it was asked; carries its last stderr lines."""

    def __init__(self, message: str, stderr_tail: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.stderr_tail = stderr_tail


class CancelledError(AppError):
    """A person stopped the work; nothing was written."""

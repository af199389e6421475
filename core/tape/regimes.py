"""Where a pass's operations change with its length: ranges over which one fit speaks, found by recording."""

from collections.abc import Callable, Iterable

from vramtuner.core.tape.fit import Fit, NotAlignedError, fit_lengths, fit_sizes, held_out_length
from vramtuner.core.tape.format import Recording, Regime

Record = Callable[[int], Recording]
"""A recording of a pass of so many tokens."""

MAX_REGIMES = 16
# Chunked scans pad their input to a multiple of the chunk; these are the chunks of the published models.
_GRANULES = (256, 128, 64)


def find_regimes(
    record: Record,
    first: int,
    last: int,
    hints: Iterable[int],
    granules: Iterable[int] = (),
    checks: Iterable[int] = (),
    confirm: Callable[[int], None] = lambda tokens: None,
) -> tuple[Regime, ...]:
    """Regimes from ``first`` to ``last`` tokens without a gap, each checked at a length that was not fitted.

    Parameters
    ----------
    hints
        Last lengths of regimes, as far as the config names any; others are looked for where a check shows one.
    granules
        Chunks that the config names: where no range can be fitted otherwise, lengths are taken in steps of one of
        them, and speak for the lengths below that are padded to the same size.
    checks
        Lengths that a fit must speak for besides the one that is held out, such as the longest in use.
    confirm
        Told the held-out length of every regime, where ``record`` is not the last word; raises what it likes.

    Raises
    ------
    NotAlignedError
        The operations change too often with the length.
    """
    known = sorted({hint for hint in hints if first <= hint < last})
    problem = NotAlignedError("the operations change with the length")
    # Steps that the config names come first: single tokens align with none of them for more than a while.
    for granule in dict.fromkeys((*granules, 1, *_GRANULES)):
        try:
            found = _regimes(record, first, last, known, tuple(checks), granule)
        except NotAlignedError as error:
            problem = error
            continue
        for regime in found:
            confirm(regime.held_out)
        return found
    raise problem


def _regimes(
    record: Record, first: int, last: int, hints: list[int], checks: tuple[int, ...], granule: int
) -> tuple[Regime, ...]:
    found: list[Regime] = []
    start = first
    while start <= last:
        # A range of fewer than four lengths cannot be fitted and checked; a hint so near is only checked.
        end = next((hint for hint in hints if hint >= start + 3 and last - hint > 3), last)
        single = granule > 1 and start + 3 <= granule
        if single:
            # One chunk alone leaves out copies that two of them make, and pads all lengths alike.
            end = min(end, granule)
        near = tuple(hint for hint in hints if start <= hint < start + 3)
        regime = _whole(record, start, end, near, checks, 1 if single else granule)
        if regime is None and granule > 1:
            raise NotAlignedError(f"steps of {granule} tokens do not align either")
        found.append(regime or _up_to_the_change(record, start, end))
        if len(found) > MAX_REGIMES:
            raise NotAlignedError(f"the operations change more than {MAX_REGIMES} times with the length")
        start = found[-1].to_tokens + 1
    return tuple(found)


def _whole(
    record: Record, start: int, end: int, near: tuple[int, ...], checks: tuple[int, ...], granule: int
) -> Regime | None:
    """One regime for all of a range, or none if it is not one; ``near`` are lengths at its beginning to check."""
    try:
        lengths = fit_lengths(start, end, granule)
    except ValueError:
        return None
    try:
        fit = fit_sizes(tuple(record(tokens) for tokens in lengths))
        regime = fit.regime(start, end, record(held_out_length(end, lengths, granule)), granule)
    except NotAlignedError:
        return None
    others = (tokens // granule * granule - (granule > 1) for tokens in checks)
    checked = all(fit.speaks_for(record(tokens)) for tokens in others if regime.held_out < tokens <= end)
    checked = checked and (granule > 1 or all(fit.speaks_for(record(tokens)) for tokens in near))
    return regime if regime.residual_bytes == 0 and checked else None


def _up_to_the_change(record: Record, start: int, end: int) -> Regime:
    """The regime that begins at ``start``: as far as the fit of its first lengths goes."""
    first = record(start)
    if end - start < 3:
        return _single(first)
    fit = _fit_or_none((first, record(start + 1), record(start + 2)))
    near = record(start + 3)
    if fit is None or not fit.speaks_for(near):
        return _single(first)
    low, step, held_out = start + 3, 1, near
    high = end + 1
    while low + step < high:
        trial = record(low + step)
        if not fit.speaks_for(trial):
            high = low + step
            break
        low, step, held_out = low + step, 2 * step, trial
    while high - low > 1:
        middle = (low + high) // 2
        trial = record(middle)
        if fit.speaks_for(trial):
            low, held_out = middle, trial
        else:
            high = middle
    return fit.regime(start, low, held_out)


def _fit_or_none(recordings: tuple[Recording, ...]) -> Fit | None:
    try:
        return fit_sizes(recordings)
    except NotAlignedError:
        return None


def _single(recording: Recording) -> Regime:
    """A regime of one length, which is its own recording."""
    return fit_sizes((recording,)).regime(recording.tokens, recording.tokens, recording)

"""What PyTorch's caching allocator holds while a tape runs, for CUDA and HIP alike.

Tensors take blocks, blocks are cut from *segments* that come from the driver, and the cap that a memory fraction sets
is on segments.  What is held as segments (*reserved*) is therefore more than the tensors ask for: sizes are rounded,
segments are larger than what they were taken for, and a hole can be too small for what comes next.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from vramtuner.core.tape.allocator_options import DEFAULT_OPTIONS, AllocatorOptions, parse_options
from vramtuner.core.tape.caching_allocator import Block, CachingAllocator, round_size

__all__ = ["AllocatorOptions", "Replay", "parse_options", "replay"]


@dataclass(frozen=True, slots=True)
class Replay:
    """What the allocator held while a tape ran.

    Attributes
    ----------
    reserved_peak
        Most bytes held from the driver, ``torch.cuda.max_memory_reserved``: a pool that has them needs no retries.
    allocated_peak
        Most bytes in blocks handed out, ``torch.cuda.max_memory_allocated``: sizes as rounded and split.
    requested_peak
        Most bytes that the tensors themselves asked for.
    out_of_memory, failed_event
        Whether an allocation failed, and at which event (counted from 0); the replay ends there.
    retries
        Calls to the driver that were refused and whose allocation succeeded after cached blocks were released.
    reserved_end, allocated_end
        Bytes still held and handed out at the end.
    """

    reserved_peak: int
    allocated_peak: int
    requested_peak: int
    out_of_memory: bool = False
    failed_event: int | None = None
    retries: int = 0
    reserved_end: int = 0
    allocated_end: int = 0


def replay(
    events: Sequence[int],
    sizes: Sequence[int],
    capacity: int | None,
    options: AllocatorOptions = DEFAULT_OPTIONS,
    *,
    fraction_set: bool = False,
) -> Replay:
    """Run a tape's events through the allocator, up to the first allocation that fails.

    Parameters
    ----------
    events
        ``+k`` creates storage ``k`` (counted from 1), ``-k`` ends it, as in `Recording` and `Regime`.
    sizes
        Bytes of each storage.  One of no bytes takes no block.
    capacity, options, fraction_set
        As of `CachingAllocator`.

    A larger ``capacity`` can run out of memory where a smaller one does not, as on a device: what the smaller one had
    to give back earlier, the larger one may have cut pieces from.  A replay that ends without retries and without
    garbage collection goes the same way at every larger capacity.

    Raises
    ------
    ValueError
        A size is negative, or an event creates a storage that is alive or ends one that is not.
    """
    requests = [int(size) for size in sizes]
    if min(requests, default=0) < 0:
        raise ValueError("a storage has a negative size")
    blocks = {size: round_size(size, options.roundup_power2_divisions) for size in set(requests)}
    allocator = CachingAllocator(options, capacity, fraction_set=fraction_set)
    live: dict[int, Block | None] = {}
    requested = requested_peak = 0
    failed_event = None
    for number, event in enumerate(events):
        if event > 0:
            if event in live:
                raise ValueError(f"event {number} creates storage {event}, which is alive")
            size = requests[event - 1]
            live[event] = block = allocator.allocate(blocks[size]) if size else None
            if size and block is None:
                failed_event = number
                break
            requested += size
            requested_peak = max(requested_peak, requested)
        else:
            if -event not in live:
                raise ValueError(f"event {number} ends storage {-event}, which is not alive")
            block = live.pop(-event)
            if block is not None:
                allocator.free(block)
                requested -= requests[-event - 1]
    return Replay(
        reserved_peak=allocator.reserved_peak,
        allocated_peak=allocator.allocated_peak,
        requested_peak=requested_peak,
        out_of_memory=failed_event is not None,
        failed_event=failed_event,
        retries=allocator.retries,
        reserved_end=allocator.reserved,
        allocated_end=allocator.allocated,
    )

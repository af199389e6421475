"""The state of PyTorch's caching allocator: pools of blocks that are cut from segments and joined again.

The rules are those of ``c10/cuda/CUDACachingAllocator.cpp`` (ROCm/pytorch at 1e0e770a; constants are the same in the
headers of torch 2.8 to 2.14) for one device and one stream, without graph captures and private pools.  Two things
differ on purpose: segments get rising addresses, so that ties between equal blocks go to the oldest segment, where a
driver's addresses are arbitrary; and the addresses of an expandable segment are endless (1.125 times the device in
PyTorch).
"""

from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import TypeAlias

from vramtuner.core.tape.allocator_options import SMALL_SEGMENT_BYTES, AllocatorOptions
from vramtuner.core.units import MIB

MIN_BLOCK_BYTES = 512
SMALL_BYTES = MIB
"""Blocks up to this size come from the small pool."""
_MIN_LARGE_BYTES = 10 * MIB
"""Blocks from this size on get a segment of their own, rounded up to 2 MiB."""
_ROUND_LARGE_BYTES = 2 * MIB
_UNLIMITED = 2**62
"""Beyond any size: stands for "no limit" in comparisons, and for the address range of an expandable segment."""


class Block:
    """A piece of a segment, linked to its neighbours; ``mapped`` is False for addresses without memory behind them."""

    __slots__ = ("address", "following", "free", "mapped", "previous", "searches", "size", "small")

    def __init__(self, address: int, size: int, small: bool, *, mapped: bool = True) -> None:
        self.address = address
        self.size = size
        self.small = small
        self.mapped = mapped
        self.free = False
        self.previous: Block | None = None
        self.following: Block | None = None
        self.searches = 0


_Free: TypeAlias = tuple[int, int, Block]


class _Pool:
    """Free blocks of one kind of segment, ordered by size and address; addresses differ, so blocks do not compare."""

    __slots__ = ("free", "page", "searches", "unmapped")

    def __init__(self, page: int) -> None:
        self.free: list[_Free] = []
        self.page = page
        self.searches = 0
        self.unmapped: list[Block] = []

    def insert(self, block: Block) -> None:
        block.free = True
        block.searches = self.searches
        insort(self.free, (block.size, block.address, block))

    def remove(self, block: Block) -> None:
        del self.free[bisect_left(self.free, (block.size, block.address))]


def round_size(size: int, divisions: Sequence[int]) -> int:
    """Bytes of the block for a tensor: a multiple of 512, or a step between powers of two as ``divisions`` say.

    ``divisions`` has one entry for each power of two from 1 MiB to 32 GiB; sizes beyond take the nearest.
    """
    if size < MIN_BLOCK_BYTES:
        return MIN_BLOCK_BYTES
    exponent = size.bit_length() - 1
    steps = divisions[min(max(exponent - 20, 0), len(divisions) - 1)]
    step = MIN_BLOCK_BYTES
    if steps > 1 and size > MIN_BLOCK_BYTES * steps:
        step = (1 << exponent) // steps
    return -(-size // step) * step


def segment_size(block_bytes: int, options: AllocatorOptions) -> int:
    """Bytes asked from the driver for a block of ``block_bytes`` that fits nowhere."""
    if block_bytes <= SMALL_BYTES:
        return SMALL_SEGMENT_BYTES
    if block_bytes < _MIN_LARGE_BYTES:
        return options.large_segment_bytes
    return -(-block_bytes // _ROUND_LARGE_BYTES) * _ROUND_LARGE_BYTES


class CachingAllocator:
    """The allocator's state; `replay` is the usual way in.

    Parameters
    ----------
    options
        As read by `parse_options`.
    capacity
        Bytes that may be held from the driver; ``None`` is no limit.
    fraction_set
        ``capacity`` is a memory fraction's, not the device's: the garbage collection threshold applies, and the limit
        is compared with the segment before the driver is asked.  The two differ for expandable segments, whose pages
        can then pass the limit by less than a page each time.
    """

    def __init__(self, options: AllocatorOptions, capacity: int | None = None, *, fraction_set: bool = False) -> None:
        self.options = options
        self.capacity = _UNLIMITED if capacity is None else capacity
        self.fraction_set = fraction_set and capacity is not None
        self.reserved = self.reserved_peak = 0
        self.allocated = self.allocated_peak = 0
        self.retries = 0
        self._max_split = _UNLIMITED if options.max_split_bytes is None else options.max_split_bytes
        self._collects = self.fraction_set and options.garbage_collection_threshold > 0
        self._next_address = 0
        self._small, self._large = _Pool(SMALL_SEGMENT_BYTES), _Pool(options.large_segment_bytes)
        if options.expandable_segments:
            for pool in (self._small, self._large):
                pages = _UNLIMITED // pool.page
                start = -(-self._next_address // pool.page) * pool.page
                addresses = Block(start, pages * pool.page, pool is self._small, mapped=False)
                addresses.free = True
                pool.unmapped.append(addresses)
                self._next_address = start + addresses.size

    @property
    def cached(self) -> list[tuple[int, int]]:
        """Address and bytes of every block that is held and not handed out."""
        return [(address, size) for pool in (self._small, self._large) for size, address, _ in pool.free]

    def allocate(self, size: int) -> Block | None:
        """A block for ``size`` bytes as `round_size` gives them; ``None`` is out of memory."""
        pool = self._small if size <= SMALL_BYTES else self._large
        block = self._find(pool, size) or self._from_driver(pool, size)
        if block is None:
            return None
        remainder = block.size - size
        if remainder and self._splits(block, size, remainder):
            rest = Block(block.address + size, remainder, block.small)
            rest.previous, rest.following = block, block.following
            if block.following is not None:
                block.following.previous = rest
            block.following = rest
            block.size = size
            pool.insert(rest)
        block.free = False
        self.allocated += block.size
        if self.allocated > self.allocated_peak:
            self.allocated_peak = self.allocated
        return block

    def free(self, block: Block) -> None:
        """Take a block back, joined with the free blocks beside it."""
        pool = self._small if block.small else self._large
        self.allocated -= block.size
        self._join(pool, block)
        pool.insert(block)

    def _splits(self, block: Block, size: int, remainder: int) -> bool:
        if block.small or self.options.expandable_segments:
            return remainder >= MIN_BLOCK_BYTES
        return size < self._max_split and remainder > SMALL_BYTES

    def _join(self, pool: _Pool, block: Block) -> None:
        """Let ``block`` take in the neighbours that are free and mapped as it is."""
        before, after = block.previous, block.following
        if before is not None and before.free and before.mapped is block.mapped:
            self._forget(pool, before)
            block.address = before.address
            block.size += before.size
            block.previous = before.previous
            if block.previous is not None:
                block.previous.following = block
        if after is not None and after.free and after.mapped is block.mapped:
            self._forget(pool, after)
            block.size += after.size
            block.following = after.following
            if block.following is not None:
                block.following.previous = block

    @staticmethod
    def _forget(pool: _Pool, block: Block) -> None:
        if block.mapped:
            pool.remove(block)
        else:
            pool.unmapped.remove(block)

    def _find(self, pool: _Pool, size: int) -> Block | None:
        """The smallest free block that holds ``size`` bytes, the lowest of those, unless it is kept for others."""
        pool.searches += 1
        free = pool.free
        at = bisect_left(free, (size,))
        if at == len(free):
            return None
        if self.options.expandable_segments:
            at = _least_reach(free, at)
        found = free[at][0]
        if size < self._max_split:
            if found >= self._max_split:
                return None
        elif found >= size + self.options.max_non_split_rounding_bytes:
            return None
        return free.pop(at)[2]

    def _from_driver(self, pool: _Pool, size: int) -> Block | None:
        """New memory, after giving back cached memory if there is no other way."""
        if self._collects:
            self._collect_garbage()
        block = self._grow(pool, size)
        if block is not None or (self.fraction_set and self.options.throw_on_oom):
            return block
        refused = 1
        if self._release_oversize(pool, size):
            block = self._grow(pool, size)
            refused += block is None
        if block is None:
            self._release_cached()
            block = self._grow(pool, size)
        if block is not None:
            self.retries += refused
        return block

    def _grow(self, pool: _Pool, size: int) -> Block | None:
        segment = segment_size(size, self.options)
        expandable = self.options.expandable_segments
        if (self.fraction_set or not expandable) and self.reserved + segment > self.capacity:
            return None
        if expandable:
            return self._map(pool, size)
        block = Block(self._next_address, segment, pool is self._small)
        self._next_address += segment
        self._reserve(segment)
        return block

    def _reserve(self, size: int) -> None:
        self.reserved += size
        if self.reserved > self.reserved_peak:
            self.reserved_peak = self.reserved

    def _release(self, pool: _Pool, block: Block) -> None:
        pool.remove(block)
        self.reserved -= block.size

    def _collect_garbage(self) -> None:
        """Give back whole cached segments of the large pool, the longest unused first, down to the threshold."""
        threshold = int(self.options.garbage_collection_threshold * self.capacity)
        excess = self.reserved - threshold
        if excess <= 0 or self.options.expandable_segments:
            return
        pool = self._large
        unused = [block for _, _, block in pool.free if _is_whole(block)]
        while excess > 0 and unused:
            total_age = sum(pool.searches - block.searches for block in unused)
            kept = []
            for block in unused:
                if (pool.searches - block.searches) * len(unused) < total_age:
                    kept.append(block)
                else:
                    excess -= block.size
                    self._release(pool, block)
            unused = kept

    def _release_oversize(self, pool: _Pool, size: int) -> bool:
        """Give back blocks that are never split, enough for ``size``; whether that was possible."""
        if self.options.max_split_bytes is None or self.options.expandable_segments:
            return False
        wanted = max(size, self._max_split)
        at = bisect_left(pool.free, (wanted,))
        if at < len(pool.free):
            self._release(pool, pool.free[at][2])
            return True
        released = 0
        while pool.free and released < wanted and pool.free[-1][0] >= self._max_split:
            released += pool.free[-1][0]
            self._release(pool, pool.free[-1][2])
        return released >= wanted

    def _release_cached(self) -> None:
        """Give back every cached segment of which nothing is in use, and every unused page of expandable ones."""
        for pool in (self._large, self._small):
            for _, _, block in list(pool.free):
                if self.options.expandable_segments:
                    self._unmap(pool, block)
                elif _is_whole(block):
                    self._release(pool, block)

    def _map(self, pool: _Pool, size: int) -> Block | None:
        """Put pages at the lowest free addresses where ``size`` bytes fit, together with a free block before them."""
        block = _start_of(pool, size)
        if block is None or (not block.mapped and not self._map_block(pool, block, min(block.size, size))):
            return None
        while block.size < size:
            after = block.following
            if after is None or not self._map_block(pool, after, min(after.size, size - block.size)):
                return None
            block = after
        pool.remove(block)
        return block

    def _map_block(self, pool: _Pool, block: Block, size: int) -> bool:
        size = -(-size // pool.page) * pool.page
        if not self.fraction_set and self.reserved + size > self.capacity:
            return False
        at = pool.unmapped.index(block)
        if size < block.size:
            rest = Block(block.address + size, block.size - size, block.small, mapped=False)
            rest.free = True
            rest.previous, rest.following = block, block.following
            if block.following is not None:
                block.following.previous = rest
            block.following, block.size = rest, size
            pool.unmapped[at] = rest
        else:
            del pool.unmapped[at]
        block.mapped = True
        self._reserve(size)
        self._join(pool, block)
        pool.insert(block)
        return True

    def _unmap(self, pool: _Pool, block: Block) -> None:
        """Take the whole pages out of a free block; what is beside them stays cached."""
        start = -(-block.address // pool.page) * pool.page
        end = (block.address + block.size) // pool.page * pool.page
        if start >= end:
            return
        pool.remove(block)
        for address, size in ((block.address, start - block.address), (end, block.address + block.size - end)):
            if size:
                edge = Block(address, size, block.small)
                if address < start:
                    edge.previous, edge.following = block.previous, block
                else:
                    edge.previous, edge.following = block, block.following
                if edge.previous is not None:
                    edge.previous.following = edge
                if edge.following is not None:
                    edge.following.previous = edge
                pool.insert(edge)
        block.address, block.size, block.mapped = start, end - start, False
        self.reserved -= block.size
        self._join(pool, block)
        insort(pool.unmapped, block, key=lambda unmapped: unmapped.address)


def _is_whole(block: Block) -> bool:
    return block.previous is None and block.following is None


def _least_reach(free: list[_Free], at: int) -> int:
    """From ``at`` on, the first block that can grow least: it counts with the unmapped addresses behind it."""
    reach = _reach(free[at][2])
    while at + 1 < len(free):
        further = _reach(free[at + 1][2])
        if further >= reach:
            break
        at, reach = at + 1, further
    return at


def _reach(block: Block) -> int:
    after = block.following
    return block.size if after is None or after.mapped else block.size + after.size


def _start_of(pool: _Pool, size: int) -> Block | None:
    """The lowest run of free and unmapped blocks, unmapped in part, that is at least ``size`` long."""
    for unmapped in pool.unmapped:
        before = unmapped.previous
        start = unmapped if before is None or not before.free else before
        length, block = 0, start
        while length < size and block.free:
            length += block.size
            if block.following is None:
                break
            block = block.following
        if length >= size:
            return start
    return None
